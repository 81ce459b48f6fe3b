from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from nanoctx.sources.base import clip, epoch, repaired


@given(st.text(), st.integers(20, 200))
def test_a_clipped_text_keeps_its_head_and_tail_within_the_limit(text: str, limit: int) -> None:
    clipped = clip(text, limit)
    assert len(clipped) == min(len(text), limit)
    if len(text) > limit:
        assert text.startswith(clipped[:5]) and text.endswith(clipped[-5:])
        assert "[...]" in clipped


def test_times_are_utc_unless_they_say_otherwise() -> None:
    assert epoch("1970-01-01T00:01:00.500Z") == 60.5
    assert epoch("1970-01-01T00:01:00") == 60
    assert epoch("1970-01-01T01:01:00+01:00") == 60
    assert epoch(1_700_000_000) == 1_700_000_000
    assert epoch(1_700_000_000_500) == 1_700_000_000.5


def test_what_is_no_time_is_none() -> None:
    for nothing in ("", "soon", None, -5, 1e30, [], "9999-99-99T00:00:00Z"):
        assert epoch(nothing) is None


@given(st.text())
def test_a_sound_line_needs_no_repair(text: str) -> None:
    for line in (json.dumps([text]), json.dumps([text], ensure_ascii=False)):
        assert repaired(line.encode()) == line.encode()


def test_half_an_emoji_becomes_a_mark_and_a_whole_one_stays() -> None:
    line = rb'["\ud83c\udf31 \ud83c \udf31 \\ud83c \\\ud83c"]'
    assert json.loads(repaired(line)) == ["🌱 � � \\ud83c \\�"]


def test_bytes_that_are_no_text_and_controls_are_replaced() -> None:
    assert json.loads(repaired(b'\xef\xbb\xbf["a\xff\x00b"]')) == ["a� b"]
