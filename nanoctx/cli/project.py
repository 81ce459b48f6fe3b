"""`nanoctx project`: which projects there are, and how each stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.errors import UsageError

if TYPE_CHECKING:
    from nanoctx.byhand import Project

STATUSES = ("active", "paused", "blocked", "completed", "idle")
AUTO = "auto"
DOING = ("list", "show", "set")


@click.command("project")
@click.argument("words", metavar="[list|show [P]|set P STATUS]", nargs=-1)
@with_call
def command(call: Call, words: tuple[str, ...]) -> None:
    """Say which projects there are, describe one, or set how one stands.

    The status is active, paused, blocked, completed or idle, as its sessions tell, until you set it: here,
    in projects/P/project.md, or by saying so to your agent. `auto` leaves it to what is seen again.

    \b
    Examples:
      nanoctx project
      nanoctx project show gauge
      nanoctx project set gauge paused
      nanoctx project set gauge auto
    """
    doing, *rest = words or ("list",)
    if doing not in DOING:
        raise UsageError(f"`{doing}` is none of list, show and set; see `nanoctx project --help`")
    {"list": _list, "show": _show, "set": _set}[doing](call, rest)


def _list(call: Call, words: list[str]) -> None:
    from nanoctx import byhand

    if words:
        raise UsageError("`nanoctx project list` takes nothing more: to see one, `nanoctx project show P`")
    workspace = call.trusted_workspace()
    found = byhand.known_projects(workspace, now=call.now())
    lines = [f"{one.slug}: {one.status} ({one.why})" for one in found]
    call.answer({"projects": [_data(one) for one in found]}, "\n".join(lines) or "No project is known yet.")


def _show(call: Call, words: list[str]) -> None:
    from nanoctx import byhand

    workspace = call.trusted_workspace()
    if len(words) > 1:
        raise UsageError("name one project: `nanoctx project show P`")
    one = byhand.project(workspace, words[0] if words else "", now=call.now())
    call.answer(_data(one), _described(one))


def _set(call: Call, words: list[str]) -> None:
    from nanoctx import byhand

    if len(words) != 2:
        raise UsageError("say which project and how it stands: `nanoctx project set P STATUS`")
    status = words[1].lower()
    if status not in (*STATUSES, AUTO):
        raise UsageError(f"`{words[1]}` is no status: choose one of {', '.join(STATUSES)}, or {AUTO}")
    workspace = call.trusted_workspace()
    slug = byhand.project(workspace, words[0], now=call.now()).slug
    byhand.set_status(
        workspace, slug, "" if status == AUTO else status, now=call.now(), zone=call.zone(workspace)
    )
    one = byhand.project(workspace, slug, now=call.now())
    call.answer(_data(one), f"{slug} is {one.status} ({one.why}).")


def _data(one: Project) -> dict[str, object]:
    return {
        "project": one.slug,
        "status": one.status,
        "why": one.why,
        "page": str(one.page),
        "name": one.described.name,
        "mission": one.described.mission,
        "goals": list(one.described.goals),
        "constraints": list(one.described.constraints),
        "blockers": list(one.described.blockers),
        "notes": list(one.described.notes),
        "sessions": one.sessions,
        "last": one.last.isoformat() if one.last else None,
    }


def _described(one: Project) -> str:
    lines = [f"{one.slug}: {one.status} ({one.why})"]
    if one.described.mission:
        lines.append(f"Mission: {one.described.mission}")
    for name in ("goals", "constraints", "blockers", "notes"):
        held = getattr(one.described, name)
        if held:
            lines += [f"{name.capitalize()}:", *(f"- {line}" for line in held)]
    lines.append(f"Describe it in {one.page}.")
    return "\n".join(lines)
