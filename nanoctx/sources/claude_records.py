"""The records of a Claude Code log, as far as we need them; what is big and rarely needed stays raw."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.sources.base import clip, repaired

T = TypeVar("T")
NOTHING = Raw(b"")


class Block(Struct, gc=False):
    """One part of a message: text, tool_use, tool_result, image …"""

    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = NOTHING
    tool_use_id: str | None = None
    content: Raw = NOTHING
    is_error: bool | None = None


class Usage(Struct, gc=False):
    input_tokens: int | float | None = None
    cache_creation_input_tokens: int | float | None = None
    cache_read_input_tokens: int | float | None = None
    output_tokens: int | float | None = None

    def total(self) -> int:
        return int(
            (self.input_tokens or 0)
            + (self.cache_creation_input_tokens or 0)
            + (self.cache_read_input_tokens or 0)
            + (self.output_tokens or 0)
        )


class Message(Struct, gc=False):
    model: str | None = None
    content: str | list[Block | str] | None = None
    usage: Usage | None = None


class Record(Struct, gc=False):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    logicalParentUuid: str | None = None
    timestamp: str | int | float | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isVisibleInTranscriptOnly: bool | None = None
    isApiErrorMessage: bool | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    message: Message | None = None
    content: Raw = NOTHING
    toolUseResult: Raw = NOTHING
    origin: Raw = NOTHING
    planContent: Raw = NOTHING
    compactMetadata: Raw = NOTHING
    attachment: Raw = NOTHING
    operation: str | None = None
    customTitle: str | None = None
    aiTitle: str | None = None
    prUrl: str | None = None


KNOWN_TYPES = frozenset(
    ("user", "assistant", "system", "attachment", "queue-operation", "custom-title", "ai-title", "pr-link")
)


def record_of(line: bytes) -> Record | None:
    """The record in a line; None if it cannot be read. A type we do not know gives an empty record."""
    try:
        return _split(line) if len(line) > _WORTH_SPLITTING else _RECORD.decode(line)
    except (ValueError, RecursionError):
        pass
    for attempt in (bytes, repaired):
        try:
            text = attempt(line)
            return _RECORD.decode(text) if _TYPED.decode(text).type in KNOWN_TYPES else Record()
        except (ValueError, RecursionError):
            pass
    return None


def may_be_skipped(line: bytes) -> bool:
    """True only if the line certainly says nothing, like the progress and snapshots that fill a log.

    A key before the first inner brace stands at the top of the record, so what it says of the record is sure.
    Where keys come in another order or with spaces between, the answer is no, and the record is decoded.
    """
    if line.startswith(b'{"type":"'):
        return line[9 : line.find(b'"', 9)].decode("ascii", "replace") not in KNOWN_TYPES
    brace = line.find(b"{", 1)
    if line.find(b'"isSidechain":true', 0, brace) > 0:
        return True
    kind = line.find(b'"type":"', 0, brace)
    if kind > 0:
        if line.startswith(b'system"', kind + 8):
            return b"compact_boundary" not in line and b"local_command" not in line
        return line.startswith(b'progress"', kind + 8)
    return (
        line.endswith(b'"attachment":', 0, brace)
        and line.startswith(b'{"type":"', brace)
        and not line.startswith(b'queued_command"', brace + 9)
        and b'"type":"attachment"' in line
    )


def value_of(raw: Raw | bytes, decoder: Decoder[T]) -> T | None:
    """What a raw part of a record holds; None if it is absent or of another shape."""
    try:
        return decoder.decode(raw)
    except (ValueError, RecursionError):
        return None


def text_of(raw: Raw, limit: int) -> str:
    """The text in a raw string or list of blocks, clipped. Of a long string only the ends are decoded."""
    data = bytes(raw)
    if len(data) > 3 * limit and data.startswith(b'"'):
        # A space is never part of an escape or of a longer character: there a string may be cut.
        cut_off, cut_on = data.rfind(b" ", 0, limit), data.find(b" ", -limit)
        if cut_off > 0 and cut_on > 0:
            head = text_in(value_of(data[:cut_off] + b'"', CONTENT))
            tail = text_in(value_of(b'"' + data[cut_on:], CONTENT))
            if min(len(head), len(tail)) > limit // 2:
                return clip(head + tail, limit)
    return clip(text_in(value_of(raw, CONTENT)), limit)


def text_in(content: str | list[Block | str] | None) -> str:
    if isinstance(content, str):
        return content
    parts = (part if isinstance(part, str) else part.text for part in content or ())
    return "\n".join(part for part in parts if part)


def _split(line: bytes) -> Record:
    """Decode a long record without its toolUseResult, which repeats whole files and which we rarely need.

    Cut at a key, both ends are whole objects only if it stands at the top: anything else fails to decode.
    """
    at = line.find(_RESULT_KEY)
    begin = at + len(_RESULT_KEY)
    if at < 0 or line.startswith(_NEEDED_RESULTS, begin):
        return _RECORD.decode(line)
    record = _RECORD.decode(line[:at] + b"}")
    if record.cwd is None:  # newer versions write the envelope last
        behind = line.rfind(b',"userType":', at)
        envelope = _ENVELOPE.decode(b"{" + line[behind + 1 :] if behind > 0 else line)
        record.cwd, record.gitBranch = envelope.cwd, envelope.gitBranch
        record.version, record.entrypoint = envelope.version, envelope.entrypoint
    interrupted = line.startswith(b'{"stdout":', begin) and line.find(_INTERRUPTED, begin) > 0
    record.toolUseResult = Raw(_INTERRUPTED if interrupted else line[begin : begin + _HOW_IT_BEGINS])
    return record


class _Typed(Struct, gc=False):
    type: str = ""


class _Envelope(Struct, gc=False):
    cwd: str | None = None
    gitBranch: str | None = None
    version: str | None = None
    entrypoint: str | None = None


CONTENT: Decoder[str | list[Block | str] | None] = Decoder(str | list[Block | str] | None)
_RECORD = Decoder(Record)
_TYPED = Decoder(_Typed)
_ENVELOPE = Decoder(_Envelope)
_RESULT_KEY = b',"toolUseResult":'
_NEEDED_RESULTS = (b'{"task":', b'{"questions":', b'{"answers":')
_HOW_IT_BEGINS = 16  # enough to tell what kind of result was left out
_INTERRUPTED = b'"interrupted":true'
_WORTH_SPLITTING = 4096
