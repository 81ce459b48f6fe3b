"""What `nanoctx doctor` sees of connected agents: do their settings call us, and did the text arrive?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from nanoctx import connections
from nanoctx.cli.call import Call, counted
from nanoctx.cli.connecting import desk_of, inclusions
from nanoctx.cli.sign import Sign
from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Client, Desk
from nanoctx.connections import Connection
from nanoctx.errors import ClientError, NanoctxError
from nanoctx.sources import SOURCES

_MOST = 50  # sessions whose beginning is read


def signs(call: Call) -> Iterator[Sign]:
    desk = desk_of(call)
    for client in CLIENTS.values():
        name = f"{client.NAME} connection"
        try:
            found = connections.found(client, desk)
        except ClientError as error:
            yield Sign(name, False, str(error), "mend that file: the agent cannot read it either")
            continue
        if not found:
            yield Sign(name, True, f"not connected (`nanoctx connect {client.NAME}` would do it)")
            continue
        yield _settings(name, client, desk, found)
        yield from _delivery(call, client, desk, found)


def _settings(name: str, client: Client, desk: Desk, found: tuple[Connection, ...]) -> Sign:
    again = f"run `nanoctx connect {client.NAME} --scope {found[0].scope}` again"
    if len(found) > 1:
        places = " and ".join(str(one.settings) for one in found)
        cure = f"run `nanoctx disconnect {client.NAME} --scope project`"
        return Sign(name, False, f"connected twice, in {places}", cure)
    one = found[0]
    if one.hindrance:
        return Sign(name, False, f"{one.hindrance} in {one.settings}", "take that out: no hook is called")
    gone = [command for command in one.commands if not Path(shlex.split(command)[0]).is_file()]
    if gone:
        return Sign(name, False, f"{one.settings} calls {gone[0]}, which is not there", again)
    for line in inclusions(client, desk):
        return Sign(
            name, False, f"connected, and {line.file} line {line.line} has {line.words}, too",
            "take that out: the page comes twice",
        )  # fmt: skip
    if not one.complete:
        return Sign(name, False, f"{one.settings} calls another nanoctx, or not at every event", again)
    return Sign(name, True, f"connected in {one.settings}")


def _delivery(call: Call, client: Client, desk: Desk, found: tuple[Connection, ...]) -> Iterator[Sign]:
    """In how many sessions since then the text arrived, by their own transcripts."""
    since = min((one.since for one in found if one.since), default=None)
    try:
        workspace = call.workspace()
    except NanoctxError:
        return  # nothing is delivered where there is no workspace
    if since is None or client.NAME not in SOURCES or workspace.settings.hook_start == "off":
        return
    projects = [workspace.project_root] if workspace.project_root else [desk.project]
    logs = SOURCES[client.NAME].find_logs(desk.home, desk.env, projects)
    recent = sorted((log for log in logs if _touched(log) >= since.timestamp()), key=_touched)[-_MOST:]
    began = [(one.at, one.given) for log in recent if (one := client.beginning(log)).at]
    sessions = sorted((at, given) for at, given in began if at and at >= since)
    arrived = [given for _, given in sessions]
    if not sessions:
        yield Sign(f"{client.NAME} delivery", True, "no session since it was connected")
        return
    text = f"the text arrived in {sum(arrived)} of {counted(len(sessions), 'session')} since it was connected"
    yield Sign(
        f"{client.NAME} delivery", arrived[-1], text,
        "the last session got nothing: run `claude --debug hooks` once and see what it says of nanoctx-hook",
    )  # fmt: skip


def _touched(log: Path) -> float:
    try:
        return log.stat().st_mtime
    except OSError:
        return 0.0  # gone since it was found
