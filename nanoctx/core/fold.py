"""
The fold: what all observations together say, one fact for what was said many times.

What is kept between two cycles are digests (what an observation claims) and which sayings are the same or
rivals. Both are judged by their own lines alone, so adding, replacing and taking away an observation touches
only its own sayings, and the result is that of a fold from the beginning, whatever order the files come in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec

from nanoctx.core import activity, claims, likeness, people
from nanoctx.core.claims import Claim
from nanoctx.core.likeness import Saying
from nanoctx.model import Item, Observation

FEW = 100  # new sayings up to which each is held against all
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
    before = _by_key(folded.digests.values())
    for id, one in news.items():
        if one is None:
            folded.digests.pop(id, None)
        else:
            folded.digests[id] = one
    after = _by_key(folded.digests.values())
    for key in before.keys() - after.keys():
        _forget(folded, key)
    fresh = {key: after[key] for key in after.keys() - before.keys()}
    for new, other in _near(fresh, after):
        _judge(folded, new.saying, other.saying)


def groups(folded: Folded) -> tuple[Group, ...]:
    """Claims joined as far as they say the same, or a person put one in the place of another."""
    by_saying: defaultdict[str, list[Claim]] = defaultdict(list)
    for one in folded.digests.values():
        for claim in one.claims:
            by_saying[claim.key].append(claim)
    joined = _Joined()
    for key, others in folded.same.items():
        for other in others:
            joined.join(key, other)
    edited = [claim for found in by_saying.values() for claim in found if claim.of]
    if edited:
        place = {claim.id: key for key, found in by_saying.items() for claim in found}
        for claim in edited:
            if claim.of in place:
                joined.join(place[claim.of], claim.key)
    alone = [key for key in by_saying if not joined.has(key)]
    components: defaultdict[str, list[str]] = defaultdict(list)
    for key in by_saying.keys() - set(alone):
        components[joined.root(key)].append(key)
    return (
        *(Group(_in_time(by_saying[key]), (key,)) for key in alone),
        *(
            Group(_in_time([claim for key in keys for claim in by_saying[key]]), tuple(sorted(keys)))
            for keys in components.values()
        ),
    )


def _by_key(digests: Iterable[Digest]) -> dict[str, Claim]:
    return {claim.key: claim for one in digests for claim in one.claims}


def _in_time(found: list[Claim]) -> tuple[Claim, ...]:
    return tuple(sorted(found, key=_age)) if len(found) > 1 else tuple(found)


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


def _near(fresh: Mapping[str, Claim], every: Mapping[str, Claim]) -> Iterator[tuple[Claim, Claim]]:
    """The pairs with a new one in them that may have to do with each other, each once."""
    words = {key: frozenset(claim.words.split()) for key, claim in fresh.items()}
    if len(fresh) <= FEW:
        # One word in common is enough only for a line of one word, and for what is a choice.
        needed = {key: 2 if likeness.is_plain(ours) else 1 for key, ours in words.items()}
        for other_key, other in every.items():
            theirs = frozenset(other.words.split())
            for key, ours in words.items():
                is_close = len(ours & theirs) >= needed[key] and likeness.near(ours, theirs)
                if is_close and (other_key not in fresh or key < other_key):
                    yield fresh[key], other
        return
    words |= {key: frozenset(claim.words.split()) for key, claim in every.items() if key not in words}
    blocks: defaultdict[str, list[str]] = defaultdict(list)
    for key, claim in every.items():
        for word in likeness.keys(claim.words):
            blocks[word].append(key)
    for key, claim in fresh.items():
        met = {key}
        for word in likeness.keys(claim.words):
            for other_key in blocks[word]:
                if other_key not in met:
                    met.add(other_key)
                    is_turn = other_key not in fresh or key < other_key
                    if is_turn and likeness.near(words[key], words[other_key]):
                        yield claim, every[other_key]


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

    def has(self, key: str) -> bool:
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
