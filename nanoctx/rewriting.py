"""Asks the writer that a person set, if any, about the sessions that a look found changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime

from nanoctx.core import people, rewording
from nanoctx.disk import writer
from nanoctx.disk.settings import OwnSettings
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import DiskError, SettingsError
from nanoctx.model import Observation

MOST_SESSIONS = 20  # in one look, latest first: older ones hardly reach the page

Replies = dict[str, dict[str, str]]  # by observation, then by item


def ask(
    ws: Workspace,
    changed: Sequence[Observation],
    *,
    now: datetime,
    also_open: bool,
    progress: Callable[[str], None] | None = None,
) -> Replies:
    """What the writer's answers hold for these observations; nothing if none is set or it fails."""
    try:
        own = writer.own_settings(os.environ) if changed else None
        if own is None or not own.writer_command:
            return {}
        return _ask(ws, own, _wanted(changed, also_open), now, progress)
    except (SettingsError, DiskError):  # `nanoctx doctor` says so; the page stands as it is
        return {}


def _wanted(changed: Sequence[Observation], also_open: bool) -> list[Observation]:
    known = (one for one in changed if one.agent != people.AGENT and (also_open or one.ended))
    return sorted(known, key=lambda one: one.last.timestamp() if one.last else 0.0, reverse=True)


def _ask(
    ws: Workspace,
    own: OwnSettings,
    wanted: Sequence[Observation],
    now: datetime,
    progress: Callable[[str], None] | None,
) -> Replies:
    notes = writer.load_notes(ws.state)
    asked = dict(notes.asked)
    new = [one for one in wanted if rewording.open_items(one) and asked.get(one.id) != rewording.asked(one)]
    found: Replies = {}
    trouble = ""
    for number, one in enumerate(new[:MOST_SESSIONS], 1):
        if progress is not None:
            progress(f"writer: session {number} of {min(len(new), MOST_SESSIONS)}")
        answer = writer.ask(own, rewording.request(one), os.environ)
        trouble = answer.trouble
        if trouble:
            break  # it would hardly do better with the next
        asked[one.id] = rewording.asked(one)
        found[one.id] = rewording.replies(one, answer.text)
    if progress is not None:
        progress("")
    if new:
        writer.save_notes(ws.state, now, trouble, asked)
    return {id: held for id, held in found.items() if held}
