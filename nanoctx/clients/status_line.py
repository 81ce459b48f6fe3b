"""The status line in Claude Code's settings: ours; what a person had there is called by it, and shown."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from nanoctx.clients.base import NotUnderstood, is_ours
from nanoctx.core import json_text

EVENT = "status-line"
_KEY = "statusLine"
_THEN = "--then"


def ours(root: json_text.Node) -> str:
    """The command that calls us; empty if there is none."""
    found = root.member(_KEY)
    called = found.value.get("command") if found and isinstance(found.value, dict) else None
    return called if isinstance(called, str) and is_ours(called) else ""


def command(script: Path, own: str = "") -> str:
    """What is called; `own` is the person's command, which then says what is shown."""
    ours = f"{shlex.quote(str(script))} {EVENT}"
    return f"{ours} {_THEN} {shlex.quote(own)}" if own else ours


def calls(called: str, script: Path) -> bool:
    return called == command(script, _own(called))


def added(text: str, root: json_text.Node, script: Path) -> str:
    """`root` is not without members: hooks were added before."""
    found = root.member(_KEY)
    if found is None:
        return json_text.add(text, root, {"type": "command", "command": command(script)}, _KEY)
    node = found.member("command")
    if node is None or not isinstance(node.value, str) or found.value.get("type", "command") != "command":
        raise NotUnderstood(f'not as expected ("{_KEY}" calls no command)')
    return _put(text, node, command(script, node.value))


def removed(text: str, root: json_text.Node) -> str:
    found = root.member(_KEY)
    if found is None or not (called := ours(root)):
        return text
    own, node = _own(called), found.member("command")
    if own and node is not None:
        return _put(text, node, own)
    place = max(index for index, item in enumerate(root.items) if item.key == _KEY)
    return json_text.remove(text, root, place)


def _own(called: str) -> str:
    words = shlex.split(called)
    return words[3] if words[1:3] == [EVENT, _THEN] and len(words) == 4 else ""


def _put(text: str, node: json_text.Node, value: str) -> str:
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]
