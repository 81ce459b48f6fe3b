"""What the background process says of itself: lines of its log, and the state that `status` shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from nanoctx.daemon.charge import Charge
from nanoctx.daemon.journal import log

MOST_NEWS = 200


class Telling:
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._number = 0
        self.news: deque[dict[str, Any]] = deque(maxlen=MOST_NEWS)

    def say(self, text: str, held: Charge | None = None, *, error: bool = False, trace: str = "") -> None:
        """Tell what happened, in the log and to whoever asks; an error stays with its workspace."""
        owner = str(held.root) if held is not None else ""
        said = f"{owner}: {text}" if owner else text
        (log.warning if error else log.info)("%s%s", said, f"\n{trace}" if trace else "")
        self._number += 1
        at = self._now().isoformat(timespec="seconds")
        self.news.append({"number": self._number, "at": at, "workspace": owner, "text": text, "error": error})
        if error and held is not None:
            held.errors.append(text)


def told_of(one: Charge, next_cycle: datetime | None) -> dict[str, Any]:
    """One workspace."""
    return {
        "workspace": str(one.root),
        "there": not one.absent,
        "working": one.task is not None,
        "wants": dict(one.wants),
        "last_look": _iso(one.last_look),
        "last_cycle": _iso(one.last_cycle),
        "next_cycle": _iso(next_cycle),
        "page_true_until": _iso(one.boundary),
        "took": round(one.took, 3),
        "lag": round(one.lag, 3),
        "looks": one.looks,
        "writes": one.writes,
        "errors": list(one.errors),
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat(timespec="seconds") if moment else None
