"""Time in words, in every time zone, across midnight and the change of clocks."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nanoctx.core.timeline import (
    Gap,
    absolute_dates,
    duration_words,
    gap,
    local,
    next_boundary,
    pattern,
    span,
)

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
NOON = datetime(2026, 2, 12, 12, 0, tzinfo=BERLIN)  # a Thursday

zones = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
moments = st.datetimes(datetime(2015, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC))
pauses = st.one_of(st.floats(-3 * 3600, 40 * 3600), st.integers(0, 90).map(lambda days: days * 86400.0))


def ago(**passed: float) -> datetime:
    return (NOON.astimezone(UTC) - timedelta(**passed)).astimezone(BERLIN)


@pytest.mark.parametrize(
    ("last", "words", "hint"),
    [
        (None, "First session", "Introduce yourself to the project"),
        (ago(minutes=-90), "just now", "Continue naturally"),
        (ago(seconds=299), "just now", "Continue naturally"),
        (ago(minutes=5), "5 min ago", 'Brief "back to it"'),
        (ago(minutes=29, seconds=59), "29 min ago", 'Brief "back to it"'),
        (ago(minutes=30), "30 min ago", "Re-orient: check CONTEXT.md"),
        (ago(minutes=59), "59 min ago", "Re-orient: check CONTEXT.md"),
        (ago(minutes=60), "1 h ago", "Re-orient: check CONTEXT.md"),
        (ago(minutes=119), "1 h ago", "Re-orient: check CONTEXT.md"),
        (ago(minutes=120), "2 hours ago", "Summarise where we left off"),
        (ago(hours=11.9), "11 hours ago", "Summarise where we left off"),
        (ago(hours=12.1), "yesterday", "Fresh start: review what happened"),
        (ago(hours=36.1), "2 days ago", "Fresh start: review what happened"),
        (ago(days=40), "40 days ago", "Fresh start: review what happened"),
    ],
)
def test_a_gap_has_its_words_and_hint(last: datetime | None, words: str, hint: str) -> None:
    assert gap(last, NOON, BERLIN) == Gap(words, hint)


def test_midnight_counts_only_from_two_hours_on() -> None:
    last = datetime(2026, 2, 12, 23, 30, tzinfo=BERLIN)
    assert gap(last, last + timedelta(minutes=119), BERLIN).words == "1 h ago"
    assert gap(last, last + timedelta(minutes=120), BERLIN).words == "yesterday"


def test_the_zone_decides_which_day_it_was() -> None:
    last, now = datetime(2026, 2, 12, 22, tzinfo=UTC), datetime(2026, 2, 13, 1, tzinfo=UTC)
    assert gap(last, now, UTC).words == "yesterday"
    assert gap(last, now, NEW_YORK).words == "3 hours ago"


def test_hours_are_real_hours_when_the_clocks_change() -> None:
    before = datetime(2026, 3, 29, 1, 30, tzinfo=BERLIN)  # at 2:00 it becomes 3:00
    after = datetime(2026, 3, 29, 3, 15, tzinfo=BERLIN)
    assert gap(before, after, BERLIN).words == "45 min ago"
    first = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)  # at 3:00 it becomes 2:00 again
    second = datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN)
    assert gap(first, second, BERLIN).words == "1 h ago"


def without_minutes(words: str) -> str:
    return re.sub(r"\d+ min", "N min", words)


@given(moments, pauses, zones, st.floats(0, 1))
@example(datetime(2019, 2, 16, 23, tzinfo=UTC), 3.5 * 3600, ZoneInfo("America/Sao_Paulo"), 1.0)
@example(datetime(2018, 11, 3, 23, tzinfo=UTC), 3.5 * 3600, ZoneInfo("America/Sao_Paulo"), 1.0)
def test_words_and_hint_hold_until_the_next_boundary(
    last: datetime, pause: float, zone: tzinfo, share: float
) -> None:
    now = last + timedelta(seconds=pause)
    boundary = next_boundary(last, now, zone).astimezone(UTC)
    assert boundary > now
    then = min(now + (boundary - now) * share, boundary - timedelta(microseconds=1))
    said, later = gap(last, now, zone), gap(last, then, zone)
    assert (without_minutes(later.words), later.hint) == (without_minutes(said.words), said.hint)


@given(moments, zones)
def test_without_a_last_session_the_boundary_is_the_next_local_day(now: datetime, zone: tzinfo) -> None:
    boundary = next_boundary(None, now, zone).astimezone(UTC)
    assert now < boundary <= now + timedelta(hours=49)
    assert boundary.astimezone(zone).date() > now.astimezone(zone).date()
    just_before = boundary - timedelta(microseconds=1)
    assert just_before.astimezone(zone).date() == now.astimezone(zone).date()


def test_boundaries_are_the_steps_of_the_table_then_midnight() -> None:
    last = datetime(2026, 2, 12, 0, 10, tzinfo=UTC)
    seen, now = [], last
    for _ in range(28):
        now = next_boundary(last, now, UTC)
        seen.append((now - last) / timedelta(minutes=1))
    hours = [60.0 * hour for hour in range(1, 24)]
    assert seen[:-1] == [5, 30, *hours, 23 * 60 + 50, 24 * 60]
    assert now == datetime(2026, 2, 14, tzinfo=UTC)


def test_midnight_may_come_twice_and_the_later_one_is_found() -> None:
    st_johns = ZoneInfo("America/St_Johns")  # in 2010, at 0:01 it became 23:01 of the day before
    second_pass = datetime(2010, 11, 6, 23, 30, fold=1, tzinfo=st_johns)
    midnight = next_boundary(None, second_pass, st_johns)
    assert midnight.astimezone(UTC) == datetime(2010, 11, 7, 3, 30, tzinfo=UTC)


def test_a_span_names_the_second_date_only_if_it_differs() -> None:
    start = datetime(2026, 2, 12, 11, 49, tzinfo=BERLIN)
    assert span(start, start + timedelta(minutes=45), BERLIN) == "2026-02-12 11:49–12:34"
    late = datetime(2026, 2, 12, 23, 50, tzinfo=BERLIN)
    assert span(late, late + timedelta(minutes=30), BERLIN) == "2026-02-12 23:50–2026-02-13 00:20"
    assert span(late, late + timedelta(minutes=30), UTC) == "2026-02-12 22:50–23:20"


def test_a_span_without_length_or_backwards_is_a_moment() -> None:
    assert span(NOON, NOON + timedelta(seconds=20), BERLIN) == "2026-02-12 12:00"
    assert span(NOON, NOON - timedelta(hours=2), BERLIN) == "2026-02-12 12:00"


def test_local_time_is_that_of_the_zone() -> None:
    assert local(NOON, NEW_YORK) == "2026-02-12 06:00"
    assert local(NOON, timezone(timedelta(hours=13)), with_date=False) == "00:00"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "under a minute"),
        (59, "under a minute"),
        (60, "1 min"),
        (2700.9, "45 min"),
        (3600, "1 h"),
        (5280, "1 h 28 min"),
        (90000, "25 h"),
    ],
)
def test_durations_are_spoken(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


@pytest.mark.parametrize(
    ("session", "name"),
    [
        ({"minutes": 3, "prompts": 1}, "quick check-in"),
        ({"minutes": 4, "prompts": 2, "reads": 3, "commands": 1}, "quick check-in"),
        ({"minutes": 25, "prompts": 9}, "chat"),
        ({"minutes": 70, "prompts": 12, "edits": 24, "reads": 30, "commands": 20, "failed": 3}, "deep work"),
        ({"minutes": 40, "prompts": 6, "edits": 5, "reads": 9, "commands": 14, "failed": 7}, "debugging"),
        ({"minutes": 30, "prompts": 2, "reads": 40, "commands": 6}, "review"),
        ({"minutes": 30, "prompts": 8, "edits": 1, "reads": 9, "commands": 2}, "planning"),
    ],
)
def test_a_session_is_named_by_what_was_done(session: dict[str, int], name: str) -> None:
    nothing = {"minutes": 0, "prompts": 0, "edits": 0, "reads": 0, "commands": 0, "failed": 0}
    assert pattern(**{**nothing, **session}) == name


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("We ship tomorrow.", "We ship 2026-02-13."),
        ("Yesterday's build broke, fix it today", "2026-02-11's build broke, fix it 2026-02-12"),
        ("(due the day after tomorrow)", "(due 2026-02-14)"),
        ("demo next Friday, last one was last Friday", "demo 2026-02-20, last one was 2026-02-06"),
        ("this Friday or by Monday", "2026-02-13 or by 2026-02-16"),
        ("done in 3 days' time", "done 2026-02-15"),
        ("in two weeks; a week ago; 3 months ago", "2026-02-26; 2026-02-05; 2025-11"),
        ("last week it worked", "the week of 2026-02-02 it worked"),
        ("next month, not next year", "2026-03, not 2027"),
        ("tonight or tomorrow morning", "2026-02-12 evening or 2026-02-13 morning"),
        ("it failed last night", "it failed 2026-02-11 night"),
    ],
)
def test_relative_dates_become_absolute(said: str, meant: str) -> None:
    assert absolute_dates(said, NOON, BERLIN) == meant


@pytest.mark.parametrize(
    "said",
    [
        "call tomorrow_at() or date.today() or tomorrow()",
        "open notes/today.md and /var/log/yesterday/",
        "set `tomorrow` and \"next week\" and 'last week', it's fine",
        "```\nrun today\n```",
        "--today @tomorrow #today TODAY due:today today=1",
        "x = tomorrow; tomorrow = x; if d == today",
        "in a day or two, 3 or 4 days ago, in 2 days of work",
        "over the last week, for the next month",
        "in 5 minutes, the next day, on Friday, within 3 days, todays",
    ],
)
def test_code_quotes_and_vague_words_stay(said: str) -> None:
    assert absolute_dates(said, NOON, BERLIN) == said


def test_the_day_is_that_of_the_person() -> None:
    late = datetime(2026, 2, 12, 23, 30, tzinfo=UTC)
    assert absolute_dates("today", late, UTC) == "2026-02-12"
    assert absolute_dates("today", late, BERLIN) == "2026-02-13"


@given(st.text(), moments, zones)
def test_text_without_a_relative_date_is_untouched(text: str, said_at: datetime, zone: tzinfo) -> None:
    telling = ("day", "night", "week", "month", "year", "morning", "evening", "afternoon", "tomorrow")
    if not any(word in text.casefold() for word in telling):
        assert absolute_dates(text, said_at, zone) == text


@given(
    st.sampled_from(["next", "last", "this"]),
    st.sampled_from(["Monday", "Wednesday", "Sunday"]),
    moments,
    zones,
)
def test_a_named_weekday_falls_on_that_weekday_within_two_weeks(
    which: str, name: str, said_at: datetime, zone: tzinfo
) -> None:
    meant = datetime.fromisoformat(absolute_dates(f"{which} {name}", said_at, zone))
    days = (meant.date() - said_at.astimezone(zone).date()).days
    assert f"{meant:%A}" == name
    assert days in {"next": range(1, 14), "last": range(-7, 0), "this": range(7)}[which]


@given(st.text(max_size=20), st.sampled_from(["today", "in 3 days", "last month", "2 weeks ago"]), moments)
def test_what_was_made_absolute_stays_as_it_is(around: str, said: str, said_at: datetime) -> None:
    once = absolute_dates(f"{around} {said}", said_at, UTC)
    assert absolute_dates(once, said_at + timedelta(days=90), UTC) == once
