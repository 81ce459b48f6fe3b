"""Turns the messages of a nanobot session into events."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from nanoctx.model import Event
from nanoctx.sources.base import clip
from nanoctx.sources.decoding import NOTHING, decoded
from nanoctx.sources.limits import (
    LONGEST_COMMAND,
    LONGEST_PROMPT,
    LONGEST_RESULT,
    LONGEST_SAY,
    LONGEST_TEXT,
    LONGEST_TITLE,
)
from nanoctx.sources.local_time import local_epoch
from nanoctx.sources.telling import At, Telling


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines say of the conversation."""

    is_nanobot: bool = False
    key: str = ""  # channel:chat, or what runs without a person
    began: str = ""  # `/new` empties the file in place and keeps `created_at`: the first message tells
    title: str = ""
    title_by: str = ""
    used: int = 0
    workspace: str = ""

    @property
    def session(self) -> str:
        return f"{self.key}@{self.began}"

    @property
    def headless(self) -> bool:
        return self.key.partition(":")[0] in _WITHOUT_A_PERSON


def head_of(lines: Iterable[bytes], stem: str, workspace: str) -> Head:
    head = Head(key=stem.replace("_", ":", 1), workspace=workspace)  # old versions do not write the key
    for line in lines:
        record = decoded(line, _RECORD)
        if record is None:
            continue
        if record.type == "metadata":
            more = decoded(record.metadata, _METADATA) or _Metadata()
            used = decoded(more.last_usage, _USAGE) or _Usage()
            head = replace(
                head,
                is_nanobot=True,
                key=record.key or head.key,
                began=record.created_at or "",
                title=more.title or "",
                title_by="person" if more.title_user_edited else "agent",
                used=max(0, used.context_tokens or used.input_tokens or 0),
            )
        elif record.role:
            return replace(head, began=record.timestamp or head.began)
    return head


def is_a_run_of_another(key: str) -> bool:
    return key.startswith(("subagent:", "dream:"))


class Events:
    """Collects the events of one read. `take` the lines in order, then `finish`."""

    def __init__(self, head: Head) -> None:
        self.skipped = 0
        self._head = head
        self._telling = Telling(head.session)

    def take(self, pos: int, line: bytes) -> None:
        record = decoded(line, _RECORD)
        if record is None:
            self.skipped += not line.isspace()
            return
        if record.type or not record.role:
            return
        at = At(pos, local_epoch(record.timestamp))
        self._telling.time(pos, at.time)
        self._about(at)
        if record.role == "user":
            self._user(at, record)
        elif record.role == "assistant":
            self._assistant(at, record)
        elif record.role == "tool":
            self._result(at, record)

    def finish(self) -> tuple[Event, ...]:
        return self._telling.finish()

    def _about(self, at: At) -> None:
        head = self._head
        title_by = head.title_by if head.title else ""
        headless = "1" if head.headless else ""
        self._telling.about(at, cwd=head.workspace, title=head.title, title_by=title_by, headless=headless)
        if head.used:
            self._telling.use(at, head.used)

    def _user(self, at: At, record: _Record) -> None:
        if self._head.headless:
            self._job(at, _text(record.content))
            return
        if record.injected_event:
            return
        text = _human(_text(record.content))
        if record.command or _COMMAND.fullmatch(text):
            name, _, arguments = text.partition(" ")
            self._telling.add("slash", at, name=name, text=clip(arguments, LONGEST_PROMPT))
        elif text:
            self._telling.add("prompt", at, text=clip(text, LONGEST_PROMPT))

    def _job(self, at: At, text: str) -> None:
        """What a schedule tells the agent to do is nobody's prompt, but it says what the session is for."""
        lines = [line.strip(" #") for line in text.splitlines() if line.strip(" #")]
        told = next((line for line in lines if not line.startswith(_NOT_A_PERSON)), "")
        if told and not self._head.title:
            title, pos = clip(told, LONGEST_TITLE), str(at.pos)
            self._telling.about(at, title=title, title_by="schedule", title_pos=pos)
        self._telling.add("run", at)

    def _assistant(self, at: At, record: _Record) -> None:
        self._say(at, _text(record.content))
        for raw in decoded(record.tool_calls, _LIST) or ():
            call = decoded(raw, _CALL)
            if call is not None:
                self._tool(at, call)

    def _say(self, at: At, text: str) -> None:
        said = text.rpartition("</think>")[2].strip()  # local models think aloud, often without an opening
        if said:
            self._telling.add("say", at, text=clip(said, LONGEST_SAY))

    def _tool(self, at: At, call: _Call) -> None:
        tool = call.function.name or ""
        name = _NAMES.get(tool, "other")
        raw = bytes(call.function.arguments)
        # The arguments are JSON inside a string, or, by some providers, an object.
        given = decoded((decoded(raw, _STRING) or "").encode() if raw[:1] == b'"' else raw, _ARGUMENTS)
        given = given or _Arguments()
        if tool == "message":
            self._say(at, given.content or "")
        text = {
            "edit": given.new_text,
            "write": given.content,
            "search": given.pattern,
            "web": given.url or given.query,
            "ask": given.question,
            "agent": given.label or given.task,
        }.get(name)
        self._telling.add(
            "tool",
            at,
            name=name,
            call=call.id or "",
            text=clip(text or "", LONGEST_TEXT),
            command=clip(given.command or "", LONGEST_COMMAND) if name == "shell" else "",
            path=given.path or "" if name in ("edit", "write", "read", "search") else "",
            facts={"tool": tool},
        )

    def _result(self, at: At, record: _Record) -> None:
        text = _text(record.content)
        call = record.tool_call_id or ""
        failed = text.startswith("Error")
        if _NAMES.get(record.name or "") == "ask" and not failed:
            self._telling.add("answer", at, text=clip(text.strip(), LONGEST_PROMPT), call=call)
            return
        facts = {}
        if code := _EXIT_CODE.search(text):
            facts["exit"] = code[1]
            failed = failed or code[1] != "0"
        if text.startswith("Error: Command blocked"):
            facts["denied"] = "1"
        self._telling.add(
            "result", at, text=clip(text, LONGEST_RESULT), call=call, ok=not failed, facts=facts
        )


def _text(content: Raw) -> str:
    """Of a message that is text, or a list of texts and pictures."""
    if isinstance(text := decoded(content, _STRING), str):
        return text
    blocks = [block for raw in decoded(content, _LIST) or () if (block := decoded(raw, _BLOCK)) is not None]
    text = "\n".join(block.text for block in blocks if block.text)
    return text or ("[image]" if any(block.type == "image_url" for block in blocks) else "")


def _human(text: str) -> str:
    """What the person wrote, without what nanobot put around it; empty if it is all nanobot's."""
    before, mark, context = text.partition("[Runtime Context")
    if mark:
        _, end, after = context.partition("[/Runtime Context]")
        text = f"{before}\n{after}" if end else before or context.partition("\n\n")[2]
    text = _MESSAGE_TIME.sub("", text.strip()).strip()
    return "" if text.startswith(_NOT_A_PERSON) else text


class _Record(Struct, gc=False):
    type: str | None = field(default=None, name="_type")
    key: str | None = None
    created_at: str | None = None
    metadata: Raw = NOTHING
    role: str | None = None
    content: Raw = NOTHING
    timestamp: str | None = None
    tool_calls: Raw = NOTHING
    tool_call_id: str | None = None
    name: str | None = None
    injected_event: str | None = None
    command: bool | None = field(default=None, name="_command")


class _Metadata(Struct, gc=False):
    title: str | None = None
    title_user_edited: bool | None = None
    last_usage: Raw = field(default=NOTHING, name="_last_usage")


class _Usage(Struct, gc=False):
    context_tokens: int | None = None
    input_tokens: int | None = None


class _Function(Struct, frozen=True, gc=False):
    name: str | None = None
    arguments: Raw = NOTHING


class _Call(Struct, gc=False):
    id: str | None = None
    function: _Function = _Function()


class _Arguments(Struct, gc=False):
    command: str | None = None
    path: str | None = None
    content: str | None = None
    new_text: str | None = None
    pattern: str | None = None
    query: str | None = None
    url: str | None = None
    question: str | None = None
    task: str | None = None
    label: str | None = None


class _Block(Struct, gc=False):
    type: str | None = None
    text: str | None = None


_RECORD = Decoder(_Record)
_METADATA = Decoder(_Metadata)
_USAGE = Decoder(_Usage)
_CALL = Decoder(_Call)
_ARGUMENTS = Decoder(_Arguments)
_BLOCK = Decoder(_Block)
_LIST = Decoder(list[Raw])
_STRING = Decoder(str)
_WITHOUT_A_PERSON = ("cron", "heartbeat", "system", "subagent", "dream")
_NOT_A_PERSON = ("[System: ", "[Subagent ", "[Scheduled Task]", "[Earlier conversation context")
_COMMAND = re.compile(r"/[a-z_-]+")
_MESSAGE_TIME = re.compile(r"\A\[Message Time: [^\]]*\]\s*")
_EXIT_CODE = re.compile(r"(?:\A|\n)Exit code: (-?\d+)\s*\Z")
_NAMES = {
    "exec": "shell",
    "edit_file": "edit",
    "write_file": "write",
    "read_file": "read",
    "list_dir": "search",
    "grep": "search",
    "glob": "search",
    "find_files": "search",
    "web_search": "web",
    "web_fetch": "web",
    "ask_user": "ask",
    "spawn": "agent",
}
