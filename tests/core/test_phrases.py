from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from story_builder import prompt

from nanoctx.core.phrases import request, size, without_asides

LONG = (
    "Can you please pull the newest tables, then print the tides of Oban with the moon's phase, "
    "and afterwards tell me when you are ready for the next thing we had planned for today"
)


def asked(text: str, room: int = 60, **weights: float) -> str:
    return request(prompt(text)[0], room, weights)


def test_a_short_request_stands_as_it_was_said() -> None:
    assert asked("Can you print the tides of Oban?") == "print the tides of Oban?"


def test_a_long_request_is_told_by_its_most_telling_clauses() -> None:
    told = asked(LONG, 70, tide=2.0, oban=2.0, moon=1.0)
    assert "tides of Oban" in told and "newest tables" not in told and len(told) <= 70


def test_scripts_that_do_not_part_words_are_measured_by_their_signs() -> None:
    assert size("print the tides") == 3
    assert size("请把潮汐表改成公制单位") == 6


@given(st.text(max_size=400), st.integers(20, 120))
def test_any_prompt_has_a_phrase(text: str, room: int) -> None:
    request(prompt(text)[0], room, {"a": 1.0})


def test_what_stands_in_brackets_names_nothing() -> None:
    assert without_asides("Read the tides as a stream (that library is free)") == "Read the tides as a stream"
    assert without_asides("Read the tides (UTC)") == "Read the tides (UTC)"


def test_a_plan_is_named_as_one() -> None:
    assert asked("Implement the following plan:\n\n# Plan: Print the moon\n\n- a column") == (
        "Implement plan: Print the moon"
    )


def test_a_request_that_cannot_be_parted_may_be_longer() -> None:
    text = "print the tides of Oban beside the phases of the moon in one table for every month of the year"
    assert 60 < len(request(prompt(text)[0], 50, {"moon": 1.0}, 72)) <= 72


def test_what_only_leads_to_a_clause_stands_with_it() -> None:
    text = (
        "In the table of Oban, the tides stand in feet and nobody who fishes there can read them, "
        "then tell me when you are ready for the next thing that we had planned for today"
    )
    told = asked(text, 90, oban=2.0, feet=2.0)
    assert told.startswith("In table of Oban, tides stand in feet")


def test_the_things_of_a_list_stand_together_and_courtesies_nowhere() -> None:
    text = (
        "Print the tides of Oban, Mallaig, Ullapool with the phase of the moon beside each of them, "
        "sorry, and afterwards tell me when you are ready for the next thing we had planned for today"
    )
    told = asked(text, 90, oban=2.0, mallaig=2.0)
    assert "Oban, Mallaig" in told and "sorry" not in told


def test_what_stands_in_brackets_is_not_parted() -> None:
    text = (
        "maybe the config of the almanac could take { port, harbour, zone } which is how others do it, and"
        " then tell me when you are ready for the next thing that we had planned for today"
    )
    assert asked(text, 70, config=2.0, port=2.0, almanac=1.0).startswith("config of almanac could take")
    assert "{ port, harbour, zone }" in asked(text, 110, config=2.0, port=2.0, almanac=1.0)
    assert "{" not in asked(text, 50, config=2.0, port=2.0, almanac=1.0)


def test_a_request_that_fits_stands_in_its_order() -> None:
    assert asked("We do tables! I want the long one", 60) == "We do tables!; the long one"
    assert asked("https://example.org/tides/oban\nfix the tides of Oban", 60) == "Fix the tides of Oban"


@pytest.mark.parametrize("rule", ["Never use tabs here.", "Always run the linter.", "From now on write UTC."])
def test_a_rule_said_beside_a_request_is_no_part_of_it(rule: str) -> None:
    assert asked(f"Write a greeting into hello.py. {rule}") == "Write a greeting into hello.py"
    assert asked(rule) == rule.strip(".")
