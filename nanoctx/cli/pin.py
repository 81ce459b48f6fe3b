"""`nanoctx pin`: hold a line whatever happens."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, with_call

MARKS = {"pinned": "📌", "critical": "⭐", "important": "🔴"}


@click.command("pin", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="ID|LINE", nargs=-1, required=True)
@click.option(
    "--as", "how", type=click.Choice(tuple(MARKS)), default="pinned",
    help="Which mark: pinned 📌, critical ⭐ (never left out of a view), important 🔴 (before the rest).",
)  # fmt: skip
@with_call
def command(call: Call, words: tuple[str, ...], how: str) -> None:
    """Hold a line whatever happens: a line of MEMORY.md, or Focus, Task or another line of CONTEXT.md.

    A pinned line of MEMORY.md never fades and is never left out for want of room. A pinned Focus, Task or
    Blocked holds until you change it; another line of CONTEXT.md becomes yours and stays.

    \b
    Examples:
      nanoctx pin m3f2a7c
      nanoctx pin --as critical "never push on Fridays"
      nanoctx pin Focus
    """
    from nanoctx import byhand

    workspace = call.trusted_workspace()
    query, now, zone = " ".join(words), call.now(), call.zone(workspace)
    one = byhand.only(byhand.meant(workspace, query, now=now, zone=zone), query)
    changed = byhand.pin(workspace, one, MARKS[how], now=now, zone=zone)
    data = {"line": one.text, "page": one.page, "mark": MARKS[how], "changed": changed}
    call.answer(data, f"{'Pinned' if changed else 'It was pinned already'}: {one.text.removeprefix('- ')}")
