"""Reads a log that changes what it said before: whenever something was written, all of it is read again.

Some agents write a file anew at each save, some take back or complete earlier records in later ones. What
such a log says is known only at its end, so a change makes a batch that is `restarted` and holds all events.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

from nanoctx.errors import LogUnreadable, UsageError
from nanoctx.model import Cursor
from nanoctx.sources.lines import LogLines

LARGEST_DOCUMENT = 64 << 20  # of a log that is one JSON document; a larger one is not read


def read_lines(
    log: Path, cursor: Cursor, until_line: int | None, take: Callable[[int, bytes], None]
) -> tuple[Cursor, int | None]:
    """Give all complete lines to `take`; the new cursor and how many were skipped, None if nothing is new."""
    if until_line is None and cursor.offset:
        with LogLines(log, cursor) as lines:
            if not lines.restarted and next(iter(lines), None) is None:
                return lines.cursor, None  # which may have passed the newline of a line read before
    at, skipped = Cursor(), 0
    while True:
        with LogLines(log, at, until_line) as lines:
            for pos, line in lines:
                take(pos, line)
            skipped += lines.skipped
            before, at = at, lines.cursor
            if lines.at_end or at == before:
                return at, skipped


def read_document(log: Path, cursor: Cursor, until_line: int | None) -> tuple[bytes, Cursor] | None:
    """The bytes of a log that is one document, and its cursor without `lines`; None if it did not change."""
    if until_line is not None:
        raise UsageError(f"{log} is no log of lines, so it cannot be read up to a line.")
    try:
        known = log.stat()
        if not stat.S_ISREG(known.st_mode):
            raise LogUnreadable(f"{log} is not a file; name a session log.")
        if known.st_size > LARGEST_DOCUMENT:
            raise LogUnreadable(f"{log} is larger than {LARGEST_DOCUMENT >> 20} MB, so it was not read.")
        content = log.read_bytes()
    except OSError as error:
        raise LogUnreadable(f"Cannot read {log}: {error.strerror}; check the path.") from error
    head = blake2b(content, digest_size=8).hexdigest()
    if cursor.offset and head == cursor.head:
        return None
    return content, Cursor(known.st_dev, known.st_ino, len(content), 0, head)
