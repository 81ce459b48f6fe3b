"""
The fold: what all observations together say, one fact for what was said many times.

What is kept between two cycles are digests (what an observation claims) and which sayings are the same or
rivals. Both are judged by their own lines alone, so adding, replacing and taking away an observation touches
only its own sayings, and the result is that of a fold from the beginning, whatever order the files come in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from nanoctx.core import claims, likeness, people
from nanoctx.core.claims import Claim
from nanoctx.core.likeness import Saying
from nanoctx.model import Item, Observation


class Digest(msgspec.Struct, frozen=True, gc=False):
    """Of one observation what a cycle needs to know."""

    id: str
    agent: str
    project: str = ""
    language: str = ""
    started: datetime | None = None
    last: datetime | None = None
    prompts: int = 0
    headless: bool = False
    claims: tuple[Claim, ...] = ()
    done: tuple[Item, ...] = ()  # by hand, to a page
    page: str = ""
    salt: str = ""
    items: int = 0  # with `last`, how much of a session it saw


class Folded(msgspec.Struct):
    """Digests by observation, and what their sayings are to each other."""

    digests: dict[str, Digest] = msgspec.field(default_factory=dict)
    same: dict[str, list[str]] = msgspec.field(default_factory=dict)
    rivals: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)


class Group(msgspec.Struct, frozen=True, gc=False):
    """Claims that say one thing, the oldest first."""

    claims: tuple[Claim, ...]
    sayings: tuple[str, ...]


def digest(one: Observation) -> Digest:
    """Reduce an observation to what may become memory."""
    by_hand = one.agent == people.AGENT
    return Digest(
        id=one.id,
        agent=one.agent,
        project=one.project,
        language="" if by_hand else claims.main_language(one),
        started=one.started,
        last=one.last or one.ended or one.started,
        prompts=one.prompts,
        headless=bool(one.more.get("headless")),
        claims=claims.claims(one),
        done=one.items if by_hand else (),
        page=str(one.more.get("page", "CONTEXT.md")) if by_hand else "",
        salt=str(one.more.get("salt", "")),
        items=len(one.items),
    )


def update(folded: Folded, news: Mapping[str, Digest | None]) -> None:
    """Take in what is new or changed, and let go what is None."""
    news = {id: one for id, one in news.items() if folded.digests.get(id) != one}
    if not news:
        return
    gone = {claim.saying.key for id in news if id in folded.digests for claim in folded.digests[id].claims}
    known = set(_sayings(folded.digests.values())) if gone or folded.digests else set()
    for id, one in news.items():
        if one is None:
            folded.digests.pop(id, None)
        else:
            folded.digests[id] = one
    standing = _sayings(folded.digests.values())
    for key in gone - standing.keys():
        _forget(folded, key)
    fresh = {key: one for key, one in standing.items() if key not in known}
    _compare(folded, fresh, standing)


def groups(folded: Folded) -> tuple[Group, ...]:
    """Claims joined as far as they say the same, or a person put one in the place of another."""
    by_saying: defaultdict[str, list[Claim]] = defaultdict(list)
    for one in folded.digests.values():
        for claim in one.claims:
            by_saying[claim.saying.key].append(claim)
    joined = _Joined()
    for key, others in folded.same.items():
        for other in others:
            joined.join(key, other)
    edited = [claim for found in by_saying.values() for claim in found if claim.of]
    if edited:
        place = {claim.id: key for key, found in by_saying.items() for claim in found}
        for claim in edited:
            if claim.of in place:
                joined.join(place[claim.of], claim.saying.key)
    components: defaultdict[str, list[str]] = defaultdict(list)
    for key in by_saying:
        components[joined.root(key)].append(key)
    return tuple(
        Group(tuple(sorted((c for key in keys for c in by_saying[key]), key=_age)), tuple(sorted(keys)))
        for keys in components.values()
    )


def _sayings(digests: Iterable[Digest]) -> dict[str, Saying]:
    return {claim.saying.key: claim.saying for one in digests for claim in one.claims}


def _age(claim: Claim) -> tuple[datetime, str]:
    return (claim.at, claim.id)


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


def _compare(folded: Folded, fresh: Mapping[str, Saying], standing: Mapping[str, Saying]) -> None:
    """Judge each new saying beside those with which it has a word in common that counts."""
    wanted = {key for one in fresh.values() for key in one.keys}
    blocks: defaultdict[str, list[Saying]] = defaultdict(list)
    for one in standing.values():
        for key in one.keys:
            if key in wanted:
                blocks[key].append(one)
    for one in fresh.values():
        for other in _near(one, blocks):
            # Of two new ones the pair is judged once.
            if other.key in fresh and other.key < one.key:
                continue
            if likeness.same(one, other):
                folded.same.setdefault(one.key, []).append(other.key)
                folded.same.setdefault(other.key, []).append(one.key)
            elif why := likeness.rivals(one, other):
                folded.rivals.setdefault(one.key, {})[other.key] = why
                folded.rivals.setdefault(other.key, {})[one.key] = why


def _near(one: Saying, blocks: Mapping[str, Sequence[Saying]]) -> Iterator[Saying]:
    met = {one.key}
    for key in one.keys:
        for other in blocks[key]:
            if other.key not in met:
                met.add(other.key)
                yield other


class _Joined:
    """Which belong together, as pairs tell."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

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
        if first != second:
            self._above[second] = first
