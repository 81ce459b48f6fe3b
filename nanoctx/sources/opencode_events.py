"""Turns the messages of an OpenCode session into events, message by message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import UNSET, Raw

from nanoctx.model import Event, Step
from nanoctx.sources.base import clip, epoch
from nanoctx.sources.decoding import decoded
from nanoctx.sources.limits import LONGEST_PROMPT, LONGEST_RESULT, LONGEST_SAY, LONGEST_SUMMARY
from nanoctx.sources.opencode_records import FAILURE, MESSAGE, PART, Message, Part, Session, Span
from nanoctx.sources.opencode_tools import (
    answers_in,
    calls_of,
    exit_of,
    is_aborted,
    is_denied,
    planned,
    rejection,
)

_NO_FACTS: Mapping[str, str] = {}


class Events:
    """Collects the `events` of one session. `take` its messages in order, then `finish`."""

    def __init__(self, session: Session) -> None:
        self.events: list[Event] = []
        self.messages = 0
        self.skipped = 0
        self._info = session
        self._session = session.id or ""
        self._headless = any(
            (rule.permission, rule.pattern, rule.action) == ("question", "*", "deny")
            for rule in session.permission or ()
        )  # `opencode run` forbids questions, as nobody is there to answer
        self._facts: dict[str, str] = {}
        self._taken_back = False
        self._last_prompt = ""
        self._overflowed = False
        self._compaction = ""
        self._plan: tuple[Step, ...] = ()
        self._usage: tuple[int, float | None, int] | None = None
        self._last: float | None = None

    def take(self, info: Raw | bytes, parts: Iterable[Raw | bytes]) -> None:
        self.messages += 1
        message = decoded(info, MESSAGE)
        if message is None:
            self.skipped += 1
            return
        time = message.time or Span()
        at = epoch(time.created)
        if self._is_copy(at):
            return
        known = self._before_revert(message, parts)
        if self._taken_back and not known:
            return
        if not self.events:
            self._introduce(at)
        if message.role == "user":
            self._user(at, known)
        elif message.role == "assistant":
            self._assistant(at, message, known)
        ended = epoch(time.completed) or at
        if ended is not None:
            self._last = max(ended, self._last or ended)

    def finish(self, todos: tuple[Step, ...]) -> None:
        """`todos` is the plan as the store has it, which outlives the messages that set it."""
        if not self.events:
            return
        if todos and todos != self._plan:
            self._add("plan", None, name="replace", steps=todos)
        if self._usage is not None:
            pos, at, used = self._usage
            self.events.append(Event("usage", pos, self._session, at, used=used))
        if self._last is not None and self._last > max(event.at or 0 for event in self.events):
            self._add("about", self._last)

    def _is_copy(self, at: float | None) -> bool:
        """A fork of a session begins with copies of that session's messages."""
        begun = epoch(self._info.time.created) if self._info.time else None
        return at is not None and begun is not None and at < begun - _CLOCK_SECONDS

    def _before_revert(self, message: Message, parts: Iterable[Raw | bytes]) -> list[Part]:
        """The parts that count: what a person undid stays in the store until the next prompt."""
        revert = self._info.revert
        if self._taken_back:
            return []
        here = revert is not None and message.id is not None and message.id == revert.messageID
        self._taken_back = here
        known: list[Part] = []
        if here and revert is not None and not revert.partID:
            return known
        for raw in parts:
            part = decoded(raw, PART)
            if part is None:
                self.skipped += 1
            elif here and revert is not None and part.id == revert.partID:
                break
            else:
                known.append(part)
        return known

    def _introduce(self, at: float | None) -> None:
        info = self._info
        title = info.title or ""
        if _NO_TITLE.match(title):
            title = ""
        self._about(
            at,
            {
                "cwd": info.directory or "",
                "version": info.version or "",
                "title": title,
                "title_by": "agent" if title else "",
                "headless": "1" if self._headless else "",
            },
        )
        if not self.events:
            self._add("about", at)

    def _user(self, at: float | None, parts: list[Part]) -> None:
        for part in parts:
            if part.type == "compaction":
                self._compacted(at, part)
            elif part.type == "subtask" and part.command and not self._info.parentID:
                text = clip(part.description or "", LONGEST_PROMPT)
                self._add("slash", at, name="/" + part.command.lstrip("/"), text=text)
        if self._info.parentID:
            return  # the words of another agent
        text = _text_of(parts).strip()
        if not text and any((part.mime or "").startswith("image/") for part in parts):
            text = "[image]"
        if text and not self._is_replay(text):
            self._last_prompt = text
            self._add("prompt", at, text=clip(_unquoted(text) if self._headless else text, LONGEST_PROMPT))

    def _is_replay(self, text: str) -> bool:
        """A prompt that did not fit is sent again after the compaction, its images replaced by words."""
        overflowed, self._overflowed = self._overflowed, False
        return overflowed and bool(self._last_prompt) and text.startswith(self._last_prompt)

    def _compacted(self, at: float | None, part: Part) -> None:
        self._overflowed = bool(part.overflow)
        self._compaction = str(self.messages)
        used = self._usage[2] if self._usage else 0
        self._usage = None
        self.events.append(Event("usage", self.messages, self._session, at, used=used))
        self._add("compact", at, name="auto" if part.auto else "manual", uid=self._compaction)
        self.events.append(Event("usage", self.messages, self._session, at))

    def _assistant(self, at: float | None, message: Message, parts: list[Part]) -> None:
        cwd = message.path.cwd if message.path else None
        if bytes(message.summary) == b"true":
            text = clip(_text_of(parts).strip(), LONGEST_SUMMARY)
            if text:
                self._add("compact", at, name="summary", text=text, parent=self._compaction)
                self._usage = None
        else:
            self._about(at, {"model": message.modelID or "", "cwd": cwd or ""})
            for part in parts:
                if part.type == "text" and not part.synthetic and not part.ignored:
                    self._say(at, part)
                elif part.type == "tool":
                    self._tool(at, part)
            used = message.tokens.total() if message.tokens else 0
            if used > 0:
                self._usage = (self.messages, at, used)
        failure = decoded(message.error, FAILURE)
        if failure is not None and failure.name:
            at = epoch(message.time.completed) or at if message.time else at
            if failure.name.endswith("AbortedError"):
                self._add("interrupt", at)
            else:
                text = (failure.data.message if failure.data else None) or failure.name
                self._add("error", at, text=clip(text, LONGEST_RESULT))

    def _say(self, at: float | None, part: Part) -> None:
        text = (part.text or "").strip()
        if text:
            time = part.time or Span()
            self._add("say", epoch(time.end) or epoch(time.start) or at, text=clip(text, LONGEST_SAY))

    def _tool(self, at: float | None, part: Part) -> None:
        tool, call, state = part.tool or "", part.callID or "", part.state
        if state is None:
            return
        time = state.time or Span()
        begun = epoch(time.start) or at
        name = ""
        for meant in calls_of(tool, state.input, self._info.directory or self._facts.get("cwd", "")):
            name = meant.name
            self._add(
                "tool",
                begun,
                text=meant.text,
                name=name,
                call=call,
                command=meant.command,
                path=meant.path,
                facts={"tool": tool},
            )
        ended = epoch(time.end) or begun
        if state.status == "error":
            self._failed(ended, call, state.error or "")
        if tool == "todowrite" and state.status != "error":
            steps = planned(state.input)
            if steps is not None:
                self._plan = steps
                self._add("plan", begun, name="replace", call=call, steps=steps)
        if state.status != "completed":
            return
        answers = answers_in(state) if name == "ask" else []
        for question, answer in answers:
            asked = {"question": clip(question, LONGEST_PROMPT)}
            self._add("answer", ended, text=clip(answer, LONGEST_PROMPT), call=call, facts=asked)
        if answers:
            return
        text, ok, facts = state.output or "", True, dict[str, str]()
        if name == "shell":
            code = exit_of(state)
            ok = code in (0, UNSET)
            if isinstance(code, int):
                facts["exit"] = str(code)
            if is_aborted(text):
                ok, facts["interrupted"] = False, "1"
        self._add("result", ended, text=clip(text, LONGEST_RESULT), call=call, ok=ok, facts=facts)

    def _failed(self, at: float | None, call: str, error: str) -> None:
        reason = rejection(error)
        if reason is not None and not self._headless:
            self._add("reject", at, text=clip(reason, LONGEST_PROMPT), call=call)
            return
        facts: dict[str, str] = {}
        if reason is not None or is_denied(error):  # `opencode run` refuses for the person
            facts["denied"] = "1"
        elif is_aborted(error):
            facts["interrupted"] = "1"
        self._add("result", at, text=clip(error, LONGEST_RESULT), call=call, ok=False, facts=facts)

    def _about(self, at: float | None, facts: Mapping[str, str]) -> None:
        new = {key: value for key, value in facts.items() if value and self._facts.get(key) != value}
        if new:
            self._facts.update(new)
            self._add("about", at, facts=new)

    def _add(
        self,
        kind: str,
        at: float | None,
        *,
        text: str = "",
        name: str = "",
        call: str = "",
        ok: bool | None = None,
        command: str = "",
        path: str = "",
        uid: str = "",
        parent: str = "",
        steps: tuple[Step, ...] = (),
        facts: Mapping[str, str] = _NO_FACTS,
    ) -> None:
        # fmt: off
        self.events.append(Event(
            kind, self.messages, self._session, at, text, name, call, ok, command, path, uid, parent,
            steps=steps, facts=facts,
        ))
        # fmt: on


def _text_of(parts: Iterable[Part]) -> str:
    """What was written, without what the host added."""
    texts = (part.text for part in parts if part.type == "text" and not part.synthetic and not part.ignored)
    return "\n".join(text for text in texts if text)


def _unquoted(text: str) -> str:
    """`opencode run` puts each argument with a space in it in quotes."""
    return text[1:-1].replace('\\"', '"').strip() if _QUOTED.fullmatch(text) else text


_CLOCK_SECONDS = 1.0
_NO_TITLE = re.compile(r"(?:New|Child) session - \d{4}-")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
