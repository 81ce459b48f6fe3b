from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core.proposals import proposal, referred

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
    assert proposal(text, "ok", brief=True) == ""  # and it opens no topic of its own


def test_a_question_that_asks_for_leave_names_nothing() -> None:
    text = "## Tides\nThe tides go into metres.\n\n## Moon\nA column.\n\nDoes this look right?"
    assert proposal(text, "yes") == "Tides / Moon"
    assert proposal(text, "yes", brief=True) == ""
    assert proposal("Shall I add the sun, too? Any concerns?", "yes") == "add the sun, too?"


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


STAGES = """Three stages:

- Phase 1 (quick): print the moon
- Phase 2 (slow): fetch the tables anew
- Moon column: in Roman numerals

1. Read harmonics
2. Write harmonics"""


def test_a_prompt_may_name_a_part_by_its_number() -> None:
    assert referred(STAGES, "do phase 2 first").startswith("Phase 2 (slow)")
    assert referred(STAGES, "for 1 I want a test, too") == "Read harmonics"
    assert referred(STAGES, "option 2") == "Write harmonics"


def test_a_prompt_may_name_a_part_by_its_label() -> None:
    assert referred(STAGES, "leave the moon column as it is").startswith("Moon column")
    assert referred("- 第一阶段（快）: 打印月亮\n- 第二阶段: 下载表格", "完成第一阶段").startswith("第一阶段")


def test_a_prompt_that_names_several_parts_or_none_names_none() -> None:
    assert referred(STAGES, "phase 1 and phase 2") == ""
    assert referred(STAGES, "print the sun") == ""
    assert referred(STAGES, "feature 2") == ""


def test_a_heading_that_points_back_is_no_topic() -> None:
    text = "## Print the moon\nIn a column.\n\n## This makes it easy\nBecause of the tables.\n\nGo on?"
    assert "This makes" not in proposal(text, "yes", brief=True)


@given(st.text("ab #*1.?\n-:第（", max_size=200), st.text("ab 12#第", max_size=40))
def test_no_message_breaks_the_search_for_a_part(text: str, reply: str) -> None:
    referred(text, reply)
