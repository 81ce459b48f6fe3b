"""The one clock: what time it is, and the time zone of the person at this machine."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from nanoctx.errors import UsageError

LOCALTIME = Path("/etc/localtime")


def now() -> datetime:
    """The time in UTC; `$NANOCTX_NOW` sets it, in local time unless it names a zone."""
    given = os.environ.get("NANOCTX_NOW", "").strip()
    if not given:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(given)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone())).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"$NANOCTX_NOW is {given!r}, which is no time: write it like 2026-02-12T13:49:00Z, or unset it."
        ) from None


def zone() -> tzinfo:
    """The local time zone with its summer times: `$TZ`, else the system's."""
    name = os.environ.get("TZ")
    if name is None:
        return _system_zone()
    return _named_zone(name.removeprefix(":")) or _present_offset()


def elapsed() -> float:
    """Seconds on a clock that nobody sets, to measure how long something takes."""
    return time.monotonic()


def _system_zone() -> tzinfo:
    target = os.fspath(LOCALTIME.resolve())
    if "/zoneinfo/" in target and (named := _named_zone(target.rpartition("/zoneinfo/")[2])):
        return named
    return _zone_in(LOCALTIME) or _present_offset()


def _named_zone(name: str) -> tzinfo | None:
    if not name:
        return UTC  # what POSIX says of an empty $TZ
    if name.startswith("/"):
        return _zone_in(Path(name))
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # OSError: "Europe" is a folder
        return None


def _zone_in(file: Path) -> tzinfo | None:
    try:
        with file.open("rb") as content:
            return ZoneInfo.from_file(content, key=file.name)
    except (ValueError, OSError):
        return None


def _present_offset() -> tzinfo:
    """The offset that the system itself applies, for a rule we cannot read, such as `TZ=EST5`."""
    time.tzset()
    return timezone(timedelta(seconds=time.localtime().tm_gmtoff))
