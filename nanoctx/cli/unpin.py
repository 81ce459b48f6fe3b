"""`nanoctx unpin`: let go of a line that was pinned."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, with_call


@click.command("unpin", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="ID|LINE", nargs=-1, required=True)
@with_call
def command(call: Call, words: tuple[str, ...]) -> None:
    """Let go of a line that was pinned: it is weighed like any other again.

    \b
    Example:
      nanoctx unpin m3f2a7c
    """
    from nanoctx import byhand

    workspace = call.trusted_workspace()
    query, now, zone = " ".join(words), call.now(), call.zone(workspace)
    one = byhand.only(byhand.meant(workspace, query, now=now, zone=zone), query)
    changed = byhand.pin(workspace, one, "", now=now, zone=zone)
    data = {"line": one.text, "page": one.page, "mark": "", "changed": changed}
    call.answer(data, f"{'Let go' if changed else 'It was not pinned'}: {one.text.removeprefix('- ')}")
