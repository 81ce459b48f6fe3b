"""One cycle: observations become facts, facts become MEMORY.md. Safe to interrupt, cheap without news."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from secrets import token_hex

from nanoctx import knowledge, overview, publishing
from nanoctx.core import document, facts, freshness, memory, memory_edits, people, weighing
from nanoctx.core.blocks import blocks, section
from nanoctx.core.facts import Fact
from nanoctx.disk import files, lock, mirror, observations, pages, sweep
from nanoctx.disk.workspace import Workspace
from nanoctx.knowledge import Knowledge
from nanoctx.model import Change, Observation

LOCK_WAIT = 30.0


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
    known = knowledge.memory_of(ws, now=now, zone=zone).facts
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


class _Cycle(Knowledge):
    """What one cycle works with."""

    def __init__(self, ws: Workspace, now: datetime, zone: tzinfo) -> None:
        self._composed: memory.Composed | None = None
        super().__init__(ws, now, zone)

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
