"""One workspace in the care of the background process: what it wants, and the work that is done for it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from nanoctx import clock, observer, reflector
from nanoctx.core import timeline
from nanoctx.disk import endings, files, pages, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import Busy, NanoctxError, NotAWorkspace, WorkspaceRemoved
from nanoctx.sources import git

LOOK, PAGE, MEMORY = "look", "page", "memory"  # what a workspace may want: to be done in this order
MOST_ERRORS = 20
LONGEST_PAUSE = 60.0  # seconds between two tries of what keeps failing
BUSY_PAUSE = 1.0
GONE_FOR = 5.0  # seconds a workspace is missing from its repository until it is taken for cleaned away


class Ending(NamedTuple):
    """A session whose program is gone."""

    session: str
    at: datetime


class Task(NamedTuple):
    """Work that is under way."""

    wants: dict[str, str]
    ended: tuple[Ending, ...]
    since: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a piece of work came to."""

    did: tuple[str, ...]
    changed: tuple[str, ...] = ()  # sessions
    page_changed: bool = False
    memory_changed: bool = False
    problems: tuple[str, ...] = ()
    error: str = ""
    busy: bool = False
    absent: bool = False
    boundary: datetime | None = None  # when the page's words about time stop being true
    git: object = None


@dataclass(slots=True)
class Charge:
    """One workspace. Only the main thread touches its fields; work gets them as arguments."""

    root: Path
    ws: Workspace | None = None
    wants: dict[str, str] = field(default_factory=dict)  # what, and why
    endings: list[Ending] = field(default_factory=list)
    task: Task | None = None
    absent: bool = False
    missing_since: float | None = None
    since: float | None = None  # when the first of what it wants was noticed
    not_before: float = 0.0
    failures: int = 0
    looks: int = 0
    writes: int = 0
    last_look: datetime | None = None
    last_cycle: datetime | None = None
    took: float = 0.0
    lag: float = 0.0
    boundary: datetime | None = None
    git: object = None
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_ERRORS))

    def want(self, what: str, why: str, at: float) -> None:
        self.wants.setdefault(what, why)
        self.since = at if self.since is None else min(at, self.since)

    def is_due(self, at: float) -> bool:
        return bool(self.wants) and self.task is None and at >= self.not_before

    def begin(self) -> Task:
        self.task = Task(self.wants, tuple(self.endings), self.since)
        self.wants, self.endings, self.since = {}, [], None
        return self.task

    def put_back(self, task: Task, at: float) -> None:
        """What could not be done is wanted still."""
        for what, why in task.wants.items():
            self.want(what, why, at)
        self.endings += task.ended

    def pause(self) -> float:
        return min(LONGEST_PAUSE, 2.0 ** min(self.failures, 6))


# -- in a thread of the crew -------------------------------------------------------------------------------


def open_at(root: Path, env: Mapping[str, str], *, bring_back: bool) -> Workspace:
    """The workspace as it is now; raises NotAWorkspace if it is not there, and makes nothing in its place."""
    try:
        return workspace.resolve(str(root), Path("/"), env)
    except WorkspaceRemoved as removed:
        if not bring_back:
            raise
        back = workspace.bring_back(removed, env)
        workspace.describe_project(back, git.slug(back.root.parent))
        return back


def work(
    root: Path,
    wants: Mapping[str, str],
    ended: tuple[Ending, ...],
    env: Mapping[str, str],
    now: datetime,
    *,
    bring_back: bool = False,
) -> tuple[Workspace | None, Outcome]:
    """Do what a workspace wants, by the verbs that commands use."""
    try:
        ws = open_at(root, env, bring_back=bring_back)
    except NotAWorkspace as error:
        return None, Outcome((), error=str(error), absent=True)
    zone = zone_of(ws)
    seen = git_signature(ws)
    try:
        return ws, _done(ws, wants, ended, now, zone, seen)
    except Busy as error:
        return ws, Outcome((), error=str(error), busy=True, git=seen)


def _done(
    ws: Workspace,
    wants: Mapping[str, str],
    ended: tuple[Ending, ...],
    now: datetime,
    zone: tzinfo,
    seen: object,
) -> Outcome:
    for one in ended:
        files.make_folder(ws.state)
        endings.add(ws.state, one.session, "exit", one.at)
    did: list[str] = []
    changed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    page = memory = False
    if LOOK in wants:
        report = observer.observe(ws, now=now, zone=zone, in_turn=True)
        did.append(LOOK)
        changed, problems, page = report.changed, report.problems, report.page_changed
    elif PAGE in wants:
        page = observer.refresh_page(ws, now=now, zone=zone)
        did.append(PAGE)
    if MEMORY in wants:
        cycle = reflector.reflect(ws, now=now, zone=zone)
        did.append(MEMORY)
        memory, problems = cycle.page_changed, (*problems, *cycle.problems)
        page = page or cycle.context == "refreshed"
    return Outcome(tuple(did), changed, page, memory, problems, boundary=boundary(ws, now, zone), git=seen)


def zone_of(ws: Workspace) -> tzinfo:
    return ZoneInfo(ws.settings.time_zone) if ws.settings.time_zone else clock.zone()


def boundary(ws: Workspace, now: datetime, zone: tzinfo) -> datetime:
    """When the page's words about time stop being true; answers for hooks know the last sign of life."""
    last = max(map(_last, ws.answers.glob("*.json")), default=0.0)
    return timeline.next_boundary(datetime.fromtimestamp(last, UTC) if last else None, now, zone)


def _last(answer: Path) -> float:
    try:
        told = json.loads(answer.read_bytes())
        return float(told.get("last") or 0.0)
    except (OSError, ValueError, TypeError, AttributeError):
        return 0.0


def git_signature(ws: Workspace) -> object:
    """What of the repository is a reason to look when it changes."""
    if ws.project_root is None:
        return None
    places = git.places(ws.project_root)
    if places is None:
        return None
    doing = ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG")
    return git.head(ws.project_root), tuple(name for name in doing if (places.own / name).exists())


def edited(ws: Workspace, env: Mapping[str, str]) -> tuple[str, ...]:
    """What a person's edits ask for: pages that do not stand as we wrote them, other settings."""
    try:
        if open_at(ws.root, env, bring_back=False).settings != ws.settings:
            return (LOOK,)
    except NanoctxError:
        return (LOOK,)  # which says what is wrong
    wanted: dict[str, None] = {}
    for page, state in _pages(ws):
        if not pages.stands_as_written(page, state):
            wanted[MEMORY if page == ws.memory_page else PAGE] = None
    return tuple(wanted)


def _pages(ws: Workspace) -> list[tuple[Path, Path]]:
    found = [(ws.context_page, ws.state), (ws.memory_page, ws.state)]
    if ws.kind != "repo":
        found += [
            (page, ws.state / "projects" / page.parent.name) for page in ws.projects.glob("*/CONTEXT.md")
        ]
    return found


def is_open_in_editor(ws: Workspace) -> bool:
    """Whether a person has the page open in an editor that says so."""
    name = ws.context_page.name
    signs = (*(f".{name}{end}" for end in (".swp", ".swo")), f".#{name}", f"{name}.lock", f".~lock.{name}#")
    return any((ws.root / sign).is_symlink() or (ws.root / sign).exists() for sign in signs)
