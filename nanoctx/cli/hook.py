"""`nanoctx hook`: what an agent calls at its events; `nanoctx-hook` is the same, without the command line."""

from __future__ import annotations

import os

import click

from nanoctx.cli.call import Call, with_call

# A host takes some exit codes as an order to stop what it does: it is never told that it called us wrongly.
_WHATEVER = {"ignore_unknown_options": True, "allow_extra_args": True}


@click.command("hook", context_settings=_WHATEVER)
@click.argument("event", required=False, default="")
@click.option("--client", metavar="A", default="claude-code", help="The agent that calls.")
@with_call
def command(call: Call, event: str, client: str) -> None:
    """Answer an event of an agent: session-start, pre-compact, stop or session-end.

    The event's JSON is read from standard input, the answer printed for the agent. Whatever happens, the
    exit code is 0 and the agent is not kept waiting. `nanoctx connect` writes the call into the agent's
    settings, as the quicker script `nanoctx-hook`.

    \\b
    Example:
      echo '{"cwd": "'$PWD'", "source": "startup"}' | nanoctx hook session-start
    """
    from nanoctx import hook
    from nanoctx.clients import CLIENTS

    if client not in CLIENTS:
        return  # whose form of an answer is not known
    if call.named:
        os.environ["NANOCTX_WORKSPACE"] = call.named
    hook.main([event, "--client", client])
