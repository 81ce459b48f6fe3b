"""Reads a growing line log: only complete lines, from where the last look ended, in bounded memory."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

import msgspec

from nanoctx.errors import LogUnreadable, UsageError
from nanoctx.model import Cursor
from nanoctx.sources.base import repaired

LONGEST_LINE = 4 << 20  # a longer line is not held in memory as it is
BATCH = 24 << 20  # bytes of lines that one reading gives; the next one goes on from there


class LogLines:
    """The complete lines of a log behind a cursor, as (number, bytes). Iterate, then take the new `cursor`.

    One reading gives a bounded part of a long log. A last line without its newline is half written and
    waits, unless it is a whole JSON object: logs that were cut or copied often end so. What is later added
    up to the newline belongs to that line.
    """

    def __init__(self, log: Path, cursor: Cursor, until_line: int | None = None) -> None:
        self._log = log
        self._until = until_line
        self.skipped = 0  # lines too long even without their long strings
        self.start = 0  # where the current line begins
        self.at_end = False  # no complete line is left
        if until_line is not None and until_line < 1:
            raise UsageError("The line to read up to must be 1 or more.")
        try:
            if not stat.S_ISREG(log.stat().st_mode):
                raise LogUnreadable(f"{log} is not a file; name a session log.")
            self._file = open(log, "rb", buffering=_BLOCK)  # noqa: SIM115, closed by __exit__
            self._stat = os.fstat(self._file.fileno())
            self.restarted = cursor.offset > 0 and not self._continues(cursor)
        except OSError as error:
            raise LogUnreadable(f"Cannot read {log}: {error.strerror}; check the path.") from error
        self._offset, self._lines = (0, 0) if self.restarted else (cursor.offset, cursor.lines)
        self._first = self._offset
        self._looked_back = 0  # never much more than was read: looking back must not cost more than reading

    def __enter__(self) -> LogLines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        try:
            yield from self._read()
        except OSError as error:
            raise LogUnreadable(f"Reading {self._log} failed: {error.strerror}; try again.") from error
        if self.at_end and self._until is not None and self._lines < self._until:
            raise UsageError(f"{self._log} has only {self._lines} complete lines; name one of them.")

    @property
    def cursor(self) -> Cursor:
        return Cursor(
            device=self._stat.st_dev,
            inode=self._stat.st_ino,
            offset=self._offset,
            lines=self._lines,
            head=self._fingerprint(self._offset),
        )

    def line_holding(self, needle: bytes, pos: int) -> int | None:
        """A line before the current one, `pos`, that holds the needle; sought from here a good way back."""
        end, newlines, size = self.start, 0, _FIRST_LOOK_BACK
        floor = max(0, end - _LOOK_BACK)
        while end > floor and self._looked_back <= _LOOK_BACK + self._offset - self._first:
            begin = max(floor, end - size)
            self._looked_back += end - begin
            block = os.pread(self._file.fileno(), end - begin + len(needle) - 1, begin)
            found = block.find(needle)
            if found >= 0:
                return pos - newlines - block.count(b"\n", found, end - begin)
            newlines += block.count(b"\n", 0, end - begin)
            end, size = begin, _BLOCK
        return None

    def _read(self) -> Iterator[tuple[int, bytes]]:
        self._file.seek(self._offset)
        if not self._past_the_line_already_read():
            return
        readline, longest = self._file.readline, LONGEST_LINE
        offset, pos = self._offset, self._lines
        last = self._until if self._until is not None else float("inf")
        while pos < last and offset - self._first < BATCH:
            got = readline(longest)
            line, size = (got, len(got)) if got.endswith(b"\n") else self._unended(got)
            if not size:
                self.at_end = True
                return
            pos += 1
            self.start = offset
            self._offset = offset = offset + size
            self._lines = pos
            if line is None:
                self.skipped += 1
            else:
                yield pos, line

    def _unended(self, line: bytes) -> tuple[bytes | None, int]:
        """What `readline` gave without a newline, made whole, and its size; size 0 if it must wait."""
        if len(line) < LONGEST_LINE:
            return (line, len(line)) if _is_object(line) else (None, 0)
        size, ended = 0, False

        def blocks() -> Iterator[bytes]:
            nonlocal size, ended
            for begin in range(0, len(line), _BLOCK):
                yield line[begin : begin + _BLOCK]
            size = len(line)
            while not ended and (block := self._file.readline(_BLOCK)):
                size += len(block)
                ended = block.endswith(b"\n")
                yield block

        rest = blocks()
        whole = elided(rest)
        for _ in rest:  # what `elided` gave up on still has to be passed
            pass
        if ended or (whole is not None and _is_object(whole)):
            return whole, size
        return None, 0

    def _past_the_line_already_read(self) -> bool:
        if not self._offset or os.pread(self._file.fileno(), 1, self._offset - 1) == b"\n":
            return True
        size = 0
        while part := self._file.readline(_BLOCK):
            size += len(part)
            if part.endswith(b"\n"):
                self._offset += size
                return True
        return False

    def _continues(self, cursor: Cursor) -> bool:
        same_file = (self._stat.st_dev, self._stat.st_ino) == (cursor.device, cursor.inode)
        return same_file and self._fingerprint(cursor.offset) == cursor.head

    def _fingerprint(self, offset: int) -> str:
        """Of the first bytes and those before `offset`: a log shortened or rewritten in place has another."""
        if not offset:
            return ""
        number = self._file.fileno()
        begin = max(0, offset - _TAIL)
        known = os.pread(number, min(_HEAD, offset), 0) + os.pread(number, offset - begin, begin)
        return blake2b(known, digest_size=8).hexdigest()


def elided(blocks: Iterable[bytes]) -> bytes | None:
    """A long line of JSON with its long strings cut to their heads; None if even that is too long."""
    kept = bytearray()
    carried = b""
    inside = cut = False  # a string; of which no more is kept
    length = 0
    for block in blocks:
        block = carried + block
        carried = b"\\" if (len(block) - len(block.rstrip(b"\\"))) % 2 else b""
        block = block[: len(block) - len(carried)]  # an escape cut in two is read with the next block
        # With escaped quotes masked, at their length, every quote left is the begin or end of a string.
        masked = block.replace(b"\\\\", b"..").replace(b'\\"', b"..")
        at = 0
        while at < len(block):
            quote = masked.find(b'"', at)
            end = quote if quote >= 0 else len(block)
            if not inside:
                kept += block[at:end]
            elif not cut:
                room = (_LONGEST_STRING if len(kept) < _ROOMY else _SHORT_STRING) - length
                kept += block[at : min(end, at + max(room, 0))]
                length += end - at
                if cut := end - at > room:
                    _drop_broken_end(kept)
            if quote < 0:
                break
            kept += b'"'
            inside, cut, length, at = not inside, False, 0, quote + 1
        if len(kept) > LONGEST_LINE:
            return None
    return bytes(kept)


def _drop_broken_end(text: bytearray) -> None:
    """Take away an escape or a character that was cut in two."""
    escape = text.rfind(b"\\", max(0, len(text) - 6))
    if escape >= 0:
        del text[escape:]
        before = 0
        while text[-1 - before] == 0x5C:
            before += 1
        if before % 2:  # what was found was not an escape's first character but its second
            del text[-1]
    while text and text[-1] & 0xC0 == 0x80:
        del text[-1]
    if text and text[-1] >= 0xC0:
        del text[-1]


def _is_object(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    for attempt in (bytes, repaired):
        try:
            _ANY.decode(attempt(line))
            return True
        except (ValueError, RecursionError):
            pass
    return False


_BLOCK = 1 << 18
_HEAD = 1024
_TAIL = 64
_FIRST_LOOK_BACK = 1 << 14
_LOOK_BACK = 8 << 20
_LONGEST_STRING = 64 << 10
_SHORT_STRING = 128  # once this much of a line is kept:
_ROOMY = LONGEST_LINE // 2
_ANY = msgspec.json.Decoder(msgspec.Raw)
