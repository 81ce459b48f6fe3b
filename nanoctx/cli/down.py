"""`nanoctx down`: end the background process."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, with_call


@click.command("down")
@with_call
def command(call: Call) -> None:
    """End the background process and remove what `up` wrote, nothing else.

    Pages, memory and settings stay; commands and hooks work as before.

    \b
    Example:
      nanoctx down
    """
    from nanoctx.daemon import service

    wanted = service.plan(call.env)
    ended, removed = service.down(wanted, call.env)
    lines = ["The background process has ended." if ended else "No background process runs."]
    if removed:
        lines.append(f"Removed {wanted.file}.")
    file = str(wanted.file) if removed else None
    call.answer({"ended": ended, "removed": file}, "\n".join(lines))
