"""`nanoctx init`: make a workspace."""

from __future__ import annotations

from pathlib import Path

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.disk import workspace
from nanoctx.sources import git


@click.command("init")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--anew", is_flag=True, help="Make it although a workspace of that path is registered and not there."
)
@with_call
def command(call: Call, folder: Path | None, anew: bool) -> None:
    """Make a workspace: the folder in which CONTEXT.md is kept.

    Inside a git repository and without DIR, it is the folder .nanoctx of that repository, hidden from git.
    With DIR it is that folder, for all projects you work on. Nothing that is there already is changed, and
    an existing CONTEXT.md or MEMORY.md becomes the page, its lines counting as yours.

    \b
    Examples:
      nanoctx init                  # in a repository
      nanoctx init ~/notes/agents   # one folder for everything
    """
    from nanoctx import observer

    target = folder or (Path(call.named) if call.named else None)
    report = workspace.init(target, call.cwd, call.env, anew=anew)
    made = report.workspace
    created = list(report.created)
    if created and made.project_root:
        created += workspace.describe_project(made, git.slug(made.project_root))
    if not made.context_page.exists():
        observer.refresh_page(made, now=call.now(), zone=call.zone(made))
        created.append(made.context_page.name)
    data = {
        "workspace": str(made.root),
        "kind": made.kind,
        "project": str(made.project_root) if made.project_root else None,
        "created": created,
        "adopted": list(report.adopted),
        "registered": report.registered,
        "page": str(made.context_page),
        "warnings": list(made.settings.warnings),
    }
    call.answer(data, _told(report, created))


def _told(report: workspace.InitReport, created: list[str]) -> str:
    made = report.workspace
    lines = [f"{made.root} is {'now' if report.created or report.registered else 'already'} a workspace."]
    if report.adopted:
        lines.append(f"Adopted as they are: {', '.join(report.adopted)}. Every line in them counts as yours.")
    if created:
        lines.append(f"Made: {', '.join(created)}.")
    lines += made.settings.warnings
    lines.append("")
    if made.kind == "repo":
        lines.append("Next: `nanoctx observe` reads what your agents did here so far, and")
        lines.append("`nanoctx connect claude-code` lets Claude Code begin each session with the page.")
    else:
        lines.append(f"Next: `nanoctx observe --workspace {made.root}` reads what your agents did so far.")
    return "\n".join(lines)
