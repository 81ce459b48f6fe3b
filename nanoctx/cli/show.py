"""`nanoctx show`: print a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, with_call

if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace
    from nanoctx.views import Built

VIEWS = ("context", "prompt", "project", "combined", "startup", "memory", "query", "bundle")
FORMS = ("md", "xml", "json")


@click.command("show")
@click.argument("view", metavar="VIEW", type=click.Choice(VIEWS))
@click.option(
    "--budget", type=click.IntRange(min=20), metavar="N", help="Most tokens; each view has its own default."
)
@click.option(
    "--as", "form", type=click.Choice(FORMS), help="How it is written; each view has a form of its own."
)
@click.option("--query", metavar="TEXT", default="", help="What it is about: for query, prompt and bundle.")
@click.option("--project", metavar="NAME", default="", help="The project; else the one of this folder.")
@with_call
def command(call: Call, view: str, budget: int | None, form: str | None, query: str, project: str) -> int:
    """Print what an agent would be given, as of this minute. VIEW is one of:

    \b
      context   CONTEXT.md, with the time told now
      prompt    a lean system prompt: SOUL, USER, the page, tool names
      project   where the project stands
      combined  the person and the project
      startup   last sessions, changed functions, what was learned
      memory    rules, preferences and decisions
      query     what memory holds on --query
      bundle    all that may matter, in tiers

    \b
    Examples:
      nanoctx show context
      nanoctx show query --query "why sqlite"
      nanoctx show bundle --budget 4000 --as md
    """
    workspace = call.trusted_workspace()
    built = built_view(call, workspace, view, budget=budget, form=form or "", query=query, project=project)
    for reason in built.failed.values():
        call.remark(f"nanoctx: a part is left out: {reason}")
    if built.cut:
        call.remark(f"cut: {built.budget} tokens have no room for all that may not be left out")
    data = {
        "view": view,
        "workspace": str(workspace.root),
        "form": built.form,
        "tokens": built.tokens,
        "characters": len(built.text),
        "budget": built.budget,
        "layers": dict(built.layers),
        "left_out": dict(built.left_out),
        "cut": built.cut,
        "build_ms": built.milliseconds,
        "text": built.text,
    }
    if built.text or call.as_json:  # an empty workspace prints nothing
        call.answer(data, built.text.rstrip("\n"))
    return 1 if built.failed else 0


def built_view(
    call: Call,
    workspace: Workspace,
    view: str,
    *,
    budget: int | None = None,
    form: str = "",
    query: str = "",
    project: str = "",
) -> Built:
    from nanoctx import views
    from nanoctx.errors import UsageError
    from nanoctx.views.desk import Desk

    if view == "query" and not query.strip():
        raise UsageError("nothing was asked: give --query with a few words")
    desk = Desk(
        workspace, now=call.now(), zone=call.zone(workspace), cwd=call.cwd, query=query, project=project
    )
    if project and project not in desk.project_names and not (workspace.projects / project).is_dir():
        known = ", ".join(desk.project_names[:12]) or "none was seen yet"
        raise UsageError(f"there is no project `{project[:60]}` here: choose one of {known}")
    return views.build(view, desk, budget=budget, form=form)
