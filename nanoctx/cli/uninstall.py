"""`nanoctx uninstall`: take back what nanoctx did outside workspaces."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import click

from nanoctx import connections
from nanoctx.cli.call import Call, counted, with_call
from nanoctx.cli.connecting import cargo_if_any, desk_of
from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Client, Desk
from nanoctx.daemon import service
from nanoctx.disk import backups, files, mirror, registry, runtime
from nanoctx.disk.workspace import FOLDER
from nanoctx.errors import NanoctxError


@dataclass(slots=True)
class Leaving:
    """What there is to take back, and what stays."""

    settings: list[tuple[Client, connections.Plan, Desk]] = field(default_factory=list)
    service: service.Plan | None = None  # the background process, as a service or not
    folders: list[Path] = field(default_factory=list)  # removed with all that is in them
    files: list[Path] = field(default_factory=list)
    workspaces: list[Path] = field(default_factory=list)  # they stay, unless they were told to go
    kept: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.settings or self.service or self.folders or self.files)


@click.command("uninstall")
@click.option(
    "--workspaces", "also_workspaces", is_flag=True,
    help="Delete the .nanoctx/ of your repositories, too, with all memory in it.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_call
def command(call: Call, also_workspaces: bool, yes: bool) -> int:
    """Take back all that nanoctx did outside workspaces, before you remove the program itself.

    The background process ends, every agent is disconnected, and the list of workspaces, the second copies
    and the logs go. You see what first and are asked. Workspaces stay with all that is in them.

    \b
    Example:
      nanoctx uninstall
    """
    found = _found(call, also_workspaces)
    if not call.as_json:
        click.echo("\n".join(_shown(found, also_workspaces)))
    agreed = not found.is_empty and _agreed(call, yes)
    if agreed:
        _carry_out(call, found)
        for problem in found.problems:
            call.remark(f"nanoctx: {problem}")
    if call.as_json or agreed:
        call.answer(_data(found, agreed), _remains(found, also_workspaces))
    return 1 if found.problems or (not agreed and not found.is_empty) else 0


def _found(call: Call, also_workspaces: bool) -> Leaving:
    env = call.env
    found = Leaving(workspaces=[entry.path for entry in registry.load(env)])
    for client, desk in _desks(call, found.workspaces):
        try:
            load = cargo_if_any(call, client, desk)
            for one in connections.found(client, desk, load):
                plan = connections.to_disconnect(client, one.scope, desk, load)
                if plan.changes and all(plan.settings != known.settings for _, known, _ in found.settings):
                    found.settings.append((client, plan, desk))
        except NanoctxError as error:
            found.problems.append(str(error))
    wanted = service.plan(env)
    if service.running(env) is not None or (wanted.file is not None and wanted.file.exists()):
        found.service = wanted
    own = {mirror.folder(root, env) for root in found.workspaces if root.is_dir() or also_workspaces}
    for copies in _below(mirror.folders(env)):
        if copies in own or also_workspaces:
            found.folders.append(copies)
        else:
            found.kept.append(f"{copies}: memory of a workspace that is not there")
    found.folders += [place for place in {runtime.state_folder(env), runtime.folder(env)} if place.is_dir()]
    if also_workspaces:
        found.folders += [root for root in found.workspaces if root.name == FOLDER and root.is_dir()]
    found.files += [file for file in (registry.path(env),) if file.exists()]
    found.kept += [
        f"{file}: your own settings" for file in _below(registry.folder(env)) if file not in found.files
    ]
    return found


def _desks(call: Call, workspaces: list[Path]) -> Iterator[tuple[Client, Desk]]:
    """Every place where an agent may be connected: here, in projects with a workspace, where we edited."""
    here = desk_of(call)
    projects = [here.project, *(root.parent for root in workspaces if root.name == FOLDER)]
    projects += [settings.parent.parent for settings in backups.kept(call.env)]
    for project in dict.fromkeys(projects):
        for client in CLIENTS.values():
            yield client, Desk(here.home, here.env, project)


def _below(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _shown(found: Leaving, also_workspaces: bool) -> Iterator[str]:
    if found.is_empty:
        yield "There is nothing of nanoctx outside workspaces."
    for client, plan, _ in found.settings:
        yield f"{client.title} is disconnected:"
        yield plan.diff + "\n"
    if found.service is not None:
        file = f", and {found.service.file} removed" if found.service.file is not None else ""
        yield f"The background process is ended{file}."
    for path in (*found.folders, *found.files):
        yield f"Removed: {path}"
    for told in found.kept:
        yield f"Stays: {told}"
    for root in _staying(found, also_workspaces):
        yield f"Stays: {root}, with all that is in it"
    for problem in found.problems:
        yield f"Not understood: {problem}"


def _agreed(call: Call, yes: bool) -> bool:
    if yes:
        return True
    if not call.at_terminal or call.as_json:
        call.remark("nanoctx: nothing was changed, since nobody could be asked: add --yes to do it")
        return False
    return click.confirm("Do this?", default=False)


def _carry_out(call: Call, found: Leaving) -> None:
    """Agents first: while one still calls us, what is kept to put its settings back has to stay."""
    for client, plan, desk in found.settings:
        try:
            connections.disconnect(plan, desk)
        except NanoctxError as error:
            found.problems.append(f"{client.title} is still connected: {error}")
    if found.problems:
        found.problems.append("nothing else was removed: mend that, then run `nanoctx uninstall` again")
        return
    if found.service is not None:
        service.down(found.service, call.env)
    for path in found.files:
        files.remove(path)
        files.remove_if_empty(path.parent)
    for folder in found.folders:
        _remove(folder)
        files.remove_if_empty(folder.parent if folder.parent.name == "nanoctx" else folder)


def _remove(folder: Path) -> None:
    """A folder with all that is in it; links are removed, not followed."""
    for place, inside, names in os.walk(folder, topdown=False):
        for name in (*names, *(name for name in inside if (Path(place) / name).is_symlink())):
            files.remove(Path(place) / name)
        with suppress(OSError):
            files.remove_if_empty(Path(place))


def _staying(found: Leaving, also_workspaces: bool) -> list[Path]:
    return [
        root for root in found.workspaces if root.is_dir() and not (also_workspaces and root.name == FOLDER)
    ]


def _remains(found: Leaving, also_workspaces: bool) -> str:
    staying = _staying(found, also_workspaces)
    if found.problems:
        return "Not all was taken back."
    lines = ["Done. The program itself goes with `pip uninstall nanoctx`."]
    if staying:
        lines.append(f"{counted(len(staying), 'workspace')} stayed: {', '.join(map(str, staying))}.")
    return "\n".join(lines)


def _data(found: Leaving, done: bool) -> dict[str, object]:
    return {
        "done": done and not found.problems,
        "settings": [
            {"agent": client.name, "file": str(plan.settings)} for client, plan, _ in found.settings
        ],
        "service": found.service is not None,
        "removed": [str(path) for path in (*found.folders, *found.files)],
        "workspaces": [str(root) for root in found.workspaces],
        "kept": list(found.kept),
        "problems": list(found.problems),
    }
