"""Turns a Gemini CLI session into events; later records complete or take back earlier ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from nanoctx.model import Event
from nanoctx.sources import gemini_parts as parts
from nanoctx.sources.base import clip, epoch
from nanoctx.sources.decoding import NOTHING, decoded
from nanoctx.sources.gemini_tools import (
    TOOLS,
    answers_in,
    output_of,
    questions_in,
    steps_in,
    tell_call,
    tell_result,
    tracked_step,
)
from nanoctx.sources.limits import (
    LONGEST_COMMAND,
    LONGEST_PROMPT,
    LONGEST_RESULT,
    LONGEST_SAY,
    LONGEST_SUMMARY,
)
from nanoctx.sources.telling import At, Telling

WINDOW = 1_048_576
GEMMA_WINDOW = 256_000
LONGEST_TITLE = 200
_NO_FACTS: Mapping[str, str] = {}


class Conversation:
    """One session. `take` its records in order, then `finish`.

    A message comes again, under its id, when its tools are done: the last form counts, in the first place.
    """

    def __init__(self, session: str, cwd: str = "") -> None:
        self.skipped = 0
        self._session = session
        self._cwd = cwd
        self._known: list[Event] = []
        self._messages: dict[str, tuple[Event, ...]] = {}
        self._places: dict[str, int] = {}
        self._latest = Event("about", 1, session)  # not all messages give events, but all last

    def take(self, pos: int, line: bytes | Raw) -> None:
        record = decoded(line, RECORD)
        if record is None:
            self.skipped += not bytes(line).isspace()
        elif record.rewind_to is not None:
            self._rewind(record.rewind_to)
        elif record.id is not None:
            self._upsert(pos, record)
        elif len(bytes(record.set)):
            self._update(pos, record.set)
        elif record.sessionId:
            self.begin(pos, record)

    def begin(self, pos: int, header: Record) -> None:
        """The head of a log, written again when the session is resumed."""
        if not self._known:
            self._session = header.sessionId or self._session
        facts = {"cwd": self._cwd} if self._cwd else {}
        self._known.append(Event("about", pos, self._session, epoch(header.startTime), facts=facts))
        self._title(pos, header.summary)

    def finish(self) -> tuple[Event, ...]:
        """All events in the order of the log; facts where they are new, usage at a summary and at the end."""
        events: list[Event] = []
        known: dict[str, str] = {}
        usage: Event | None = None
        told = [*self._known, *(event for message in self._messages.values() for event in message)]
        for event in sorted(told, key=lambda one: one.pos):
            if event.kind == "usage":
                usage = event
            elif event.kind == "compact" and usage is not None:
                before = Event(
                    "usage", event.pos, self._session, event.at, used=usage.used, window=usage.window
                )
                usage = Event("usage", event.pos, self._session, event.at, window=usage.window)
                events += [before, event, usage]
            elif event.kind == "about" and event.facts:
                new = {key: value for key, value in event.facts.items() if known.get(key) != value}
                known |= new
                if new:
                    events.append(Event("about", event.pos, self._session, event.at, facts=new))
            else:
                events.append(event)
        events += [usage] if usage is not None else []
        return (*events, self._latest) if self._latest.at is not None else tuple(events)

    def _rewind(self, message: str) -> None:
        """The person took back this message and all behind it; the host takes all if it knows none such."""
        ids = list(self._messages)
        for one in ids[ids.index(message) if message in self._messages else 0 :]:
            del self._messages[one], self._places[one]

    def _update(self, pos: int, change: Raw) -> None:
        given = decoded(change, _UPDATE) or _Update()
        self._title(pos, given.summary)
        # When the host resumes or compresses, it sets what the model will see: a summary, and old messages,
        # some of them under new ids. What was said stays said.
        for raw in given.messages or ():
            message = decoded(raw, RECORD)
            if message is not None and message.id is not None and message.id not in self._messages:
                self._upsert(pos, message)
                told = self._messages[message.id]
                self._messages[message.id] = tuple(one for one in told if one.kind in ("about", "compact"))

    def _title(self, pos: int, summary: Raw) -> None:
        title = decoded(summary, _STRING) or ""
        if title.strip() and not title.startswith(("<", "{")):
            facts = {"title": clip(title.strip(), LONGEST_TITLE), "title_by": "agent"}
            self._known.append(Event("about", pos, self._session, facts=facts))

    def _upsert(self, pos: int, record: Record) -> None:
        uid = record.id or ""
        at = At(self._places.setdefault(uid, pos), epoch(record.timestamp), uid)
        telling = Telling(self._session)
        if at.time is not None and at.time > (self._latest.at or 0):
            self._latest = Event("about", at.pos, self._session, at.time)
        if record.type == "user":
            _user(telling, at, record)
        elif record.type == "gemini":
            _agent(telling, at, record)
        else:
            _notice(telling, at, record)
        self._messages[uid] = telling.finish()


def _user(telling: Telling, at: At, record: Record) -> None:
    sent = parts.parts_of(record.content)
    if any(part.functionResponse is not None for part in sent):
        return
    text = parts.text_in(sent)
    if text.startswith("<session_context>"):
        workspace = _WORKSPACE.search(text)
        telling.about(at, cwd=workspace[1].strip() if workspace else "")
    if text.startswith(_SUMMARY):
        summary = text.removeprefix(_SUMMARY).removesuffix("</state_snapshot>").strip()
        telling.add("compact", at, name="summary", text=clip(summary, LONGEST_SUMMARY))
    elif (ran := parts.own_command(text)) is not None:
        tell_own_command(telling, at, *ran)
    elif parts.human(text) or parts.has_image(sent):
        shown = parts.text_in(parts.parts_of(record.displayContent))
        tell_words(telling, at, parts.human(shown or text) or "[image]")


def _agent(telling: Telling, at: At, record: Record) -> None:
    telling.about(at, model=record.model)
    if record.tokens is not None and record.tokens.input:
        is_gemma = (record.model or "").startswith("gemma-4")
        telling.use(at, int(record.tokens.input), GEMMA_WINDOW if is_gemma else WINDOW)
    text = parts.text_in(parts.parts_of(record.content))
    if text and text != _THANKS:
        telling.add("say", at, text=clip(text, LONGEST_SAY))
    for call in record.toolCalls or ():
        _tool(telling, at, call)


def _tool(telling: Telling, at: At, called: ToolCall) -> None:
    tool, call, status = called.name or "", called.id or "", called.status or ""
    tell_call(telling, at, tool, call, called.args)
    if status not in ("success", "error", "cancelled"):
        return  # it still runs or waits for the person
    given = [part.functionResponse for part in parts.parts_of(called.result) if part.functionResponse]
    text = "\n".join(output_of(response) for response in given)
    steps, step = steps_in(called.args), tracked_step(tool, called.args, text)
    if status == "success" and step is not None:
        telling.add("plan", at, name="merge", call=call, steps=(step,))
    elif status == "success" and steps is not None:
        telling.add("plan", at, name="replace", call=call, steps=steps)
    ended = replace(at, time=epoch(called.timestamp) or at.time)
    answers = answers_in(text, questions_in(called.args)) if TOOLS.get(tool) == "ask" else []
    tell_result(telling, ended, tool, call, status, text, answers)


def _notice(telling: Telling, at: At, record: Record) -> None:
    """What the host told the person."""
    text = parts.text_in(parts.parts_of(record.content))
    workspace = _DIRECTORIES.match(text)
    if record.type == "error" and text:
        telling.add("error", at, text=clip(text, LONGEST_RESULT))
    elif workspace:
        telling.about(at, cwd=workspace[1].strip())
    elif text.startswith("Request cancelled"):
        telling.add("interrupt", at)


def tell_words(telling: Telling, at: At, text: str, facts: Mapping[str, str] = _NO_FACTS) -> None:
    """A prompt, or a command for the host; one with many words behind it is meant for the agent."""
    command = parts.slash(text)
    name, arguments = command or ("", text)
    if command is None or len(arguments.split()) > 2:
        facts = {**facts, "slash": name} if name else facts
        telling.add("prompt", at, text=clip(arguments, LONGEST_PROMPT), facts=facts)
        return
    telling.add("slash", at, name=name, text=arguments)
    if name in ("/quit", "/exit"):
        telling.add("end", at, name="exit")


def tell_own_command(telling: Telling, at: At, command: str, result: str) -> None:
    """A command that the person ran, by the host's own prefix for it."""
    failed = _FAILED.match(result)
    command = clip(command, LONGEST_COMMAND)
    telling.add("tool", at, name="shell", call=at.uid, command=command, facts={"tool": "!"})
    facts = {"exit": failed[1]} if failed else None
    telling.add("result", at, text=clip(result, LONGEST_RESULT), call=at.uid, ok=not failed, facts=facts)


class ToolCall(Struct, gc=False):
    id: str | None = None
    name: str | None = None
    args: Raw = NOTHING
    result: Raw = NOTHING
    status: str | None = None
    timestamp: str | int | float | None = None


class Tokens(Struct, gc=False):
    input: int | float | None = None


class Record(Struct, gc=False):
    """A line of a log: a head, a message, a change of what is known, or a rewind."""

    id: str | None = None
    type: str | None = None
    timestamp: str | int | float | None = None
    content: Raw = NOTHING
    displayContent: Raw = NOTHING
    toolCalls: list[ToolCall] | None = None
    tokens: Tokens | None = None
    model: str | None = None
    sessionId: str | None = None
    startTime: str | int | float | None = None
    summary: Raw = NOTHING
    messages: list[Raw] | None = None  # of a log that is one document
    set: Raw = field(default=NOTHING, name="$set")
    rewind_to: str | None = field(default=None, name="$rewindTo")


class _Update(Struct, gc=False):
    messages: list[Raw] | None = None
    summary: Raw = NOTHING


RECORD = Decoder(Record)
_UPDATE = Decoder(_Update)
_STRING = Decoder(str)
_WORKSPACE = re.compile(
    r"(?:Workspace Directories:\*\*|working in the (?:directory|following directories):)\s*(?:- )?([^\n]+)"
)
_DIRECTORIES = re.compile(r"Current workspace directories:\n- ([^\n]+)")
_FAILED = re.compile(r"Command exited with code (\d+)")
_SUMMARY = "<state_snapshot>"
_THANKS = "Got it. Thanks for the additional context!"  # the host answers a summary in the agent's name
