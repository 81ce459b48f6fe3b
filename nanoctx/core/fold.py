"""
The fold: what all observations together say, one fact for what was said many times.

What is kept between two cycles are digests (what an observation claims) and which sayings are the same or
rivals. Both are judged by their own lines alone, so adding, replacing and taking away an observation touches
only its own sayings, and the result is that of a fold from the beginning, whatever order the files come in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, combinations

import msgspec

from nanoctx.core import activity, claims, likeness, people
from nanoctx.core.claims import Claim
from nanoctx.core.likeness import Saying
from nanoctx.model import Item, Observation

FEW = 100  # new sayings up to which each is held against all
CROWD = 100  # choices of one subject beyond which it is a common word, and no subject
FILES, COMMITS = 20, 10  # of a session that are remembered


class Digest(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Of one observation what a cycle needs to know."""

    id: str
    agent: str
    project: str = ""
    language: str = ""
    started: datetime | None = None
    last: datetime | None = None
    prompts: int = 0
    headless: bool = False
    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    done: tuple[Item, ...] = ()  # by hand, to a page
    page: str = ""
    salt: str = ""
    blocked: bool = False
    project_is: str = ""  # what the person said of the project: paused, completed, active
    items: int = 0  # with `last`, how much of a session it saw
    cwd: str = ""

    @property
    def extent(self) -> tuple[datetime, int]:
        """How much of a session it saw."""
        return (self.last or claims.LONG_AGO, self.items)


class Folded(msgspec.Struct):
    """Digests by observation, and what their sayings are to each other."""

    digests: dict[str, Digest] = msgspec.field(default_factory=dict)
    same: dict[str, list[str]] = msgspec.field(default_factory=dict)
    rivals: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)


class Group(msgspec.Struct, frozen=True, gc=False):
    """Claims that say one thing, the oldest first."""

    claims: tuple[Claim, ...]
    sayings: tuple[str, ...]


class Grouped(msgspec.Struct, frozen=True):
    together: tuple[Group, ...]
    alone: Sequence[Claim]  # there are many


def digest(one: Observation) -> Digest:
    """Reduce an observation to what may become memory."""
    theirs = one.agent == people.AGENT
    return Digest(
        id=one.id,
        agent=one.agent,
        project=one.project,
        language="" if theirs else claims.main_language(one),
        started=one.started,
        last=one.last or one.ended or one.started,
        prompts=one.prompts,
        headless=bool(one.more.get("headless")),
        files=one.files[:FILES],
        commits=one.commits[:COMMITS],
        claims=claims.claims(one),
        done=one.items if theirs else (),
        page=str(one.more.get("page", "CONTEXT.md")) if theirs else "",
        salt=str(one.more.get("salt", "")),
        blocked=any(item.kind == "block" for item in one.items),
        project_is="" if theirs else activity.said(one.items),
        items=len(one.items),
        cwd=one.cwd,
    )


def by_hand(one: Digest) -> Observation:
    """What a person did, out of what is remembered of it."""
    more = {"page": one.page, "salt": one.salt}
    return Observation(
        one.id, one.agent, project=one.project, started=one.started, items=one.done, more=more
    )


def update(folded: Folded, news: Mapping[str, Digest | None]) -> None:
    """Take in what is new or changed, and let go what is None."""
    news = {id: one for id, one in news.items() if folded.digests.get(id) != one}
    if not news:
        return
    old = _by_key(folded.digests[id] for id in news if id in folded.digests)
    new = _by_key(one for one in news.values() if one is not None)
    standing = _by_key(one for id, one in folded.digests.items() if id not in news)
    for id, one in news.items():
        if one is None:
            folded.digests.pop(id, None)
        else:
            folded.digests[id] = one
    counts = Counter(frame for claim in standing.values() for frame in claim.frames.split())
    crowd = _crowd(counts, [claim for key, claim in new.items() if key not in standing])
    # What is compared by a word that begins or ceases to be a common one is judged again.
    turned = crowd ^ _crowd(counts, [claim for key, claim in old.items() if key not in standing])
    again = {key for key, claim in standing.items() if not turned.isdisjoint(claim.frames.split())}
    for key in (old.keys() - standing.keys()) | again:
        _forget(folded, key)
    after = standing | new
    fresh = {key: after[key] for key in (new.keys() - standing.keys()) | again}
    for claim, other in _near(fresh, after, crowd):
        _judge(folded, claim.saying, other.saying)


def groups(folded: Folded) -> Grouped:
    """Claims joined as far as they say the same, or a person put one in the place of another."""
    first: dict[str, Claim] = {}
    further: defaultdict[str, list[Claim]] = defaultdict(list)
    joined = _Joined()
    for one in folded.digests.values():
        for claim in one.claims:
            if first.setdefault(claim.key, claim) is not claim:
                further[claim.key].append(claim)
            if claim.of and one.agent != people.AGENT:
                joined.join(next(rule.key for rule in one.claims if rule.id == claim.of), claim.key)
    for key, center in _centers(folded.same, first).items():
        joined.join(key, center)
    hand = [claim for one in folded.digests.values() if one.agent == people.AGENT for claim in one.claims]
    if any(claim.of for claim in hand):
        place = {claim.id: claim.key for one in folded.digests.values() for claim in one.claims}
        for claim in hand:
            if claim.of in place:
                joined.join(place[claim.of], claim.key)
    components: defaultdict[str, list[str]] = defaultdict(list)
    for key in {*joined, *further}:
        components[joined.root(key)].append(key)
    together = (
        Group(_in_time([claim for key in keys for claim in (first[key], *further.get(key, ()))]), tuple(keys))
        for keys in map(sorted, components.values())
    )
    alone = [claim for key, claim in first.items() if key not in further and key not in joined]
    return Grouped(tuple(together), alone)


def _centers(same: Mapping[str, Sequence[str]], found: Mapping[str, Claim]) -> dict[str, str]:
    """
    Of each saying the shortest that it is said with.

    "Write tests for the parser" and "write tests for the lexer" are each the same as "write tests", and not
    as each other: so a saying is joined only while all that are joined have most of their words in common.
    """
    centers: dict[str, str] = {}
    every: dict[str, frozenset[str]] = {}  # words of all that are said with one
    words = {key: frozenset(found[key].words.split()) for key in same}
    for key in sorted(same, key=lambda key: (len(words[key]), key)):
        for center in sorted(other for other in same[key] if other in every):
            if likeness.within(words[center], every[center] | words[key]):
                centers[key] = center
                every[center] |= words[key]
                break
        else:
            centers[key] = key
            every[key] = words[key]
    return centers


def _by_key(digests: Iterable[Digest]) -> dict[str, Claim]:
    return {claim.key: claim for one in digests for claim in one.claims}


def _in_time(found: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(sorted(found, key=lambda claim: (claim.at, claim.id)))


def _forget(folded: Folded, key: str) -> None:
    for other in folded.same.pop(key, ()):
        _without(folded.same, other, key)
    for other in folded.rivals.pop(key, {}):
        of_other = folded.rivals[other]
        of_other.pop(key, None)
        if not of_other:
            del folded.rivals[other]


def _without(edges: dict[str, list[str]], key: str, other: str) -> None:
    left = [one for one in edges.get(key, ()) if one != other]
    if left:
        edges[key] = left
    else:
        edges.pop(key, None)


def _crowd(counts: Counter[str], more: Iterable[Claim]) -> set[str]:
    every = counts + Counter(frame for claim in more for frame in claim.frames.split())
    return {frame for frame, count in every.items() if count > CROWD}


def _near(
    fresh: Mapping[str, Claim], every: Mapping[str, Claim], crowd: Collection[str]
) -> Iterator[tuple[Claim, Claim]]:
    """The pairs with a new one in them that may have to do with each other, each once."""
    met: set[tuple[str, str]] = set()
    pairs = _by_frames(fresh, every, crowd)
    for one, other in chain(pairs, _by_words(fresh, every)):
        pair = (one.key, other.key) if one.key < other.key else (other.key, one.key)
        if one is not other and pair not in met:
            met.add(pair)
            yield one, other


def _by_frames(
    fresh: Mapping[str, Claim], every: Mapping[str, Claim], crowd: Collection[str]
) -> Iterator[tuple[Claim, Claim]]:
    """Those that may be choices of one thing."""
    wanted: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in fresh.values():
        for frame in claim.frames.split():
            if frame not in crowd:
                wanted[frame].append(claim)
    for other in every.values():
        for frame in other.frames.split():
            for claim in wanted.get(frame, ()):
                yield claim, other


def _by_words(fresh: Mapping[str, Claim], every: Mapping[str, Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Those of which one says what the other says, or part of it."""
    families: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in fresh.values():
        families[claim.kin].append(claim)
    if len(fresh) <= FEW:
        words = {key: frozenset(claim.words.split()) for key, claim in fresh.items()}
        for other in every.values():
            if other.kin in families:
                theirs = frozenset(other.words.split())
                for claim in families[other.kin]:
                    if likeness.within(words[claim.key], theirs):
                        yield claim, other
        return
    kin: defaultdict[str, list[Claim]] = defaultdict(list)
    for other in every.values():
        if other.kin in families:
            kin[other.kin].append(other)
    for found in kin.values():
        yield from _within(found, fresh)


def _within(family: Sequence[Claim], fresh: Mapping[str, Claim]) -> Iterator[tuple[Claim, Claim]]:
    """
    The pairs of a family of which one has the words of the other.

    Each stands at its two rarest words: who has all of its words has these as well.
    """
    counts = Counter(word for claim in family for word in claim.words.split())
    places: defaultdict[tuple[str, ...], list[tuple[Claim, frozenset[str]]]] = defaultdict(list)
    read = []
    for claim in family:
        words = sorted(claim.words.split(), key=lambda word: (counts[word], word))
        whole = frozenset(words)
        read.append((claim, words, whole))
        places[tuple(words[:2])].append((claim, whole))
    for claim, words, whole in read:
        is_new = claim.key in fresh
        for place in ((), *((word,) for word in words), *combinations(words, 2)):
            for other, part in places.get(place, ()):
                if (is_new or other.key in fresh) and likeness.within(part, whole):
                    yield (claim, other) if is_new else (other, claim)


def _judge(folded: Folded, one: Saying, other: Saying) -> None:
    if likeness.same(one, other):
        folded.same.setdefault(one.key, []).append(other.key)
        folded.same.setdefault(other.key, []).append(one.key)
    elif why := likeness.rivals(one, other):
        folded.rivals.setdefault(one.key, {})[other.key] = why
        folded.rivals.setdefault(other.key, {})[one.key] = why


class _Joined:
    """Which belong together, as pairs tell."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._above)

    def __contains__(self, key: str) -> bool:
        return key in self._above

    def root(self, key: str) -> str:
        above = self._above
        top = key
        while (higher := above.get(top, top)) != top:
            top = higher
        while (higher := above.get(key, key)) != top:
            above[key] = top
            key = higher
        return top

    def join(self, one: str, other: str) -> None:
        first, second = sorted((self.root(one), self.root(other)))
        self._above.setdefault(first, first)
        if first != second:
            self._above[second] = first
