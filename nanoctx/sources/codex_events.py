"""Turns the lines of a Codex rollout into events.

Prompts and the agent's words stand in it twice, as items for the model and as events for the screen. We take
the events: only they tell a person's words from what the host adds. Old logs without an envelope have only
the items. Tool calls stand once, as items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.model import Event, Step
from nanoctx.sources.base import clip, epoch
from nanoctx.sources.calls import Call
from nanoctx.sources.codex_past import Past
from nanoctx.sources.codex_records import (
    Item,
    Line,
    branch_of,
    folder_in,
    has_image,
    is_run_by_a_program,
    line_of,
    texts_of,
    value_of,
)
from nanoctx.sources.codex_tools import (
    answers_of,
    arguments_of,
    calls_of,
    changed,
    output_of,
    patched,
    questions_of,
)
from nanoctx.sources.limits import LONGEST_PROMPT, LONGEST_RESULT, LONGEST_SAY, LONGEST_SUMMARY
from nanoctx.sources.times import Times

_NO_FACTS: Mapping[str, str] = {}


class Events:
    """Collects the events of one read. `take` the lines in order, then `finish`."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._past = Past()
        self._begin = self._pos = 0
        self._at: float | None = None
        self._clear()

    def remember(self, pos: int, line: bytes, begin: int) -> None:
        """Take a line that was read before: what it says is known, but later lines may refer to it."""
        self.take(pos, line, begin)
        self._clear()

    def take(self, pos: int, line: bytes, begin: int) -> None:
        read = line_of(line)
        if read is None:
            self.skipped += not line.isspace()
            return
        self._pos, self._begin, self._at = pos, begin, epoch(read.at)
        self._times.add(pos, self._at)
        handle = _HANDLERS.get(read.kind)
        if handle is not None:
            handle(self, read)

    def finish(self, title: Callable[[], str]) -> tuple[Event, ...]:
        if self._usage is not None:
            self._events.append(self._usage)
        known = [event.at for event in self._events if event.at is not None]
        for pos, at in self._times.beyond(known):
            self._events.append(Event("about", pos, self._session, at))
        if self._events:
            self._about({"title": title(), "title_by": "agent"})
        return tuple(self._events)

    def _clear(self) -> None:
        self.skipped = 0
        self._events: list[Event] = []
        self._times = Times()
        self._facts: dict[str, str] = {}
        self._usage: Event | None = None

    def _meta(self, line: Line) -> None:
        body = line.body
        if body.id != self._session and self._pos > 1:
            return  # a fork or an old resume copies its parent's lines, this one too
        self._about(
            {
                "cwd": body.cwd or "",
                "branch": branch_of(body),
                "version": body.cli_version or "",
                "headless": "1" if is_run_by_a_program(body) else "",
            }
        )

    def _turn(self, line: Line) -> None:
        self._about({"cwd": line.body.cwd or "", "model": line.body.model or ""})

    def _named(self, line: Line) -> None:
        self._about({"title": line.body.thread_name or "", "title_by": "agent"})

    def _user_message(self, line: Line) -> None:
        body = line.body
        if body.kind in (None, "plain"):
            seen = any(len(bytes(images)) > len(b"null") for images in (body.images, body.local_images))
            self._prompt([body.message or ""], seen)

    def _agent_message(self, line: Line) -> None:
        self._say(line.body.message)

    def _message(self, line: Line) -> None:
        """Only where there are no events: with them, this is the second copy."""
        body = line.body
        texts = texts_of(body.content) if line.bare else []
        if body.role == "assistant":
            self._say("\n".join(texts))
        elif line.bare and body.role == "user":
            folder = folder_in(texts)
            if folder:
                self._about({"cwd": folder})
            self._prompt(texts, has_image(body.content))

    def _item(self, line: Line) -> None:
        item = value_of(line.body.item, _ITEM) or Item()
        if item.type == "UserMessage":
            self._prompt(texts_of(item.content), has_image(item.content))
        elif item.type == "AgentMessage":
            self._say("\n".join(texts_of(item.content)))
        elif item.type == "Plan":
            self._say(item.text)
        elif item.type == "FileChange":
            self._changed(item.id, item.changes)

    def _prompt(self, texts: list[str], image: bool) -> None:
        text = "\n".join(kept for kept in map(human, texts) if kept) or ("[image]" if image else "")
        if text:
            after = self._past.prompted(self._begin, self._pos)
            facts = {"after": str(after)} if after is not None else _NO_FACTS
            self._add("prompt", text=clip(text, LONGEST_PROMPT), facts=facts)

    def _say(self, text: str | None) -> None:
        if text and (text := _spoken(text)):
            self._add("say", text=clip(text, LONGEST_SAY))

    def _function_call(self, line: Line) -> None:
        body = line.body
        name, call = body.name or "", body.call_id or ""
        given = arguments_of(body.arguments)
        if name == "write_stdin":  # asks a process that another call started
            self._past.polled(self._begin, call, str(given.session_id))
            return
        if name == "request_user_input":
            self._past.asked(self._begin, call, questions_of(given))
        tool = f"{body.namespace}__{name}" if body.namespace else name
        self._calls(tool, call, calls_of(tool, given))

    def _custom_call(self, line: Line) -> None:
        text = value_of(line.body.input, _TEXT) or ""
        name = line.body.name or ""
        calls = list(patched(text, "")) if name == "apply_patch" else [Call("other")]
        self._calls(name, line.body.call_id or "", calls)

    def _shell_call(self, line: Line) -> None:
        body = line.body
        self._calls(
            "local_shell", body.call_id or body.id or "", calls_of("shell", arguments_of(body.action))
        )

    def _web_call(self, line: Line) -> None:
        self._calls("web_search", "", calls_of("web_search", arguments_of(line.body.action)))

    def _patch_end(self, line: Line) -> None:
        self._changed(line.body.call_id, line.body.changes)

    def _changed(self, call: str | None, changes: Raw) -> None:
        """Edits of a call that did not name them, such as a script that calls tools itself."""
        if not self._past.was_patched(self._begin, call or ""):
            self._calls("apply_patch", call or "", list(changed(changes)))

    def _calls(self, tool: str, call: str, calls: list[Call]) -> None:
        facts = {"tool": tool}
        for one in calls:
            if one.name in ("edit", "write"):
                self._past.patched(self._begin, call)
            self._add(
                "tool",
                text=one.text,
                name=one.name,
                call=call,
                command=one.command,
                path=one.path,
                facts=facts,
            )
            if one.name == "plan":
                self._add("plan", name="replace", call=call, steps=one.steps)

    def _output(self, line: Line) -> None:
        body = line.body
        call = body.call_id or ""
        questions = self._past.questions(self._begin, call)
        answers = answers_of(body.output) if questions else {}
        for id, answer in answers.items():
            asked = {"question": clip(questions.get(id, ""), LONGEST_PROMPT)}
            self._add("answer", text=clip(answer, LONGEST_PROMPT), call=call, facts=asked)
        if answers:
            return
        output = output_of(body.output, LONGEST_RESULT)
        if output.runs_as:
            self._past.started(self._begin, call, output.runs_as)
            return  # how it went is not known yet
        if output.text in _REJECTIONS:
            self._add("reject", call=call)
            return
        facts: dict[str, str] = {}
        if output.exit:
            facts["exit"] = output.exit
        elif output.text.startswith("aborted"):
            facts["interrupted"] = "1"
        elif output.text.startswith(_DENIALS):
            facts["denied"] = "1"
        ok = output.ok and "denied" not in facts
        starter = self._past.starter(self._begin, call)
        self._add("result", text=output.text, call=starter or call, ok=ok, facts=facts or _NO_FACTS)

    def _tokens(self, line: Line) -> None:
        info = value_of(line.body.info, _INFO)
        if info is not None and info.last_token_usage is not None:
            used, window = info.last_token_usage.total_tokens, info.model_context_window
            self._usage = Event(
                "usage", self._pos, self._session, self._at, used=used or 0, window=window or 0
            )

    def _compacted(self, line: Line) -> None:
        if self._usage is not None:
            self._events.append(self._usage)
            self._usage = None
        uid = f"compacted-{self._pos}"
        self._events.append(Event("compact", self._pos, self._session, self._at, name="auto", uid=uid))
        self._add("usage")
        summary = (line.body.message or "").strip()
        if summary.startswith(_SUMMARY_BEGINS):
            summary = summary.partition(":\n")[2]
        if summary:  # newer hosts encrypt it
            text = clip(summary, LONGEST_SUMMARY)
            self._events.append(
                Event("compact", self._pos, self._session, self._at, text, name="summary", parent=uid)
            )

    def _aborted(self, line: Line) -> None:
        if line.body.reason in (None, "interrupted"):
            self._add("interrupt")

    def _rolled_back(self, line: Line) -> None:
        self._past.rolled_back(self._begin, line.body.num_turns or 0)

    def _failed(self, line: Line) -> None:
        self._add("error", text=clip(line.body.message or "", LONGEST_RESULT))

    def _about(self, facts: Mapping[str, str]) -> None:
        if "title" in facts and not facts["title"]:
            return
        new = {key: value for key, value in facts.items() if value and self._facts.get(key) != value}
        if new:
            self._facts.update(new)
            self._add("about", facts=new)

    def _add(
        self,
        kind: str,
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
        # fmt: off
        self._events.append(Event(
            kind, self._pos, self._session, self._at, text, name, call, ok, command, path,
            steps=steps, facts=facts,
        ))
        # fmt: on


def human(text: str) -> str:
    """What the person wrote, without what an editor puts before it; empty if it is all the host's."""
    text = text.strip()
    if text.startswith(_EDITOR_BEGINS):
        text = text.partition(_EDITOR_ENDS)[2].strip() or text
    return "" if text.startswith(_HOST_WORDS) else text


class _Usage(Struct, gc=False):
    total_tokens: int | None = None


class _Info(Struct, gc=False):
    last_token_usage: _Usage | None = None
    model_context_window: int | None = None


_ITEM = Decoder(Item)
_TEXT = Decoder(str)
_INFO: Decoder[_Info | None] = Decoder(_Info | None)
_EDITOR_BEGINS = ("# Context from my IDE setup:", "# Files mentioned by the user:")
_EDITOR_ENDS = "## My request for Codex:"
_HOST_WORDS = (
    "# AGENTS.md instructions for ",
    "<INSTRUCTIONS>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<user_action>",
    "<hook_prompt",
    "<goal_context>",
    "<skill>",
)
_REJECTIONS = ("exec command rejected by user", "patch rejected by user")
_DENIALS = (
    "This action was rejected due to unacceptable risk",
    "approval policy is ",
    "approval required by policy",
    "rejected by user approval settings",
    "patch rejected: ",
    "writing outside of the project",
)
_SUMMARY_BEGINS = "Another language model started to solve this problem"
_HANDLERS: dict[str, Callable[[Events, Line], None]] = {
    "session_meta": Events._meta,
    "turn_context": Events._turn,
    "compacted": Events._compacted,
    "user_message": Events._user_message,
    "agent_message": Events._agent_message,
    "item_completed": Events._item,
    "token_count": Events._tokens,
    "turn_aborted": Events._aborted,
    "thread_rolled_back": Events._rolled_back,
    "thread_name_updated": Events._named,
    "patch_apply_end": Events._patch_end,
    "error": Events._failed,
    "message": Events._message,
    "function_call": Events._function_call,
    "custom_tool_call": Events._custom_call,
    "local_shell_call": Events._shell_call,
    "web_search_call": Events._web_call,
    "function_call_output": Events._output,
    "custom_tool_call_output": Events._output,
}


def _spoken(text: str) -> str:
    """What the agent said, without the lines by which it tells its window what to show."""
    return (_DIRECTIVE.sub("", text) if "::" in text else text).strip()


_DIRECTIVE = re.compile(r"^::[\w-]+\{.*\}[ \t]*$\n?", re.MULTILINE)
