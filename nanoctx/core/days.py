"""What people mean by "next Friday", "3 weeks ago", "6m": days on the calendar, by pendulum.

pendulum takes longer to load than a hook to run, so nothing imports this at its top: see test_architecture.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

import pendulum

from nanoctx.core.timeline import NUMBERS, WEEKDAYS

_WEEKDAYS = {name.lower(): pendulum.WeekDay(number) for number, name in enumerate(WEEKDAYS)}
_SPAN = re.compile(r"(\d{1,4}) ?([hdwmy])")
_UNITS = {"d": "days", "w": "weeks", "m": "months", "y": "years"}


def meant(kind: str, words: str, said_on: date) -> str:
    """The day that a saying of `timeline` names; the words themselves where no calendar reaches."""
    day = pendulum.Date(said_on.year, said_on.month, said_on.day)
    try:
        return _meant(kind, words, words.lower(), day)
    except (ValueError, OverflowError):  # beyond the year 9999
        return words


def since(given: str, now: datetime, zone: tzinfo) -> datetime:
    """
    The moment that `2026-02-01`, `2026-02`, `12h`, `6m`, `yesterday` or `monday` names, or ValueError.

    Months and years are those of the calendar; a day begins at midnight in that zone.
    """
    words = given.strip().lower()
    span = _SPAN.fullmatch(words)
    if words == "now":
        return now  # which pendulum would read from a clock
    if span and span[2] == "h":
        return now - timedelta(hours=int(span[1]))
    there = now.astimezone(zone)
    clock = pendulum.naive(there.year, there.month, there.day, there.hour, there.minute, there.second)
    if span:
        at: datetime = clock.subtract(**{_UNITS[span[2]]: int(span[1])})
    elif words in ("today", "yesterday"):
        at = clock.start_of("day").subtract(days=words == "yesterday")
    elif words.removeprefix("last ") in _WEEKDAYS:
        at = clock.previous(_WEEKDAYS[words.removeprefix("last ")])
    else:
        at = _written(given.strip())
    # On plain numbers from here on: pendulum knows no zone but those with a name.
    plain = datetime(at.year, at.month, at.day, at.hour, at.minute, at.second, tzinfo=at.tzinfo or zone)
    return plain.astimezone(UTC)


def _written(given: str) -> datetime:
    """A date or a time as ISO 8601 writes them."""
    found = pendulum.parse(given, exact=True, tz=None)
    if isinstance(found, datetime):
        return found
    if isinstance(found, date):
        return datetime(found.year, found.month, found.day)
    raise ValueError(f"{given!r} is no day")


def _meant(kind: str, words: str, low: str, day: pendulum.Date) -> str:
    match kind:
        case "today" | "tomorrow" | "yesterday" | "after_next" | "before_last":
            far = {"today": 0, "tomorrow": 1, "yesterday": -1, "after_next": 2, "before_last": -2}[kind]
            return day.add(days=far).isoformat()
        case "part_of_day":
            part = "evening" if low == "tonight" else low.split()[1]
            return f"{day.subtract(days=low == 'last night').isoformat()} {part}"
        case "weekday":
            return _weekday(words, day)
        case "near":
            which, unit = low.split()
            return _around(day, unit, {"last": -1, "this": 0, "next": 1}[which])
    number, unit = low.removeprefix("in ").split()[:2]
    amount = (NUMBERS.get(number) or int(number)) * (-1 if kind == "ago" else 1)
    unit = unit.rstrip("s'’")
    if unit in ("day", "week"):
        return day.add(**{f"{unit}s": amount}).isoformat()
    return _around(day, unit, amount)


def _weekday(words: str, day: pendulum.Date) -> str:
    """`next` is of the week after this one, `last` the latest one gone by, `this` the first still to come."""
    which, name = words.lower().split()
    wanted = _WEEKDAYS[name]
    if which == "last":
        return day.previous(wanted).isoformat()
    if which == "next":
        return day.end_of("week").next(wanted).isoformat()
    coming = day if day.day_of_week == wanted else day.next(wanted)
    return f"{words.split()[0]} {coming}" if which in ("by", "until", "before") else str(coming)


def _around(day: pendulum.Date, unit: str, number: int) -> str:
    """Only the week's Monday, the month or the year, since no more was said."""
    there = day.add(**{f"{unit}s": number})
    if unit == "week":
        return f"the week of {there.start_of('week').isoformat()}"
    return there.isoformat()[: 7 if unit == "month" else 4]
