"""`nanoctx undo`: take back what was done by hand, or bring a page back."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, with_call


@click.command("undo")
@click.argument("target", metavar="[ID|PAGE]", default="")
@with_call
def command(call: Call, target: str) -> None:
    """Take back the last thing done by hand: a command, or an edit of a page.

    Given a page, it comes back as it was before its last change; given a change that `nanoctx history`
    names, that one is undone. An undo can be undone by its own name. What was forgotten is gone for good:
    undoing that only lets it come again.

    \b
    Examples:
      nanoctx undo
      nanoctx undo CONTEXT.md
      nanoctx undo 3fa9c21d04e1
    """
    from nanoctx import history

    workspace = call.trusted_workspace()
    done = history.undo(workspace, target, now=call.now(), zone=call.zone(workspace))
    entry = done.entry
    data = {"id": entry.id, "what": entry.what, "page": entry.page, "remark": done.remark or None}
    if entry.id.startswith("p"):
        text = f"{entry.page} is as it was before {entry.id}."
    else:
        text = f"Taken back: {entry.what}"
    call.answer(data, f"{text}\n{done.remark}".rstrip())
