"""`nanoctx reflect`: one cycle now."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, counted, with_call

if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace
    from nanoctx.reflector import Report


@click.command("reflect")
@with_call
def command(call: Call) -> int:
    """Fold what sessions came to into MEMORY.md.

    What was said in several sessions becomes one line; a newer decision takes the place of an older one;
    what you added, changed or took out in MEMORY.md stays so. Doing it twice changes nothing.

    \b
    Examples:
      nanoctx reflect
      nanoctx --json reflect
    """
    from nanoctx import reflector

    workspace = call.trusted_workspace()
    report = reflector.reflect(workspace, now=call.now(), zone=call.zone(workspace))
    for problem in (*workspace.settings.warnings, *report.problems):
        call.remark(f"nanoctx: {problem}")
    call.answer(_data(workspace, report), _told(workspace, report))
    return 1 if report.problems else 0


def _data(workspace: Workspace, report: Report) -> dict[str, object]:
    return {
        "workspace": str(workspace.root),
        "page": str(workspace.memory_page),
        **asdict(report),
        "conflict": str(report.conflict) if report.conflict else None,
        "projects": list(report.projects),
        "problems": list(report.problems),
    }


def _told(workspace: Workspace, report: Report) -> str:
    page = workspace.memory_page
    lines = [
        f"{counted(report.facts, 'fact')}, {report.shown} of them in {page},"
        f" which {'was rewritten' if report.page_changed else 'is up to date'}."
    ]
    if report.left_out:
        lines.append(f"{report.left_out} had no room and can be recalled.")
    if report.faded:
        lines.append(f"{report.faded} have faded: nothing confirmed them.")
    if report.stale:
        lines.append(f"{report.stale} are marked stale: `nanoctx verify` says why.")
    if report.questions:
        lines.append(
            f"{counted(report.questions, 'question')} for you under Decisions: two lines contradict."
        )
    if report.told_anyway:
        lines.append(f"{report.told_anyway} are said in AGENTS.md or its like and not repeated.")
    if report.projects:
        lines.append(f"Projects brought up to date: {', '.join(report.projects)}.")
    if report.context == "refreshed":
        lines.append(f"{workspace.context_page} was older than a day and was made anew.")
    elif report.context == "nothing known":
        lines.append(
            f"{workspace.context_page} was made anew, but no session is known: run `nanoctx observe`."
        )
    if report.conflict:
        lines.append(f"A text of yours that could not be merged is kept in {report.conflict}.")
    return "\n".join(lines)
