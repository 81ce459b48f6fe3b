"""`nanoctx history`: what changed on the pages, when and by whom."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, with_call

if TYPE_CHECKING:
    from datetime import tzinfo

    from nanoctx.history import Entry

MOST_LINES = 6  # shown of one change
WIDTH = 110


@click.command("history")
@click.argument("page", required=False)
@click.option("-n", "most", type=click.IntRange(1, 1000), default=20, help="How many changes; else 20.")
@with_call
def command(call: Call, page: str | None, most: int) -> None:
    """Say what changed on the pages, when and by whom, the latest first.

    What you did by hand is kept with the observations. Earlier versions of the pages are kept under .state,
    the last sixty of each. The name in front of a change is what `nanoctx undo` takes.

    \b
    Examples:
      nanoctx history
      nanoctx history MEMORY.md -n 5
    """
    from nanoctx import history

    workspace = call.trusted_workspace()
    zone = call.zone(workspace)
    known = [one for one in history.entries(workspace) if page in (None, one.page)][:most]
    data = {"changes": [{**asdict(one), "at": one.at.isoformat()} for one in known]}
    call.answer(data, "\n".join(_told(one, zone) for one in known) or "Nothing is known to have changed.")


def _told(one: Entry, zone: tzinfo) -> str:
    taken_back = " (taken back)" if one.undone else ""
    lines = [f"{one.id:12}  {one.at.astimezone(zone):%Y-%m-%d %H:%M}  {one.by:7}  {one.what}{taken_back}"]
    shown = [*(f"+ {line}" for line in one.added), *(f"- {line}" for line in one.removed)]
    lines += [f"    {line[:WIDTH]}" for line in shown[:MOST_LINES]]
    if len(shown) > MOST_LINES:
        lines.append(f"    and {len(shown) - MOST_LINES} more")
    return "\n".join(lines)
