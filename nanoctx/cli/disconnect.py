"""`nanoctx disconnect`: take out of an agent's settings what `connect` put there."""

from __future__ import annotations

import click

from nanoctx import connections
from nanoctx.cli.call import Call, with_call
from nanoctx.cli.connecting import agreed, cargo_if_any, client_named, desk_of, scope_named, tell
from nanoctx.clients.base import SCOPES, Cargo, Client, Desk, Scope


@click.command("disconnect")
@click.argument("agent", required=False)
@click.option("--scope", type=click.Choice(SCOPES), help="Whose settings. Without it: where it is connected.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_call
def command(call: Call, agent: str | None, scope: Scope | None, yes: bool) -> int:
    """Take out of an agent's settings what `nanoctx connect` put there.

    A file that nobody changed since gets back the bytes it had; in one that was changed, only our hooks
    go. You see the change first and are asked. The workspace and its pages stay.

    \b
    Example:
      nanoctx disconnect claude-code
    """
    client, desk = client_named(agent), desk_of(call)
    load = cargo_if_any(call, client, desk)
    chosen = scope_named(client, scope) if scope else _scope_in_use(client, desk, load)
    plan = connections.to_disconnect(client, chosen, desk, load)
    if not plan.changes:
        tell(call, plan, agent=client.name, scope=chosen, connected=False, changed=False,
             text=f"{client.title} is not connected ({plan.settings}).")  # fmt: skip
        return 0
    if not agreed(call, plan, yes=yes, question=f"Disconnect {client.title}?"):
        tell(call, plan, agent=client.name, scope=chosen, connected=True, changed=False, text="")
        return 1
    connections.disconnect(plan, desk)
    tell(call, plan, agent=client.name, scope=chosen, connected=False, changed=True,
         text=f"{client.title} is disconnected: {plan.settings} is as it was without nanoctx.")  # fmt: skip
    return 0


def _scope_in_use(client: Client, desk: Desk, load: Cargo) -> Scope:
    for one in connections.found(client, desk, load):
        return one.scope
    return client.scopes[0]
