"""When aider's prompts were typed: the chat history does not say, the input history beside it does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from nanoctx.sources.local_time import local_epoch

INPUTS = ".aider.input.history"
LARGEST = 16 << 20  # only the latest of a longer one

Typed = Sequence[tuple[float, str]]


def typed(log: Path) -> Typed:
    """What was typed and when, in order of time; nothing if there is no input history."""
    try:
        with open(log.with_name(INPUTS), "rb") as file:
            file.seek(max(0, file.seek(0, 2) - LARGEST))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ()
    found: list[tuple[float, str]] = []
    at, lines = None, list[str]()
    for line in (*text.splitlines(), "#"):
        if line.startswith("+"):
            lines.append(line[1:])
        elif line.startswith("#"):
            if at is not None:
                found.append((at, plain("\n".join(lines))))
            at, lines = local_epoch(line[1:].strip()), []
    return sorted(found)


def time_of(text: str, inputs: Typed, begin: float, end: float | None) -> float | None:
    """When this was typed, not before `begin` and not after `end`."""
    wanted = plain(text)
    for at, words in inputs[bisect_left(inputs, (begin, "")) :]:
        if end is not None and at >= end:
            return None
        if words == wanted:
            return at
    return None


def plain(text: str) -> str:
    return " ".join(text.split())
