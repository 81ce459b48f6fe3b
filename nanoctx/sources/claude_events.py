"""Turns the records of a Claude Code log into events, line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.model import Event, Step
from nanoctx.sources import claude_words as words
from nanoctx.sources.base import clip, epoch
from nanoctx.sources.claude_records import (
    CONTENT,
    NOTHING,
    Block,
    Record,
    Usage,
    may_be_skipped,
    record_of,
    text_in,
    text_of,
    value_of,
)
from nanoctx.sources.claude_tools import answers_in, call_of, created_step
from nanoctx.sources.limits import LONGEST_PROMPT, LONGEST_RESULT, LONGEST_SAY, LONGEST_SHOWN, LONGEST_SUMMARY
from nanoctx.sources.lines import LogLines
from nanoctx.sources.times import Times

WINDOW = 200_000
LARGE_WINDOW = 1_000_000
_NO_FACTS: Mapping[str, str] = {}


class Events:
    """Collects the events of one read. `take` the lines in order, then `finish`."""

    def __init__(self, lines: LogLines, session: str) -> None:
        self.skipped = 0
        self._lines = lines
        self._session = session
        self._events: list[Event] = []
        self._times = Times()
        self._seen: set[str] = set()
        self._envelope: tuple[str | None, ...] = ()
        self._tool_facts: dict[tuple[str, bool], dict[str, str]] = {}  # shared: there are many calls
        self._facts: dict[str, str] = {}
        self._usage: tuple[int, float | None, Usage] | None = None

    def take(self, pos: int, line: bytes) -> None:
        if may_be_skipped(line):
            self._times.note(pos, line)
            return
        record = record_of(line)
        if record is None:
            self.skipped += not line.isspace()
            return
        at = epoch(record.timestamp)
        self._times.add(pos, at)
        uid = record.uuid
        if record.isSidechain or uid in self._seen:
            return
        if uid is not None:
            self._seen.add(uid)
        if record.cwd is not None and record.type in ("user", "assistant"):
            envelope = (record.cwd, record.gitBranch, record.version, record.entrypoint)
            if envelope != self._envelope:
                self._envelope = envelope
                self._note_envelope(pos, at, record)
        handle = _HANDLERS.get(record.type)
        if handle is not None:
            handle(self, pos, at, record)

    def finish(self) -> tuple[Event, ...]:
        if self._usage is not None:
            pos, at, usage = self._usage
            self._add_usage(pos, at, usage.total())
        known = [event.at for event in self._events if event.at is not None]
        for pos, at in self._times.beyond(known):
            self._events.append(Event("about", pos, self._session, at))
        return tuple(self._events)

    def _user(self, pos: int, at: float | None, record: Record) -> None:
        content = record.message.content if record.message else None
        if record.isCompactSummary:
            self._summary(pos, at, record, text_in(content))
            return
        beside_result = False
        if isinstance(content, list):
            for block in content:
                if isinstance(block, Block) and block.type == "tool_result":
                    self._result(pos, at, record, block)
                    beside_result = True
            if beside_result and len(content) == 1:
                return
        if record.isMeta or record.isVisibleInTranscriptOnly or not _by_a_person(record.origin):
            return
        text = text_in(content)
        if text.startswith(words.CONTINUED):
            self._summary(pos, at, record, text)
        else:
            self._words(pos, at, record, text, has_image=not beside_result and _has_image(content))

    def _words(self, pos: int, at: float | None, record: Record, text: str, has_image: bool = False) -> None:
        behind_mark = words.interruption(text)
        if behind_mark is not None:
            self._add("interrupt", pos, at, record)
            text, has_image = behind_mark, False
        command = words.slash(text)
        if command is None:
            text = words.human(text) or ("[image]" if has_image else "")
            if text:
                self._prompt(pos, at, record, text)
        elif not command.local and len(command.arguments.split()) > 2:
            self._prompt(pos, at, record, command.arguments, slash=command.name)
        else:
            self._slash(pos, at, record, command)

    def _prompt(self, pos: int, at: float | None, record: Record, text: str, slash: str = "") -> None:
        facts = {"slash": slash} if slash else {}
        if len(bytes(record.planContent)) > len(b"null"):
            facts["plan"] = "1"
        if record.parentUuid:
            after = self._lines.line_holding(f'"uuid":"{record.parentUuid}"'.encode(), pos)
            if after is not None:
                facts["after"] = str(after)
        self._add("prompt", pos, at, record, text=clip(text, LONGEST_PROMPT), facts=facts)

    def _slash(self, pos: int, at: float | None, record: Record, command: words.Slash) -> None:
        arguments = clip(command.arguments, LONGEST_PROMPT)
        self._add("slash", pos, at, record, name=command.name, text=arguments)
        if command.name in ("/exit", "/quit"):
            self._add("end", pos, at, record, name="exit")

    def _result(self, pos: int, at: float | None, record: Record, block: Block) -> None:
        returned = bytes(record.toolUseResult)
        shown = returned.startswith(_SHOWN_RESULTS) and not block.is_error
        text = text_of(block.content, LONGEST_SHOWN if shown else LONGEST_RESULT)
        call = block.tool_use_id or ""
        reason = words.rejection(text) if block.is_error else None
        if reason is not None:
            self._add("reject", pos, at, record, text=reason, call=call)
            return
        facts: dict[str, str] = {}
        if returned:
            answers = answers_in(returned)
            for question, answer in answers:
                asked = {"question": clip(question, LONGEST_PROMPT)}
                text = clip(answer, LONGEST_PROMPT)
                self._add("answer", pos, at, record, text=text, call=call, facts=asked)
            if answers:
                return
            step = created_step(returned)
            if step is not None:
                self._add("plan", pos, at, record, name="merge", call=call, steps=(step,))
            if b'"interrupted":true' in returned:
                facts["interrupted"] = "1"
        ok = not block.is_error
        if text.startswith("Exit code "):
            code = text[10:].partition("\n")[0].strip()
            facts["exit"] = code
            ok = ok and code == "0"
        elif text.startswith("Command running in background"):
            facts["background"] = "1"
        elif block.is_error and text.startswith("Claude requested permissions to "):
            facts["denied"] = "1"
        self._add("result", pos, at, record, text=text, call=call, ok=ok, facts=facts or _NO_FACTS)

    def _assistant(self, pos: int, at: float | None, record: Record) -> None:
        message = record.message
        if message is None:
            return
        content = message.content
        if record.isApiErrorMessage or message.model == "<synthetic>":
            text = text_in(content)
            if record.isApiErrorMessage or text.startswith("API Error"):
                self._add("error", pos, at, record, text=clip(text, LONGEST_RESULT))
            return
        if message.usage is not None:
            self._usage = (pos, at, message.usage)
        if message.model and message.model != self._facts.get("model"):
            self._about(pos, at, {"model": message.model})
        for block in content if isinstance(content, list) else [content]:
            if block is None or isinstance(block, str):
                self._say(pos, at, record, block)
            elif block.type == "text":
                self._say(pos, at, record, block.text)
            elif block.type == "tool_use":
                self._tool(pos, at, record, block)

    def _say(self, pos: int, at: float | None, record: Record, text: str | None) -> None:
        if text and (text := text.strip()):
            self._add("say", pos, at, record, text=clip(text, LONGEST_SAY))

    def _tool(self, pos: int, at: float | None, record: Record, block: Block) -> None:
        tool, call = block.name or "", block.id or ""
        meant = call_of(tool, block.input)
        facts = self._tool_facts.get((tool, meant.background))
        if facts is None:
            facts = {"tool": tool} | ({"background": "1"} if meant.background else {})
            self._tool_facts[tool, meant.background] = facts
        self._add(
            "tool",
            pos,
            at,
            record,
            text=meant.text,
            name=meant.name,
            call=call,
            command=meant.command,
            path=meant.path,
            facts=facts,
        )
        if meant.plan:
            self._add("plan", pos, at, record, name=meant.plan, call=call, steps=meant.steps)

    def _system(self, pos: int, at: float | None, record: Record) -> None:
        if record.subtype == "compact_boundary":
            self._compacted(pos, at, record)
        elif record.subtype == "local_command":
            command = words.slash(text_of(record.content, LONGEST_PROMPT))
            if command is not None:
                self._slash(pos, at, record, command)

    def _compacted(self, pos: int, at: float | None, record: Record) -> None:
        known = value_of(record.compactMetadata, _COMPACTION) or _Compaction()
        last = self._usage[2].total() if self._usage else 0
        self._usage = None
        self._add_usage(pos, at, int(known.preTokens or 0) or last)
        record.parentUuid = record.logicalParentUuid or record.parentUuid
        self._add("compact", pos, at, record, name=known.trigger or "auto")
        self._add_usage(pos, at, int(known.postTokens or 0))

    def _summary(self, pos: int, at: float | None, record: Record, text: str) -> None:
        self._add("compact", pos, at, record, name="summary", text=clip(words.summary(text), LONGEST_SUMMARY))

    def _queue(self, pos: int, at: float | None, record: Record) -> None:
        if record.operation == "enqueue":
            text = words.queued(text_in(value_of(record.content, CONTENT)))
            if text:
                self._add("prompt", pos, at, record, text=clip(text, LONGEST_PROMPT), name="queued")

    def _attachment(self, pos: int, at: float | None, record: Record) -> None:
        """A queued prompt that was handed to the agent in the middle of its turn."""
        attached = value_of(record.attachment, _ATTACHMENT)
        if attached is None or attached.type != "queued_command":
            return
        if attached.commandMode not in (None, "prompt") or not _by_a_person(attached.origin):
            return
        content = value_of(attached.prompt, CONTENT)
        text = words.queued(text_in(content)) or ("[image]" if _has_image(content) else "")
        if text:
            self._prompt(pos, at, record, text)

    def _title(self, pos: int, at: float | None, record: Record) -> None:
        if record.customTitle:
            self._about(pos, at, {"title": record.customTitle, "title_by": "person"})
        elif record.aiTitle and self._facts.get("title_by") != "person":
            self._about(pos, at, {"title": record.aiTitle, "title_by": "agent"})

    def _pull_request(self, pos: int, at: float | None, record: Record) -> None:
        self._about(pos, at, {"pr": record.prUrl or ""})

    def _note_envelope(self, pos: int, at: float | None, record: Record) -> None:
        entry = record.entrypoint or ""
        self._about(
            pos,
            at,
            {
                "cwd": record.cwd or "",
                "branch": record.gitBranch or "",
                "version": record.version or "",
                "headless": "1" if entry.startswith("sdk") else "",
            },
        )

    def _about(self, pos: int, at: float | None, facts: Mapping[str, str]) -> None:
        new = {key: value for key, value in facts.items() if value and self._facts.get(key) != value}
        if new:
            self._facts.update(new)
            self._events.append(Event("about", pos, self._session, at, facts=new))

    def _add_usage(self, pos: int, at: float | None, used: int) -> None:
        large = used > WINDOW or "[1m]" in self._facts.get("model", "")
        window = LARGE_WINDOW if large else WINDOW
        self._events.append(Event("usage", pos, self._session, at, used=used, window=window))

    def _add(
        self,
        kind: str,
        pos: int,
        at: float | None,
        record: Record,
        *,
        text: str = "",
        name: str = "",
        call: str = "",
        ok: bool | None = None,
        command: str = "",
        path: str = "",
        steps: tuple[Step, ...] = (),
        facts: Mapping[str, str] = _NO_FACTS,
    ) -> None:
        uid, parent = record.uuid or "", record.parentUuid or ""
        # fmt: off
        self._events.append(Event(
            kind, pos, self._session, at, text, name, call, ok, command, path, uid, parent,
            steps=steps, facts=facts,
        ))
        # fmt: on


def _by_a_person(origin: Raw) -> bool:
    if not len(bytes(origin)):
        return True
    known = value_of(origin, _ORIGIN)
    return known is None or known.kind in (None, "human")


def _has_image(content: str | list[Block | str] | None) -> bool:
    return isinstance(content, list) and any(
        isinstance(block, Block) and block.type in ("image", "document") for block in content
    )


class _Origin(Struct, gc=False):
    kind: str | None = None


class _Attachment(Struct, gc=False):
    type: str = ""
    prompt: Raw = NOTHING
    commandMode: str | None = None
    origin: Raw = NOTHING


class _Compaction(Struct, gc=False):
    trigger: str | None = None
    preTokens: int | float | None = None
    postTokens: int | float | None = None


_ORIGIN = Decoder(_Origin)
_ATTACHMENT = Decoder(_Attachment)
_COMPACTION = Decoder(_Compaction)
_SHOWN_RESULTS = (b'{"type":', b'{"filePath":', b'{"mode":', b'{"filenames":', b'{"oldTodos":')
_HANDLERS: dict[str, Callable[[Events, int, float | None, Record], None]] = {
    "user": Events._user,
    "assistant": Events._assistant,
    "system": Events._system,
    "queue-operation": Events._queue,
    "attachment": Events._attachment,
    "custom-title": Events._title,
    "ai-title": Events._title,
    "pr-link": Events._pull_request,
}
