"""The hook tells time by itself, since it may not load what the page uses: both must say the same."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import timeline
from nanoctx.hook import news, text

ZONES = ("UTC", "Europe/Vienna", "America/St_Johns", "Pacific/Apia", "Asia/Kolkata")
YEAR = 365 * 86400
BEGIN = int(datetime(2025, 1, 1, tzinfo=UTC).timestamp())


@pytest.fixture(autouse=True)
def _zone_back() -> Iterator[None]:
    yield
    os.environ["TZ"] = "UTC"
    time.tzset()


@given(st.sampled_from(ZONES), st.integers(0, 2 * YEAR), st.integers(-3600, 40 * 86400))
def test_a_pause_is_called_what_the_page_calls_it(zone: str, at: int, passed: int) -> None:
    os.environ["TZ"] = zone
    time.tzset()
    last, now = BEGIN + at, BEGIN + at + passed
    told = timeline.gap(datetime.fromtimestamp(last, UTC), datetime.fromtimestamp(now, UTC), ZoneInfo(zone))
    assert text.gap(float(last), float(now)) == (told.words, told.hint)


def test_no_session_yet_is_the_first() -> None:
    assert text.gap(0.0, 1.0) == ("First session", "Introduce yourself to the project")


@given(st.text(max_size=200))
def test_a_strangers_words_stay_within_their_line_and_quotes(words: str) -> None:
    made = news.clean(words)
    assert len(made) <= news.WIDTH and made.isprintable()
    assert not set(made) & set('<`@"')
