"""One cycle: observations become facts, facts become MEMORY.md. Safe to interrupt, cheap without news."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from pathlib import Path
from secrets import token_hex

from nanoctx import overview, publishing
from nanoctx.core import (
    claims,
    document,
    facts,
    fold,
    forgotten,
    freshness,
    likeness,
    memory,
    memory_edits,
    people,
    relevance,
    undone,
    weighing,
)
from nanoctx.core.blocks import blocks, section
from nanoctx.core.facts import Fact
from nanoctx.core.fold import Digest
from nanoctx.core.forgotten import Forgotten
from nanoctx.disk import files, folds, lock, mirror, observations, pages, sweep
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Change, Observation, Origin
from nanoctx.sources import git_names

LOCK_WAIT = 30.0
FEWEST, SHORTEST = 300, 15  # facts that are weighed at least; tokens that a line takes at least
MOST_CHECKED = 300  # facts that a repository is asked about in one cycle
_NONE: frozenset[str] = frozenset()
_NOBODY = Digest("", "")
HAND = "hand:"  # digests of what stands in the page by a person's hand


@dataclass(frozen=True, slots=True)
class Report:
    """What a cycle came to."""

    sessions: int  # observations that were new or changed
    facts: int  # that hold
    shown: int  # lines of ours in the page
    left_out: int  # for want of room
    faded: int
    told_anyway: int  # by AGENTS.md and its like
    superseded: int
    questions: int
    stale: int
    page_changed: bool
    projects: tuple[str, ...]  # whose pages were laid out or got another status
    context: str  # fresh, refreshed, or nothing known
    conflict: Path | None
    problems: tuple[str, ...]


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
class Verified:
    """What the repository says of memory."""

    repository: Path | None  # None: there is none at hand to ask
    facts: int
    named: int  # that name a file, symbol, commit or branch
    stale: tuple[Fact, ...]
    elsewhere: tuple[Fact, ...]  # learned on branches that HEAD does not have


def reflect(ws: Workspace, *, now: datetime, zone: tzinfo) -> Report:
    """Fold what is new, and bring MEMORY.md up to date with it and with what a person did to it."""
    files.make_folder(ws.state)
    with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="reflect"):
        mirror.restore(ws.root, os.environ)
        cycle = _Cycle(ws, now, zone)
        if sweep.keep_away(ws, cycle.forgotten(), os.environ):
            cycle = _Cycle(ws, now, zone)
        done = cycle.rewrite()
        cycle.remember()
        changed = overview.update(ws, cycle.digests(), now=now, zone=zone)
        context = _freshened(ws, now, zone)
    composed, known = cycle.composed(), cycle.known()
    return Report(
        sessions=cycle.news,
        facts=sum(fact.superseded is None for fact in known.facts) + known.more + known.faded,
        shown=len(composed.shown),
        left_out=composed.left_out,
        faded=composed.faded,
        told_anyway=composed.told,
        superseded=sum(fact.superseded is not None for fact in known.facts),
        questions=len(known.questions),
        stale=sum(bool(fact.stale) for fact in known.facts),
        page_changed=done.changed,
        projects=changed,
        context=context,
        conflict=done.conflict,
        problems=cycle.problems,
    )


def verify(ws: Workspace, *, now: datetime, zone: tzinfo) -> Verified:
    """Hold what is known against the repository at hand; nothing is written."""
    known = memory_of(ws, now=now, zone=zone).facts
    live = [fact for fact in known if fact.superseded is None and not fact.branch]
    named = sum(bool(freshness.names(fact.text)) for fact in live)
    elsewhere = tuple(fact for fact in known if fact.branch)
    return Verified(ws.project_root, len(live), named, tuple(fact for fact in live if fact.stale), elsewhere)


def _freshened(ws: Workspace, now: datetime, zone: tzinfo) -> str:
    """CONTEXT.md made anew from what is known, if that was not done for a day."""
    if not freshness.context_is_old(publishing.last_published(ws), now):
        return "fresh"
    known, _ = observations.load_all(ws.root)
    publishing.publish(ws, known, known, now, zone)
    return "refreshed" if any(one.agent != people.AGENT for one in known) else "nothing known"


def memory_of(ws: Workspace, *, now: datetime, zone: tzinfo) -> Memory:
    """All facts as they are now; nothing is written."""
    return _Cycle(ws, now, zone, most=None).known()


class _Cycle:
    """What one cycle works with."""

    def __init__(self, ws: Workspace, now: datetime, zone: tzinfo, most: int | None = 0) -> None:
        self.ws, self.now, self.zone = ws, now, zone
        # Facts that are weighed beside those that are the same, disputed or a person's: more than have room.
        self._most = None if most is None else max(FEWEST, ws.settings.memory_budget // SHORTEST)
        self._remembered = folds.load(ws.state)
        self.problems: tuple[str, ...] = ()
        self.news = 0
        self._is_new = False
        self._known: Memory | None = None
        self._composed: memory.Composed | None = None
        self._take_in()

    def rewrite(self) -> pages.Rewritten:
        ws, page = self.ws, self.ws.memory_page
        gone = self.forgotten()
        form = pages.Form(
            facts.SECTIONS, "Memory", assume=_without_own, words=_words, clean=gone.page if gone else None
        )
        adopt = ws.adopts(page)
        done = pages.rewrite(
            page, ws.state, ws.conflicts,
            record=self._record, render=lambda: memory.render(self.composed()), now=self.now, adopt=adopt,
            form=form,
        )  # fmt: skip
        if adopt:
            ws.adopted(page)
        return done

    def remember(self) -> None:
        if self._is_new:
            folds.save(self.ws.state, self._remembered)

    def digests(self) -> tuple[Digest, ...]:
        return tuple(self._remembered.folded.digests.values())

    def forgotten(self) -> Forgotten:
        """What a person wanted forgotten."""
        done = (one for one in self.digests() if one.page == forgotten.EVERYWHERE)
        return forgotten.read(map(fold.by_hand, done))

    def composed(self) -> memory.Composed:
        if self._composed is None:
            known = self.known()
            self._composed = memory.compose(
                weighing.Weighed(known.facts, known.questions, known.more, known.faded),
                known.standing,
                now=self.now,
                zone=self.zone,
                budget=self.ws.settings.memory_budget,
                projects=self.ws.kind != "repo",
                told=self._told_anyway(known.facts),
            )
        return self._composed

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
                self._groups(),
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

    def _record(self, changes: tuple[Change, ...]) -> None:
        salt = token_hex(8)
        own = {fact.verbatim: fact.id for fact in self.known().facts if fact.verbatim}
        done = memory_edits.recorded(changes, own, salt=salt)
        if done:
            theirs = (
                Observation(digest.id, digest.agent, started=digest.started)
                for digest in self._remembered.folded.digests.values()
                if digest.agent == people.AGENT and digest.started
            )
            at = people.moment(theirs, self.now)
            made = people.observation(done, salt=salt, at=at, page=memory.PAGE)
            observations.save(self.ws.root, made)
            self._known = self._composed = None
            self._take_in()


def _extent(file: tuple[str, Digest]) -> tuple[datetime, int]:
    return file[1].extent


def _started(digests: Mapping[str, Digest], origin: Origin) -> datetime:
    return digests[origin.observation].started or claims.LONG_AGO


def _without_own(text: str) -> str:
    """What we wrote of a page whose copy is lost: the lines that carry an id."""
    kept: Mapping[str, str] = {
        one.heading: section(
            one.heading, [block for block in blocks(one.text.partition("\n")[2]) if facts.parse(block).id]
        )
        for one in document.split(text, facts.SECTIONS)
        if one.is_one_of(facts.SECTIONS)
    }
    return document.replace(text, kept, "Memory")


def _words(block: str) -> str:
    parsed = facts.parse(block)
    return facts.write(facts.Parsed(parsed.text, parsed.id, "", parsed.struck)) if parsed.id else block
