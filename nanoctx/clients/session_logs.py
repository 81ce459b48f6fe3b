"""How a session began, as a log of JSON lines tells: all that counts stands before its first answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nanoctx.clients.base import OPENING, Beginning

_FURTHEST = 4 * 1024 * 1024  # bytes of a log within which its first answer stands


def beginning(log: Path, answer: bytes, delivered: Callable[[dict[str, Any]], str | None]) -> Beginning:
    """`answer` stands in a line with an answer; `delivered` finds in a record what of ours was given."""
    left, at = _FURTHEST, None
    with log.open("rb") as stream:
        while left > 0 and (line := stream.readline(left)):
            left -= len(line)
            if answer in line:
                break
            if at is not None and OPENING.encode() not in line:
                continue
            record = _record(line)
            at = at or _time(record)
            if (text := delivered(record)) is not None:
                return Beginning(at, True, not text.startswith(OPENING))
    return Beginning(at, False)


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _time(record: dict[str, Any]) -> datetime | None:
    try:
        return datetime.fromisoformat(record["timestamp"]).astimezone(UTC)
    except (KeyError, TypeError, ValueError):
        return None
