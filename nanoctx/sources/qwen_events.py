"""Turns the records of a Qwen Code log into events, line by line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from nanoctx.model import Event
from nanoctx.sources import gemini_parts as parts
from nanoctx.sources.base import clip, epoch
from nanoctx.sources.decoding import NOTHING, decoded
from nanoctx.sources.gemini_events import tell_own_command, tell_words
from nanoctx.sources.gemini_tools import TOOLS, output_of, steps_in, tell_call, tell_result
from nanoctx.sources.limits import LONGEST_PROMPT, LONGEST_RESULT, LONGEST_SAY, LONGEST_SUMMARY
from nanoctx.sources.lines import LogLines
from nanoctx.sources.looking_back import line_before
from nanoctx.sources.telling import At, Telling

LONGEST_CHAIN = 12  # of the host's records between a rewind and the prompt that follows it


class Events:
    """Collects the events of one read. `take` the lines in order, then `finish`."""

    def __init__(self, log: Path, lines: LogLines, session: str) -> None:
        self.skipped = 0
        self._log = log
        self._lines = lines
        self._telling = Telling(session)

    def take(self, pos: int, line: bytes) -> None:
        record = decoded(line, _RECORD)
        if record is None:
            self.skipped += not line.isspace()
            return
        at = At(pos, epoch(record.timestamp), record.uuid or "", record.parentUuid or "")
        self._telling.time(pos, at.time)
        if record.isSidechain or record.agentId:
            return
        self._telling.about(
            at, cwd=record.cwd, branch=record.gitBranch, version=record.version, model=record.model
        )
        handle = _HANDLERS.get(record.subtype or record.type) or _HANDLERS.get(record.type)
        if handle is not None:
            handle(self, at, record)

    def finish(self) -> tuple[Event, ...]:
        return self._telling.finish()

    def _user(self, at: At, record: Record) -> None:
        """Notices, timers and goals come as a user's words, too; newer records say whose they are."""
        if record.provenance not in (None, "real_user") or record.subtype not in _BY_A_PERSON:
            return
        sent = parts.parts_of(record.message.parts) if record.message else []
        text = parts.text_in(sent)
        shown = (decoded(record.systemPayload, _PAYLOAD) or _Payload()).displayText
        ran = parts.own_command(text)
        if ran is not None:
            tell_own_command(self._telling, at, *ran)
        elif text := parts.human(shown or text) or ("[image]" if parts.has_image(sent) else ""):
            after = self._rewound_to(at)
            tell_words(self._telling, at, text, {"after": str(after)} if after is not None else {})

    def _rewound_to(self, at: At) -> int | None:
        """The line up to which the conversation still holds, if the person went back before this prompt."""
        parent = at.parent
        for _ in range(LONGEST_CHAIN):
            line = line_before(self._log, self._lines.start, f'"uuid":"{parent}"'.encode()) if parent else b""
            record = decoded(line, _RECORD)
            if record is None or record.type != "system":
                return None
            parent = record.parentUuid or ""
            if record.subtype == "rewind":
                return (self._lines.line_holding(f'"uuid":"{parent}"'.encode(), at.pos) or 0) if parent else 0
        return None

    def _assistant(self, at: At, record: Record) -> None:
        usage = record.usageMetadata
        if usage is not None and usage.promptTokenCount:
            self._telling.use(at, int(usage.promptTokenCount), int(record.contextWindowSize or 0))
        said = parts.parts_of(record.message.parts) if record.message else []
        if text := parts.text_in(said):
            self._telling.add("say", at, text=clip(text, LONGEST_SAY))
        for part in said:
            if (call := part.functionCall) is not None:
                tell_call(self._telling, at, call.name or "", call.id or "", call.args)

    def _result(self, at: At, record: Record) -> None:
        given = decoded(record.toolCallResult, _RESULT) or _Result()
        shown = decoded(given.resultDisplay, _DISPLAY) or _Display()
        for part in parts.parts_of(record.message.parts) if record.message else []:
            if (response := part.functionResponse) is None:
                continue
            tool, call, text = response.name or "", response.id or given.callId or "", output_of(response)
            answers: list[tuple[str, str]] = []
            if TOOLS.get(tool) == "ask":
                answers = [(one.question, one.answer) for one in shown.answers or ()]
                answers = answers or _ANSWER.findall(text.partition(_ANSWERED)[2])
            steps = steps_in(given.resultDisplay)
            if steps is not None:
                self._telling.add("plan", at, name="replace", call=call, steps=steps)
            tell_result(self._telling, at, tool, call, given.status or "success", text, answers)

    def _compressed(self, at: At, record: Record) -> None:
        payload = decoded(record.systemPayload, _COMPRESSION) or _Compression()
        before, after = payload.info.originalTokenCount or 0, payload.info.newTokenCount or 0
        first = decoded(payload.compressedHistory[0], _MESSAGE) if payload.compressedHistory else None
        summary = parts.text_in(parts.parts_of(first.parts)) if first else ""
        summary = clip(
            summary.replace("<state_snapshot>", "").replace("</state_snapshot>", ""), LONGEST_SUMMARY
        )
        self._telling.compact(at, "auto", int(before), int(after), 0, summary.strip())

    def _slash(self, at: At, record: Record) -> None:
        payload = decoded(record.systemPayload, _PAYLOAD) or _Payload()
        command = parts.slash(payload.rawCommand or "")
        if command is None or payload.phase == "result":
            return
        self._telling.add("slash", at, name=command[0], text=clip(command[1], LONGEST_PROMPT))
        if command[0] in ("/quit", "/exit"):
            self._telling.add("end", at, name="exit")

    def _title(self, at: At, record: Record) -> None:
        payload = decoded(record.systemPayload, _PAYLOAD) or _Payload()
        by = "agent" if payload.titleSource == "auto" else "person"
        if payload.customTitle:
            self._telling.about(at, title=payload.customTitle, title_by=by)

    def _turn_ended(self, at: At, record: Record) -> None:
        if (decoded(record.systemPayload, _PAYLOAD) or _Payload()).state == "cancelled":
            self._telling.add("interrupt", at)

    def _telemetry(self, at: At, record: Record) -> None:
        event = (decoded(record.systemPayload, _TELEMETRY) or _Telemetry()).uiEvent
        if event.name.endswith(".api_error") and not event.subagent_name:
            text = event.error or event.error_message or ""
            self._telling.add("error", at, text=clip(text, LONGEST_RESULT))


class _Message(Struct, gc=False):
    parts: Raw = NOTHING


class _Usage(Struct, gc=False):
    promptTokenCount: int | float | None = None


class Record(Struct, gc=False):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    timestamp: str | int | float | None = None
    provenance: str | None = None
    isSidechain: bool | None = None
    agentId: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    version: str | None = None
    model: str | None = None
    message: _Message | None = None
    usageMetadata: _Usage | None = None
    contextWindowSize: int | float | None = None
    toolCallResult: Raw = NOTHING
    systemPayload: Raw = NOTHING


class _Payload(Struct, gc=False):
    displayText: str | None = None
    rawCommand: str | None = None
    phase: str | None = None
    customTitle: str | None = None
    titleSource: str | None = None
    state: str | None = None


class _Result(Struct, gc=False):
    callId: str | None = None
    status: str | None = None
    resultDisplay: Raw = NOTHING


class _Answer(Struct, gc=False):
    question: str
    answer: str


class _Display(Struct, gc=False):
    answers: list[_Answer] | None = None


class _Info(Struct, gc=False):
    originalTokenCount: int | float | None = None
    newTokenCount: int | float | None = None


class _Compression(Struct, gc=False):
    info: _Info = field(default_factory=_Info)
    compressedHistory: list[Raw] | None = None


class _UiEvent(Struct, gc=False):
    name: str = field(default="", name="event.name")
    error: str | None = None
    error_message: str | None = None
    subagent_name: str | None = None


class _Telemetry(Struct, gc=False):
    uiEvent: _UiEvent = field(default_factory=_UiEvent)


_RECORD = Decoder(Record)
_MESSAGE = Decoder(_Message)
_PAYLOAD = Decoder(_Payload)
_RESULT = Decoder(_Result)
_DISPLAY = Decoder(_Display)
_COMPRESSION = Decoder(_Compression)
_TELEMETRY = Decoder(_Telemetry)
_BY_A_PERSON = (None, "mid_turn_user_message")
_ANSWERED = "User has provided the following answers:"
_ANSWER = re.compile(r"^\*\*(.+?)\*\*: (.*?)(?=\n\*\*|\Z)", re.MULTILINE | re.DOTALL)
_HANDLERS: dict[str, Callable[[Events, At, Record], None]] = {
    "user": Events._user,
    "assistant": Events._assistant,
    "tool_result": Events._result,
    "chat_compression": Events._compressed,
    "slash_command": Events._slash,
    "custom_title": Events._title,
    "turn_result": Events._turn_ended,
    "ui_telemetry": Events._telemetry,
}
