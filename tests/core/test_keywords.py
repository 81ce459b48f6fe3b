from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core.keywords import Talk


def test_a_word_counts_by_the_parts_that_it_stands_in() -> None:
    talk = Talk([("tides of Oban", 1.0), ("the harbour and its tides", 1.0), ("moon moon moon", 0.1)])
    assert talk.keywords()[0] == "tides"
    assert talk.score["oban"] > talk.score["moon"]


def test_words_that_stand_together_are_one_term() -> None:
    assert "tide table" in Talk([("The tide table is printed. A tide table is long.", 1.0)]).keywords()


def test_small_words_hashes_and_numbers_name_nothing() -> None:
    assert Talk([("and the 9c03d7a 17 of it: 4be1f02 deadbeef", 1.0)]).keywords() == []


def test_nothing_said_gives_nothing() -> None:
    assert Talk([]).keywords() == [] and Talk([("", 1.0)]).score == {}


@given(st.lists(st.tuples(st.text(max_size=80), st.floats(0, 2))))
def test_any_talk_has_keywords(parts: list[tuple[str, float]]) -> None:
    assert len(Talk(parts).keywords(5)) <= 5


def test_a_term_of_two_words_counts_no_more_than_its_weaker_one() -> None:
    told = [("The tide table of Oban. A tide table.", 1.0), ("The tides of Oban", 1.0)]
    assert Talk(told).keywords() == ["Oban", "tide table"]  # only one part has a table


def test_a_word_written_large_to_be_heard_is_no_name() -> None:
    told = [("Do NOT round. HARBOUR is a name here, not so PLEASE.", 1.0), ("You did not, please.", 0.1)]
    assert Talk(told).keywords() == ["HARBOUR"]


def test_of_equal_words_the_one_heard_first_comes_first() -> None:
    assert Talk([("at Oban, Kirkwall, Aberdeen", 1.0)]).keywords() == ["Oban", "Kirkwall", "Aberdeen"]
