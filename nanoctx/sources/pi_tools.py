"""What a tool call in Pi's format means. OpenClaw's tools are Pi's and some more."""

from __future__ import annotations

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.sources.base import clip
from nanoctx.sources.calls import Call
from nanoctx.sources.decoding import decoded
from nanoctx.sources.limits import LONGEST_COMMAND, LONGEST_TEXT


def call_of(tool: str, arguments: Raw) -> Call:
    """Arguments of an unexpected shape leave a call without details."""
    name = _NAMES.get(tool, "other")
    given = decoded(arguments, _INPUT) if tool in _NAMES else None
    if given is None:
        return Call(name)
    path = given.path or given.file_path or ""
    match name:
        case "shell":
            command = clip(given.command or "", LONGEST_COMMAND)
            return Call(name, command=command, background=bool(given.background))
        case "edit" | "write":
            return Call(name, clip(_new_text(given), LONGEST_TEXT), path=path)
        case "agent":
            return Call(name, clip(given.task or "", LONGEST_TEXT))
        case _:
            return Call(name, given.pattern or given.url or given.query or "", path=path)


def _new_text(given: _Input) -> str:
    if given.edits is not None:
        return "\n".join(edit.newText or "" for edit in given.edits)
    return given.newText or given.new_string or given.content or ""


class _Edit(Struct, gc=False):
    newText: str | None = None


class _Input(Struct, gc=False):
    command: str | None = None
    background: bool | None = None
    path: str | None = None
    file_path: str | None = None
    content: str | None = None
    newText: str | None = None
    new_string: str | None = None
    edits: list[_Edit] | None = None
    pattern: str | None = None
    url: str | None = None
    query: str | None = None
    task: str | None = None


_INPUT = Decoder(_Input)
_NAMES = {
    "bash": "shell",
    "exec": "shell",
    "edit": "edit",
    "write": "write",
    "read": "read",
    "grep": "search",
    "multi_grep": "search",
    "find": "search",
    "ls": "search",
    "memory_search": "search",
    "web_search": "web",
    "web_fetch": "web",
    "subagent": "agent",
    "sessions_spawn": "agent",
}
