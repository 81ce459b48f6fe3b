"""`nanoctx check`: prove that a workspace is whole, changing nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, counted, with_call
from nanoctx.core import items, tokens
from nanoctx.disk import cursors, files, temporaries

if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace
    from nanoctx.model import Observation

SECTIONS = ["Now", "Time", "Recent", "External"]
MOST_ITEMS = 60
NAME = re.compile(r"\d{8}T\d{6}Z-[a-z0-9-]+-([0-9a-f]{12})\.md")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at: where, what, and the cure."""

    file: str
    what: str
    cure: str


@click.command("check")
@with_call
def command(call: Call) -> int:
    """Prove that the workspace is whole, and change nothing.

    It reads every observation and the page, and looks for half-written files, items without evidence and
    a page over its budget. The exit code is 1 if there is something to look at.

    \b
    Example:
      nanoctx check
    """
    workspace = call.workspace()
    found = [
        *_observations(workspace),
        *_page(workspace),
        *_half_written(workspace),
        *_cursors(workspace),
        *_settings(workspace),
    ]
    number = len(workspace.observation_files())
    data = {
        "workspace": str(workspace.root),
        "ok": not found,
        "observations": number,
        "findings": [asdict(one) for one in found],
    }
    lines = [f"{one.file}: {one.what}; {one.cure}" for one in found]
    whole = f"{workspace.root} is whole: {counted(number, 'observation')}, the page, the settings."
    call.answer(data, "\n".join(lines) if found else whole)
    return 1 if found else 0


def _observations(workspace: Workspace) -> Iterator[Finding]:
    for file in workspace.observation_files():
        name = str(file.relative_to(workspace.root))
        try:
            observation = items.parse(file.read_bytes().decode("utf-8"))
        except (OSError, ValueError) as error:
            yield Finding(name, f"it cannot be read ({error})", "mend it by hand, or move it away")
            continue
        yield from _observation(observation, file, name)


def _observation(observation: Observation, file: Path, name: str) -> Iterator[Finding]:
    match = NAME.fullmatch(file.name)
    if not match or match[1] != observation.id:
        yield Finding(name, "its name and its id do not agree", "give it back the name it had")
    elif file.parent.name != file.name[4:6] or file.parent.parent.name != file.name[:4]:
        yield Finding(name, "it lies in the folder of another month", "move it to the month in its name")
    if len(observation.items) > MOST_ITEMS:
        yield Finding(name, f"it has {len(observation.items)} items", f"keep at most {MOST_ITEMS}")
    quoted = {one.pos for one in observation.evidence}
    for item in observation.items:
        if item.pos is not None and item.pos not in quoted:
            yield Finding(
                name, f"`{item.kind}: {item.text[:60]}` has no evidence", "remove that line or observe again"
            )


def _page(workspace: Workspace) -> Iterator[Finding]:
    name, settings = workspace.context_page.name, workspace.settings
    text = files.read(workspace.context_page).text
    if not text:
        yield Finding(name, "it is missing or empty", "run `nanoctx observe` to make it again")
        return
    headings = [line[3:].strip() for line in text.splitlines() if line.startswith("## ")]
    if [heading for heading in headings if heading in SECTIONS] != SECTIONS:
        wanted = ", ".join(SECTIONS)
        yield Finding(name, f"its sections are not {wanted}", "run `nanoctx observe` to set them right")
    size = tokens.count(text)
    if size > settings.page_budget:
        yield Finding(
            name, f"it has {size} tokens, over {settings.page_budget}", "shorten what you wrote in it"
        )
    elif len(text) > settings.page_max_characters:
        limit = settings.page_max_characters
        yield Finding(name, f"it has {len(text)} characters, over {limit}", "shorten what you wrote in it")


def _half_written(workspace: Workspace) -> Iterator[Finding]:
    for file in sorted(workspace.root.rglob(f"*{temporaries.SUFFIX}")):
        name = str(file.relative_to(workspace.root))
        yield Finding(
            name, "a write was cut short here", "run `nanoctx observe`, which clears such files away"
        )


def _cursors(workspace: Workspace) -> Iterator[Finding]:
    file = workspace.cursors
    if not file.exists():
        return
    name, known = str(file.relative_to(workspace.root)), cursors.load(file)
    if not known and '"logs": {}' not in files.read(file).text:
        yield Finding(name, "it cannot be understood", "remove it: the next look reads the logs afresh")
    for log, cursor in known.items():
        path = Path(log)
        if path.is_file() and path.stat().st_ino == cursor.inode and path.stat().st_size < cursor.offset:
            yield Finding(name, f"{log} is shorter than what was read of it", "run `nanoctx observe`")


def _settings(workspace: Workspace) -> Iterator[Finding]:
    for warning in workspace.settings.warnings:
        yield Finding(workspace.settings_file.name, warning.split(": ", 1)[-1], "correct or remove the key")
