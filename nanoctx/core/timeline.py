"""Time as people speak of it: how long ago, how long, what kind of session, and which day "tomorrow" was."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from nanoctx.core import gaps

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}

_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)
_STEPS = (5 * _MINUTE, 30 * _MINUTE, *(hours * _HOUR for hours in range(1, 25)))


@dataclass(frozen=True, slots=True)
class Gap:
    """The time since somebody was last here, in words, and what an agent should make of it."""

    words: str
    hint: str


def gap(last: datetime | None, now: datetime, tz: tzinfo) -> Gap:
    """What a pause is called on the calendar of that zone."""
    if last is None:
        return Gap(*gaps.FIRST)
    days = (now.astimezone(tz).date() - last.astimezone(tz).date()).days
    return Gap(*gaps.told(_between(last, now).total_seconds(), days))


def next_boundary(last: datetime | None, now: datetime, tz: tzinfo) -> datetime:
    """When a page that says how long ago `last` was should be written anew; always later than `now`."""
    midnight = _next_midnight(now, tz)
    if last is None:
        return midnight
    passed = _between(last, now)
    step = next((step for step in _STEPS if step > passed), None)
    if step is None:
        return midnight
    change = (last.astimezone(UTC) + step).astimezone(tz)
    return change if passed < 2 * _HOUR else min(change, midnight, key=_instant)


def local(moment: datetime, tz: tzinfo, with_date: bool = True) -> str:
    """`2026-02-12 13:49`, or `13:49`, on the clock of that zone."""
    there = moment.astimezone(tz)
    return f"{there.date().isoformat()} {there:%H:%M}" if with_date else f"{there:%H:%M}"


def span(start: datetime, end: datetime, tz: tzinfo) -> str:
    """`2026-02-12 11:49–12:34`; the second date only if it differs, the end only if it comes later."""
    begins, ends = local(start, tz), local(end, tz)
    if ends == begins or _between(start, end) < timedelta(0):
        return begins
    same_day = begins.split()[0] == ends.split()[0]
    return f"{begins}–{local(end, tz, with_date=not same_day)}"


def duration_words(seconds: float) -> str:
    """`under a minute`, `45 min`, `2 h`, `2 h 5 min`."""
    hours, minutes = divmod(int(max(0.0, seconds)) // 60, 60)
    if not hours:
        return f"{minutes} min" if minutes else "under a minute"
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def pattern(minutes: float, prompts: int, edits: int, reads: int, commands: int, failed: int) -> str:
    """What kind of session it was: quick check-in, deep work, debugging, review, planning or chat."""
    if not edits + reads + commands:
        return "chat" if prompts > 1 or minutes >= 10 else "quick check-in"
    if failed >= 3 and failed >= 0.3 * commands:
        return "debugging"
    if minutes < 10 and prompts <= 3 and edits <= 3:
        return "quick check-in"
    if edits == 0 or reads >= 6 * edits:
        talked_more_than_looked = prompts >= 3 and reads + commands <= 3 * prompts
        return "planning" if talked_more_than_looked else "review"
    return "deep work" if minutes >= 20 or edits >= 10 else "quick check-in"


def absolute_dates(text: str, said_at: datetime, tz: tzinfo) -> str:
    """The same words with "tomorrow", "next Friday", "3 days ago" as dates; code and quotes are kept."""
    low = text.lower()
    if not any(word in low for word in _OF_DAYS):
        return text  # as nearly all do: the long search is for the rest
    day = said_at.astimezone(tz).date()

    def replaced(found: re.Match[str]) -> str:
        kind = found.lastgroup
        if kind is None or found[0].isupper():
            return found[0]
        from nanoctx.core import days  # few texts get here, and its calendar takes long to load

        return days.meant(kind, found[0], day)

    return _SPOKEN.sub(replaced, text)


def _between(earlier: datetime, later: datetime) -> timedelta:
    """Real time passed: Python subtracts wall clocks, blind to summer time, when both have the same zone."""
    return _instant(later) - _instant(earlier)


def _instant(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _next_midnight(now: datetime, tz: tzinfo) -> datetime:
    """The first moment of a later local date. Where clocks go back over midnight it can come twice."""
    midnight = datetime.combine(now.astimezone(tz).date() + timedelta(days=1), time(), tz)
    return next(
        moment
        for moment in (midnight, midnight.replace(fold=1), midnight + timedelta(days=1))
        if _instant(moment) > _instant(now)
    )


# --- days as they are spoken of: how they are said; core/days.py knows what that means ---

_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(NUMBERS)})"
_WEEKDAY = "|".join(WEEKDAYS)
_PART = "morning|afternoon|evening|night"
# Tried in this order.
_SAYINGS = {
    "after_next": r"(?:the )?day after tomorrow",
    "before_last": r"(?:the )?day before yesterday",
    "today": "today",
    "tomorrow": "tomorrow",
    "yesterday": "yesterday",
    "part_of_day": rf"tonight|last night|this (?:{_PART})",
    "weekday": rf"(?:next|last|this|by|until|before) (?:{_WEEKDAY})",
    "near": r"(?<!the )(?<!our )(?<!my )(?:next|last|this) (?:week|month|year)",
    "ahead": rf"in {_NUMBER} (?:day|week|month|year)s?(?:['’] time)?(?! or | of | and )",
    "ago": rf"(?<!or )(?<!to )(?<!half ){_NUMBER} (?:day|week|month|year)s? ago",
}
_QUOTED = r"```.*?```|`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|(?<!\w)'[^'\n]*'(?!\w)"
# A word of prose: not part of a name, path, option, call or assignment.
_BEFORE = r"(?<![\w./\\@#$%&=+:<>{\[-])(?<![\w.]\()(?<![=<>] )"
_AFTER = r"(?![\w/\\=@(\[{-]|[.:]\w| =)"
_ANY = "|".join(f"(?P<{name}>{said})" for name, said in _SAYINGS.items())
# Each saying holds one of them.
_OF_DAYS = ("day", "tomorrow", "week", "month", "year", "morning", "noon", "evening", "night")
_SPOKEN = re.compile(f"{_QUOTED}|{_BEFORE}(?:{_ANY}){_AFTER}", re.IGNORECASE | re.DOTALL)
