"""Claude Code: hooks in settings.json, JSON in which people also write comments."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from nanoctx.clients.base import OPENING, SCRIPT, Beginning, Desk, NotUnderstood, Scope
from nanoctx.core import json_text

NAME = "claude-code"
TITLE = "Claude Code"

# Seconds after which the client gives up on a hook. At its end it waits one second for those that name none.
EVENTS = {
    "SessionStart": ("session-start", 5),
    "PreCompact": ("pre-compact", 5),
    "SessionEnd": ("session-end", 10),
}
_FURTHEST = 4 * 1024 * 1024  # bytes of a log within which its first answer stands
_STUB = "<persisted-output>"  # what stands for an output of more than 10,000 characters
_NEW = "{\n}\n"  # open, so that what is added stands on lines of its own


class _Place(NamedTuple):
    """One hook in the settings: which group of which event it is in, and where in that."""

    event: str
    group: int
    hook: int
    command: str


def settings(scope: Scope, desk: Desk) -> Path:
    # The shared settings.json of a project would carry this machine's paths to everybody else.
    return (
        _home(desk) / "settings.json" if scope == "user" else desk.project / ".claude" / "settings.local.json"
    )


def shared_settings(desk: Desk) -> tuple[Path, ...]:
    return (desk.project / ".claude" / "settings.json",)


def instructions(desk: Desk) -> tuple[Path, ...]:
    project = desk.project
    return (
        _home(desk) / "CLAUDE.md",
        project / "CLAUDE.md",
        project / ".claude" / "CLAUDE.md",
        project / "CLAUDE.local.md",
        project / "AGENTS.md",
    )


def commands(text: str) -> tuple[str, ...]:
    return tuple(place.command for place in _ours(_root(text)))


def calls(text: str, script: Path) -> bool:
    found = sorted((place.event, place.command) for place in _ours(_root(text)))
    return found == sorted((event, _command(script, event)) for event in EVENTS)


def connected(text: str, script: Path) -> str:
    for event, (_, seconds) in EVENTS.items():
        hook = {"type": "command", "command": _command(script, event), "timeout": seconds}
        text = _added(text, event, {"hooks": [hook]})
    return text


def disconnected(text: str) -> str:
    while place := next(_ours(_root(text)), None):
        text = _without(text, place)
    return text


def hindrance(text: str) -> str:
    return "disableAllHooks is true" if _root(text).value.get("disableAllHooks") is True else ""


def beginning(log: Path) -> Beginning:
    left, at = _FURTHEST, None
    with log.open("rb") as stream:
        while left > 0 and (line := stream.readline(left)):
            left -= len(line)
            if b'"type":"assistant"' in line:
                break  # what begins a session stands before its first answer
            if at is not None and OPENING.encode() not in line:
                continue
            record = _record(line)
            at = at or _time(record)
            if (text := _delivered(record)) is not None:
                return Beginning(at, True, not text.startswith(OPENING))
    return Beginning(at, False)


def _home(desk: Desk) -> Path:
    elsewhere = desk.env.get("CLAUDE_CONFIG_DIR", "")
    return Path(elsewhere) if elsewhere else desk.home / ".claude"


def _command(script: Path, event: str) -> str:
    return f"{shlex.quote(str(script))} {EVENTS[event][0]}"


def _root(text: str) -> json_text.Node:
    try:
        root = json_text.parse(text if _says_something(text) else _NEW)
    except json_text.NotJson as error:
        raise NotUnderstood(f"not valid JSON at {error}") from None
    if not isinstance(root.value, dict):
        raise NotUnderstood("not a JSON object")
    hooks = root.member("hooks")
    if hooks and not isinstance(hooks.value, dict):
        raise NotUnderstood('not as expected ("hooks" is no object)')
    for item in hooks.items if hooks else ():
        if item.key in EVENTS and not isinstance(item.node.value, list):
            raise NotUnderstood(f'not as expected ("{item.key}" in "hooks" is no list)')
    return root


def _says_something(text: str) -> bool:
    return bool(text.strip("\ufeff \t\r\n"))


def _ours(root: json_text.Node) -> Iterator[_Place]:
    hooks: dict[str, Any] = root.value.get("hooks", {})
    for event, groups in hooks.items():
        for group, entry in enumerate(groups if isinstance(groups, list) else []):
            entries = entry.get("hooks") if isinstance(entry, dict) else None
            for hook, one in enumerate(entries if isinstance(entries, list) else []):
                command = one.get("command") if isinstance(one, dict) else None
                if isinstance(command, str) and _is_ours(command):
                    yield _Place(event, group, hook, command)


def _is_ours(command: str) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return bool(words) and Path(words[0]).name == SCRIPT


def _added(text: str, event: str, group: dict[str, Any]) -> str:
    text = text.replace("{}", "{\n}") if text.strip() == "{}" else text
    text = text if _says_something(text) else text + _NEW
    root = _root(text)
    hooks = root.member("hooks")
    if hooks is None:
        return json_text.add(text, root, {event: [group]}, "hooks")
    groups = hooks.member(event)
    if groups is None:
        return json_text.add(text, hooks, [group], event)
    return json_text.add(text, groups, group)


def _without(text: str, place: _Place) -> str:
    """Take one hook out, with the list, the event and the object that it leaves empty."""
    root = _root(text)
    hooks = _named(root, "hooks")
    groups = _named(hooks, place.event)
    entries = _named(groups.items[place.group].node, "hooks")
    if len(entries.items) > 1:
        return json_text.remove(text, entries, place.hook)
    if len(groups.items) > 1:
        return json_text.remove(text, groups, place.group)
    if len(hooks.items) > 1:
        return json_text.remove(text, hooks, _index(hooks, place.event))
    return json_text.remove(text, root, _index(root, "hooks"))


def _named(node: json_text.Node, key: str) -> json_text.Node:
    found = node.member(key)
    assert found is not None
    return found


def _index(node: json_text.Node, key: str) -> int:
    return max(index for index, item in enumerate(node.items) if item.key == key)


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _time(record: dict[str, Any]) -> datetime | None:
    try:
        return datetime.fromisoformat(record["timestamp"]).astimezone(UTC)
    except (KeyError, TypeError, ValueError):
        return None


def _delivered(record: dict[str, Any]) -> str | None:
    """What of ours a session was given, maybe in the stub that stands for a long output; None if nothing."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "hook_additional_context":
        return None
    content = attachment.get("content")
    texts = content if isinstance(content, list) else [content]
    ours = (
        one for one in texts
        if isinstance(one, str) and (one.startswith(OPENING) or (one.startswith(_STUB) and OPENING in one))
    )  # fmt: skip
    return next(ours, None) if attachment.get("hookEvent") == "SessionStart" else None
