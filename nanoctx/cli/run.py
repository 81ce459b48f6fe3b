"""`nanoctx run`: the background process, in the foreground."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.errors import Busy


@click.command("run")
@click.option("--quiet", is_flag=True, help="Say nothing; the log is kept all the same.")
@with_call
def command(call: Call, quiet: bool) -> int:
    """Keep the pages of all your workspaces right, until you end it.

    It watches the logs of your agents, the pages, the settings and where HEAD stands, and does what
    `observe` and `reflect` do whenever there is a reason to. Only one such process runs for a user.

    \b
    Example:
      nanoctx run
    """
    from nanoctx.daemon import process

    try:
        process.run(call.env, echo=not quiet)
    except Busy:
        call.answer({"running": True, "started": False}, "It runs already: `nanoctx status` says how it is.")
    return 0
