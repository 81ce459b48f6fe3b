"""The pages on which people describe their projects: laid out, their status kept true until one is set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, tzinfo

from nanoctx.core import activity, people
from nanoctx.core.activity import Activity
from nanoctx.core.fold import Digest
from nanoctx.disk import files, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import ChangedOnDisk

MOST = 200  # projects that get a page, the latest


def update(ws: Workspace, known: Iterable[Digest], *, now: datetime, zone: tzinfo) -> tuple[str, ...]:
    """Bring the projects' pages up to date; returns those that changed. What a person set stays."""
    sessions: defaultdict[str, list[Activity]] = defaultdict(list)
    for one in known:
        if one.agent != people.AGENT and one.prompts and not one.headless and one.project and one.last:
            sessions[one.project].append(Activity(one.last, one.blocked, one.project_is))
    latest = sorted(sessions, key=lambda slug: (max(one.at for one in sessions[slug]), slug), reverse=True)
    return tuple(slug for slug in latest[:MOST] if _brought_up_to_date(ws, slug, sessions[slug], now, zone))


def _brought_up_to_date(
    ws: Workspace, slug: str, sessions: Iterable[Activity], now: datetime, zone: tzinfo
) -> bool:
    made = bool(workspace.describe_project(ws, slug))
    page = ws.projects / slug / "project.md"
    found = files.read(page)
    value = activity.written(found.text)
    if value is None or not activity.is_ours(value, untouched=found.text == workspace.project_page(slug)):
        return made
    status, since = activity.status(sessions, now)
    if value.partition(" ")[0] == status:
        return made
    try:
        files.exchange(page, activity.with_status(found.text, status, since, zone), found)
    except ChangedOnDisk:
        return made  # somebody is writing there: the next cycle will see what
    return True
