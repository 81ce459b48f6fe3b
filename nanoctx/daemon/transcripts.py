"""The logs of one agent: which there are, which of them grow, and what their growth means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from nanoctx import observer
from nanoctx.daemon import processes, triggers
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import LogUnreadable
from nanoctx.model import Cursor
from nanoctx.sources import SOURCES

MOST_ACTIVE = 64
MOST_POLLED = 200  # logs that rest, the latest: they may be taken up again
RECENT = 3600.0  # seconds since a log was written, within which its session may be going on
FAREWELL = 10.0  # between two looks at a log whose session has ended: events tell if it is taken up again
_MOST_STRANGE = 10_000

# Size, time, inode of a log; of one inside a database, those of the database and its journal.
Signature = tuple[int, ...]


class Happening(NamedTuple):
    """A log gives a reason to look."""

    root: Path  # of the workspace
    agent: str
    session: str
    reason: str  # started | grown | full | compacted | ended | gone | idle


@dataclass(slots=True)
class Transcript:
    """One log that grows, or did so lately."""

    log: Path
    owners: tuple[Path, ...]
    seen: Signature
    cursor: Cursor = field(default_factory=Cursor)
    told: triggers.Told = field(default_factory=triggers.Told)
    alive: frozenset[processes.Process] = frozenset()
    gone: bool = False
    idle: bool = False
    sought: float = -1e9  # when we last looked for its process
    polled: float = -1e9

    def is_over(self, now: float) -> bool:
        """Whether its session has ended, and it was looked at since."""
        return (self.told.ended or self.gone) and abs(now - self.polled) < FAREWELL


class Transcripts:
    """All logs of one agent. One thread at a time works with it."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.owners: dict[Path, tuple[Path, ...]] = {}
        self.active: dict[Path, Transcript] = {}
        self._resting: dict[Path, Signature] = {}
        self._strange: set[Path] = set()
        self._begun = False

    def discover(self, workspaces: Sequence[Workspace], now: float) -> list[Happening]:
        """Look for logs that were not there, or have grown unseen."""
        owners: dict[Path, list[Path]] = {}
        for ws in workspaces:
            for log in observer.logs_of(ws, self.agent):
                owners.setdefault(log, []).append(ws.root)
        self.owners = {log: tuple(roots) for log, roots in owners.items()}
        for log in [log for log in self.active if log not in owners]:
            del self.active[log]
        self._strange.clear()
        found: list[Happening] = []
        resting: dict[Path, Signature] = {}
        by_root = {ws.root: ws for ws in workspaces}
        for log, roots in self.owners.items():
            seen = signature(log)
            if log in self.active:
                continue
            known = self._resting.get(log)
            resting[log] = seen
            if (self._begun and known != seen) or (not self._begun and now - _written(seen) < RECENT):
                # The first look may have read it already, and it has grown since: then another must come.
                found += self._wake(log, roots, by_root, fresh=known is None and self._begun)
        self._resting = {log: seen for log, seen in resting.items() if log not in self.active}
        self._begun = True
        return found

    def touched(self, paths: Iterable[Path], workspaces: Sequence[Workspace], now: float) -> list[Happening]:
        """Events named these files: known logs are read; for others we look which logs there are."""
        paths = set(paths)
        known = {log for log in self.owners if log in paths or (log not in paths and log.parent in paths)}
        # A database stands for the sessions in it: a new one shows only there.
        database = any(path.suffix == ".db" or path.name.endswith(".db-wal") for path in paths)
        strange = {path for path in paths if path not in self.owners and path not in self._strange}
        found: list[Happening] = []
        if strange or database:
            found += self.discover(workspaces, now)
            if len(self._strange) < _MOST_STRANGE:
                self._strange |= strange - self.owners.keys()
        by_root = {ws.root: ws for ws in workspaces}
        for log in known & self._resting.keys():
            found += self._revive(log, by_root, now)
        return found + self.poll(workspaces, now, known & self.active.keys())

    def poll(
        self, workspaces: Sequence[Workspace], now: float, only: Iterable[Path] | None = None
    ) -> list[Happening]:
        """Read what was added to the logs that grow; tell which sessions have ended without saying so."""
        by_root = {ws.root: ws for ws in workspaces}
        found: list[Happening] = []
        for log in list(self.active if only is None else only):
            one = self.active[log]
            if only is None and one.is_over(now):
                continue
            one.polled = now
            seen = signature(log)
            if seen != one.seen:
                one.seen, one.gone = seen, False
                found += self._tell(one, self._read(one, by_root))
            found += self._ended(one, by_root, now)
            if one.idle or (now - max(one.told.last, _written(one.seen)) > RECENT and not one.alive):
                self._resting[log] = one.seen
                del self.active[log]
        return found

    def poll_resting(self, workspaces: Sequence[Workspace], now: float) -> list[Happening]:
        """The same for the latest logs that rest, where no event said that one is taken up again."""
        by_root = {ws.root: ws for ws in workspaces}
        latest = sorted(self._resting, key=lambda log: _written(self._resting[log]), reverse=True)
        return [one for log in latest[:MOST_POLLED] for one in self._revive(log, by_root, now)]

    # -- one log -------------------------------------------------------------------------------------------

    def _revive(self, log: Path, by_root: Mapping[Path, Workspace], now: float) -> list[Happening]:
        if signature(log) == self._resting[log]:
            return []
        return self._wake(log, self.owners.get(log, ()), by_root, fresh=False)

    def _wake(
        self, log: Path, roots: tuple[Path, ...], by_root: Mapping[Path, Workspace], *, fresh: bool
    ) -> list[Happening]:
        """Follow a log from here on. What one that is not new said before is told to nobody."""
        if len(self.active) >= MOST_ACTIVE:
            oldest = min(self.active.values(), key=lambda one: one.told.last)
            self._resting[oldest.log] = oldest.seen
            del self.active[oldest.log]
        one = Transcript(log, roots, signature(log))
        self.active[log] = one
        self._resting.pop(log, None)
        reasons = self._read(one, by_root)
        if not fresh:
            now = {"ended": one.told.ended, "full": bool(one.told.step)}
            reasons = ("grown", *(reason for reason, holds in now.items() if holds))
        return self._tell(one, reasons)

    def _tell(self, one: Transcript, reasons: Iterable[str]) -> list[Happening]:
        session = one.told.session
        return [Happening(root, self.agent, session, reason) for reason in reasons for root in one.owners]

    def _read(self, one: Transcript, by_root: Mapping[Path, Workspace]) -> tuple[str, ...]:
        settings = [by_root[root].settings for root in one.owners if root in by_root]
        threshold = min((each.observe_threshold for each in settings), default=1.0)
        reasons: dict[str, None] = {}
        before = one.told.session
        try:
            while True:
                batch = SOURCES[self.agent].read(one.log, one.cursor)
                if batch.restarted:
                    one.told = triggers.Told(prompted=one.told.prompted, step=one.told.step)
                reasons.update(dict.fromkeys(triggers.take(one.told, batch.events, threshold)))
                is_last = batch.at_end or batch.cursor == one.cursor
                one.cursor = batch.cursor
                if is_last:
                    break
        except LogUnreadable:
            return ()  # gone, or unmounted: what it said is known
        if one.told.session != before:
            one.alive = frozenset()
        return tuple(reasons)

    def _ended(self, one: Transcript, by_root: Mapping[Path, Workspace], now: float) -> list[Happening]:
        if one.told.ended or one.gone:
            return self._idle(one, by_root, now)
        if one.alive and not any(map(processes.lives, one.alive)):
            one.alive = processes.at_work(self.agent, one.told.cwd)  # somebody may have resumed it
            if not one.alive:
                one.gone = True
                return self._tell(one, ("gone",))
        if not one.alive and abs(now - one.sought) > 5.0:
            one.sought = now
            one.alive = processes.at_work(self.agent, one.told.cwd)
        return self._idle(one, by_root, now)

    def _idle(self, one: Transcript, by_root: Mapping[Path, Workspace], now: float) -> list[Happening]:
        last = one.told.last or _written(one.seen)
        late = [
            root
            for root in one.owners
            if root in by_root and now - last > by_root[root].settings.observe_idle_minutes * 60
        ]
        if not late or one.idle:
            return []
        one.idle = True
        if one.told.ended:
            return []
        return [Happening(root, self.agent, one.told.session, "idle") for root in late]


def signature(log: Path) -> Signature:
    """Tells one state of a log from another; empty if there is none."""
    found: list[int] = []
    for place in (log, log.parent, log.parent.with_name(f"{log.parent.name}-wal")):
        try:
            status = place.stat()
        except OSError:
            continue
        if place == log or not place.is_dir():
            found += (int(status.st_mtime), status.st_mtime_ns, status.st_size, status.st_ino)
        if place == log:
            break
    return tuple(found)


def _written(seen: Signature) -> float:
    return float(max(seen[::4], default=0))
