"""`nanoctx status`: what is watched, and how fresh the page is."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.core import timeline, tokens
from nanoctx.daemon import control
from nanoctx.disk import files, observations
from nanoctx.sources import SOURCES

if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace
    from nanoctx.model import Observation


@click.command("status")
@with_call
def command(call: Call) -> None:
    """Say which workspace this is, what it watches, how fresh its page is, and how the background process is.

    \b
    Example:
      nanoctx status
    """
    workspace = call.workspace()
    zone = call.zone(workspace)
    known, problems = observations.load_all(workspace.root)
    sessions, unreadable = [one for one in known if one.session], len(problems)
    latest = max(sessions, key=_end, default=None)
    data = {
        "workspace": str(workspace.root),
        "kind": workspace.kind,
        "project": str(workspace.project_root) if workspace.project_root else None,
        "trusted": workspace.trusted,
        "agents": list(workspace.settings.watch_agents or SOURCES),
        "sessions": len(sessions),
        "unreadable": unreadable,
        "last_session": _session(latest),
        "page": _page(workspace) | {"fresh_until": _fresh_until(workspace, latest, zone)},
        "conflicts": _count_conflicts(workspace),
        "process": control.ask(call.env),
        "warnings": _warnings(workspace, unreadable),
    }
    call.answer(data, _told(data, latest, zone, call.now()))


def _session(latest: Observation | None) -> dict[str, Any] | None:
    if latest is None:
        return None
    return {
        "id": latest.id,
        "agent": latest.agent,
        "project": latest.project,
        "title": latest.title,
        "started": latest.started.isoformat() if latest.started else None,
        "ended": latest.ended.isoformat() if latest.ended else None,
    }


def _page(workspace: Workspace) -> dict[str, Any]:
    page, settings = workspace.context_page, workspace.settings
    text = files.read(page).text
    changed = datetime.fromtimestamp(page.stat().st_mtime, UTC) if page.exists() else None
    size = tokens.count(text)
    return {
        "path": str(page),
        "changed": changed.isoformat(timespec="seconds") if changed else None,
        "tokens": size,
        "characters": len(text),
        "budget": settings.page_budget,
        "over": size > settings.page_budget or len(text) > settings.page_max_characters,
    }


def _fresh_until(workspace: Workspace, latest: Observation | None, zone: tzinfo) -> str | None:
    """When the page's "2 hours ago" stops being true."""
    page = workspace.context_page
    if latest is None or not page.exists():
        return None
    written = datetime.fromtimestamp(page.stat().st_mtime, UTC)
    last = latest.last or latest.started
    return timeline.next_boundary(last, written, zone).astimezone(UTC).isoformat(timespec="seconds")


def _count_conflicts(workspace: Workspace) -> int:
    return sum(file.is_file() for file in workspace.conflicts.rglob("*"))


def _warnings(workspace: Workspace, unreadable: int) -> list[str]:
    warnings = list(workspace.settings.warnings)
    if not workspace.trusted:
        warnings.append("you did not make this workspace: `nanoctx init` makes it yours")
    if unreadable:
        warnings.append(f"{unreadable} of the observations cannot be read: see `nanoctx check`")
    if not workspace.context_page.exists():
        warnings.append("there is no CONTEXT.md: `nanoctx observe` makes it")
    elif _page(workspace)["over"]:
        warnings.append("CONTEXT.md is over its budget: shorten what you wrote in it")
    return warnings


def _told(data: dict[str, Any], latest: Observation | None, zone: tzinfo, now: datetime) -> str:
    page = data["page"]
    until = page["fresh_until"]
    stale = "; its time words are out of date" if until and datetime.fromisoformat(until) <= now else ""
    about = f"the project {data['project']}" if data["project"] else "all projects that are watched"
    rows = [
        ("Workspace", f"{data['workspace']} ({about})"),
        ("Agents", ", ".join(data["agents"])),
        ("Sessions", str(data["sessions"])),
        ("Last", _last(latest, zone)),
        ("Page", f"{page['tokens']} of {page['budget']} tokens, {_when(page['changed'], zone)}{stale}"),
    ]
    if data["conflicts"]:
        rows.append(("Conflicts", f"{data['conflicts']}, kept in {data['workspace']}/conflicts"))
    rows += _of_process(data["process"], zone)
    rows += [("Note", warning) for warning in data["warnings"]]
    return "\n".join(f"{name + ':':<11}{text}" for name, text in rows)


def _of_process(process: dict[str, Any] | None, zone: tzinfo) -> list[tuple[str, str]]:
    """The background process: what it takes, and what it does in each workspace."""
    if process is None:
        return [("Process", "none runs in the background; `nanoctx up` starts one")]
    took = (
        f"{process['pid']} since {_clock(process['since'], zone)}, {process['rss_mb']:.0f} MB,"
        f" {process['cpu_seconds']:.0f} s of processor, {process['watches']} watches,"
        f" {process['threads']} threads, {process['descriptors']} descriptors"
    )
    rows = [("Process", took)]
    for one in process["workspaces"]:
        rows.append(("Keeps", f"{one['workspace']} ({_kept(one, zone)})"))
        rows += [("Error", error) for error in one["errors"][-3:]]
    growing = [
        f"{one['agent']} ({one['growing']} of {one['logs']} logs growing)"
        for one in process["sources"]
        if one["logs"]
    ]
    if growing:
        rows.append(("Logs", ", ".join(growing)))
    if process["unwatched"]:
        rows.append(
            ("Note", f"{process['unwatched']} folders cannot be watched and are looked at now and then")
        )
    return rows


def _kept(one: dict[str, Any], zone: tzinfo) -> str:
    if not one["there"]:
        return "not there: what it wants waits for it"
    if one["last_look"] is None:
        return "not looked at yet"
    return f"looked at {_clock(one['last_look'], zone)}, {one['lag']:.1f} s after there was a reason to"


def _clock(moment: str, zone: tzinfo) -> str:
    return f"{datetime.fromisoformat(moment).astimezone(zone):%Y-%m-%d %H:%M}"


def _last(latest: Observation | None, zone: tzinfo) -> str:
    if latest is None:
        return "no session seen yet; `nanoctx observe` looks for them"
    when = _end(latest).astimezone(zone)
    state = "ended" if latest.ended else "open, last seen"
    return f"{latest.title or latest.session} ({latest.agent}, {state} {when:%Y-%m-%d %H:%M})"


def _when(changed: str | None, zone: tzinfo) -> str:
    if changed is None:
        return "not written yet"
    return f"written {datetime.fromisoformat(changed).astimezone(zone):%Y-%m-%d %H:%M}"


def _end(observation: Observation) -> datetime:
    return observation.ended or observation.last or observation.started or datetime.min.replace(tzinfo=UTC)
