"""What later lines of a Codex rollout refer to: earlier calls, and prompts that are taken back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from nanoctx.model import Cursor

REACH = 2 << 20  # bytes: what stands further back is out of reach, however the log is read

# Lines that say something of this kind.
WORTH_KNOWING = re.compile(
    rb'"user_message"|"UserMessage"|"thread_rolled_back"|Process running with session ID|"write_stdin"'
    rb'|\*\*\* Begin Patch|"request_user_input"|"role":\s*"user"'
)


class Past:
    """`at` is always the byte at which the current line begins."""

    def __init__(self) -> None:
        self._running: dict[str, tuple[int, str]] = {}  # process: the call that started it
        self._polls: dict[str, tuple[int, str]] = {}  # call: the process it asked
        self._patches: dict[str, int] = {}  # calls that told their edits themselves
        self._questions: dict[str, tuple[int, dict[str, str]]] = {}
        self._prompts: list[tuple[int, int]] = []
        self._back_to: tuple[int, int] | None = None

    def started(self, at: int, call: str, process: str) -> None:
        if call not in self._polls:
            self._running[process] = (at, call)

    def polled(self, at: int, call: str, process: str) -> None:
        self._polls[call] = (at, process)

    def starter(self, at: int, call: str) -> str | None:
        """The call that started the process which this one asked; None if this is no such call."""
        asked, process = self._polls.get(call, (-1, ""))
        if asked < 0:
            return None
        began, starter = self._running.get(process, (-1, ""))
        return starter if starter and _in_reach(began, at) and _in_reach(asked, at) else call

    def patched(self, at: int, call: str) -> None:
        self._patches[call] = at

    def was_patched(self, at: int, call: str) -> bool:
        return _in_reach(self._patches.get(call, -1), at)

    def asked(self, at: int, call: str, questions: dict[str, str]) -> None:
        self._questions[call] = (at, questions)

    def questions(self, at: int, call: str) -> dict[str, str]:
        asked, questions = self._questions.get(call, (-1, {}))
        return questions if _in_reach(asked, at) else {}

    def prompted(self, at: int, pos: int) -> int | None:
        """Note a prompt; the line it follows, if prompts before it were taken back."""
        self._prompts = [prompt for prompt in self._prompts if _in_reach(prompt[0], at)]
        self._prompts.append((at, pos))
        back_to, self._back_to = self._back_to, None
        return back_to[1] if back_to and _in_reach(back_to[0], at) else None

    def rolled_back(self, at: int, turns: int) -> None:
        known = [prompt for prompt in self._prompts if _in_reach(prompt[0], at)]
        if turns > 0 and known:
            kept = max(0, len(known) - turns)
            self._back_to = (at, known[kept][1] - 1)
            self._prompts = known[:kept]


def lines_before(log: Path, cursor: Cursor) -> Iterator[tuple[int, bytes, int]]:
    """Lines in reach that are worth knowing when a log is read on from here: number, bytes, begin."""
    begin = max(0, cursor.offset - REACH)
    with open(log, "rb") as file:
        file.seek(max(0, begin - 1))
        if begin:
            file.readline()
        begin = file.tell()
        lines = file.read(max(0, cursor.offset - begin)).splitlines(keepends=True)
    pos = cursor.lines - len(lines)
    for line in lines:
        pos += 1
        if WORTH_KNOWING.search(line):
            yield pos, line, begin
        begin += len(line)


def _in_reach(begin: int, at: int) -> bool:
    return begin >= 0 and at - begin <= REACH
