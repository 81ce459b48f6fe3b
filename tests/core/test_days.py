"""Days as people name them, on the calendar of their zone."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from nanoctx.core import days, timeline

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 31, 10, 30, tzinfo=UTC)  # a Tuesday, 12:30 in Berlin, two days into summer time


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2026-02-01", "2026-01-31T23:00"),
        (" 2026-02-01 ", "2026-01-31T23:00"),
        ("2026-02", "2026-01-31T23:00"),
        ("2026-W07", "2026-02-08T23:00"),
        ("2026-02-12T13:49", "2026-02-12T12:49"),
        ("2026-07-12 13:49", "2026-07-12T11:49"),
        ("2026-02-12T13:49+05:00", "2026-02-12T08:49"),
        ("2026-02-12T13:49:00Z", "2026-02-12T13:49"),
        ("now", "2026-03-31T10:30"),
        ("today", "2026-03-30T22:00"),
        ("Yesterday", "2026-03-29T22:00"),
        ("monday", "2026-03-29T22:00"),
        ("last Sunday", "2026-03-28T23:00"),  # midnight there was still winter time
        ("tuesday", "2026-03-23T23:00"),  # a week ago, not today
        ("12h", "2026-03-30T22:30"),
        ("3d", "2026-03-28T11:30"),  # the same time of day, over the change of the clocks
        ("2w", "2026-03-17T11:30"),
        ("1m", "2026-02-28T11:30"),  # February has no 31st
        ("1Y", "2025-03-31T10:30"),
    ],
)
def test_a_moment_is_understood_as_people_write_it(given: str, moment: str) -> None:
    assert days.since(given, NOW, BERLIN) == datetime.fromisoformat(f"{moment}:00+00:00")


@pytest.mark.parametrize("given", ["", "soon", "12:00", "2026-13-01", "1e9", "P1D", "9999y", "0001-01-01"])
def test_what_is_no_moment_is_refused(given: str) -> None:
    with pytest.raises((ValueError, OverflowError)):
        days.since(given, NOW, BERLIN)


def test_a_zone_without_a_name_does_as_well() -> None:
    with open("/usr/share/zoneinfo/Europe/Berlin", "rb") as file:
        zone = ZoneInfo.from_file(file, key="localtime")
    assert days.since("last sunday", NOW, zone) == datetime(2026, 3, 28, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (date(2026, 1, 31), "in one month"),
        (date(2024, 2, 29), "next year"),
        (date(2026, 12, 28), "next week"),
        (date(2026, 12, 31), "by Friday"),
    ],
)
def test_months_and_years_end_where_they_end(said: date, text: str) -> None:
    meant = {
        "in one month": "2026-02",
        "next year": "2025",
        "next week": "the week of 2027-01-04",
        "by Friday": "by 2027-01-01",
    }
    moment = datetime(said.year, said.month, said.day, 12, tzinfo=UTC)
    assert timeline.absolute_dates(f"ship it {text}", moment, UTC) == f"ship it {meant[text]}"


@pytest.mark.parametrize("text", ["do it tomorrow", "in 8 years", "next week", "next month", "by Monday"])
def test_beyond_the_last_year_of_the_calendar_the_words_stay(text: str) -> None:
    assert timeline.absolute_dates(text, datetime(9999, 12, 31, 12, tzinfo=UTC), UTC) == text
