"""What a page of this workspace is made of right now: whose sessions, whose edits, which repository."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from nanoctx.core import context, external, forgotten, people
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Line, Observation, Repository
from nanoctx.sources import git, git_state

CONTEXT = "CONTEXT.md"


def scene(
    ws: Workspace,
    known: Sequence[Observation],
    project: str | None,
    now: datetime,
    zone: tzinfo,
    *,
    alone: bool = False,
) -> context.Scene:
    names = projects(known)
    shown = (names[0] if names else "") if project is None else project
    idle = timedelta(minutes=ws.settings.observe_idle_minutes)
    sessions = tuple(
        closed_if_idle(one, now, idle) for one in known if one.agent != people.AGENT and one.project == shown
    )
    others = (
        ()
        if alone or ws.kind == "repo"
        else tuple(_latest(known, name) for name in names if name != shown)[:2]
    )
    by_hand = (
        one
        for one in known
        if one.agent == people.AGENT and one.project in (shown, "") and people.page_of(one) == CONTEXT
    )
    seen, base = repository(ws, sessions)
    outside: tuple[Line, ...] = (external.NO_REPOSITORY,)
    if seen is not None:
        gone = forgotten.read(known)
        seen = gone.repository(seen) if gone else seen
        outside = external.external(seen, sessions, base, now, zone)
    return context.Scene(
        sessions=sessions,
        standing=people.standing(by_hand),
        outside=outside,
        repository=seen,
        base=base,
        now=now,
        zone=zone,
        others=others,
        budget=ws.settings.page_budget,
        characters=ws.settings.page_max_characters,
        recent=ws.settings.page_recent,
    )


def projects(known: Sequence[Observation]) -> list[str]:
    """Projects of the workspace, most recently active first; headless sessions count last."""
    latest: dict[str, tuple[bool, float, str]] = {}
    for one in known:
        if one.agent != people.AGENT:
            at = one.last or one.started
            mark = (
                bool(one.prompts) and not one.more.get("headless"),
                at.timestamp() if at else 0.0,
                one.project,
            )
            latest[one.project] = max(latest.get(one.project, mark), mark)
    return sorted(latest, key=lambda name: latest[name], reverse=True)


def _latest(known: Sequence[Observation], project: str) -> Observation:
    current = context.current_session(
        [one for one in known if one.agent != people.AGENT and one.project == project]
    )
    assert current is not None
    return current


def repository(
    ws: Workspace, sessions: Sequence[Observation]
) -> tuple[Repository | None, Observation | None]:
    """The repository at hand, and the session from which on its changes count as new."""
    # Folders that are only named in a foreign log are never looked for.
    if ws.project_root is None:
        return None, external.since(sessions, context.current_session(sessions))
    base = _last_here(sessions, git.worktrees(ws.project_root))
    known = git_state.Since(base.last or base.started, base.head, base.branch) if base is not None else None
    return git_state.state(ws.project_root, known), base


def _last_here(sessions: Sequence[Observation], elsewhere: Sequence[Path]) -> Observation | None:
    """The last session in this checkout; of one in a linked worktree only the time, for HEAD is its own."""
    beside = tuple(f"{folder}/" for folder in elsewhere)
    here = [one for one in sessions if not f"{one.cwd}/".startswith(beside)]
    base = external.since(here, context.current_session(here))
    if base is not None or len(here) == len(sessions):
        return base
    base = external.since(sessions, context.current_session(sessions))
    return replace(base, branch="", head="") if base is not None else None


def session_before(begun: Observation, known: Iterable[Observation]) -> Observation | None:
    """The session of the same agent and project that was last at work when this one began."""
    at = begun.started
    earlier = [
        one
        for one in known
        if (one.agent, one.project) == (begun.agent, begun.project)
        and one.id != begun.id
        and one.prompts
        and one.last is not None
        and at is not None
        and one.last <= at
    ]
    return max(earlier, key=lambda one: (one.last is not None and one.last.timestamp(), one.id), default=None)


def closed_if_idle(one: Observation, now: datetime, limit: timedelta) -> Observation:
    silent = not one.ended and one.last is not None and now - one.last > limit
    return replace(one, ended=one.last, ended_by="idle") if silent else one
