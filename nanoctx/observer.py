"""One look: session logs become observations, observations become CONTEXT.md. Safe to interrupt."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from nanoctx import rewriting, scenes
from nanoctx.core import forgotten, people, rewording
from nanoctx.core.distill import distill
from nanoctx.core.forgotten import Forgotten
from nanoctx.core.identity import observation_id
from nanoctx.core.turns import Story, grow
from nanoctx.disk import cursors, endings, files, fullness, lock, mirror, observations, pages, stories, sweep
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import Busy, LogUnreadable, NanoctxError
from nanoctx.model import Cursor, Event, Observation
from nanoctx.publishing import publish
from nanoctx.sources import SOURCES, git
from nanoctx.sources.base import Source

STALE_SECONDS = 3600.0  # a temporary file this old belongs to nobody
LATE_RECORDS = timedelta(seconds=5)  # some hosts write their last records after they said good-bye
FULLNESS_HOLDS = timedelta(hours=1)
LOCK_WAIT = 30.0  # another look is at work: it will not take longer


@dataclass(frozen=True, slots=True)
class Report:
    """What a look did."""

    sessions: int
    changed: tuple[str, ...]
    skipped: int
    problems: tuple[str, ...]
    page_changed: bool
    conflict: Path | None


def observe(
    ws: Workspace,
    *,
    now: datetime,
    zone: tzinfo,
    agent: str | None = None,
    log: Path | None = None,
    until_line: int | None = None,
    in_turn: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Look at one log, or at all logs of this workspace; `in_turn` raises Busy if a look waits already."""
    files.make_folder(ws.state)
    with _turn(ws) if in_turn else lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="observe"):
        mirror.restore(ws.root, os.environ)
        known, problems = observations.load_all(ws.root, remember=True)
        if sweep.keep_away(ws, gone := forgotten.read(known), os.environ):
            known, problems = observations.load_all(ws.root, remember=True)
        look = _Look(ws, now, zone, {one.id: one for one in known}, cursors.load(ws.cursors), gone)
        if log is not None:
            look.read(SOURCES[agent or "claude-code"], log, until_line, local=False)
        else:
            look.read_all(progress)
        look.close_ended(endings.load(ws.state))
        look.close_cleared()
        look.close_idle()
        look.fill()
        done = publish(ws, known, tuple(look.observations.values()), now, zone)
        _sweep(ws, now)
        # Last: a crash before this line only means that the same lines are read again.
        cursors.save(ws.cursors, look.cursors)
    changed = [look.observations[id] for id in look.changed]
    # The page is right by now, and no look has to wait while a writer thinks.
    replies = rewriting.ask(ws, changed, now=now, also_open=not in_turn, progress=progress)
    again = _reword(ws, replies, now, zone) if replies else None
    return Report(
        look.sessions,
        tuple(look.changed),
        look.skipped,
        (*problems, *look.problems),
        done.changed or (again is not None and again.changed),
        done.conflict or (again.conflict if again is not None else None),
    )


def _reword(ws: Workspace, replies: rewriting.Replies, now: datetime, zone: tzinfo) -> pages.Rewritten | None:
    """Keep what the writer said of items that still stand as it read them; without a turn, nothing."""
    with contextlib.suppress(Busy), lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="reword"):
        before, _ = observations.load_all(ws.root, remember=True)
        gone = forgotten.read(before)
        reworded = (gone.observation(rewording.reworded(one, replies.get(one.id, {}))) for one in before)
        after = [new or old for new, old in zip(reworded, before, strict=True)]
        for old, new in zip(before, after, strict=True):
            if old != new:
                observations.save(ws.root, new)
        return publish(ws, before, after, now, zone)
    return None


@contextlib.contextmanager
def _turn(ws: Workspace) -> Iterator[None]:
    """For looks that nobody waits for: while one is at work, one may wait, and the others need not.

    The one that waits has not begun, so it will see whatever a later one would be started for.
    """
    with contextlib.ExitStack() as waiting:
        waiting.enter_context(lock.hold(ws.state / "lock.next", wait=0.0, purpose="waiting to observe"))
        with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="observe"):
            waiting.close()
            yield


def _sweep(ws: Workspace, now: datetime) -> None:
    """Remove what writers that were killed left behind, and what is too old to matter."""
    endings.shorten(ws.state)
    fullness.shorten(ws.state)
    below = (folder for place in (ws.state, ws.observations, ws.projects) for folder in _folders(place))
    for folder in (ws.root, *below):
        files.clean_temporaries(folder, STALE_SECONDS, now.timestamp())


def _folders(place: Path) -> Iterable[Path]:
    return (Path(folder) for folder, _, _ in os.walk(place))


def refresh_page(ws: Workspace, *, now: datetime, zone: tzinfo) -> bool:
    """Rewrite CONTEXT.md from what is known, without looking at any log."""
    files.make_folder(ws.state)
    with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="refresh"):
        mirror.restore(ws.root, os.environ)
        known, _ = observations.load_all(ws.root, remember=True)
        return publish(ws, known, known, now, zone).changed


def logs_of(ws: Workspace, agent: str) -> list[Path]:
    """The logs of an agent whose sessions belong to a workspace."""
    if ws.settings.watch_agents and agent not in ws.settings.watch_agents:
        return []
    home = Path(os.environ.get("HOME") or Path.home())
    root = ws.project_root
    projects = [root, *git.worktrees(root)] if root else list(ws.watched) or None
    env = dict(os.environ)
    if patterns := ws.settings.generic_logs:
        env["NANOCTX_GENERIC_LOGS"] = os.pathsep.join(patterns)
    return list(SOURCES[agent].find_logs(home, env, projects))


# -- reading logs ------------------------------------------------------------------------------------------


class _Look:
    """What one look has gathered so far."""

    def __init__(
        self,
        ws: Workspace,
        now: datetime,
        zone: tzinfo,
        known: dict[str, Observation],
        marks: dict[str, Cursor],
        gone: Forgotten,
    ) -> None:
        self.ws, self.now, self.zone, self.observations, self.cursors = ws, now, zone, known, marks
        self.forgotten, self.fullness = gone, fullness.load(ws.state)
        self.changed: dict[str, None] = {}
        self.problems: list[str] = []
        self.projects: dict[Path, str] = {}
        self.sessions = self.skipped = 0

    def read_all(self, progress: Callable[[str], None] | None) -> None:
        for name, source in SOURCES.items():
            try:
                logs = logs_of(self.ws, name)
            except Exception as error:  # one broken source stops no other
                self.problems.append(f"{name} was left out: {type(error).__name__} ({str(error)[:200]}).")
                continue
            for number, log in enumerate(logs, 1):
                if progress is not None:
                    progress(f"{source.NAME}: log {number} of {len(logs)}")
                try:
                    self.read(source, log, None, local=True)
                except LogUnreadable as error:  # one broken log stops no other
                    self.problems.append(str(error))
                except (NanoctxError, OSError, MemoryError):
                    raise  # it is not the log: our own files could not be written
                except Exception as error:  # nor does one that we have no idea of
                    self.problems.append(f"{log} was left out: {type(error).__name__} ({str(error)[:200]}).")
        if progress is not None:
            progress("")

    def read(self, source: Source, log: Path, until_line: int | None, *, local: bool) -> None:
        key = str(log)
        begin = Cursor()
        remembered = until_line is None and stories.are_kept(self.ws.state, key)
        cursor = self.cursors.get(key, begin) if remembered else begin
        batch = source.read(log, cursor, until_line)
        if local and batch.cursor == cursor != begin:
            return  # nothing was added: what is remembered of it need not even be loaded
        told = stories.load(self.ws.state, key) or {} if cursor != begin else {}
        if cursor != begin and not told:
            cursor, batch = begin, source.read(log, begin, until_line)
        touched: set[str] = set()
        while True:
            if batch.restarted:  # its sessions are told anew; what others came to is known
                self._note_all(source, told, touched, key, local)
                told, touched = {}, set()
            for session, events in _by_session(batch.events).items():
                if observation_id(source.NAME, session) in self.forgotten.sessions:
                    continue
                before = told.get(session) or Story(session)
                told[session] = grow(before, events, batch.skipped, self.forgotten)
                touched.add(session)
            self.skipped += batch.skipped
            is_last = batch.at_end or batch.cursor == cursor
            cursor = batch.cursor
            if is_last:
                break
            batch = source.read(log, cursor, until_line)
        if not local and not any(_is_known(story, log) for story in told.values()):
            raise LogUnreadable(f"{log} holds no record of {source.NAME}: check --agent and the path.")
        self._note_all(source, told, touched, key, local)
        if touched and until_line is None:
            stories.save(self.ws.state, key, told)
        if until_line is None:
            self.cursors[key] = cursor

    def _note_all(
        self, source: Source, told: Mapping[str, Story], touched: set[str], log: str, local: bool
    ) -> None:
        for session in sorted(touched):
            self._note(source, told[session], log, local)

    def close_ended(self, told: Mapping[str, endings.Ending]) -> None:
        """A host said that a session ended; one that went on afterwards has not."""
        for one in list(self.observations.values()):
            ending = told.get(one.session) if one.ended_by in ("", "idle") else None
            if ending is not None and one.last is not None and one.last <= ending.at + LATE_RECORDS:
                self._save(replace(one, ended=one.last, ended_by=ending.how))

    def close_idle(self) -> None:
        """A session without a sign of life has ended, though its log never says so."""
        limit = timedelta(minutes=self.ws.settings.observe_idle_minutes)
        for one in list(self.observations.values()):
            if one.agent != people.AGENT:
                self._save(scenes.closed_if_idle(one, self.now, limit))

    def fill(self) -> None:
        """A host said how full a window is; its log may have nothing new."""
        for one in list(self.observations.values()):
            self._save(self._filled(one))

    def _filled(self, one: Observation) -> Observation:
        """With the share of the window that the host itself told, while that is no old news."""
        told = self.fullness.get(one.session) if one.agent == fullness.AGENT else None
        if told is None or one.last is None or one.last > told.at + FULLNESS_HOLDS:
            return one
        if one.context_used is not None and abs(one.context_used - told.share) < fullness.STEP:
            return one
        return replace(one, context_used=told.share)

    def close_cleared(self) -> None:
        """`/clear` ends the session before it, whose own log does not say so."""
        for begun in [one for one in self.observations.values() if one.more.get("began") == "clear"]:
            before = scenes.session_before(begun, self.observations.values())
            if before is not None and before.ended_by in ("", "idle"):
                self._save(replace(before, ended=before.last, ended_by="clear"))

    def _note(self, source: Source, story: Story, log: str, local: bool) -> None:
        self.sessions += 1
        if local and self._ignored(story.cwd):
            return
        id = observation_id(source.NAME, story.session)
        idle = self.ws.settings.observe_idle_minutes
        made = distill(story, id=id, agent=source.NAME, now=self.now, idle_minutes=idle, zone=self.zone)
        old = self.observations.get(id)
        if not made.items and old is not None and old.items:
            return  # a log that came back empty does not empty our memory of it
        folder = self.ws.project_root or (Path(story.cwd) if local and story.cwd else None)
        # Where HEAD stood is known only while the session goes on: afterwards anybody may have moved it.
        head = git.head(folder) if folder is not None and not made.ended else None
        project = self._project(folder) if folder is not None else git.named(story.cwd or "project")
        made = self._filled(made)
        made = replace(made, project=project, head=head.sha[:12] if head else "", log=log)
        clean = self.forgotten.observation(rewording.carried(made, old))
        if clean is not None:
            self._save(clean)

    def _project(self, folder: Path) -> str:
        """Its name, which does not change while we look: many sessions are of few folders."""
        if folder not in self.projects:
            self.projects[folder] = git.slug(folder)
        return self.projects[folder]

    def _ignored(self, cwd: str) -> bool:
        return any(Path(cwd).is_relative_to(folder) for folder in self.ws.ignored) if cwd else False

    def _save(self, one: Observation) -> None:
        if self.observations.get(one.id) != one:
            observations.save(self.ws.root, one, new=one.id not in self.observations)
            self.observations[one.id] = one
            self.changed[one.id] = None


def _is_known(story: Story, log: Path) -> bool:
    """The log said something of its session, if only its name (a sub-agent's says no more that counts)."""
    return bool(story.turns) or "cwd" in story.facts or story.session != log.stem


def _by_session(events: Sequence[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.session, []).append(event)
    return found
