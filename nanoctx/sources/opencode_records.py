"""The records of OpenCode, the same in all its stores: a session, its messages, their parts."""

from __future__ import annotations

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.sources.decoding import NOTHING


class Span(Struct, gc=False):
    """Milliseconds. Sessions are created and updated, messages created and completed, parts start and end."""

    created: int | float | None = None
    updated: int | float | None = None
    completed: int | float | None = None
    start: int | float | None = None
    end: int | float | None = None


class Revert(Struct, gc=False):
    """The person went back to before this message, or this part of it."""

    messageID: str | None = None
    partID: str | None = None


class Rule(Struct, gc=False):
    permission: str | None = None
    pattern: str | None = None
    action: str | None = None


class Session(Struct, gc=False):
    id: str | None = None
    parentID: str | None = None
    directory: str | None = None
    title: str | None = None
    version: str | None = None
    time: Span | None = None
    revert: Revert | None = None
    permission: list[Rule] | None = None


class Cache(Struct, gc=False):
    read: int | float | None = None
    write: int | float | None = None


class Tokens(Struct, gc=False):
    input: int | float | None = None
    output: int | float | None = None
    cache: Cache | None = None

    def total(self) -> int:
        cache = self.cache or Cache()
        return int((self.input or 0) + (self.output or 0) + (cache.read or 0) + (cache.write or 0))


class Folder(Struct, gc=False):
    cwd: str | None = None


class Message(Struct, gc=False):
    id: str | None = None
    role: str | None = None
    time: Span | None = None
    modelID: str | None = None
    path: Folder | None = None
    tokens: Tokens | None = None
    summary: Raw = NOTHING  # `true` on the summary of a compaction, an object on a prompt
    error: Raw = NOTHING


class State(Struct, gc=False):
    """How far a tool call is: pending, running, completed or error."""

    status: str | None = None
    input: Raw = NOTHING
    output: str | None = None
    error: str | None = None
    metadata: Raw = NOTHING
    time: Span | None = None


class Part(Struct, gc=False):
    id: str | None = None
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    time: Span | None = None
    tool: str | None = None
    callID: str | None = None
    state: State | None = None
    auto: bool | None = None
    overflow: bool | None = None
    command: str | None = None
    description: str | None = None
    mime: str | None = None


class Saying(Struct, gc=False):
    message: str | None = None


class Failure(Struct, gc=False):
    name: str | None = None
    data: Saying | None = None


SESSION = Decoder(Session)
MESSAGE = Decoder(Message)
PART = Decoder(Part)
FAILURE = Decoder(Failure)
