"""One cycle: observations become facts, facts become MEMORY.md. Safe to interrupt, cheap without news."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from secrets import token_hex

from nanoctx.core import claims, document, facts, fold, memory, memory_edits, people, weighing
from nanoctx.core.blocks import blocks, section
from nanoctx.core.facts import Fact
from nanoctx.core.fold import Digest
from nanoctx.disk import files, folds, lock, mirror, observations, pages
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Change, Item, Observation

LOCK_WAIT = 30.0
HAND = "hand:"  # digests of what stands in the page by a person's hand


@dataclass(frozen=True, slots=True)
class Report:
    """What a cycle came to."""

    sessions: int  # observations that were new or changed
    facts: int  # that hold
    shown: int  # lines of ours in the page
    left_out: int  # for want of room
    faded: int
    superseded: int
    questions: int
    stale: int
    page_changed: bool
    conflict: Path | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known, whether or not the page has room for it."""

    facts: tuple[Fact, ...]
    questions: tuple[weighing.Question, ...]
    standing: people.Standing
    problems: tuple[str, ...]


def reflect(ws: Workspace, *, now: datetime, zone: tzinfo) -> Report:
    """Fold what is new, and bring MEMORY.md up to date with it and with what a person did to it."""
    files.make_folder(ws.state)
    with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="reflect"):
        mirror.restore(ws.root, os.environ)
        cycle = _Cycle(ws, now, zone)
        done = cycle.rewrite()
        cycle.remember()
    composed, known = cycle.composed(), cycle.known()
    return Report(
        sessions=cycle.news,
        facts=sum(fact.superseded is None for fact in known.facts),
        shown=len(composed.shown),
        left_out=composed.left_out,
        faded=composed.faded,
        superseded=sum(fact.superseded is not None for fact in known.facts),
        questions=len(known.questions),
        stale=sum(bool(fact.stale) for fact in known.facts),
        page_changed=done.changed,
        conflict=done.conflict,
        problems=cycle.problems,
    )


def memory_of(ws: Workspace, *, now: datetime, zone: tzinfo) -> Memory:
    """All facts as they are now; nothing is written."""
    return _Cycle(ws, now, zone).known()


def by_hand(ws: Workspace, done: Sequence[Item], *, now: datetime, salt: str = "") -> Observation:
    """
    Keep what a person did to memory by a command, as an observation; call `reflect` afterwards.

    `done` are items made by `core.memory_edits`; those of `retract` need the same `salt`.
    """
    files.make_folder(ws.state)
    with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="keep what was done by hand"):
        known, _ = observations.load_all(ws.root)
        at = people.moment(known, now)
        made = people.observation(done, salt=salt or token_hex(8), at=at, page=memory.PAGE)
        observations.save(ws.root, made)
    return made


class _Cycle:
    """What one cycle works with."""

    def __init__(self, ws: Workspace, now: datetime, zone: tzinfo) -> None:
        self.ws, self.now, self.zone = ws, now, zone
        self._remembered = folds.load(ws.state)
        self.problems: tuple[str, ...] = ()
        self.news = 0
        self._is_new = False
        self._known: Memory | None = None
        self._composed: memory.Composed | None = None
        self._take_in()

    def rewrite(self) -> pages.Rewritten:
        ws, page = self.ws, self.ws.memory_page
        form = pages.Form(facts.SECTIONS, "Memory", assume=_without_own, words=_words)
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

    def composed(self) -> memory.Composed:
        if self._composed is None:
            known = self.known()
            self._composed = memory.compose(
                weighing.Weighed(known.facts, known.questions),
                known.standing,
                now=self.now,
                zone=self.zone,
                budget=self.ws.settings.memory_budget,
                projects=self.ws.kind != "repo",
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
            weighed = weighing.weigh(
                fold.groups(folded),
                folded.rivals,
                now=self.now,
                retracted=retracted,
                accepted=frozenset(key.removeprefix("^") for key in standing.accepted),
                pins={key.removeprefix("^"): mark for key, mark in standing.pins.items()},
                struck=struck,
            )
            self._known = Memory(weighed.facts, weighed.questions, standing, self.problems)
        return self._known

    # -- observations --------------------------------------------------------------------------------------

    def _take_in(self) -> None:
        """Read the files that changed, and fold what they say."""
        known = self._remembered
        found = observations.news(self.ws.root, known.stamps)
        self.problems = found.problems
        gone = known.stamps.keys() - found.stamps.keys()
        touched = {known.digests[place].id for place in (*gone, *found.loaded) if place in known.digests}
        for place in gone:
            known.digests.pop(place, None)
        for place, seen in found.loaded.items():
            known.digests[place] = fold.digest(seen)
            touched.add(seen.id)
        known.stamps = found.stamps
        self.news += len(found.loaded)
        self._is_new |= bool(found.loaded or gone)
        self._fold(touched)

    def _fold(self, touched: set[str]) -> None:
        known = self._remembered
        news: dict[str, Digest | None] = dict.fromkeys(touched)
        if touched:
            for _, digest in sorted(known.digests.items()):
                if digest.id in touched:
                    other = news[digest.id]
                    # Two files of one session come from two machines: what saw more of it counts.
                    news[digest.id] = digest if other is None or _extent(other) < _extent(digest) else other
        fold.update(known.folded, news)
        hand = {digest.id: digest for digest in self._by_hand()}
        stale = [id for id in known.folded.digests if id.startswith(HAND) and id not in hand]
        fold.update(known.folded, {**dict.fromkeys(stale), **hand})

    # -- people --------------------------------------------------------------------------------------------

    def _standing(self) -> people.Standing:
        done = (
            Observation(
                digest.id, digest.agent, started=digest.started, items=digest.done, more={"salt": digest.salt}
            )
            for digest in self._remembered.folded.digests.values()
            if digest.page == memory.PAGE
        )
        return people.standing(done)

    def _by_hand(self) -> list[Digest]:
        """What stands in the page by a person's hand, as claims beside those of sessions."""
        standing = self._standing()
        at = {digest.id: digest.started or claims.LONG_AGO for digest in self._remembered.digests.values()}
        found = []
        for name, lines in standing.added.items():
            for line in lines:
                origin = line.origins[0]
                words = facts.parse(line.text).text
                project = self._only_project()
                found.append(
                    claims.by_hand(origin, name, words, project, at[origin.observation], block=line.text)
                )
        for key, value in standing.values.items():
            words, of = facts.parse(value.line.text).text, key.removeprefix("^")
            origin = value.line.origins[0]
            found.append(claims.by_hand(origin, value.section, words, self._only_project(), value.at, of=of))
        return [Digest(f"{HAND}{claim.id}", people.AGENT, claims=(claim,)) for claim in found]

    def _only_project(self) -> str:
        """In a workspace of one project a person's lines are about that project."""
        return ""

    def _record(self, changes: tuple[Change, ...]) -> None:
        salt = token_hex(8)
        own = {fact.verbatim: fact.id for fact in self.known().facts if fact.verbatim}
        done = memory_edits.recorded(changes, own, salt=salt)
        if done:
            theirs = (
                Observation(digest.id, digest.agent, started=digest.started)
                for digest in self._remembered.digests.values()
                if digest.agent == people.AGENT
            )
            at = people.moment(theirs, self.now)
            made = people.observation(done, salt=salt, at=at, page=memory.PAGE)
            observations.save(self.ws.root, made)
            self._known = self._composed = None
            self._take_in()


def _extent(digest: Digest) -> tuple[datetime, int]:
    return (digest.last or claims.LONG_AGO, digest.items)


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
