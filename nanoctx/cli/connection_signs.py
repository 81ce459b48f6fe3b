"""What `nanoctx doctor` sees of connected agents: do their settings call us, and did the text arrive?"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from nanoctx import connections, hook
from nanoctx.cli.call import Call, counted
from nanoctx.cli.connecting import cargo_if_any, desk_of, inclusions
from nanoctx.cli.sign import Sign
from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Client, Desk
from nanoctx.connections import Connection
from nanoctx.disk import children
from nanoctx.errors import ClientError, NanoctxError
from nanoctx.sources import SOURCES

_TRIAL = 5.0  # seconds; the agent gives up then, too
_ANSWER = 64 * 1024  # bytes
_MOST = 50  # sessions whose beginning is read


def signs(call: Call) -> Iterator[Sign]:
    desk = desk_of(call)
    without = []
    for client in CLIENTS.values():
        name = f"{client.name} connection"
        try:
            found = connections.found(client, desk, cargo_if_any(call, client, desk))
        except ClientError as error:
            yield Sign(name, False, str(error), "mend that file: the agent cannot read it either")
            continue
        if not found:
            without.append(client.name)
            continue
        settings = _settings(name, client, desk, found)
        yield settings
        if settings.ok and not client.page_of(desk):
            yield _tried(call, client, desk, found[0])
        yield from _delivery(call, client, desk, found)
    if without:
        yield Sign("connections", True, f"{', '.join(without)}: not connected (`nanoctx connect AGENT`)")


def _settings(name: str, client: Client, desk: Desk, found: tuple[Connection, ...]) -> Sign:
    again = f"run `nanoctx connect {client.name} --scope {found[0].scope}` again"
    if len(found) > 1:
        places = " and ".join(str(one.settings) for one in found)
        cure = f"run `nanoctx disconnect {client.name} --scope project`"
        return Sign(name, False, f"connected twice, in {places}", cure)
    one = found[0]
    hindered = [one.hindrance]
    for settings, too, hindrance in connections.shared(client, desk):
        hindered.append(hindrance)
        if too:
            cure = f"take nanoctx-hook out of {settings}, which comes with the project: it is called twice"
            return Sign(name, False, f"connected in {one.settings}, and {settings} calls it, too", cure)
    for hindrance in hindered:
        if hindrance:
            return Sign(name, False, hindrance.text, hindrance.cure)
    gone = [] if client.page_of(desk) else [one for one in one.ours if not _program(one).is_file()]
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


def _program(command: str) -> Path:
    return Path(shlex.split(command)[0])


def _tried(call: Call, client: Client, desk: Desk, one: Connection) -> Sign:
    """Call the hook as the agent does. It is our own script: settings that came with a clone are not run."""
    name = f"{client.name} hook"
    if call.env.get("NANOCTX_OFF") == "1":
        cure = "unset it (`unset NANOCTX_OFF`), unless sessions from this shell shall be kept out"
        return Sign(name, False, "NANOCTX_OFF=1 is set here: no session is told or observed", cure)
    again = f"install nanoctx again, then run `nanoctx connect {client.name} --scope {one.scope}`"
    start = next(words for text in one.ours if "session-start" in (words := shlex.split(text)))
    payload = {"session_id": hook.SAMPLE, "cwd": str(call.cwd), "source": "startup"}
    given = json.dumps(payload).encode()
    try:
        done = children.run(start, given=given, env=call.env, cwd=call.cwd, timeout=_TRIAL, limit=_ANSWER)
    except OSError as error:
        return Sign(name, False, f"{start[0]} cannot be started ({error.strerror})", again)
    if not done.good:
        told = done.told.decode("utf-8", "replace").strip().rpartition("\n")[2]
        why = f"exit {done.code}" + (f": {told[:120]}" if told else "") if done.whole else "no end of it"
        return Sign(name, False, f"{start[0]} failed when it was tried ({why})", again)
    if not done.out:
        return Sign(name, True, "answers, and has nothing to say here yet")
    try:
        text = json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        return Sign(name, False, f"{start[0]} answers what {client.title} cannot read", again)
    return Sign(name, True, f"answers a session's start with {counted(len(text), 'character')}")


def _delivery(call: Call, client: Client, desk: Desk, found: tuple[Connection, ...]) -> Iterator[Sign]:
    """In how many sessions since then the text arrived, by their own transcripts."""
    since = min((one.since for one in found if one.since), default=None)
    try:
        workspace = call.workspace()
    except NanoctxError:
        return  # nothing is delivered where there is no workspace
    if since is None or not client.silence or workspace.settings.hook_start == "off":
        return
    projects = [workspace.project_root] if workspace.project_root else [desk.project]
    logs = SOURCES[client.name].find_logs(desk.home, desk.env, projects)
    recent = sorted((log for log in logs if _touched(log) >= since.timestamp()), key=_touched)[-_MOST:]
    began = [client.beginning(log) for log in recent]
    sessions = sorted((one.at, one.given, one.cut) for one in began if one and one.at and one.at >= since)
    arrived = [given for _, given, _ in sessions]
    if not sessions:
        yield Sign(f"{client.name} delivery", True, "no session since it was connected")
        return
    text = f"the text arrived in {sum(arrived)} of {counted(len(sessions), 'session')} since it was connected"
    if any(cut for *_, cut in sessions):
        cut = sum(cut for *_, cut in sessions)
        text += f", but the model saw only its beginning in {counted(cut, 'session')}: it was too long"
        cure = 'set [hook] start = "page" in nanoctx.toml, or let other hooks at a session\'s start say less'
        yield Sign(f"{client.name} delivery", False, text, cure)
        return
    yield Sign(
        f"{client.name} delivery", arrived[-1], text,
        client.silence,
    )  # fmt: skip


def _touched(log: Path) -> float:
    try:
        return log.stat().st_mtime
    except OSError:
        return 0.0  # gone since it was found
