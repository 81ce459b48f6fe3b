"""How full a host said that its window is, as its status line is told: its log may not say. Only a cache."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nanoctx.disk import files
from nanoctx.errors import DiskError

AGENT = "claude-code"  # no other has a status line that is told
NAME = "fullness"
MOST = 200
STEP = 0.05  # a host that says the same again is not noted before it is so much more or less


class Fullness(NamedTuple):
    share: float  # of the whole window
    at: datetime


def add(state: Path, session: str, percent: int, at: float) -> None:
    files.append(state / NAME, f"{at:.0f} {percent} {session}")


def load(state: Path) -> dict[str, Fullness]:
    """By session; the latest word counts, and what cannot be read counts for nothing."""
    try:
        lines = files.read(state / NAME).text.splitlines()
    except DiskError:
        return {}
    found: dict[str, Fullness] = {}
    for line in lines[-MOST:]:
        at, _, rest = line.partition(" ")
        percent, _, session = rest.partition(" ")
        if at.isdecimal() and percent.isdecimal() and session and len(at) < 12 and len(percent) < 4:
            share = min(1.0, int(percent) / 100)
            found[session] = Fullness(share, datetime.fromtimestamp(int(at), UTC))
    return found


def shorten(state: Path) -> None:
    """Forget the oldest once there are many."""
    kept = files.read(state / NAME).text.splitlines()
    if len(kept) > 2 * MOST:
        files.write(state / NAME, "\n".join(kept[-MOST:]) + "\n", durable=False)
