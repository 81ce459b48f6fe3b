"""`nanoctx accept`: vouch for a line that an agent or a machine wrote."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, with_call


@click.command("accept", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="ID|LINE", nargs=-1, required=True)
@with_call
def command(call: Call, words: tuple[str, ...]) -> None:
    """Vouch for a line that an agent or a machine wrote: from now on it is yours.

    An accepted line is sure, never fades, and wins over what contradicts it. Of two lines that MEMORY.md
    asks you about, accept the one that holds.

    \b
    Examples:
      nanoctx accept m3f2a7c
      nanoctx accept "the cache stays in memory"
    """
    from nanoctx import byhand

    workspace = call.trusted_workspace()
    query, now, zone = " ".join(words), call.now(), call.zone(workspace)
    one = byhand.only(byhand.meant(workspace, query, now=now, zone=zone), query)
    changed = byhand.accept(workspace, one, now=now, zone=zone)
    data = {"line": one.text, "page": one.page, "changed": changed}
    call.answer(data, f"{'Yours now' if changed else 'It was yours already'}: {one.text.removeprefix('- ')}")
