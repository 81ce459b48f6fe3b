"""What `connect`, `disconnect` and the doctor share: whose settings, what is in the way, the question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from nanoctx import connections
from nanoctx.cli.call import Call
from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Cargo, Client, Desk, Scope
from nanoctx.disk import registry, repository, workspace
from nanoctx.errors import ClientError, NanoctxError, UsageError


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


def scope_named(client: Client, scope: Scope | None) -> Scope:
    if scope is not None and scope not in client.scopes:
        raise UsageError(f"{client.title} can be connected with --scope {client.scopes[0]} only")
    return scope or client.scopes[0]


def cargo_for(call: Call, client: Client, desk: Desk) -> Cargo:
    """What this agent is to take; one that takes a page needs a workspace in its own folder."""
    folder = client.page_of(desk)
    if folder is None:
        return connections.cargo()
    try:
        own = workspace.resolve(call.named, folder, call.env)
    except NanoctxError:
        own = None
    if own is None or not own.trusted or (own.kind != "repo" and own.root != folder.resolve()):
        raise ClientError(
            f"{client.title} takes the page of {folder}, where there is no workspace of yours: run"
            f" `nanoctx init` there first"
        )
    return connections.cargo(own.context_page)


def cargo_if_any(call: Call, client: Client, desk: Desk) -> Cargo:
    try:
        return cargo_for(call, client, desk)
    except ClientError:
        return connections.cargo()


def with_status_line(client: Client, scope: Scope, load: Cargo) -> Cargo:
    if not client.has_status_line:
        raise UsageError(f"{client.title} has no status line that nanoctx could be called for")
    if scope != "user":
        # One of a project takes the place of the person's own.
        raise UsageError("--statusline goes into your own settings: leave --scope project out")
    return replace(load, status_line=True)


def refuse_twice(client: Client, scope: Scope, desk: Desk, load: Cargo) -> None:
    """Say what already brings the page: it would come twice."""
    for one in connections.found(client, desk, load):
        if one.scope != scope:
            raise ClientError(
                f"{client.title} is connected already, in {one.settings}: run `nanoctx disconnect"
                f" {client.name} --scope {one.scope}` first, or leave it so"
            )
    for line in inclusions(client, desk):
        raise ClientError(
            f"{line.file}, line {line.line}, includes the page by {line.words}, and with"
            f" {client.carrier} it would come twice: take that out, then connect"
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
