"""Ready answers for hooks: one small file a project under `.state/answers`, written at the end of a look."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, tzinfo
from pathlib import Path

from nanoctx import scenes
from nanoctx.core import people
from nanoctx.core.answer import Answer, answer
from nanoctx.disk import files
from nanoctx.disk.settings import Settings
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Observation
from nanoctx.sources import git


def prepare(ws: Workspace, known: Sequence[Observation], now: datetime, zone: tzinfo) -> None:
    """Write what a hook will say in each project of the workspace."""
    files.make_folder(ws.answers)
    if ws.kind == "repo":
        names = scenes.projects(known)
        _save(ws.answers / "project.json", _made(ws, known, names[0] if names else "", now, zone))
        return
    places: list[tuple[str, str]] = []
    for name in scenes.projects(known):
        made = _made(ws, known, name, now, zone)
        file = f"{name}.json"
        _save(ws.answers / file, made)
        places += [(folder, file) for folder in _folders(known, name)] if made is not None else []
    files.write(ws.answers / "index.json", json.dumps({"projects": places}) + "\n", durable=False)


def _made(
    ws: Workspace, known: Sequence[Observation], project: str, now: datetime, zone: tzinfo
) -> Answer | None:
    scene = scenes.scene(ws, known, project, now, zone, alone=True)
    alone = ws.kind == "repo" or len(scenes.projects(known)) < 2
    page = ws.context_page if alone else ws.projects / project / "CONTEXT.md"
    head = git.head(ws.project_root) if ws.project_root is not None else None
    return answer(
        scene,
        files.read(page).text,
        start=ws.settings.hook_start,
        turn=_caps(ws.settings),
        full=ws.settings.observe_threshold,
        zone=ws.settings.time_zone,
        head=head.sha if head else "",
        branch=head.branch if head else "",
    )


def _caps(settings: Settings) -> tuple[int, int]:
    """Tokens with which a prompt may be answered, and all prompts of a session."""
    return (settings.hook_turn_cap if settings.hook_turn == "on" else 0), settings.hook_session_cap


def _save(path: Path, made: Answer | None) -> None:
    if made is None:
        files.remove(path)
    else:
        files.write(path, json.dumps(made) + "\n", durable=False, private=True)


def _folders(known: Sequence[Observation], project: str) -> list[str]:
    """Where sessions of a project were: paths to compare with, never to look at."""
    found = {one.cwd for one in known if one.project == project and one.agent != people.AGENT and one.cwd}
    return sorted(found)
