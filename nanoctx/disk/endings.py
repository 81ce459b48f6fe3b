"""How hosts said that sessions ended, as their hooks told us: many logs do not say so. Only a cache."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nanoctx.disk import files
from nanoctx.errors import DiskError

HOW = ("exit", "clear")
MOST = 200


class Ending(NamedTuple):
    how: str
    at: datetime


def add(state: Path, session: str, how: str, at: datetime) -> None:
    files.append(_path(state), f"{at.timestamp():.0f} {how} {session}")


def load(state: Path) -> dict[str, Ending]:
    """By session; the latest word counts, and what cannot be read counts for nothing."""
    try:
        lines = files.read(_path(state)).text.splitlines()
    except DiskError:
        return {}
    found: dict[str, Ending] = {}
    for line in lines[-MOST:]:
        at, _, rest = line.partition(" ")
        how, _, session = rest.partition(" ")
        if at.isdigit() and how in HOW and session and len(at) < 12:
            found[session] = Ending(how, datetime.fromtimestamp(int(at), UTC))
    return found


def shorten(state: Path) -> None:
    """Forget the oldest once there are many."""
    kept = files.read(_path(state)).text.splitlines()
    if len(kept) > 2 * MOST:
        files.write(_path(state), "\n".join(kept[-MOST:]) + "\n", durable=False)


def _path(state: Path) -> Path:
    return state / "endings"
