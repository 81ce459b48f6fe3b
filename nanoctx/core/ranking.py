"""Which candidates are kept in the observation, and in which order they deserve a line of the page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from math import fsum
from types import MappingProxyType

from nanoctx.core import cues, prose
from nanoctx.core.candidate import Candidate
from nanoctx.core.candidates import REPORTED_WITHIN

_SHA = re.compile(r"\b[0-9a-f]{7}")
KEPT = 57  # of 60 items, beside focus, task and block
FRESH = 0.5  # of a candidate's worth: what it says that no better one has said
REPEATED = 0.85  # of the words of a candidate: one that says so many of them says it all
FADES = 0.985  # what a turn later leaves of it
FULL = 120  # characters of a line that says as much as one can
LINES = 8  # that the page may draw from, in order of use; the rest follow by weight
PAST_TURNS = 2
LATE = 6  # turns back: what was committed before is history
NOT_FOR_THE_PAGE = frozenset(
    (
        *("error-cured", "mended", "progress", "asked", "reported", "planned", "given"),
        *("fact-mid", "misread", "offered", "ran", "edited"),
    )
)
STANDS_IN_NOW = frozenset(("rule", "open-edits"))  # has lines of its own there
ALIKE = 40  # characters with which no two lines of the page begin
FROM_ONE_ANSWER = 2  # lines: what was done may take more
FAR = 0.3  # what a line counts that has no word of the topic
QUOTA = {"impl": 4, "fact": 1, "dec": 2, "fail": 1, "next": 1}

# How often a candidate of this sort states something a resuming agent must know (measured, in tenths).
PRIOR = {
    "commit": 4.7, "commits": 4.2,
    "outline": 3.7, "talk": 1.6, "error": 1.0,
    "error-aside": 0.5, "error-cured": 0.4, "refused": 2.2, "approved": 3.0, "answer": 3.4,
    "plan": 1.0, "asked": 0.6, "corrected": 2.4, "said": 2.6, "answered": 1.3, "reported": 0.5, "impl": 2.6,
    "dec": 1.8, "fact": 0.9, "fail": 0.9, "next": 1.2, "impl-mid": 1.9, "dec-mid": 1.6, "fact-mid": 0.6,
    "fail-mid": 0.7, "next-mid": 0.8, "edited": 0.3, "planned": 0.3, "checks": 1.6, "trouble": 0.3,
}  # fmt: skip


def keep(
    found: Sequence[Candidate], turns: int, weights: Mapping[str, float] = MappingProxyType({})
) -> list[Candidate]:
    """The candidates worth storing, most useful for the page first, near-repeats left out."""
    chosen = _worth_storing(found, turns)
    first = _for_the_page(chosen, turns, weights)
    picked = {id(one) for one in first}
    return first + [one for one in chosen if id(one) not in picked]


def _worth_storing(found: Sequence[Candidate], turns: int) -> list[Candidate]:
    """One by one the best, by what it is worth and by how much of it was not said by those before it."""
    chosen: list[int] = []
    vocabularies: list[frozenset[str]] = []
    rules: list[frozenset[str]] = []
    covered: set[str] = set()  # by both
    # A wish for ever repeats what was said on its occasion, and is more.
    wished: defaultdict[int, list[frozenset[str]]] = defaultdict(list)
    for one in found:
        if one.kind == "rule":
            wished[one.pos].append(prose.words(one.text))
    worths = [_worth(one, turns) for one in found]
    heap = [(-worths[index], -one.pos, index) for index, one in enumerate(found)]  # the later of two
    heapify(heap)
    while heap and len(chosen) < KEPT:
        value, late, index = heap[0]
        one = found[index]
        have = prose.words(one.text)
        is_rule = one.kind == "rule"
        said = rules if is_rule else vocabularies
        new = len(have - covered)
        if (
            not have
            # One that repeats another has few words that were not said by any: quickly told of most.
            # And each commit is one more.
            or (one.sort != "commit" and len(have) - new >= REPEATED * len(have) and _repeats(have, said))
            or (not is_rule and one.pos in wished and _repeats(have, wished[one.pos]))
        ):
            heappop(heap)
            continue
        fresh = 1.0 if is_rule else new / len(have)
        now = -worths[index] * (1 - FRESH + FRESH * fresh)
        if now > value:  # it says less than when it was last weighed
            heapreplace(heap, (now, late, index))
            continue
        heappop(heap)
        covered |= have
        said.append(have)
        chosen.append(index)
    chosen.sort(key=lambda index: (-worths[index], found[index].pos))
    return [found[index] for index in chosen]


def _repeats(have: frozenset[str], said: Sequence[frozenset[str]]) -> bool:
    """One of those said before has nearly all of these words."""
    most = REPEATED * len(have)
    return any(len(other) >= most and len(have & other) >= most for other in said)


def _worth(one: Candidate, turns: int) -> float:
    names = min(5, prose.count_names(one.text))
    back = 0 if one.kind == "rule" else turns - 1 - one.turn  # what holds for ever does not fade
    size = 0.6 + 0.4 * min(1.0, len(one.text) / FULL)
    return one.weight * FADES**back * (1 + 0.05 * names) * size


def _for_the_page(
    chosen: Sequence[Candidate], turns: int, weights: Mapping[str, float]
) -> list[Candidate]:
    """Greedy by score, each pick lowering what says the same again."""
    most = max(weights.values(), default=1.0)
    scores = {id(one): _score(one, turns) * (FAR + _nearness(one, weights) / most) for one in chosen}
    told = {one.turn for one in chosen if one.sort in ("outline", "commit")}
    reported = told | {one.turn for one in chosen if one.sort == "impl"}
    pool = [
        one
        for one in chosen
        if one.kind in QUOTA
        and one.grade not in ("refuted", "hypothesis")
        and one.sort not in NOT_FOR_THE_PAGE
        and one.sort not in STANDS_IN_NOW
        # What was ahead or broken some turns ago has been done or mended since, more often than not.
        and not (one.kind in ("next", "fail") and one.by == "agent" and turns - 1 - one.turn >= PAST_TURNS)
        # The outcome of a request says more than the request.
        and not (one.sort == "answered" and reported & set(range(one.turn, one.turn + REPORTED_WITHIN)))
    ]
    vocabularies = {id(one): prose.words(one.text) for one in pool}
    picked: list[Candidate] = []
    covered: set[str] = set()
    kinds: Counter[str] = Counter()
    answers: Counter[int] = Counter()
    shas = {sha for one in pool if one.sort == "commit" for sha in _SHA.findall(one.text[:24])}

    def value(one: Candidate) -> float:
        have = vocabularies[id(one)]
        fresh = len(have - covered) / max(1, len(have))
        repeats = (
            0.75
            if one.turn in told
            and one.kind in ("impl", "fact")
            and one.sort not in ("outline", "commit")
            else 1.0
        )
        if one.sort != "commit" and any(sha in one.text for sha in shas):
            repeats *= 0.6  # that it was committed stands there
        return scores[id(one)] * (0.2 + 0.8 * fresh) * 0.8 ** kinds[one.kind] * repeats

    # The newest commit is what a resuming agent must know first of all, however short its line is.
    late = (one for one in pool if one.sort == "commit" and turns - 1 - one.turn <= LATE)
    newest = max(late, key=lambda one: one.pos, default=None)
    if newest is not None:
        pool.remove(newest)
        picked.append(newest)
        covered |= vocabularies[id(newest)]
        kinds[newest.kind] += 1
    while pool and len(picked) < LINES:
        pool = [one for one in pool if one.kind == "impl" or answers[one.pos] < FROM_ONE_ANSWER]
        open_kinds = [one for one in pool if kinds[one.kind] < QUOTA[one.kind]] or pool
        if not open_kinds:
            break
        best = max(open_kinds, key=value)
        pool.remove(best)
        if len(vocabularies[id(best)] - covered) < 3 or any(_begin_alike(best, one) for one in picked):
            continue
        picked.append(best)
        covered |= vocabularies[id(best)]
        kinds[best.kind] += 1
        answers[best.pos] += best.kind != "impl"
    return picked


def _begin_alike(one: Candidate, other: Candidate) -> bool:
    """Two lines that say the same first: a report in one line, and the first of its parts."""
    return one.text[:ALIKE].casefold() == other.text[:ALIKE].casefold()


def _is_standing_order(text: str) -> bool:
    return bool(cues.STANDING.search(text) and cues.IMPERATIVE.search(text))


def _nearness(one: Candidate, weights: Mapping[str, float]) -> float:
    """How much a line speaks of what the session is about now."""
    have = prose.words(one.text)
    # Exactly summed: sets have no order, and the same session must always give the same page.
    return fsum(weights.get(word, 0.0) for word in have) / len(have) if have else 0.0


def _score(one: Candidate, turns: int) -> float:
    back = turns - 1 - one.turn
    recency = 1.5 if back == 0 else 1.15 if back == 1 else 0.9 if back < 7 else 0.5 if back < 13 else 0.35
    length = len(one.text)
    size = 0.2 if length < 50 else 0.6 if length < 90 else 1.0 if length < 190 else 1.2
    prior = PRIOR.get(one.sort, 1.0)
    if one.by == "user":
        size = max(size, 0.6)
        if cues.CHORE.match(one.text):
            prior = 0.5
        elif (
            one.sort in ("said", "answered", "corrected")
            and (cues.NORM.search(one.text) or _is_standing_order(one.text))
        ):
            prior = 4.2
            if _is_standing_order(one.text):  # what should be may have come to be, or been thought better of
                recency = max(recency, 0.85)
        elif one.weight < 1.8 and one.sort == "said":
            prior *= 0.5
    if one.grade == "hypothesis":
        prior *= 0.6
    if one.by == "agent" and cues.POINTS_BACK.match(one.text):
        prior *= 0.5  # nobody sees to what
    names = (0.75, 0.9, 1.15, 1.25)[min(3, prose.count_names(one.text))]
    return prior * recency * size * names
