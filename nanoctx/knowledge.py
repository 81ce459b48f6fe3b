"""What all observations say, as facts: folded, weighed, and held against the repository. Writes no page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

import msgspec

from nanoctx.core import (
    claims,
    facts,
    fold,
    forgotten,
    freshness,
    likeness,
    memory,
    people,
    relevance,
    undone,
    weighing,
)
from nanoctx.core.facts import Fact
from nanoctx.core.fold import Digest
from nanoctx.core.forgotten import Forgotten
from nanoctx.disk import folds, observations
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Origin
from nanoctx.sources import git_names

FEWEST, SHORTEST = 300, 15  # facts that are weighed at least; tokens that a line takes at least
MOST_CHECKED = 300  # facts that a repository is asked about at once
_NONE: frozenset[str] = frozenset()
_NOBODY = Digest("", "")
HAND = "hand:"  # digests of what stands in the page by a person's hand


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known, whether or not the page has room for it."""

    facts: tuple[Fact, ...]
    questions: tuple[weighing.Question, ...]
    standing: people.Standing
    more: int  # facts beside these, left out as they matter less
    faded: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Brief:
    """Of memory the foremost, and the sessions it was made of, without having read them again."""

    memory: Memory
    sessions: tuple[Digest, ...]  # oldest first
    places: Mapping[str, Sequence[str]]  # the files of each, as `disk.observations` names them


def memory_of(ws: Workspace, *, now: datetime, zone: tzinfo) -> Memory:
    """All facts as they are now; nothing is written."""
    return Knowledge(ws, now, zone, most=None).known()


def brief_of(ws: Workspace, *, now: datetime, zone: tzinfo, kinds: Collection[str]) -> Brief:
    """As `memory_of`; of what was said once only what is of these kinds, and the foremost of that."""
    found = Knowledge(ws, now, zone, kinds=kinds)
    return Brief(found.known(), found.sessions(), found.places())


class Knowledge:
    """What the files say at this moment."""

    def __init__(
        self,
        ws: Workspace,
        now: datetime,
        zone: tzinfo,
        most: int | None = 0,
        kinds: Collection[str] | None = None,
    ) -> None:
        self.ws, self.now, self.zone, self._kinds = ws, now, zone, kinds
        # Facts that are weighed beside those that are the same, disputed or a person's: more than have room.
        self._most = None if most is None else max(FEWEST, ws.settings.memory_budget // SHORTEST)
        self._remembered = folds.load(ws.state)
        self.problems: tuple[str, ...] = ()
        self.news = 0
        self._is_new = False
        self._known: Memory | None = None
        self._take_in()

    def remember(self) -> None:
        if self._is_new:
            folds.save(self.ws.state, self._remembered)

    def digests(self) -> tuple[Digest, ...]:
        return tuple(self._remembered.folded.digests.values())

    def forgotten(self) -> Forgotten:
        """What a person wanted forgotten."""
        done = (one for one in self.digests() if one.page == forgotten.EVERYWHERE)
        return forgotten.read(map(fold.by_hand, done))

    def known(self) -> Memory:
        if self._known is None:
            standing = self._standing()
            retracted = frozenset(one.key.removeprefix("^") for one in standing.retractions if one.key)
            struck = {
                key.removeprefix("^"): value.at
                for key, value in standing.values.items()
                if facts.parse(value.line.text).struck
            }
            folded = self._remembered.folded
            repo = self.ws.project_root
            weighed = weighing.weigh(
                self._of_kinds(self._groups()),
                folded.rivals,
                now=self.now,
                retracted=retracted,
                accepted=frozenset(key.removeprefix("^") for key in standing.accepted),
                pins={key.removeprefix("^"): mark for key, mark in standing.pins.items()},
                struck=struck,
                hidden=git_names.elsewhere(repo) if repo is not None else frozenset(),
                most=self._most,
            )
            checked = self._checked(weighed.facts)
            self._known = Memory(
                checked, weighed.questions, standing, weighed.more, weighed.faded, self.problems
            )
        return self._known

    # -- observations --------------------------------------------------------------------------------------

    def _take_in(self) -> None:
        """Read the files that changed, and fold what they say."""
        known = self._remembered
        found = observations.news(self.ws.root, known.stamps)
        self.problems = found.problems
        gone = known.stamps.keys() - found.stamps.keys()
        files = {id: dict(known.twice.get(id, {})) for id in self._touched(found, gone)}
        for place, id in known.names.items():
            if id in files and not files[id] and id in known.folded.digests:
                files[id][place] = known.folded.digests[id]
        for place in (*gone, *found.loaded):
            files.get(known.names.pop(place, ""), {}).pop(place, None)
        for place, seen in found.loaded.items():
            files[seen.id][place] = fold.digest(seen)
            known.names[place] = seen.id
        known.stamps = found.stamps
        for id, held in files.items():
            known.twice.pop(id, None)
            if len(held) > 1:  # of two machines
                known.twice[id] = held
        self.news += len(found.loaded)
        self._is_new |= bool(found.loaded or gone)
        # Of one session in two files, what saw more of it counts.
        best = {id: max(sorted(held.items()), key=_extent)[1] if held else None for id, held in files.items()}
        fold.update(known.folded, best)
        self._stand()

    def _touched(self, found: observations.News, gone: Iterable[str]) -> set[str]:
        """The observations whose files changed."""
        names = self._remembered.names
        before = {names[place] for place in (*gone, *found.loaded) if place in names}
        return before | {seen.id for seen in found.loaded.values()}

    def _stand(self) -> None:
        """Fold what stands in the page by a person's hand."""
        known = self._remembered
        hand = {digest.id: digest for digest in self._by_hand()}
        stale = [id for id in known.folded.digests if id.startswith(HAND) and id not in hand]
        fold.update(known.folded, {**dict.fromkeys(stale), **hand})

    def _of_kinds(self, found: fold.Grouped) -> fold.Grouped:
        if self._kinds is None:
            return found
        rivals = self._remembered.folded.rivals
        alone = tuple(one for one in found.alone if one.kind in self._kinds or one.key in rivals)
        return msgspec.structs.replace(found, alone=alone)

    def sessions(self) -> tuple[Digest, ...]:
        digests = self._remembered.folded.digests.values()
        found = (one for one in digests if one.agent != people.AGENT)
        return tuple(sorted(found, key=lambda one: (one.started or claims.LONG_AGO, one.id)))

    def places(self) -> Mapping[str, Sequence[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for place, id in self._remembered.names.items():
            found[id].append(place)
        return found

    def _groups(self) -> fold.Grouped:
        """What is said, without what an agent was asked to remember and the person took back."""
        folded = self._remembered.folded
        found = fold.groups(folded)
        out = undone.left_out(fold.by_hand(one) for one in folded.digests.values() if one.done)
        if not any(folded.digests[id].claims for id in out if id in folded.digests):
            return found
        standing = (
            fold.Group(tuple(claim for claim in one.claims if claim.observation not in out), one.sayings)
            for one in found.together
        )
        together = tuple(one for one in standing if one.claims)
        return fold.Grouped(together, [claim for claim in found.alone if claim.observation not in out])

    # -- the repository ------------------------------------------------------------------------------------

    def _checked(self, known: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """Mark the facts that the repository at hand speaks against; of many, the most relevant."""
        repo = self.ws.project_root
        if repo is None:
            return known
        named = {fact.id: found for fact in self._likely(known) if (found := freshness.names(fact.text))}
        chosen = [fact for fact in known if fact.id in named]
        digests = self._remembered.folded.digests
        asked = []
        for fact in chosen:
            one = digests.get(fact.origins[-1].observation, _NOBODY)
            claim = next((claim for claim in one.claims if claim.origin == fact.origins[-1]), None)
            head, branch = (claim.head, claim.branch) if claim is not None else ("", "")
            asked.append(git_names.Asked(named[fact.id], head, one.files, one.commits, branch))
        told = git_names.look(repo, asked)
        reasons = {
            fact.id: reason
            for fact, answers in zip(chosen, told, strict=True)
            if (reason := freshness.stale(named[fact.id], answers))
        }
        return tuple(replace(fact, stale=reasons.get(fact.id, "")) for fact in known) if reasons else known

    def _told_anyway(self, known: tuple[Fact, ...]) -> frozenset[str]:
        """The facts that AGENTS.md and its like say as well."""
        repo = self.ws.project_root
        lines = git_names.instructions(repo) if repo is not None else ()
        return (
            likeness.said_in(lines, {fact.id: fact.text for fact in self._likely(known)}) if lines else _NONE
        )

    def _likely(self, known: tuple[Fact, ...]) -> list[Fact]:
        """The facts that may come to stand in the page."""
        live = [fact for fact in known if fact.superseded is None and not fact.branch]
        score = {fact.id: (fact.kept, relevance.score(fact, now=self.now)) for fact in live}
        return sorted(live, key=lambda fact: (score[fact.id], fact.id), reverse=True)[:MOST_CHECKED]

    # -- people --------------------------------------------------------------------------------------------

    def _standing(self) -> people.Standing:
        done = (digest for digest in self.digests() if digest.page == memory.PAGE)
        return people.standing(map(fold.by_hand, done))

    def _by_hand(self) -> list[Digest]:
        """What stands in the page by a person's hand, as claims beside those of sessions."""
        standing = self._standing()
        digests = self._remembered.folded.digests
        found = []
        for name, lines in standing.added.items():
            for line in lines:
                origin = line.origins[0]
                at = _started(digests, origin)
                found.append(claims.by_hand(origin, name, line.text, at, block=line.text))
        for key, value in standing.values.items():
            origin, of = value.line.origins[0], key.removeprefix("^")
            found.append(claims.by_hand(origin, value.section, value.line.text, value.at, of=of))
        return [Digest(f"{HAND}{claim.id}", people.AGENT, claims=(claim,)) for claim in found]


def _extent(file: tuple[str, Digest]) -> tuple[datetime, int]:
    return file[1].extent


def _started(digests: Mapping[str, Digest], origin: Origin) -> datetime:
    return digests[origin.observation].started or claims.LONG_AGO
