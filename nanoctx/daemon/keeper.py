"""The background process without its surroundings: what is noticed becomes what is done."""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nanoctx.daemon import charge, figures, outcomes, places
from nanoctx.daemon.charge import LOOK, MEMORY, PAGE, Charge, Ending
from nanoctx.daemon.crew import Crew, Done
from nanoctx.daemon.debounce import Debounce
from nanoctx.daemon.schedule import Schedule
from nanoctx.daemon.telling import Telling, told_of
from nanoctx.daemon.transcripts import Happening, Transcripts
from nanoctx.daemon.watching import Mark, Watched, Watching
from nanoctx.disk import registry
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import NanoctxError
from nanoctx.sources import SOURCES, log_roots

POLL = 1.0  # seconds between two looks at the logs that grow
REFRESH = 2.0  # at the folders that are watched, and at the list of workspaces
SEARCH = 10.0  # for logs of agents whose logs may lie anywhere, and at logs that rest
JUMP = 10.0  # seconds by which the clock and the time that passed differ before it counts
RETRY_EDIT = timedelta(minutes=1)  # a page that is open in an editor waits for so long
MOST_MARKS = 50_000

Noticed = tuple[tuple[str, ...], str, float]  # what a workspace wants, why, since when

# A reason to look that may mean that a session has ended: then there is something to fold.
_ENDINGS = ("ended", "gone", "idle")


class Keeper:
    """All state is changed by the thread that calls `step`; the others leave marks and results."""

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        now: Callable[[], datetime],
        elapsed: Callable[[], float],
        wake: Callable[[], None],
    ) -> None:
        self._env, self._now, self._elapsed, self._wake = env, now, elapsed, wake
        self._lock = threading.Lock()
        self._marks: set[Mark] = set()
        self._done: deque[Done] = deque()
        self._due: deque[tuple[str, str]] = deque()
        self._lost = False  # events were dropped: look at everything
        self._debounce: Debounce[Mark] = Debounce()
        self._crew = Crew(self._finished, elapsed)
        self._watching = Watching(self._mark, self._overflowed)
        self._schedule = Schedule(self._is_due)
        self.charges: dict[Path, Charge] = {}
        self._agents: dict[str, Transcripts] = {}
        self._touched: dict[str, set[Path]] = {}  # by agent, like the next
        self._searches: set[str] = set()
        self._known: tuple[int, ...] | None = None  # state of the list of workspaces
        self._next = dict.fromkeys(("poll", "refresh", "search"), -1e9)
        self._clock = (now(), elapsed())
        self._begun = now()
        self._overflows = self._jumps = 0
        self._telling = Telling(now)

    def start(self) -> None:
        self._crew.start()
        self._watching.start()
        self._schedule.start()
        self._schedule.every("reconcile", "", timedelta(minutes=5), self._now())
        self.step()

    def stop(self, wait: float) -> bool:
        self._schedule.stop()
        self._watching.stop()
        return self._crew.stop(wait)

    def patience(self) -> float:
        """How long nothing has to be done unless something happens."""
        at = self._elapsed()
        moments = [*self._next.values(), at + POLL]
        ready = self._debounce.next()
        if ready is not None:
            moments.append(ready)
        moments += [one.not_before for one in self.charges.values() if one.wants and one.task is None]
        return max(0.0, min(moments) - at)

    def step(self) -> None:
        """Take in what was noticed, and give out what is to be done."""
        at = self._elapsed()
        self._check_clock(at)
        self._take_marks(at)
        while self._done:
            self._take(self._done.popleft())
        while self._due:
            self._take_due(*self._due.popleft(), at)
        if self._lost:
            self._lost = False
            self._reconcile("events were dropped", at)
        self._by_turns(at)
        for mark, since in self._debounce.due(at):
            self._follow(mark, since)
        self._give(at)

    # -- from other threads --------------------------------------------------------------------------------

    def _mark(self, mark: Mark) -> None:
        with self._lock:
            first = not self._marks
            if len(self._marks) < MOST_MARKS:
                self._marks.add(mark)
            else:
                self._lost = True
        if first:
            self._wake()

    def _overflowed(self) -> None:
        self._overflows += 1
        self._lost = True
        self._wake()

    def _finished(self, done: Done) -> None:
        self._done.append(done)
        self._wake()

    def _is_due(self, what: str, owner: str) -> None:
        self._due.append((what, owner))
        self._wake()

    # -- what is noticed -----------------------------------------------------------------------------------

    def _take_marks(self, at: float) -> None:
        with self._lock:
            marks, self._marks = self._marks, set()
        for mark in marks:
            self._debounce.mark(mark, at)

    def _follow(self, mark: Mark, since: float) -> None:
        """A mark has settled: see what is behind it."""
        if mark.kind == places.LOG:
            self._touched.setdefault(mark.owner, set()).add(Path(mark.path))
            return
        held = self.charges.get(Path(mark.owner))
        if held is None:
            return
        if held.ws is None:  # it could not be opened: perhaps that was mended
            held.want(LOOK, "something was saved", since)
            held.not_before = 0.0
            return
        if mark.kind == places.PAGE:
            kind, work = "edited", functools.partial(_edited, held.ws, self._env, since)
        else:
            kind, work = "moved", functools.partial(_moved, held.ws, held.git, since)
        if not self._crew.give((kind, mark.owner), work):
            self._debounce.mark(mark, self._elapsed())  # what is under way may have looked too early

    def _check_clock(self, at: float) -> None:
        """After a suspend, a stop or a change of the clock: once over everything, whatever was missed."""
        now = self._now()
        before, then = self._clock
        self._clock = (now, at)
        by_clock, passed = (now - before).total_seconds(), at - then
        if abs(by_clock - passed) < JUMP and passed < JUMP + POLL:
            return
        self._jumps += 1
        self._schedule.clock_was_set(now)
        for one in self.charges.values():
            one.boundary = None
        self._reconcile(f"{max(abs(by_clock), passed):.0f} s went by at once", at)

    def _by_turns(self, at: float) -> None:
        workspaces, now = self._workspaces(), self._now().timestamp()
        if at >= self._next["refresh"]:
            self._next["refresh"] = at + REFRESH
            self._refresh(at)
        if at >= self._next["search"]:
            self._next["search"] = at + SEARCH
            for agent, held in self._agents.items():
                if not self._roots(agent) or self._watching.refused:
                    self._searches.add(agent)
                else:
                    self._crew.give(("logs", agent), functools.partial(held.poll_resting, workspaces, now))
        if at >= self._next["poll"]:
            self._next["poll"] = at + POLL
            for agent, held in self._agents.items():
                if held.active:
                    self._crew.give(("logs", agent), functools.partial(held.poll, workspaces, now))

    def _take_due(self, what: str, owner: str, at: float) -> None:
        if what == "reconcile":
            self._reconcile("", at)
            return
        held = self.charges.get(Path(owner))
        if held is None:
            return
        if what == "cycle":
            held.want(MEMORY, "a cycle is due", at)
        elif held.ws is not None and charge.is_open_in_editor(held.ws):
            self._schedule.at("boundary", owner, self._now() + RETRY_EDIT)
        else:
            held.want(PAGE, "time went by", at)

    def _reconcile(self, why: str, at: float) -> None:
        """Look at everything, whatever events said or did not say."""
        if why:
            self._telling.say(f"looking at everything: {why}")
        for one in self.charges.values():
            one.want(LOOK, why or "a look at everything", at)
            if why:
                one.want(MEMORY, why, at)
        self._searches |= self._agents.keys()

    # -- workspaces and folders ----------------------------------------------------------------------------

    def _refresh(self, at: float) -> None:
        """Keep up with the list of workspaces, and with folders that come and go."""
        seen = places.state_of(registry.path(self._env))
        if seen != self._known:
            self._known = seen
            self._enlist(at)
        present = tuple(one.root for one in self.charges.values() if one.ws is not None)
        self._crew.give(("missing", ""), functools.partial(_missing, present))
        self._crew.give(("watching", ""), functools.partial(self._watching.refresh, self._wanted()))

    def _enlist(self, at: float) -> None:
        try:
            roots = [entry.path for entry in registry.load(self._env)]
        except NanoctxError as error:
            self._telling.say(str(error), error=True)
            return
        for root in self.charges.keys() - roots:
            del self.charges[root]
            self._schedule.drop(str(root))
        for root in roots:
            if root not in self.charges:
                self.charges[root] = Charge(root)
                for what in (LOOK, MEMORY):
                    self.charges[root].want(what, "begun", at)

    def _wanted(self) -> dict[Path, Watched]:
        wanted: dict[Path, Watched] = {}
        for agent in self._agents:
            for folder, below in self._roots(agent):
                wanted[folder] = Watched(Mark(places.LOG, agent, "*"), below)
        for one in self.charges.values():
            if not one.absent:
                wanted |= places.folders(one.root, one.ws)
        return wanted

    def _roots(self, agent: str) -> log_roots.Roots:
        projects = [ws.project_root or ws.root for ws in self._workspaces()]
        return log_roots.roots(agent, registry.home(self._env), self._env, projects)

    def _workspaces(self) -> list[Workspace]:
        return [one.ws for one in self.charges.values() if one.ws is not None]

    # -- logs ----------------------------------------------------------------------------------------------

    def _happened(self, found: list[Happening]) -> None:
        at = self._elapsed()
        for one in found:
            held = self.charges.get(one.root)
            if held is None:
                continue
            why = f"{one.agent} session {one.reason}"
            if one.reason == "gone":
                held.endings.append(Ending(one.session, self._now()))
            held.want(LOOK, why, at)
            if one.reason in _ENDINGS:
                held.want(MEMORY, why, at)

    # -- what is done --------------------------------------------------------------------------------------

    def _give(self, at: float) -> None:
        workspaces, now = self._workspaces(), self._now().timestamp()
        for agent, held in self._agents.items():
            if agent in self._searches:
                if self._crew.give(("logs", agent), functools.partial(held.discover, workspaces, now)):
                    self._searches.discard(agent)
            elif paths := self._touched.get(agent):
                work = functools.partial(held.touched, tuple(paths), workspaces, now)
                if self._crew.give(("logs", agent), work):
                    del self._touched[agent]
        for one in self.charges.values():
            if one.is_due(at):
                task = one.begin()
                missing = at - one.missing_since if one.missing_since is not None else 0.0
                job = functools.partial(
                    charge.work, one.root, task.wants, task.ended, self._env, self._now(),
                    bring_back=missing > charge.GONE_FOR,
                )  # fmt: skip
                self._crew.give(("work", str(one.root)), job)

    def _take(self, done: Done) -> None:
        """Take in what a piece of work came to."""
        kind, owner = done.key
        held = self.charges.get(Path(owner)) if kind in ("work", "edited", "moved") else None
        if kind == "work":
            if held is not None and held.task is not None:
                before = held.boundary
                if outcomes.take(held, held.task, done, self._telling, self._elapsed(), self._now()):
                    self._take_settings(held)
                if done.error is None and (moment := done.result[1].boundary) not in (None, before):
                    held.boundary = moment
                    self._schedule.at("boundary", owner, moment)
        elif done.error is not None:
            said = f"{kind} {owner}: {type(done.error).__name__}: {done.error}"
            self._telling.say(said, held, error=True, trace=done.told)
        elif kind == "watching":
            self._take_watching(*done.result)
        elif kind == "logs":
            self._happened(done.result)
        elif kind == "missing":
            for root in done.result:
                if root in self.charges:
                    self.charges[root].want(LOOK, "the workspace is not there", self._elapsed())
        elif held is not None:
            wanted, why, since = done.result
            for what in wanted:
                held.want(what, why, since)

    def _take_watching(self, fresh: list[Watched], problems: list[str]) -> None:
        for problem in problems:
            self._telling.say(problem, error=True)
        for watched in fresh:
            if watched.mark.kind == places.LOG:
                self._searches.add(watched.mark.owner)
            else:
                self._debounce.mark(watched.mark, self._elapsed())

    def _take_settings(self, held: Charge) -> None:
        """The workspace is new to us, back, or has other settings."""
        now = self._now()
        settings = [one.settings for one in self._workspaces()]
        if held.ws is not None:
            cycle = timedelta(minutes=held.ws.settings.reflect_minutes)
            self._schedule.every("cycle", str(held.root), cycle, now)
        minutes = min(each.observe_reconcile_minutes for each in settings)
        self._schedule.every("reconcile", "", timedelta(minutes=minutes), now)
        wanted = {agent for each in settings for agent in (each.watch_agents or SOURCES)}
        for agent in self._agents.keys() - wanted:
            del self._agents[agent]
        for agent in sorted(wanted):
            self._agents.setdefault(agent, Transcripts(agent))
        self._searches |= wanted
        self._next["refresh"] = self._elapsed()

    # -- what is told --------------------------------------------------------------------------------------

    def told(self) -> dict[str, Any]:
        """What `status` and `watch` show."""
        return {
            **figures.taken(),
            "since": self._begun.isoformat(timespec="seconds"),
            "watches": self._watching.count(),
            "unwatched": self._watching.refused,
            "overflows": self._overflows,
            "jumps": self._jumps,
            "workspaces": [
                told_of(one, self._schedule.next("cycle", str(one.root))) for one in self.charges.values()
            ],
            "sources": [
                {
                    "agent": agent,
                    "logs": len(held.owners),
                    "growing": len(held.active),
                    "folders": [str(folder) for folder, _ in self._roots(agent) if folder.is_dir()],
                }
                for agent, held in self._agents.items()
            ],
            "news": list(self._telling.news),
        }


def _edited(ws: Workspace, env: Mapping[str, str], since: float) -> Noticed:
    return charge.edited(ws, env), "a page was saved", since


def _moved(ws: Workspace, before: object, since: float) -> Noticed:
    return ((LOOK,) if charge.git_signature(ws) != before else ()), "the repository moved", since


def _missing(present: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(root for root in present if not places.is_there(root))
