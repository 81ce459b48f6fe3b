"""The records of a log in Pi's format, as far as we need them."""

from __future__ import annotations

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.sources.decoding import NOTHING


class Entry(Struct, gc=False):
    """One line. The first describes the session; those of version 1 have neither id nor parent."""

    type: object = None
    id: object = None
    parentId: object = None
    timestamp: object = None
    message: Raw = NOTHING
    cwd: object = None  # of the session
    modelId: object = None  # of the session or a change of the model
    name: object = None  # of session_info: the title
    summary: object = None  # of a compaction
    tokensBefore: object = None
    customType: object = None
    data: Raw = NOTHING


class Block(Struct, gc=False):
    """One part of a message: text, thinking, toolCall, image …"""

    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Raw = NOTHING


class Usage(Struct, gc=False):
    input: int | float | None = None
    output: int | float | None = None
    cacheRead: int | float | None = None
    cacheWrite: int | float | None = None
    totalTokens: int | float | None = None

    def total(self) -> int:
        parts = (self.input, self.output, self.cacheRead, self.cacheWrite)
        return int(self.totalTokens or sum(part or 0 for part in parts))


class Message(Struct, gc=False):
    role: str = ""
    content: str | list[Block | str] | None = None
    model: str | None = None
    usage: Usage | None = None
    stopReason: str | None = None
    errorMessage: str | None = None
    toolCallId: str | None = None
    isError: bool | None = None


class Failure(Struct, gc=False):
    error: str | None = None


ENTRY = Decoder(Entry)
MESSAGE = Decoder(Message)
FAILURE = Decoder(Failure)
