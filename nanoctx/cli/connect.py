"""`nanoctx connect`: let an agent call nanoctx."""

from __future__ import annotations

import click

from nanoctx import connections
from nanoctx.cli.call import Call, with_call
from nanoctx.cli.connecting import (
    agreed,
    cargo_for,
    cargo_if_any,
    client_named,
    desk_of,
    refuse_twice,
    scope_named,
    tell,
    with_status_line,
)
from nanoctx.clients import CLIENTS
from nanoctx.clients.base import SCOPES, Client, Desk, Scope
from nanoctx.disk import backups, registry
from nanoctx.errors import NanoctxError

WHERE = {
    "user": "for all your projects (your own settings)",
    "project": "for this project only (its local settings, not shared)",
}


@click.command("connect")
@click.argument("agent", required=False)
@click.option("--scope", type=click.Choice(SCOPES), help="Whose settings; for most agents your own.")
@click.option(
    "--statusline", is_flag=True, help="Claude Code: let its status line tell how full the window is, too."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--list", "listing", is_flag=True, help="Say which agents are connected, and change nothing.")
@with_call
def command(
    call: Call, agent: str | None, scope: Scope | None, statusline: bool, yes: bool, listing: bool
) -> int:
    """Let an agent call nanoctx, so that its sessions begin with the page.

    Hooks are added to the agent's own settings: at a session's start, before it compacts and at its end.
    You see the change first and are asked. Whatever else stands in the file keeps every byte, and
    `nanoctx disconnect` puts the file back as it was. In projects without a workspace the hooks do nothing.

    With --statusline Claude Code also calls nanoctx for its status line, since it tells nobody else how
    full its window is: the page is brought up to date before the host compacts, whatever the log says. A
    status line of your own is called and shown as before.

    \b
    Examples:
      nanoctx connect claude-code                    # for all your projects
      nanoctx connect claude-code --scope project    # for this one
      nanoctx connect claude-code --statusline
      nanoctx connect --list
    """
    if listing:
        return _listed(call)
    client, desk = client_named(agent), desk_of(call)
    scope = scope_named(client, scope)
    load = cargo_for(call, client, desk)
    if statusline:
        load = with_status_line(client, scope, load)
    refuse_twice(client, scope, desk, load)
    plan = connections.to_connect(client, scope, desk, load)
    if not plan.changes:
        tell(call, plan, agent=client.name, scope=scope, connected=True, changed=False,
             text=f"{client.title} is connected already ({plan.settings}).")  # fmt: skip
        return 0
    if not agreed(call, plan, yes=yes, question=f"Connect {client.title} {WHERE[scope]}?"):
        tell(call, plan, agent=client.name, scope=scope, connected=False, changed=False, text="")
        return 1
    connections.connect(plan, desk, client, call.now())
    copy = backups.copy_of(plan.settings, desk.env)
    told = [f"{client.title} is connected: {plan.settings}."]
    if plan.before.stamp:
        told.append(f"A copy of it as it was is {copy}.")
    told.append("Its next session in a workspace begins with the page; `nanoctx doctor` says if it arrived.")
    if client.advice:
        told.append(client.advice)
    if not registry.load(desk.env):
        told.append("There is no workspace yet: run `nanoctx init` in a repository.")
    tell(call, plan, agent=client.name, scope=scope, connected=True, changed=True, text="\n".join(told))
    return 0


def _listed(call: Call) -> int:
    desk = desk_of(call)
    rows = [_row(call, client, desk) for client in CLIENTS.values()]
    lines = [f"{row['agent']}: {row['text']}" for row in rows]
    call.answer({"agents": rows}, "\n".join(lines))
    return 0


def _row(call: Call, client: Client, desk: Desk) -> dict[str, object]:
    try:
        found = connections.found(client, desk, cargo_if_any(call, client, desk))
    except NanoctxError as error:
        return {"agent": client.name, "connected": None, "settings": [], "text": str(error)}
    places = [str(one.settings) for one in found]
    text = f"connected in {' and '.join(places)}" if found else "not connected"
    return {"agent": client.name, "connected": bool(found), "settings": places, "text": text}
