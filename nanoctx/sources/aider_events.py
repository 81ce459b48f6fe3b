"""Turns the lines of aider's chat history into events."""

from __future__ import annotations

import re

from msgspec.structs import replace

from nanoctx.model import Event
from nanoctx.sources.aider_answers import answer_of, closes, fence_of, slashed
from nanoctx.sources.aider_times import Typed, plain, time_of
from nanoctx.sources.base import clip
from nanoctx.sources.limits import LONGEST_COMMAND, LONGEST_PROMPT, LONGEST_RESULT, LONGEST_SAY, LONGEST_TEXT
from nanoctx.sources.local_time import local_epoch
from nanoctx.sources.telling import At, Telling


class Events:
    """Collects the events of one read, launch by launch. `take` the lines in order, then `finish`."""

    def __init__(self, cwd: str, inputs: Typed) -> None:
        self._cwd, self._inputs = cwd, inputs
        self._told: list[Event] = []
        self._session: _Session | None = None
        self._time, self._number = "", 1

    def take(self, pos: int, line: str) -> bool:
        """True if the line begins a session."""
        started = _STARTED.fullmatch(line) if line.startswith("# ") else None
        time = local_epoch(started[1]) if started else None
        if started is None or time is None:
            if self._session is None and line.strip():  # a history that was cut
                self._session = _Session("undated", pos, None, self._cwd)
            if self._session is not None:
                self._session.take(pos, line)
            return False
        self._close(time)
        self._number = self._number + 1 if started[1] == self._time else 1
        self._time = started[1]
        id = self._time.replace(" ", "T") + (f"#{self._number}" if self._number > 1 else "")
        self._session = _Session(id, pos, time, self._cwd)
        return True

    def finish(self) -> tuple[Event, ...]:
        self._close(None)
        return tuple(self._told)

    def _close(self, end: float | None) -> None:
        if self._session is not None:
            self._told += self._session.finish(self._inputs, end)


class _Session:
    """One launch of aider.

    Aider writes `#### ` before a person's words and `> ` before its own, and ends both with two spaces. The
    model's words stand as they are, so its own headings and quotes are told by the missing spaces.
    """

    def __init__(self, id: str, pos: int, time: float | None, cwd: str) -> None:
        self._telling = Telling(id)
        self._telling.time(pos, time)
        self._telling.about(At(pos, time), cwd=cwd)
        self._time = time
        self._typed: dict[int, str] = {}  # where what was typed stands
        self._mode = "ui"  # prompt | ui | report (lines of aider's own that go on without a mark) | answer
        self._marked = False  # the two spaces are there: an editor may have stripped them
        self._after_blank = True
        self._fence = ""
        self._lines: list[str] = []  # of the prompt or the answer that is being read
        self._pos = pos  # and where it begins
        self._answer = ""  # the last one
        self._edits: dict[str, str] = {}  # and its edits
        self._echo = ""  # `/ask x` is followed by x
        self._test = ""  # call of a test whose end is not known
        self._busy = self._failing = self._refused = self._by_person = False
        self._subject = ""  # the line before a question tells what it is about

    def take(self, pos: int, line: str) -> None:
        is_blank = not line.strip()
        if self._mode == "answer" and not line.startswith((">", "#")):  # as most lines
            self._lines.append(line)
            self._follow_fence(line)
            self._after_blank = is_blank
            return
        ends = line.endswith("  ")
        if self._is_prompt(line, ends):
            self._enter("prompt", pos)
            self._lines.append(line[5:].rstrip())
        elif self._is_ui(line, ends):
            self._marked = self._marked or ends
            self._enter("ui" if ends or not self._marked else "report", pos)
            self._ui(At(pos), line[1:].strip())
        elif self._mode == "report":
            self._report(At(pos), line)
            self._mode = "ui" if ends else "report"
        elif not is_blank or self._mode == "answer":
            self._enter("answer", pos)
            self._lines.append(line)
            self._follow_fence(line)
        else:
            self._enter("ui", pos)
        self._after_blank = is_blank

    def finish(self, inputs: Typed, end: float | None) -> list[Event]:
        """Nothing, if nothing was said or done: aider is often started twice before it is used."""
        self._enter("ui", self._pos)
        told: list[Event] = []
        begin = self._time or 0.0
        for event in self._telling.finish():
            words = self._typed.get(event.pos) if event.kind in ("prompt", "slash") else None
            at = time_of(words, inputs, begin, end) if words else None
            begin = at or begin
            told.append(replace(event, at=at) if at else event)
        return told if any(event.kind in ("prompt", "say", "tool") for event in told) else []

    def _is_prompt(self, line: str, ends: bool) -> bool:
        if not line.startswith("#### ") and line != "####":
            return False
        return ends and not self._fence if self._marked else self._mode != "answer"

    def _is_ui(self, line: str, ends: bool) -> bool:
        if not line.startswith("> ") and line != ">":
            return False
        if ends or not self._marked:
            return not self._fence or bool(_SURE.match(line))
        return self._mode in ("ui", "prompt") and not self._after_blank

    def _enter(self, mode: str, pos: int) -> None:
        """What was being read is complete if something else begins."""
        if mode == self._mode and mode != "ui":
            return
        lines, self._lines = self._lines, []
        if self._mode == "prompt":
            self._close_prompt(At(self._pos), "\n".join(lines).strip())
        elif self._mode == "answer":
            self._close_answer(At(self._pos), lines)
        self._mode, self._pos, self._fence = mode, pos, ""

    def _follow_fence(self, line: str) -> None:
        if not self._fence:
            self._fence = fence_of(line)
        elif closes(line, self._fence):
            self._fence = ""

    # -- what the person typed ---------------------------------------------------------------------------

    def _close_prompt(self, at: At, text: str) -> None:
        self._end_test(at, ok=True)
        words = plain(text)
        echo, self._echo = self._echo, ""
        if not text or text == "<blank>" or _CONFIRMATION.search(text) or text.startswith("# Question: "):
            return
        if words == echo or self._is_architects(words):
            return
        self._typed[at.pos] = text
        if text.startswith(_WATCH):
            comments = [line[1:].strip() for line in text.split("\n") if line.startswith("█")]
            self._telling.add("slash", at, name="watch", text=clip("\n".join(comments), LONGEST_PROMPT))
        elif text.startswith(("/", "!")) or _MISTYPED.fullmatch(text):
            self._command(at, text)
        else:
            self._prompt(at, text)

    def _prompt(self, at: At, text: str, slash: str = "") -> None:
        facts = {"slash": slash} if slash else {}
        self._telling.add("prompt", at, text=clip(text, LONGEST_PROMPT), facts=facts)
        self._busy, self._failing = True, False

    def _is_architects(self, words: str) -> bool:
        """The architect's answer is given to the editor as if a person had typed it."""
        return bool(words) and (words == self._answer or (len(words) > 200 and words[:200] in self._answer))

    def _command(self, at: At, text: str) -> None:
        name, _, arguments = text.partition(" ")
        arguments = arguments.strip()
        if name in _CHATS and arguments:
            self._echo = plain(arguments)
            self._prompt(at, arguments, slash=name)
            return
        self._telling.add("slash", at, name=name, text=clip(arguments, LONGEST_PROMPT))
        if name == "/test" and arguments:
            self._test = self._shell(at, arguments)
        elif name in ("/exit", "/quit"):
            self._telling.add("end", at, name="exit")

    # -- what the model said -----------------------------------------------------------------------------

    def _close_answer(self, at: At, lines: list[str]) -> None:
        self._end_test(at, ok=True)
        self._answer = plain("\n".join(lines))
        prose, self._edits = answer_of(lines)
        if prose:
            self._telling.add("say", at, text=clip(prose, LONGEST_SAY))

    # -- what aider reports ------------------------------------------------------------------------------

    def _ui(self, at: At, text: str) -> None:
        if tokens := _TOKENS.match(text):
            self._busy = self._failing = False
            self._telling.use(at, _count(tokens[1]) + _count(tokens[2]))
        elif found := _APPLIED.match(text):
            self._edit(at, found[1])
        elif found := _COMMIT.match(text):
            # A person's edits that aider commits before its own are not its work.
            if not self._by_person:
                self._end(at, self._shell(at, "git commit"), f"[HEAD {found[1]}] {found[2]}", ok=True)
            self._by_person = False
        elif found := _UNDONE.match(text):
            self._end(at, self._shell(at, "git reset --soft HEAD~1"), text, ok=True)
        elif found := _RUNNING.match(text):
            self._shell(at, found[1])
        elif found := _CONFIRMATION.search(text):
            self._confirmed(at, text, found[1].lower().startswith("n"))
        elif found := _SKIPPED.match(text):
            if self._refused:
                self._reject(at, self._edit(at, found[1]))
        elif text.startswith("litellm."):
            if not self._failing:
                self._telling.add("error", at, text=clip(text, LONGEST_RESULT))
            self._busy, self._failing = False, True
        elif text.startswith("Retrying in ") or text == "Processing your request...":
            self._busy = True
        elif _OUTPUT.match(text):
            self._end_test(at, ok=False)
        elif text == "^C again to exit":
            self._test = ""
            if self._busy:
                self._telling.add("interrupt", at)
            self._busy = False
        elif text == "^C KeyboardInterrupt":
            self._telling.add("end", at, name="exit")
        elif text.startswith("Committing "):
            self._by_person = True
        else:
            self._about(At(at.pos, self._time), text)
        self._refused = self._refused and not _SKIPPED.match(text)
        self._subject = text

    def _about(self, at: At, text: str) -> None:
        if found := _VERSION.match(text):
            self._telling.about(at, version=found[1])
        elif found := _MODEL.match(text):
            self._telling.about(at, model=found[1])
        elif found := _FOLDER.match(text):
            self._telling.about(at, cwd=found[1])
        elif _SCRIPTED.search(text):
            self._telling.about(at, headless="1")

    def _confirmed(self, at: At, question: str, refused: bool) -> None:
        self._refused = refused
        if refused and question.startswith("Run shell command"):
            self._reject(at, self._shell(at, self._subject))

    def _report(self, at: At, line: str) -> None:
        if found := _NO_MATCH.match(line):
            self._end(at, self._edit(at, found[1]), "The text to replace was not found.", ok=False)

    def _edit(self, at: At, path: str) -> str:
        path = slashed(path)
        text = clip(self._edits.get(path, ""), LONGEST_TEXT)
        self._telling.add("tool", at, name="edit", call=f"edit-{at.pos}", path=path, text=text)
        return f"edit-{at.pos}"

    def _shell(self, at: At, command: str) -> str:
        call = f"shell-{at.pos}"
        self._telling.add("tool", at, name="shell", call=call, command=clip(command, LONGEST_COMMAND))
        return call

    def _end(self, at: At, call: str, text: str, *, ok: bool) -> None:
        self._telling.add("result", at, call=call, ok=ok, text=clip(text, LONGEST_RESULT))

    def _end_test(self, at: At, *, ok: bool) -> None:
        """Aider takes a test's output into the chat only if the test failed, and says no more of it."""
        if self._test:
            self._end(at, self._test, "" if ok else "The tests failed.", ok=ok)
        self._test = ""

    def _reject(self, at: At, call: str) -> None:
        self._telling.add("reject", at, call=call)


def _count(tokens: str) -> int:
    return int(float(tokens.rstrip("k")) * (1000 if tokens.endswith("k") else 1))


_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) *")
_SURE = re.compile(r"> (?:Tokens: |\^C |Applied edit to |Commit [0-9a-f]{7})")  # even inside an open fence
_TOKENS = re.compile(r"Tokens: (\d+(?:\.\d+)?k?) sent,.*?(\d+(?:\.\d+)?k?) received")
_APPLIED = re.compile(r"Applied edit to (.+)")
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,40}) (.+)")
_UNDONE = re.compile(r"Removed: [0-9a-f]{7,40} ")
_RUNNING = re.compile(r"Running (.+)")
_CONFIRMATION = re.compile(r"\(Y\)es/\(N\)o.*\[(?:Yes|No)\]: ?(.*)\Z")
_SKIPPED = re.compile(r"Skipping edits to (\S+)\Z")
_OUTPUT = re.compile(r"Added \d+ lines? of output to the chat")
_NO_MATCH = re.compile(r"## SearchReplaceNoExactMatch: .* lines in (.+)")
_VERSION = re.compile(r"Aider v(\S+)\Z")
_MODEL = re.compile(r"(?:Main model|Model): (\S+) with ")
_FOLDER = re.compile(r"Git (?:working dir:|repository created in) (.+)")
_SCRIPTED = re.compile(r"\baider\S* (?:.* )?(?:--message|--msg|-m|--message-file|-f)\b")
_MISTYPED = re.compile(r"-\w+")
_CHATS = frozenset(("/ask", "/code", "/architect", "/context"))
_WATCH = ('Find the "AI" comments below', "I've written your instructions in comments")
