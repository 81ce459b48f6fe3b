"""The records of a Copilot CLI log, as far as we need them."""

from __future__ import annotations

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.sources.decoding import NOTHING


class Record(Struct, gc=False):
    type: object = None
    data: Raw = NOTHING
    id: object = None
    parentId: object = None
    timestamp: object = None
    agentId: object = None  # only on what a sub-agent does


class Context(Struct, gc=False):
    cwd: str | None = None
    branch: str | None = None


class Start(Struct, gc=False):
    """Of session.start and session.resume."""

    copilotVersion: str | None = None
    selectedModel: str | None = None
    context: Context | None = None


class Change(Struct, gc=False):
    """Of records that say one thing."""

    newModel: str | None = None
    title: str | None = None
    summary: str | None = None
    reason: str | None = None


class User(Struct, gc=False):
    content: str | None = None
    source: object = None
    isAutopilotContinuation: bool | None = None
    attachments: list[Raw] | None = None
    parentToolCallId: str | None = None


class Assistant(Struct, gc=False):
    content: str | None = None
    model: str | None = None
    parentToolCallId: str | None = None


class Tool(Struct, gc=False):
    toolCallId: str | None = None
    toolName: str | None = None
    arguments: Raw = NOTHING
    parentToolCallId: str | None = None


class Content(Struct, gc=False):
    content: str | None = None


class Error(Struct, gc=False):
    message: str | None = None
    code: str | None = None


class Result(Struct, gc=False):
    toolCallId: str | None = None
    success: bool | None = None
    result: Content | None = None
    error: Error | None = None
    parentToolCallId: str | None = None


class Tokens(Struct, gc=False):
    inputTokens: int | float | None = None
    outputTokens: int | float | None = None
    maxPromptTokens: int | float | None = None
    initiator: str | None = None


class Usage(Struct, gc=False):
    usage: Tokens | None = None


class Compaction(Struct, gc=False):
    success: bool | None = None
    trigger: str | None = None
    summaryContent: str | None = None
    preCompactionTokens: int | float | None = None
    postCompactionTokens: int | float | None = None
    tokenLimit: int | float | None = None


class Shutdown(Struct, gc=False):
    currentTokens: int | float | None = None


RECORD = Decoder(Record)
START = Decoder(Start)
CONTEXT = Decoder(Context)
CHANGE = Decoder(Change)
USER = Decoder(User)
ASSISTANT = Decoder(Assistant)
TOOL = Decoder(Tool)
RESULT = Decoder(Result)
USAGE = Decoder(Usage)
COMPACTION = Decoder(Compaction)
ERROR = Decoder(Error)
SHUTDOWN = Decoder(Shutdown)
