"""What `connect`, `disconnect` and the doctor share: whose settings, what is in the way, the question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from nanoctx import connections
from nanoctx.cli.call import Call
from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Client, Desk, Scope
from nanoctx.disk import registry, repository
from nanoctx.errors import ClientError, UsageError


def client_named(agent: str | None) -> Client:
    names = ", ".join(CLIENTS)
    if not agent:
        raise UsageError(f"name an agent: {names}")
    if agent not in CLIENTS:
        raise UsageError(f"{agent} is no agent that nanoctx can connect; it can connect {names}")
    return CLIENTS[agent]


def desk_of(call: Call) -> Desk:
    """Where the person is: their home and the project around this folder."""
    return Desk(registry.home(call.env), call.env, repository.top_level(call.cwd) or call.cwd)


def refuse_twice(client: Client, scope: Scope, desk: Desk) -> None:
    """Say what already brings the page: with the hooks it would come twice."""
    for one in connections.found(client, desk):
        if one.scope != scope:
            raise ClientError(
                f"{client.TITLE} is connected already, in {one.settings}: run `nanoctx disconnect"
                f" {client.NAME} --scope {one.scope}` first, or leave it so"
            )
    for line in inclusions(client, desk):
        raise ClientError(
            f"{line.file}, line {line.line}, includes the page by {line.words}, and with hooks it would come"
            " twice: take that out, then connect"
        )


def inclusions(client: Client, desk: Desk) -> Iterator[connections.Inclusion]:
    """Lines that include a page of a workspace, here or in any project whose workspace is registered."""
    roots = [entry.path for entry in registry.load(desk.env)]
    projects = {desk.project, *(root.parent for root in roots if root.name == ".nanoctx")}
    pages = [root / "CONTEXT.md" for root in {*roots, desk.project / ".nanoctx"}]
    seen: set[tuple[Path, int]] = set()
    for project in sorted(projects):
        for line in connections.inclusions(client, Desk(desk.home, desk.env, project), pages):
            if (line.file, line.line) not in seen:
                seen.add((line.file, line.line))
                yield line


def agreed(call: Call, plan: connections.Plan, *, yes: bool, question: str) -> bool:
    """Show the change and ask; without a terminal to ask at, only `--yes` is a yes."""
    if not call.as_json:
        click.echo(plan.diff + "\n")
    if yes:
        return True
    if not call.at_terminal or call.as_json:
        call.remark("nanoctx: nothing was changed, since nobody could be asked: add --yes to do it")
        return False
    if click.confirm(question, default=True):
        return True
    call.remark("Nothing was changed.")
    return False


def tell(
    call: Call, plan: connections.Plan, *, agent: str, scope: Scope, connected: bool, changed: bool, text: str
) -> None:
    data = {
        "agent": agent,
        "scope": scope,
        "settings": str(plan.settings),
        "connected": connected,
        "changed": changed,
        "diff": plan.diff,
    }
    if text or call.as_json:
        call.answer(data, text)
