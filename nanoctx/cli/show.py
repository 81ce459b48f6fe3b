"""`nanoctx show`: print a view."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, with_call

VIEWS = ("context",)


@click.command("show")
@click.argument("view", metavar="VIEW", type=click.Choice(VIEWS))
@with_call
def command(call: Call, view: str) -> None:
    """Print what an agent would be given, as of this minute. VIEW is context.

    It is CONTEXT.md with the time told live; the file itself is not changed.

    \b
    Example:
      nanoctx show context
    """
    from nanoctx import observer
    from nanoctx.core import tokens

    workspace = call.trusted_workspace()
    text = observer.page(workspace, now=call.now(), zone=call.zone(workspace))
    data = {
        "view": view,
        "workspace": str(workspace.root),
        "tokens": tokens.count(text),
        "characters": len(text),
        "budget": workspace.settings.page_budget,
        "text": text,
    }
    call.answer(data, text.rstrip("\n"))
