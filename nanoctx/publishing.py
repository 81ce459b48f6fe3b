"""Observations into pages and answers: CONTEXT.md, one page for each project, what hooks will say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from nanoctx import answers, scenes
from nanoctx.core import context, forgotten, people
from nanoctx.disk import files, observations, pages, sections
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Change, Observation

STAMPED_EVERY = timedelta(hours=12)  # a page that stays as it is needs no stamp at every look


def publish(
    ws: Workspace, before: Sequence[Observation], after: Sequence[Observation], now: datetime, zone: tzinfo
) -> pages.Rewritten:
    """CONTEXT.md, in a workspace of several projects one page for each, and the answers for hooks."""
    by_hand: list[Observation] = []
    names = scenes.projects(after)
    if ws.kind != "repo" and len(names) > 1:
        for name in names:
            page, state = ws.projects / name / "CONTEXT.md", ws.state / "projects" / name
            _rewrite(ws, page, state, name, before, after, by_hand, now, zone, alone=True)
    first = names[0] if names else ""
    done = _rewrite(ws, ws.context_page, ws.state, first, before, after, by_hand, now, zone, alone=False)
    sections.renew(ws.project_root or ws.root, ws.context_page, os.environ)
    answers.prepare(ws, (*after, *by_hand), now, zone)
    _note(ws, now, done.changed)
    return done


def edited(
    ws: Workspace, known: Sequence[Observation], changes: Sequence[Change], now: datetime, zone: tzinfo
) -> Observation:
    """Keep what a person did to CONTEXT.md by a command, as if they had done it in their editor."""
    names, salt = scenes.projects(known), os.urandom(8).hex()
    shown = context.compose(scenes.scene(ws, known, None, now, zone))
    done = people.record(changes, shown, salt=salt)
    at = people.moment(known, now)
    made = people.observation(done, salt=salt, at=at, project=names[0] if names else "")
    observations.save(ws.root, made)
    return made


def _rewrite(
    ws: Workspace,
    path: Path,
    state: Path,
    project: str,
    before: Sequence[Observation],
    after: Sequence[Observation],
    by_hand: list[Observation],
    now: datetime,
    zone: tzinfo,
    *,
    alone: bool,
) -> pages.Rewritten:
    current = list(after)

    def record(changes: tuple[Change, ...]) -> None:
        salt = os.urandom(8).hex()
        shown = context.compose(scenes.scene(ws, before, project, now, zone, alone=alone))
        done = people.record(changes, shown, salt=salt)
        if done:
            made = people.observation(done, salt=salt, at=people.moment(current, now), project=project)
            observations.save(ws.root, made)
            current.append(made)
            by_hand.append(made)

    def render() -> Mapping[str, str]:
        return context.render(context.compose(scenes.scene(ws, current, project, now, zone, alone=alone)))

    adopt = path == ws.context_page and ws.adopts(path)
    files.make_folder(path.parent)
    gone = forgotten.read(after)
    form = replace(pages.CONTEXT, clean=gone.page if gone else None)
    done = pages.rewrite(
        path, state, ws.conflicts, record=record, render=render, now=now, adopt=adopt, form=form
    )
    if adopt:
        ws.adopted(path)
    return done


def last_published(ws: Workspace) -> datetime | None:
    """When the page was last made from what is known, whether or not it changed by that."""
    try:
        return datetime.fromisoformat(files.read(_stamp(ws)).text.strip())
    except ValueError:
        return None


def _note(ws: Workspace, now: datetime, changed: bool) -> None:
    last = last_published(ws)
    if changed or last is None or not timedelta(0) <= now - last < STAMPED_EVERY:
        files.write(_stamp(ws), f"{now.isoformat()}\n", durable=False)


def _stamp(ws: Workspace) -> Path:
    return ws.state / "published"
