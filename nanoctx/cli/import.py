"""`nanoctx import`: take over what another program remembers."""

from __future__ import annotations

from pathlib import Path

import click

from nanoctx.cli.call import Call, counted, with_call
from nanoctx.errors import NanoctxError, UsageError

AGENTS = ("claude-code", "nanobot")


@click.command("import")
@click.argument("agent", metavar="AGENT", type=click.Choice(AGENTS))
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
@click.option("--dry-run", is_flag=True, help="Say what would be taken over, and change nothing.")
@with_call
def command(call: Call, agent: str, folder: Path | None, dry_run: bool) -> None:
    """Take over what AGENT remembers: claude-code or nanobot.

    Its own memory folder is read, of the project here, or DIR. Secrets and private parts are left out.
    What comes in counts as that program's word: it is known and can be recalled, and is a rule only once
    you `nanoctx accept` it. Nothing is taken twice, and the other program's files stay as they are.

    \b
    Examples:
      nanoctx import claude-code
      nanoctx import nanobot ~/.nanobot/workspace/memory
    """
    from nanoctx import importing

    ws = call.trusted_workspace()
    if folder is not None and not (call.cwd / folder).is_dir():
        raise UsageError(f"{folder} is not a folder: name the one in which {agent} keeps its memory")
    named = [((call.cwd / folder).resolve(), importing.project_of(ws))] if folder is not None else []
    places = named or importing.folders(ws, agent, call.env)
    if not places:
        raise NanoctxError(f"{agent} keeps no memory of this project where it usually does: name its folder")
    found = importing.find(ws, agent, places)
    for problem in found.problems:
        call.remark(f"nanoctx: {problem}")
    if found.lines and not dry_run:
        importing.take_over(ws, agent, found, now=call.now(), zone=call.zone(ws))
    secrets = sum(one.secrets for one in found.sources)
    data = {
        "agent": agent,
        "taken": found.lines,
        "known": found.known,
        "secrets": secrets,
        "dry_run": dry_run,
        "sources": [
            {
                "file": str(one.file),
                "project": one.project or None,
                "lines": [line.text for line in one.taken],
            }
            for one in found.sources
        ],
    }
    verb = "Would take" if dry_run else "Took"
    told = [f"{verb} over {counted(found.lines, 'line')}; {found.known} were known already."]
    told += [f"{one.file}: {counted(len(one.taken), 'line')}" for one in found.sources]
    if dry_run:
        told += [f"  {line.kind}: {line.text}" for one in found.sources for line in one.taken]
    if secrets:
        told.append(f"{counted(secrets, 'secret or private part')} left out.")
    if found.lines and not dry_run:
        told.append("None of it is a rule: `nanoctx accept ID` makes a line of MEMORY.md yours.")
    call.answer(data, "\n".join(told))
