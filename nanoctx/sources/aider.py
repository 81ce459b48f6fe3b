"""Aider's chat history: one endless Markdown file in the root of a repository, launch after launch."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nanoctx.model import Batch, Cursor
from nanoctx.sources import lines as line_logs
from nanoctx.sources.aider_times import typed
from nanoctx.sources.folders import began_in
from nanoctx.sources.lines import LogLines

NAME = "aider"
HISTORY = ".aider.chat.history.md"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """Aider keeps no list of its repositories: only those we are asked about are looked at."""
    named = Path(env.get("AIDER_CHAT_HISTORY_FILE", "").strip().replace("~/", f"{home}/", 1))
    places = [project / name for project in projects or () for name in (HISTORY, named) if name != Path()]
    if named.is_absolute() and began_in(str(named.parent), projects):
        places.append(named)
    for log in dict.fromkeys(places):
        if log.is_file() and began_in(str(log.parent), projects):
            yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    """What an answer meant shows only behind it, so the last session is told anew when it grew."""
    from nanoctx.sources.aider_events import Events

    with LogLines(log, cursor, until_line) as news:
        if cursor.offset and not news.restarted and next(iter(news), None) is None:
            return Batch((), news.cursor)
    in_place = log.name == HISTORY
    lines = _FromLastSession(log, cursor, until_line)
    with lines:
        events = Events(str(log.absolute().parent) if in_place else "", typed(log) if in_place else ())
        while True:
            before = lines.cursor.offset
            for pos, line in lines:
                is_start = events.take(pos, line.decode("utf-8", "replace").rstrip("\r\n"))
                if is_start and lines.is_long:
                    return Batch(events.finish(), lines.cursor, lines.skipped, lines.told_before)
            if lines.at_end or lines.cursor.offset == before:
                told = events.finish()
                return Batch(told, lines.cursor, lines.skipped, lines.told_before, lines.at_end)
            lines.go_on()


class _Start(NamedTuple):
    """A line that begins a session: where it stands, how many lines from there on were read, its time."""

    offset: int
    lines: int
    time: bytes


class _FromLastSession(LogLines):
    """The lines from where the last session begins that was read before, in as many parts as it takes."""

    def __init__(self, log: Path, cursor: Cursor, until_line: int | None) -> None:
        super().__init__(log, cursor, until_line)
        self.told_before = self.restarted
        if not cursor.offset or self.restarted:
            return
        end = self._offset
        start = self._start_before(end) or _Start(0, self._lines, b"")
        # Sessions that began in the same second are told apart by their number among each other.
        while start.time and (earlier := self._start_before(start.offset)) and earlier.time == start.time:
            start = _Start(earlier.offset, start.lines + earlier.lines, start.time)
        self.told_before = start.lines > 1  # of a session with no more than its first line nothing was told
        self._offset = self._first = self._begin = start.offset
        self._lines -= start.lines

    @property
    def is_long(self) -> bool:
        return self._offset - self._begin >= line_logs.BATCH

    def go_on(self) -> None:
        """One reading gives a bounded part; a session is told as a whole."""
        self._first = self._offset

    _begin = 0

    def _start_before(self, end: int) -> _Start | None:
        at, between = end, 0
        while at > 0:
            begin = max(0, at - _BLOCK)
            block = os.pread(self._file.fileno(), min(end, at + _LONGEST_START) - begin, begin)
            starts = [one for one in _START.finditer(block) if one.start() < at - begin]
            if starts:
                last = starts[-1]
                behind = block.count(b"\n", last.start(1), at - begin) if last.start(1) < at - begin else 0
                return _Start(begin + last.start(1), between + behind, last[2])
            between += block.count(b"\n", 0, at - begin)
            at = begin
        return None


# Aider writes an empty line before it.
_START = re.compile(rb"\n(# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \r]*\n)")
_LONGEST_START = 64
_BLOCK = 1 << 18
