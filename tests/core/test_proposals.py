from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core.proposals import proposal

OPTIONS = """The tables can be cached in two ways:

1. Keep the harmonics in memory
2. Write the harmonics to a small file

Which one do you want?"""


def test_a_number_chooses_that_option() -> None:
    assert (
        proposal(OPTIONS, "2") == "The tables can be cached in two ways: Write the harmonics to a small file"
    )
    assert proposal(OPTIONS, "option 1 please").endswith("Keep the harmonics in memory")


def test_a_yes_means_the_last_question() -> None:
    text = "The moon column is printed.\n\nShould I add the sun's rising and setting times as well?"
    assert proposal(text, "yes") == "add the sun's rising and setting times as well?"
    assert proposal(text, "yes", brief=True) == "add the sun's rising and setting times as well?"


def test_a_plan_of_headings_is_named_by_them() -> None:
    text = "## Read the harmonics\nFrom the file.\n\n## Print the moon\nIn a column.\n\nShall I proceed?"
    said = proposal(text, "yes")
    assert "Read the harmonics" in said and "Print the moon" in said


def test_next_steps_are_no_topic_of_their_own() -> None:
    assert "Next steps" not in proposal(
        "## Print the moon\nDone.\n\n## Next steps\n- Print the sun\n\nGo on?", "yes"
    )


def test_without_a_question_the_message_itself_is_what_was_agreed_to() -> None:
    text = "I would print the moon first. Then the sun."
    assert proposal(text, "ok") == "I would print the moon first."
    assert proposal(text, "ok", brief=True) == "The sun."


def test_nothing_was_proposed() -> None:
    assert proposal("", "yes") == ""
    assert proposal("```\ncode only\n```", "yes") == ""


@given(
    st.text(max_size=400) | st.text("ab #*1.?\n-:", max_size=300),
    st.sampled_from(["yes", "2", "b)", "", "9"]),
)
def test_no_message_breaks_the_reader(text: str, reply: str) -> None:
    proposal(text, reply)
    proposal(text, reply, brief=True)
