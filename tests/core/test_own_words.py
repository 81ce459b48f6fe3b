from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core.own_words import LONG, approves, asks, own_words, substantive

REVIEW = """Please address the review:

## Overview
The almanac looks fine.

**Must fix**
1. **Never** return None from low_water()
2. **Always** close the file

## Nits
| file | note |
| moon.py | prefer a dict |
"""


def test_what_a_person_typed_comes_in_tidy_sentences() -> None:
    own = own_words("Please add a moon column to @src/almanac.py. Don't touch the tests!")
    assert own.sentences == ("Please add a moon column to src/almanac.py.", "Don't touch the tests!")
    assert not own.pasted
    assert own.text == "Please add a moon column to src/almanac.py. Don't touch the tests!"


def test_output_and_code_that_were_pasted_are_not_their_words() -> None:
    own = own_words(
        "Why does this happen?\n"
        "ERROR: always run the migration first\n"
        "2026-03-02T12:00:01 worker: never retry twice\n"
        "$ pytest -q\n"
        "    raise ValueError('prefer floats')\n"
        "const tide = { low: 1 };\n"
        "│ never mind │\n"
        "mira@harbour:~/tides make\n"
        "diff --git a/moon.py b/moon.py\n"
    )
    assert own.sentences == ("Why does this happen?",)


def test_of_a_pasted_review_only_the_person_s_own_line_is_theirs() -> None:
    own = own_words(REVIEW)
    assert own.pasted
    assert own.sentences == ("Please address the review:",)
    assert own.heading == "Overview"


def test_of_a_long_prompt_only_its_edges_are_theirs() -> None:
    middle = "The harbour master always wants the tables in metres and never in feet. " * 20
    own = own_words(f"Here is what the port wrote:\n{middle}\nCan you make the units a setting?")
    assert len(middle) > LONG and own.pasted
    assert own.sentences == ("Here is what the port wrote:", "Can you make the units a setting?")


def test_a_plan_handed_over_is_known_by_its_title() -> None:
    own = own_words("Implement the following plan:\n\n# Plan: Print the moon\n\n- always commit each step")
    assert (own.sentences, own.pasted, own.heading) == ((), True, "Print the moon")


def test_code_in_fences_is_not_speech() -> None:
    own = own_words("Use this:\n```\nnever = 1\n```\nthanks a lot for it")
    assert "never" not in own.text


def test_a_sentence_broken_over_lines_is_one_again() -> None:
    own = own_words(
        "The tables are printed in the wrong order when a port has two\nstations, please fix that."
    )
    assert len(own.sentences) == 1


@pytest.mark.parametrize("text", ["Is it done?", "Is it done?**", 'He said "why?"', "潮汐表好了吗？"])
def test_questions(text: str) -> None:
    assert asks(text)


def test_what_is_no_question() -> None:
    assert not asks("Print it.") and not asks("why? because")


@pytest.mark.parametrize(
    "text",
    ["yes", "Yes, please!", "ok continue", "2", "b)", "go ahead", "do it", "lgtm", "好的", "weiter", ""],
)
def test_an_approval_says_nothing_by_itself(text: str) -> None:
    assert not substantive(text)


@pytest.mark.parametrize(
    "text", ["print the moon column", "yes but use metres instead of feet", "请把潮汐表改成公制单位"]
)
def test_a_request_does(text: str) -> None:
    assert substantive(text)


@given(st.text(max_size=600) | st.text("ab.\n#*-> |`1?", max_size=1500))
def test_no_prompt_breaks_the_reader(prompt: str) -> None:
    own = own_words(prompt)
    assert all(sentence and "\n" not in sentence for sentence in own.sentences)
    substantive(prompt)


@pytest.mark.parametrize("text", ["yes, please do", "okay go on with it then", "可以，帮我补充"])
def test_a_yes_with_a_tail_that_says_nothing_is_an_approval(text: str) -> None:
    assert approves(text) and not substantive(text)


@pytest.mark.parametrize("text", ["yes but print metres instead of fathoms", "ok and the moon column?"])
def test_a_yes_that_goes_on_is_more(text: str) -> None:
    assert not approves(text)


def test_what_begins_with_the_prompt_of_a_shell_was_pasted() -> None:
    own = own_words("➜  tides git:(main) ✗ git push\nerror: no remote\nTo mend this, run git remote add.\n")
    assert own.pasted and not own.sentences
    own = own_words("ann@quay:~$ make\nmake: no rule\n\nPlease fix the build")
    assert own.sentences == ("Please fix the build",)


def test_sentences_typed_in_haste_begin_small() -> None:
    assert own_words("print the moon. i no longer use fathoms. metres, e.g. whole ones").sentences == (
        "Print the moon.",
        "I no longer use fathoms.",
        "Metres, e.g. whole ones",
    )


def test_a_screen_pasted_behind_a_persons_words_is_not_theirs() -> None:
    own = own_words("Make the almanac wider        OBAN  12:40  3.1 m\nand keep its border │ moon │ tide │")
    assert own.text.startswith("Make the almanac wider") and "OBAN" not in own.text and "moon" not in own.text
