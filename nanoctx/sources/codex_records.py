"""The lines of a Codex rollout, as far as we need them; what is big or has many shapes stays raw."""

from __future__ import annotations

import re
from typing import TypeVar

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.sources.base import repaired

T = TypeVar("T")
NOTHING = Raw(b"")


class Body(Struct, gc=False):
    """What a line says: the payload of an envelope, or until 2025 the whole line."""

    type: str = ""
    id: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: Raw = NOTHING
    thread_source: str | None = None
    git: Raw = NOTHING
    model: str | None = None
    message: str | None = None
    kind: str | None = None
    images: Raw = NOTHING
    local_images: Raw = NOTHING
    role: str | None = None
    content: Raw = NOTHING
    item: Raw = NOTHING
    info: Raw = NOTHING
    reason: str | None = None
    num_turns: int | None = None
    thread_name: str | None = None
    name: str | None = None
    namespace: str | None = None
    call_id: str | None = None
    arguments: Raw = NOTHING
    input: Raw = NOTHING
    action: Raw = NOTHING
    changes: Raw = NOTHING
    output: Raw = NOTHING


class Line(Struct, gc=False):
    kind: str  # what the payload is, or for an item or event its own type
    at: str | int | float | None
    body: Body
    bare: bool = False  # without an envelope, as until 2025


class Part(Struct, gc=False):
    """One part of a message's content."""

    type: str | None = None
    text: str | None = None


class Item(Struct, gc=False):
    """What `item_completed` completes: of paginated history, what the person and the agent said."""

    type: str = ""
    id: str | None = None
    text: str | None = None
    content: Raw = NOTHING
    changes: Raw = NOTHING


def line_of(line: bytes) -> Line | None:
    """The line decoded; None if it cannot be read. A kind we do not know gives an empty body."""
    if (usual := _at_once(line)) is not None:
        return usual
    for attempt in (bytes, repaired):
        try:
            return _decoded(attempt(line))
        except (ValueError, RecursionError):
            pass
    return None


def value_of(raw: Raw | bytes | str, decoder: Decoder[T]) -> T | None:
    """What a raw part holds; None if it is absent or of another shape."""
    try:
        return decoder.decode(raw)
    except (ValueError, RecursionError):
        return None


def texts_of(content: Raw) -> list[str]:
    """The texts in a message's content, which may be one string."""
    found = value_of(content, _CONTENT)
    if isinstance(found, str):
        return [found]
    return [part.text for part in found or () if part.text]


def folder_in(texts: list[str]) -> str:
    """The working directory, which logs without an envelope tell only among the words for the model."""
    for text in texts:
        if text.startswith("<environment_context>") and (found := _FOLDER.search(text)):
            return (found[1] or found[2]).strip()
    return ""


def has_image(content: Raw) -> bool:
    found = value_of(content, _CONTENT)
    return isinstance(found, list) and any("image" in (part.type or "") for part in found)


def is_sub_agent(body: Body) -> bool:
    """Agents that an agent started, reviews and the like: none of their prompts is a person's."""
    if body.thread_source in ("subagent", "memory_consolidation"):
        return True
    source = bytes(body.source)
    return source in (b'"review"', b'"compact"') or b'"subagent"' in source or b'"internal"' in source


def is_run_by_a_program(body: Body) -> bool:
    return bytes(body.source) in (b'"exec"', b'"mcp"') or body.originator == "codex_exec"


def branch_of(body: Body) -> str:
    git = value_of(body.git, _GIT)
    return (git.branch if git else None) or ""


def _at_once(line: bytes) -> Line | None:
    """A line of the usual shape, in one pass; None if that is not sure."""
    if not line.startswith(b'{"timestamp":"'):
        return None
    try:
        whole = _WHOLE.decode(line)
    except (ValueError, RecursionError):
        return None
    if whole.payload is None:
        return None
    kind = whole.payload.type if whole.type in ("event_msg", "response_item") else whole.type
    return Line(kind, whole.timestamp, whole.payload if kind in _KINDS else Body())


def _decoded(line: bytes) -> Line:
    envelope = _ENVELOPE.decode(line)
    if not len(bytes(envelope.payload)):
        kind = envelope.type or ("session_meta" if envelope.id else "")
        body = _BODY.decode(line) if kind in _KINDS else Body()
        return Line(kind, envelope.timestamp, body, bare=True)
    kind = envelope.type
    if kind in ("event_msg", "response_item"):
        kind = _TYPED.decode(envelope.payload).type
    body = _BODY.decode(envelope.payload) if kind in _KINDS else Body()
    return Line(kind, envelope.timestamp, body)


class _Envelope(Struct, gc=False):
    timestamp: str | int | float | None = None
    type: str = ""
    payload: Raw = NOTHING
    id: str | int | None = None


class _Whole(Struct, gc=False):
    timestamp: str | int | float | None = None
    type: str = ""
    payload: Body | None = None
    id: str | int | None = None


class _Typed(Struct, gc=False):
    type: str = ""


class _Git(Struct, gc=False):
    branch: str | None = None


_FOLDER = re.compile(r"<cwd>(.*?)</cwd>|^Current working directory: (.+)$", re.MULTILINE)
_KINDS = frozenset(
    (
        "session_meta",
        "turn_context",
        "compacted",
        "user_message",
        "agent_message",
        "item_completed",
        "token_count",
        "turn_aborted",
        "thread_rolled_back",
        "thread_name_updated",
        "patch_apply_end",
        "error",
        "message",
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
        "function_call_output",
        "custom_tool_call_output",
    )
)
_WHOLE = Decoder(_Whole)
_ENVELOPE = Decoder(_Envelope)
_TYPED = Decoder(_Typed)
_BODY = Decoder(Body)
_GIT = Decoder(_Git)
_CONTENT: Decoder[str | list[Part] | None] = Decoder(str | list[Part] | None)
