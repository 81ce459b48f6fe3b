"""Turns the records of a Copilot CLI log into events, line by line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from msgspec import Raw
from msgspec.json import Decoder

from nanoctx.model import Event
from nanoctx.sources.base import clip, epoch
from nanoctx.sources.copilot_records import (
    ASSISTANT,
    CHANGE,
    COMPACTION,
    CONTEXT,
    ERROR,
    RECORD,
    RESULT,
    SHUTDOWN,
    START,
    TOOL,
    USAGE,
    USER,
    Context,
    Error,
)
from nanoctx.sources.copilot_tools import calls_of, question_or_text
from nanoctx.sources.decoding import decoded
from nanoctx.sources.limits import LONGEST_PROMPT, LONGEST_RESULT, LONGEST_SAY, LONGEST_SUMMARY
from nanoctx.sources.lines import LogLines
from nanoctx.sources.looking_back import line_before
from nanoctx.sources.telling import At, Telling

T = TypeVar("T")


class Events:
    """Collects the events of one read. `take` the lines in order, then `finish`."""

    def __init__(self, log: Path, lines: LogLines, session: str) -> None:
        self.skipped = 0
        self._log = log
        self._lines = lines
        self._tell = Telling(session)

    def take(self, pos: int, line: bytes) -> None:
        if line.startswith(_HOOK) and (stamp := _STAMP.search(line, max(0, len(line) - _TAIL))):
            # Nearly half of a log: they repeat what the records around them say.
            self._tell.time(pos, epoch(stamp[1].decode("ascii", "replace")))
            return
        record = decoded(line, RECORD)
        if record is None:
            self.skipped += not line.isspace()
            return
        at = At(pos, epoch(record.timestamp), _text(record.id), _text(record.parentId))
        self._tell.time(pos, at.time)
        handle = _HANDLERS.get(_text(record.type))
        if handle is not None and not record.agentId:
            handle(self, at, record.data)

    def finish(self) -> tuple[Event, ...]:
        return self._tell.finish()

    def _start(self, at: At, data: Raw) -> None:
        if (start := self._read(data, START)) is not None:
            self._tell.about(at, version=start.copilotVersion, model=start.selectedModel)
            if start.context is not None:
                self._place(at, start.context)

    def _moved(self, at: At, data: Raw) -> None:
        if (context := self._read(data, CONTEXT)) is not None:
            self._place(at, context)

    def _place(self, at: At, context: Context) -> None:
        self._tell.about(at, cwd=context.cwd, branch=context.branch)

    def _model(self, at: At, data: Raw) -> None:
        if (change := self._read(data, CHANGE)) is not None:
            self._tell.about(at, model=change.newModel)

    def _title(self, at: At, data: Raw) -> None:
        if (change := self._read(data, CHANGE)) is not None and change.title:
            self._tell.about(at, title=change.title, title_by="agent")

    def _system(self, at: At, data: Raw) -> None:
        if _HEADLESS in bytes(data)[:_OPENING]:
            self._tell.about(at, headless="1")

    def _user(self, at: At, data: Raw) -> None:
        message = self._read(data, USER)
        if message is None or message.source or message.isAutopilotContinuation or message.parentToolCallId:
            return
        text = (message.content or "").strip() or ("[image]" if message.attachments else "")
        if text:
            self._tell.add("prompt", at, text=clip(text, LONGEST_PROMPT))

    def _assistant(self, at: At, data: Raw) -> None:
        message = self._read(data, ASSISTANT)
        if message is None or message.parentToolCallId:
            return
        self._tell.about(at, model=message.model)
        self._say(at, message.content)

    def _done(self, at: At, data: Raw) -> None:
        if (done := self._read(data, CHANGE)) is not None:
            self._say(at, done.summary)

    def _say(self, at: At, text: str | None) -> None:
        if text and (text := text.strip()):
            self._tell.add("say", at, text=clip(text, LONGEST_SAY))

    def _tool(self, at: At, data: Raw) -> None:
        start = self._read(data, TOOL)
        if start is None or start.parentToolCallId:
            return
        tool, call = start.toolName or "", start.toolCallId or ""
        for meant in calls_of(tool, start.arguments):
            facts = {"tool": tool} | ({"background": "1"} if meant.background else {})
            self._tell.add(
                "tool", at, text=meant.text, name=meant.name, call=call, command=meant.command,
                path=meant.path, facts=facts,
            )  # fmt: skip
            if meant.plan:
                self._tell.add("plan", at, name=meant.plan, call=call, steps=meant.steps)

    def _result(self, at: At, data: Raw) -> None:
        done = self._read(data, RESULT)
        if done is None or done.parentToolCallId:
            return
        call, error = done.toolCallId or "", done.error or Error()
        text = (done.result.content if done.result is not None else error.message) or ""
        if error.code == "rejected":
            reason = error.message.partition("User feedback:")[2] if error.message else ""
            self._tell.add("reject", at, text=clip(reason.strip(), LONGEST_PROMPT), call=call)
            return
        answer = _ANSWER.match(text)
        if answer and (question := self._question(call)) is not None:
            facts = {"question": clip(question, LONGEST_PROMPT)}
            text = clip(text[answer.end() :], LONGEST_PROMPT)
            self._tell.add("answer", at, text=text, call=call, facts=facts)
            return
        facts = {"denied": "1"} if error.code == "denied" else {}
        ok = bool(done.success)
        exited = _EXIT.search(text, max(0, len(text) - _TAIL))
        if exited:
            text = text[: exited.start()]
            facts["exit"] = exited[1]
            ok = ok and exited[1] == "0"
        elif _RUNNING.search(text, max(0, len(text) - _LONG_TAIL)):
            facts["background"] = "1"
        self._tell.add("result", at, text=clip(text, LONGEST_RESULT), call=call, ok=ok, facts=facts)

    def _question(self, call: str) -> str | None:
        """What the call asked the person; None if it did not ask: only its start says which tool it was."""
        line = line_before(self._log, self._lines.start, f'"toolCallId":"{call}","toolName":'.encode())
        record = decoded(line, RECORD)
        asked = decoded(record.data, TOOL) if record is not None else None
        if asked is None or asked.toolName != "ask_user":
            return None
        return question_or_text(asked.arguments)

    def _usage(self, at: At, data: Raw) -> None:
        known = self._read(data, USAGE)
        if known is not None and known.usage is not None and known.usage.initiator != "sub-agent":
            used = (known.usage.inputTokens or 0) + (known.usage.outputTokens or 0)
            self._tell.use(at, int(used), int(known.usage.maxPromptTokens or 0))

    def _compacted(self, at: At, data: Raw) -> None:
        done = self._read(data, COMPACTION)
        if done is None or not done.success:
            return
        how = "manual" if done.trigger == "manual" else "auto"
        before, after = int(done.preCompactionTokens or 0), int(done.postCompactionTokens or 0)
        summary = clip((done.summaryContent or "").strip(), LONGEST_SUMMARY)
        self._tell.compact(at, how, before, after, int(done.tokenLimit or 0), summary)

    def _aborted(self, at: At, data: Raw) -> None:
        done = self._read(data, CHANGE)
        if done is not None and done.reason != "autopilot_credit_limit":
            self._tell.add("interrupt", at)

    def _failed(self, at: At, data: Raw) -> None:
        if (error := self._read(data, ERROR)) is not None:
            self._tell.add("error", at, text=clip(error.message or "", LONGEST_RESULT))

    def _shutdown(self, at: At, data: Raw) -> None:
        if (done := self._read(data, SHUTDOWN)) is not None:
            if done.currentTokens:
                self._tell.use(at, int(done.currentTokens))
            self._tell.add("end", at, name="exit")

    def _read(self, data: Raw, decoder: Decoder[T]) -> T | None:
        value = decoded(data, decoder)
        self.skipped += value is None
        return value


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


_HOOK = b'{"type":"hook.'
_STAMP = re.compile(rb'","timestamp":"([^"\\]+)","parentId":(?:null|"[^"\\]*")\}\s*$')
_TAIL = 200
_LONG_TAIL = 500
_OPENING = 400  # of the system prompt: behind it, it quotes the project's own files
_HEADLESS = b"You are running in non-interactive mode"
_ANSWER = re.compile(r"User (?:selected|responded): ")
_EXIT = re.compile(r"\s*<(?:exited|shellId: \S+ completed) with exit code (-?\d+)>\s*$")
_RUNNING = re.compile(r"<command (?:with \S+ \S+ is still running|started in background)[^<>]*>\s*$")
_HANDLERS: dict[str, Callable[[Events, At, Raw], None]] = {
    "session.start": Events._start,
    "session.resume": Events._start,
    "session.context_changed": Events._moved,
    "session.model_change": Events._model,
    "session.title_changed": Events._title,
    "session.usage_record": Events._usage,
    "session.compaction_complete": Events._compacted,
    "session.task_complete": Events._done,
    "session.error": Events._failed,
    "session.shutdown": Events._shutdown,
    "system.message": Events._system,
    "user.message": Events._user,
    "assistant.message": Events._assistant,
    "tool.execution_start": Events._tool,
    "tool.execution_complete": Events._result,
    "abort": Events._aborted,
}
