"""Groups of claims weighed into facts: whose words stand, how sure they are, what took whose place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from heapq import nlargest
from math import exp
from typing import Any

from nanoctx.core import facts, keeping, relevance
from nanoctx.core.claims import Claim
from nanoctx.core.facts import Ended, Fact
from nanoctx.core.fold import Group, Grouped
from nanoctx.model import Origin

FADES_IN = 90.0  # days after which an unconfirmed fact that was seen once counts about a third
LEAST = 0.25  # confidence below which a fact has faded
CONFIRMS = 0.6  # what each further session leaves of the doubt
_RANK = {"person": 3, "user": 2}
_SURE = {"person": 1.0, "user": 0.9}
_SURE_BY_GRADE = {"verified": 0.8, "claimed": 0.55, "hypothesis": 0.3}
_NONE: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Question:
    """Two facts that cannot both hold, and nothing tells which does."""

    id: str
    one: str
    other: str
    why: str


@dataclass(frozen=True, slots=True)
class Weighed:
    facts: tuple[Fact, ...]  # the strongest claims of each first in time
    questions: tuple[Question, ...]
    more: int = 0  # facts that were not made, as they matter less
    faded: int = 0  # that are not sure enough any more, and were not made


def weigh(
    found: Grouped,
    rivals: Mapping[str, Mapping[str, str]],
    *,
    now: datetime,
    retracted: frozenset[str] = frozenset(),
    accepted: frozenset[str] = frozenset(),
    pins: Mapping[str, str] = _NONE,
    struck: Mapping[str, datetime] = _NONE,
    hidden: frozenset[str] = frozenset(),
    most: int | None = None,
) -> Weighed:
    """
    Weigh every group. What a person took out has no fact, whoever said it since.

    What was learned on `hidden` branches is known, and is no fact beside what HEAD has. With `most`, of what
    was said once only so many are made into facts, those that matter most; the others are counted.
    """
    touched = retracted | accepted | pins.keys() | struck.keys()
    alone, more, faded = _foremost(found.alone, rivals, touched, hidden, now, most)
    made: dict[str, Fact] = {}
    owner: dict[str, str] = {}
    said: dict[str, datetime] = {}
    away: list[Fact] = []
    for group in (*found.together, *(Group((claim,), (claim.key,)) for claim in alone)):
        ids = {claim.id for claim in group.claims}
        standing = group.claims
        if not retracted.isdisjoint(ids):
            # What else a person wrote themselves stays theirs.
            standing = tuple(claim for claim in standing if claim.block and claim.id not in retracted)
        seen = tuple(claim for claim in standing if not _is_hidden(claim, hidden)) if hidden else standing
        fact = _fact(seen or standing, now, not accepted.isdisjoint(ids))
        if fact is not None and not seen:
            away.append(replace(fact, branch=min(claim.branch for claim in standing if claim.branch)))
        elif fact is not None:
            mark = next((pins[id] for id in sorted(ids) if id in pins), fact.mark) if pins else fact.mark
            at = max((struck[id] for id in ids if id in struck), default=None)
            ended = Ended(at, "struck by hand") if at is not None else None
            fact = replace(fact, mark=mark, superseded=ended)
            made[fact.id] = fact
            owner.update(dict.fromkeys(group.sayings, fact.id))
            said[fact.id] = max(claim.at for claim in standing)
    questions = []
    for one, other, why in _opposed(rivals, owner):
        old, new = sorted((made[one], made[other]), key=lambda fact: (said[fact.id], fact.id))
        if not _meet(old, new) or _is_struck(old) or _is_struck(new):
            continue
        if said[old.id] < said[new.id] and _rank(new) >= _rank(old):
            made[old.id] = _ended(made[old.id], new, said[new.id])
        else:
            questions.append(Question(facts.name(Origin(old.id, None, new.id)), old.id, new.id, why))
    weighed = tuple(sorted((*made.values(), *away), key=lambda fact: (fact.first or now, fact.id)))
    open_questions = (q for q in questions if not (made[q.one].superseded or made[q.other].superseded))
    return Weighed(weighed, tuple(sorted(open_questions, key=lambda q: (q.one, q.other))), more, faded)


def _foremost(
    found: Sequence[Claim],
    rivals: Mapping[str, object],
    touched: Collection[str],
    hidden: frozenset[str],
    now: datetime,
    most: int | None,
) -> tuple[Sequence[Claim], int, int]:
    """Of the claims that stand alone, those that matter most, by the measure of facts."""
    if most is None:
        return found, 0, 0
    kept: list[Claim] = []
    alike: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in found:
        if claim.key in rivals or claim.by == "person" or claim.branch in hidden or claim.id in touched:
            kept.append(claim)
        elif claim.alike:
            alike[claim.alike].append(claim)
    valued: defaultdict[float, list[Claim]] = defaultdict(list)
    faded = more = 0
    for claims in alike.values():
        value = _value(claims[0], now)
        if value is None:
            faded += len(claims)
        else:
            valued[value] += claims
    room = most
    for value in sorted(valued, reverse=True):
        best = valued[value]
        if room < len(best):
            more += len(best) - room
            best = nlargest(room, best, key=lambda claim: (claim.at, claim.id))
        kept += best
        room -= len(best)
    return kept, more, faded


def _value(claim: Claim, now: datetime) -> float | None:
    """How much a claim that stands alone matters; None when it has faded."""
    if _confidence(claim, claim.grade, 1, claim.at, now) < LEAST:
        return None
    scope = facts.UNIVERSAL if claim.scope == facts.UNIVERSAL else facts.PROJECT
    theirs = claim.by == "user" and claim.section == facts.RULES
    return relevance.value(scope, 1, claim.at, theirs, now)


def _days(at: datetime, today: date) -> int:
    utc = at if at.tzinfo is UTC else at.astimezone(UTC)
    return today.toordinal() - utc.toordinal()


def retention(days: int, seen: int) -> float:
    """What is left of an unconfirmed fact after so many days: the more often seen, the slower it fades."""
    return exp(-max(0, days) / (FADES_IN * seen**1.5))


def _fact(group: Sequence[Claim], now: datetime, accepted: bool) -> Fact | None:
    denied = max((claim.at for claim in group if claim.grade == keeping.REFUTED), default=None)
    standing = [
        claim
        for claim in group
        if claim.grade != keeping.REFUTED and (denied is None or claim.at > denied or claim.by == "person")
    ]
    if not standing or not (accepted or _is_confirmed(standing)):
        return None
    best = max(standing, key=_weight)
    projects = sorted({claim.project for claim in standing if claim.project})
    languages = {claim.language for claim in standing if claim.by != "person"}
    oldest, newest = standing[0], max(standing, key=lambda claim: (claim.at, claim.id))
    scope, project, language = _scope(best, standing, projects, languages)
    grade = "verified" if any(claim.grade == "verified" for claim in standing) else best.grade
    seen = _seen(standing)
    own = next((claim.block for claim in reversed(standing) if claim.block), "")
    stands = best.section != facts.RULES or accepted or best.by in _SURE  # no program's word is a rule
    return Fact(
        id=oldest.id,
        text=best.text,
        section=best.section if stands else facts.KNOWN,
        kind=best.kind if stands else "fact",
        scope=scope,
        project=project,
        language=language,
        by=best.by,
        grade=grade,
        seen=seen,
        first=oldest.at,
        last=newest.at,
        confidence=1.0 if accepted else _confidence(best, grade, seen, newest.at, now),
        origins=tuple(claim.origin for claim in standing),
        mark=facts.parse(own).mark if own else "",
        verbatim=own,
        accepted=accepted,
    )


def _is_confirmed(standing: Sequence[Claim]) -> bool:
    """A guess needs somebody who knows; what may be said for once needs a second time."""
    if all(claim.grade == "hypothesis" for claim in standing):
        return False
    return not all(claim.weak for claim in standing) or _seen(standing) > 1


def _seen(standing: Sequence[Claim]) -> int:
    """In how many sessions it was said; a session that was forked from another repeats its very moments."""
    told = [claim for claim in standing if claim.by != "person"]
    return max(1, min(len({claim.origin.observation for claim in told}), len({claim.at for claim in told})))


def _weight(claim: Claim) -> tuple[int, bool, bool, datetime, str]:
    """Whose words stand: a person's over an agent's, a rule's, then checked ones, then the newest."""
    return (
        _RANK.get(claim.by, 1),
        claim.section == facts.RULES,
        claim.grade == "verified",
        claim.at,
        claim.id,
    )


def _scope(
    best: Claim, standing: Sequence[Claim], projects: Sequence[str], languages: set[str]
) -> tuple[str, str, str]:
    """Where it holds: as was said, else as widely as it was seen."""
    project = best.project or (projects[0] if projects else "")
    if best.by == "person":
        return best.scope, best.project, best.language
    if any(claim.scope == facts.UNIVERSAL for claim in standing) or len(projects) > 1:
        only = languages.pop() if len(languages) == 1 else ""
        return (facts.LANGUAGE if only and not _said_so(standing) else facts.UNIVERSAL), "", only
    return facts.PROJECT, project, best.language


def _said_so(standing: Sequence[Claim]) -> bool:
    return any(claim.scope == facts.UNIVERSAL for claim in standing)


def _confidence(best: Claim, grade: str, seen: int, last: datetime, now: datetime) -> float:
    sure = max(_SURE.get(best.by, 0.0), _SURE_BY_GRADE.get(grade, 0.5))
    sure = 1 - (1 - sure) * CONFIRMS ** (seen - 1)
    if best.by not in _SURE and grade != "verified":
        sure *= retention(_days(last, now.astimezone(UTC).date()), seen)
    return round(sure, 4)


def _opposed(
    rivals: Mapping[str, Mapping[str, str]], owner: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Pairs of facts that cannot both hold, each once."""
    found: dict[tuple[str, str], str] = {}
    for key, others in rivals.items():
        one = owner.get(key)
        if one is None:
            continue
        for other_key, why in others.items():
            other = owner.get(other_key)
            if other is not None and one < other:
                found[one, other] = min(why, found.get((one, other), why))
    for (one, other), why in sorted(found.items()):
        yield one, other, why


def _meet(one: Fact, other: Fact) -> bool:
    """Whether both are said of one place: what differs between projects is no contradiction."""
    return not (one.project and other.project and one.project != other.project)


def _is_hidden(claim: Claim, hidden: frozenset[str]) -> bool:
    """What a person wants holds on every branch; what was found out holds where the code is."""
    return claim.branch in hidden and claim.by != "person" and claim.kind not in ("rule", "pref")


def _is_struck(fact: Fact) -> bool:
    return fact.superseded is not None and not fact.superseded.by


def _rank(fact: Fact) -> int:
    return 3 if fact.accepted else _RANK.get(fact.by, 1)


def _ended(old: Fact, new: Fact, at: datetime) -> Fact:
    known = old.superseded
    if known is not None and known.at >= at:
        return old
    return replace(old, superseded=Ended(at, f"now: {new.text}", new.id))
