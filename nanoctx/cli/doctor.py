"""`nanoctx doctor`: what could be wrong here, and how to mend it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from nanoctx import __version__
from nanoctx.cli import connection_signs
from nanoctx.cli.call import Call, counted, with_call
from nanoctx.cli.sign import Sign
from nanoctx.disk import registry, writer
from nanoctx.errors import NanoctxError
from nanoctx.sources import SOURCES

if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace


@click.command("doctor")
@with_call
def command(call: Call) -> int:
    """Look at everything nanoctx needs, and say how to mend what is not well.

    Python and git, the workspace and its settings, who may write where, whether session logs of your
    agents can be found, and whether the text reached the sessions of agents that are connected. It changes
    nothing. The exit code is 1 if something needs mending.

    \b
    Example:
      nanoctx doctor
    """
    signs = [*_machine(), *_workspace(call), *connection_signs.signs(call)]
    ok = all(sign.ok for sign in signs)
    lines = [f"{'ok  ' if sign.ok else 'LOOK'}  {sign.name}: {sign.text}" + _cure(sign) for sign in signs]
    lines.append("" if ok else "\nSomething needs mending; see the lines marked LOOK.")
    call.answer(
        {"ok": ok, "version": __version__, "signs": [asdict(sign) for sign in signs]},
        "\n".join(lines).rstrip(),
    )
    return 0 if ok else 1


def _cure(sign: Sign) -> str:
    return f"\n      -> {sign.cure}" if sign.cure and not sign.ok else ""


def _machine() -> Iterator[Sign]:
    version = platform.python_version()
    yield Sign("python", sys.version_info >= (3, 11), version, "install Python 3.11 or later")
    git = shutil.which("git")
    yield Sign(
        "git", git is not None, git or "not found", "install git: without it the page knows no commits"
    )


def _workspace(call: Call) -> Iterator[Sign]:
    try:
        known = registry.load(call.env)
        workspace = call.workspace()
    except NanoctxError as error:
        yield Sign(
            "workspace", False, str(error), "do what that sentence says, then run `nanoctx doctor` again"
        )
        yield from _logs(call, None)
        return
    yield Sign("workspace", True, f"{workspace.root} (one of {len(known)} registered)")
    yield Sign(
        "trust", workspace.trusted, "made by you" if workspace.trusted else "not made by you",
        "look through it, then run `nanoctx init` to make it yours",
    )  # fmt: skip
    yield from _permissions(workspace)
    for warning in workspace.settings.warnings:
        yield Sign("settings", False, warning, "correct or remove the key; docs/settings.md lists all")
    yield from _writer(call, workspace)
    page = workspace.context_page
    yield Sign("page", page.is_file(), str(page), "run `nanoctx observe` to make it")
    yield from _logs(call, workspace)


def _writer(call: Call, workspace: Workspace) -> Iterator[Sign]:
    """Only if one is set; whether its last run came to anything."""
    try:
        own = writer.own_settings(call.env)
    except NanoctxError as error:
        yield Sign("writer", False, str(error), "mend your own config; until then no writer is run")
        return
    for warning in own.warnings:
        yield Sign("writer", False, warning, "correct or remove the key; docs/settings.md lists all")
    if not own.writer_command:
        return
    command, last = writer.program(own, call.env), writer.load_notes(workspace.state)
    if not command:
        cure = "install it, make it executable, or remove [writer] command from your own config"
        yield Sign("writer", False, f"`{own.writer_command}` was not found or may not be run", cure)
    elif last.trouble:
        cure = "run it by hand (docs/writer.md); until it answers the page is as without it"
        yield Sign("writer", False, f"{command[0]} {last.trouble} at {last.at} UTC", cure)
    else:
        yield Sign("writer", True, f"{command[0]}, {f'last run {last.at} UTC' if last.at else 'not run yet'}")


def _permissions(workspace: Workspace) -> Iterator[Sign]:
    folders = (workspace.root, workspace.observations, workspace.state)
    locked = [str(one) for one in folders if one.exists() and not os.access(one, os.W_OK | os.X_OK)]
    text = f"cannot write in {', '.join(locked)}" if locked else "the workspace is writable"
    yield Sign("permissions", not locked, text, "make these folders yours (chown, chmod u+rwx)")


def _logs(call: Call, workspace: Workspace | None) -> Iterator[Sign]:
    """Agents that were asked for must have logs; of all the others, one is enough."""
    asked = workspace.settings.watch_agents if workspace else ()
    any_found = False
    for name in asked or SOURCES:
        if name not in SOURCES:
            yield Sign(name, False, "this version cannot read its logs", "remove it from [watch] agents")
            continue
        logs = list(SOURCES[name].find_logs(registry.home(call.env), call.env, None))
        any_found |= bool(logs)
        if logs:
            folders = sorted({str(log.parent.parent) for log in logs})
            shown = ", ".join(folders[:3]) + (f" and {len(folders) - 3} more" if len(folders) > 3 else "")
            yield Sign(name, True, f"{counted(len(logs), 'session log')} in {shown}")
        elif asked:
            cure = f"use {name} once on this machine, or remove it from [watch] agents"
            yield Sign(name, False, "no session logs found", cure)
    if not any_found and not asked:
        yield Sign("logs", False, "no session logs of any agent found", "use one of your agents once here")
