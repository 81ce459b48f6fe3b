"""How a project stands: from what was done and said in it, unless the person wrote it down themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from nanoctx.core import timeline
from nanoctx.model import Item

STATUSES = ("active", "paused", "blocked", "completed", "idle")
IDLE_AFTER = timedelta(days=14)

_LINE = re.compile(r"^([ \t]*[-*+][ \t]+Status:)[ \t]*([^\r\n]*)", re.MULTILINE)
_OURS = re.compile(rf"({'|'.join(STATUSES)}) \(since \d{{4}}-\d\d-\d\d\)")
_PROJECT = r"(?:this |the |our |my )?(?:whole |entire )?(?:project|repo(?:sitory)?)"
_SAID = (
    (re.compile(rf"\b(?:pause|park|shelve|freeze|put on hold)\s+{_PROJECT}\b", re.IGNORECASE), "paused"),
    (re.compile(rf"\b{_PROJECT} (?:is|goes) (?:paused|on hold|parked|on ice)\b", re.IGNORECASE), "paused"),
    (re.compile(rf"\b(?:put|set) {_PROJECT} on (?:hold|ice)\b", re.IGNORECASE), "paused"),
    (
        re.compile(
            rf"\b{_PROJECT} is (?:now )?(?:done|finished|completed?|archived|closed)\b", re.IGNORECASE
        ),
        "completed",
    ),
    (re.compile(rf"\b(?:resume|unpause|reopen|pick up)\s+{_PROJECT}\b", re.IGNORECASE), "active"),
)
_NOT_SAID = re.compile(r"\?|\b(?:if|when|once|until|not|n't|should|would|could|can)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Activity:
    """A session of a project, as far as it tells how the project stands."""

    at: datetime
    blocked: bool = False
    said: str = ""


def said(items: Iterable[Item]) -> str:
    """What the person said of the project as a whole; "" when nothing."""
    found = ""
    for item in items:
        if (
            item.by == "user"
            and item.kind in ("dec", "rule", "focus", "fact")
            and not _NOT_SAID.search(item.text)
        ):
            found = next((status for words, status in _SAID if words.search(item.text)), found)
    return found


def status(sessions: Iterable[Activity], now: datetime) -> tuple[str, datetime | None]:
    """How a project stands, and since when."""
    latest = max(sessions, key=lambda one: (one.at, one.said, one.blocked), default=None)
    if latest is None:
        return "active", None
    if latest.said:
        return latest.said, latest.at
    if now - latest.at > IDLE_AFTER:
        return "idle", latest.at
    return ("blocked" if latest.blocked else "active"), latest.at


def written(page: str) -> str | None:
    """The status on a project's page; None when it has no such line."""
    match = _LINE.search(page)
    return match[2].strip() if match else None


def is_ours(value: str, *, untouched: bool) -> bool:
    """Whether nobody but us has set it: it says since when, or stands on a page as it was laid out."""
    return bool(_OURS.fullmatch(value)) or untouched


def with_status(page: str, value: str, since: datetime | None, zone: tzinfo) -> str:
    """The page with another status; every other byte stays."""
    day = f" (since {timeline.local(since, zone)[:10]})" if since is not None else ""
    return _LINE.sub(lambda match: f"{match[1]} {value}{day}", page, count=1)
