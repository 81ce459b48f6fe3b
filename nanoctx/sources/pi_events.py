"""Turns the records of a log in Pi's format into events, line by line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from nanoctx.model import Event
from nanoctx.sources.base import clip, epoch
from nanoctx.sources.decoding import decoded
from nanoctx.sources.limits import LONGEST_PROMPT, LONGEST_RESULT, LONGEST_SAY, LONGEST_SUMMARY
from nanoctx.sources.lines import LogLines
from nanoctx.sources.looking_back import line_before
from nanoctx.sources.pi_records import ENTRY, FAILURE, MESSAGE, Block, Message
from nanoctx.sources.pi_tools import call_of
from nanoctx.sources.telling import At, Telling


class Events:
    """Collects the events of one read. `take` the lines in order, then `finish`."""

    def __init__(
        self,
        log: Path,
        lines: LogLines,
        session: str,
        human: Callable[[str], str],
        prose: Callable[[str], str],
    ) -> None:
        self.skipped = 0
        self._log = log
        self._lines = lines
        self._tell = Telling(session)
        self._human, self._prose = human, prose

    def take(self, pos: int, line: bytes) -> None:
        entry = decoded(line, ENTRY)
        if entry is None:
            self.skipped += not line.isspace()
            return
        at = At(pos, epoch(entry.timestamp), _text(entry.id), _text(entry.parentId))
        self._tell.time(pos, at.time)
        match entry.type:
            case "message":
                message = decoded(entry.message, MESSAGE)
                if message is None:
                    self.skipped += 1
                elif (handle := _HANDLERS.get(message.role)) is not None:
                    handle(self, at, message)
            case "session":
                self._tell.about(At(pos, at.time), cwd=entry.cwd, model=entry.modelId)
            case "model_change":
                self._tell.about(at, model=entry.modelId)
            case "session_info":
                self._tell.about(at, title=entry.name, title_by="person" if entry.name else "")
            case "compaction":
                summary = clip(_text(entry.summary).strip(), LONGEST_SUMMARY)
                before = entry.tokensBefore
                self._tell.compact(at, "auto", before if isinstance(before, int) else 0, 0, 0, summary)
            case "custom" if entry.customType == "openclaw:prompt-error":
                failure = decoded(entry.data, FAILURE)
                if failure is not None:
                    self._tell.add("error", at, text=clip(failure.error or "", LONGEST_RESULT))

    def finish(self) -> tuple[Event, ...]:
        return self._tell.finish()

    def _user(self, at: At, message: Message) -> None:
        text = self._human(_said(message)) or ("[image]" if _is_image(message) else "")
        if text:
            after = self._fork(at)
            facts = {"after": str(after)} if after is not None else {}
            self._tell.add("prompt", at, text=clip(text, LONGEST_PROMPT), facts=facts)

    def _assistant(self, at: At, message: Message) -> None:
        used = message.usage.total() if message.usage is not None else 0
        if used:  # what a host says in the agent's name, or a call that failed, costs nothing
            self._tell.use(at, used)
            self._tell.about(at, model=message.model)
        for block in message.content if isinstance(message.content, list) else [message.content]:
            if block is None or isinstance(block, str):
                self._say(at, block)
            elif block.type == "text":
                self._say(at, block.text)
            elif block.type == "toolCall":
                self._tool(at, block)
        if message.stopReason == "aborted":
            self._tell.add("interrupt", at)
        elif message.stopReason == "error":
            self._tell.add("error", at, text=clip(message.errorMessage or "", LONGEST_RESULT))

    def _say(self, at: At, text: str | None) -> None:
        if text and (text := self._prose(text)):
            self._tell.add("say", at, text=clip(text, LONGEST_SAY))

    def _tool(self, at: At, block: Block) -> None:
        tool, call = block.name or "", block.id or ""
        meant = call_of(tool, block.arguments)
        self._tell.add(
            "tool",
            at,
            text=meant.text,
            name=meant.name,
            call=call,
            command=meant.command,
            path=meant.path,
            facts={"tool": tool} | ({"background": "1"} if meant.background else {}),
        )

    def _result(self, at: At, message: Message) -> None:
        text, call = _said(message).strip(), message.toolCallId or ""
        if message.isError and text == _BLOCKED:
            self._tell.add("reject", at, call=call)
            return
        ok: bool | None = not message.isError
        facts: dict[str, str] = {}
        exited = _EXIT.search(text, max(0, len(text) - _TAIL))
        if exited:
            facts["exit"] = exited[1]
            ok = ok and exited[1] == "0"
            text = text[: exited.start()]
        elif message.isError and text.startswith(_SKIPPED):
            ok = None
            facts["interrupted"] = "1"
        elif message.isError and text.endswith(_ABORTED):
            facts["interrupted"] = "1"
        elif text.startswith(_RUNNING):
            facts["background"] = "1"
        self._tell.add("result", at, text=clip(text, LONGEST_RESULT), call=call, ok=ok, facts=facts)

    def _fork(self, at: At) -> int | None:
        """The line that a prompt follows, if what stands between was taken back.

        A session is a tree: a person may go on from any record. Notes of the host, such as a summary of the
        branch that was left, may be the first records there.
        """
        pos, parent = at.pos, at.parent
        for _ in range(_LONGEST_WAY):
            if not parent:
                return 1 if at.uid and pos > _FIRST_ENTRY else None
            needle = f'"id":"{parent}"'.encode()
            before = self._lines.line_holding(needle, at.pos)
            if before is None or before < pos - 1:
                return before
            entry = decoded(line_before(self._log, self._lines.start, needle), ENTRY)
            if entry is None or (entry.type == "message" and b'"bashExecution"' not in bytes(entry.message)):
                return None
            pos, parent = before, _text(entry.parentId)
        return None


def _said(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    parts = (part if isinstance(part, str) else part.text for part in message.content or ())
    return "\n".join(part for part in parts if part)


def _is_image(message: Message) -> bool:
    """An image without words; beside words the person's are enough, and the host's are none."""
    return (
        isinstance(message.content, list)
        and bool(message.content)
        and all(isinstance(block, Block) and block.type == "image" for block in message.content)
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


_FIRST_ENTRY = 2  # behind the line that describes the session
_LONGEST_WAY = 50
_TAIL = 100
_BLOCKED = "Blocked by user"
_SKIPPED = "Skipped due to queued user message"
_ABORTED = ("Command aborted", "Operation aborted")
_RUNNING = "Command still running (session "
_EXIT = re.compile(r"\s*\(?Command exited with code (-?\d+)\)?\s*$")
# What a person runs with `!` (bashExecution) is neither said to the agent nor done by it.
_HANDLERS: dict[str, Callable[[Events, At, Message], None]] = {
    "user": Events._user,
    "assistant": Events._assistant,
    "toolResult": Events._result,
}
