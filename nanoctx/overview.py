"""The pages on which people describe their projects: laid out, their status kept true until one is set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime, tzinfo

from nanoctx.core import activity, fold, people, projects, timeline
from nanoctx.core.activity import Activity
from nanoctx.core.fold import Digest
from nanoctx.disk import files, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import ChangedOnDisk

ATTEMPTS = 5
MOST = 200  # projects that get a page, the latest


def update(ws: Workspace, known: Collection[Digest], *, now: datetime, zone: tzinfo) -> tuple[str, ...]:
    """Bring the projects' pages up to date; returns those that changed. What a person set stays."""
    sessions: defaultdict[str, list[Activity]] = defaultdict(list)
    for one in known:
        if one.agent != people.AGENT and one.prompts and not one.headless and one.project and one.last:
            sessions[one.project].append(Activity(one.last, one.blocked, one.project_is))
    latest = sorted(sessions, key=lambda slug: (max(one.at for one in sessions[slug]), slug), reverse=True)
    told = _told(known)
    return tuple(
        slug
        for slug in latest[:MOST]
        if _brought_up_to_date(ws, slug, sessions[slug], told.get(slug, ""), now, zone)
    )


def put(ws: Workspace, slug: str, status: str, *, now: datetime, zone: tzinfo) -> None:
    """Write what a person said by a command; "" gives the page back to what is seen."""
    page = ws.projects / slug / projects.PAGE
    for _ in range(ATTEMPTS):
        found = files.read(page)
        # A status of ours says since when, and the next cycle brings it up to date.
        word = status or f"{activity.STATUSES[0]} (since {timeline.local(now, zone)[:10]})"
        with suppress(ChangedOnDisk):
            files.exchange(page, projects.with_status(found.text, word), found)
            return
    raise ChangedOnDisk(f"{page} is being written by somebody else: try again when they are done.")


def _told(known: Iterable[Digest]) -> dict[str, str]:
    """What was set by a command and not taken back, by project."""
    return projects.told(fold.by_hand(one) for one in known if one.agent == people.AGENT and one.started)


def _brought_up_to_date(
    ws: Workspace, slug: str, sessions: Iterable[Activity], told: str, now: datetime, zone: tzinfo
) -> bool:
    made = bool(workspace.describe_project(ws, slug))
    page = ws.projects / slug / projects.PAGE
    found = files.read(page)
    value = activity.written(found.text)
    if value is None or not activity.is_ours(value, untouched=found.text == workspace.project_page(slug)):
        return made
    status, since = (told, None) if told else activity.status(sessions, now)
    if value == told or (not told and value.partition(" ")[0] == status):
        return made
    try:
        files.exchange(page, activity.with_status(found.text, status, since, zone), found)
    except ChangedOnDisk:
        return made  # somebody is writing there: the next cycle will see what
    return True
