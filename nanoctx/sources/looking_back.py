"""Finds a record that an earlier read has passed, as a source remembers nothing between reads."""

from __future__ import annotations

from pathlib import Path


def line_before(log: Path, end: int, needle: bytes) -> bytes:
    """The last line before byte `end` that holds the needle, sought a good way back; empty if there is none.

    A line that begins further back than that is not given.
    """
    size = _FIRST_LOOK
    try:
        with open(log, "rb") as file:
            while True:
                begin = max(0, end - size)
                file.seek(begin)
                block = file.read(end - begin)
                found = block.rfind(needle)
                at = block.rfind(b"\n", 0, found) + 1 if found >= 0 else 0
                if found >= 0 and (at or not begin):
                    return block[at:].partition(b"\n")[0]
                if not begin or size >= _LOOK_BACK:
                    return b""
                size *= 16
    except OSError:
        return b""  # the log went away: whoever reads it next will say so


_FIRST_LOOK = 1 << 14
_LOOK_BACK = 4 << 20
