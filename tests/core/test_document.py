"""A page joins back to its bytes, and only what a person did to our sections is seen as theirs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import document
from nanoctx.core.blocks import blocks, section
from nanoctx.model import Change

PAGE = """\
# Context

## Now
- Focus: Write the parser
- Task: Read one line
- Blocked: None

## Time
- Hint: Continue naturally

## Recent
- Parser reads numbers

## External
- No git changes since last session
"""

pieces = [
    "# Context", "## Now", "## Time", "## Recent ##", "##Now", "## Mine", "# Mine", "### Sub", "Title",
    "=====", "- a", "- b: c", "* star", "1. one", "  - sub", "\ttab", "text", "more  text ", "", "  ", "```",
    "~~~", "````", "```python", "    code", "---", "> quote", "\ufeff", "a\rb", "a\u2028b", "🙂 é",
]  # fmt: skip
pages = st.lists(
    st.tuples(st.sampled_from(pieces) | st.text(max_size=6), st.sampled_from(["\n", "\n", "\n", "\r\n", ""])),
    max_size=25,
).map(lambda parts: "".join(line + end for line, end in parts))
simple = st.lists(
    st.sampled_from([piece for piece in pieces if "`" not in piece and "~" not in piece]), max_size=14
)


def page(**bodies: str) -> str:
    return "# Context\n\n" + "\n".join(f"## {name}\n{body}" for name, body in bodies.items())


@given(pages)
def test_split_and_join_give_back_the_same_bytes(text):
    assert document.join(document.split(text)) == text


@given(pages)
def test_our_sections_are_replaced_and_every_other_byte_stays(found):
    ours = {name: section(name, [f"- new {name}"]) for name in document.OURS}
    text = document.replace(found, ours)
    theirs = [one.text for one in theirs_of(found)]
    rest = text
    for one in theirs:
        if found.strip("\ufeff \t\r\n"):
            assert one in rest
            rest = rest.partition(one)[2]
    for name in document.OURS:
        assert blocks(document._bodies(text, document.OURS)[name]) == (f"- new {name}",)
    assert document.replace(text, ours) == text


def theirs_of(text):
    seen = set()
    for one in document.split(text):
        if one.is_one_of(document.OURS) and one.heading not in seen:
            seen.add(one.heading)
        else:
            yield one


@given(pages)
def test_a_page_we_have_just_written_shows_no_change(found):
    ours = {name: section(name, [f"- new {name}"]) for name in document.OURS}
    text = document.replace(found, ours)
    assert document.changes([text], text) == ()
    assert document.changes([found, text], text) == ()


@given(simple, simple)
def test_a_page_once_taken_is_told_from_the_next_without_the_one_before(before, after):
    written, found = ("\n".join(["## Now", *lines]) for lines in (before, after))
    base = document.separated(found, [written])
    assert document.changes([base], found) == ()
    theirs = document.changes([written], found)
    assert theirs == document.changes([written], base) or "### " in found + written


@given(simple)
def test_blocks_read_back_as_they_were_written(lines):
    content = blocks("\n".join(lines))
    again = blocks(section("Now", content).partition("\n")[2])
    assert sorted(again) == sorted(content)
    assert blocks(section("Now", again).partition("\n")[2]) == again


@given(simple, st.integers(0, 20))
def test_a_line_of_ours_is_seen_wherever_a_person_writes_around_it(lines, place):
    lines.insert(min(place, len(lines)), "- ours")
    assert "- ours" in blocks("\n".join(lines), {"- ours"})


def test_fences_hide_headings_whatever_their_length():
    text = "## Mine\n````md\n```\n## Now\n```\n````\n\n~~~\n## Time\n~~~\n## Now\n- a\n"
    assert [one.heading for one in document.split(text)] == ["Mine", "Now"]


def test_a_fence_that_is_never_closed_hides_nothing():
    text = PAGE.replace("- Focus", "```\n- Focus")
    assert [one.heading for one in document.split(text)] == ["Context", *document.OURS]
    assert document.changes([PAGE], text) == (Change("Now", ("```",)),)


def test_a_fence_being_typed_in_our_section_does_not_swallow_the_sections_below():
    mine = "\n## Mine\n```\ncode\n```\n"
    text = (PAGE + mine).replace("- Focus", "```\n- Focus")
    assert document.changes([PAGE + mine], text) == (Change("Now", ("```",)),)


def test_a_second_section_of_our_name_is_the_persons():
    text = PAGE + "\n## Now\n- mine\n"
    assert document.changes([PAGE], text) == ()
    assert document.replace(text, {"Now": "## Now\n- x\n"}).endswith("\n## Now\n- mine\n")


def test_a_heading_of_the_first_level_ends_our_section():
    text = PAGE + "\n# Notes\n- mine\n\nOther notes\n===========\n- mine too\n"
    assert document.changes([PAGE], text) == ()


def test_an_added_a_changed_and_a_removed_line_are_told_apart():
    text = PAGE.replace("- Task: Read one line\n", "- Task: Read two lines\n- mine\n").replace(
        "- Parser reads numbers\n", ""
    )
    assert document.changes([PAGE], text) == (
        Change("Now", ("- Task: Read two lines", "- mine"), ("- Task: Read one line",)),
        Change("Recent", (), ("- Parser reads numbers",)),
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("words", ("words",)),
        ("two lines\nof words", ("two lines\nof words",)),
        ("  - sub one\n  - sub two", ("  - sub one\n  - sub two",)),
        ("```sh\nls\n\n- Focus: no\n```", ("```sh\nls\n\n- Focus: no\n```",)),
        ("one\n\ntwo", ("one", "two")),
        ("- plan\n  - step\n    - part", ("- plan", "  - step\n    - part")),
        ("1. one\n2. two", ("1. one", "2. two")),
        ("### Sub\nwords\n\n- bullet", ("### Sub\nwords\n\n- bullet",)),
    ],
)
@pytest.mark.parametrize("above", ["- Focus: Write the parser", "- Task: Read one line", "- Blocked: None\n"])
def test_what_is_not_a_bullet_is_kept_together_and_parted_from_our_lines(written, expected, above):
    text = PAGE.replace(above, f"{written}\n{above}")
    (change,) = document.changes([PAGE], text)
    assert change.removed == ()
    assert change.added == expected


def test_after_a_crash_added_is_in_none_and_removed_in_all_of_our_texts():
    old, new = page(Now="- a\n- b\n"), page(Now="- a\n- c\n")
    assert document.changes([old, new], old) == ()
    assert document.changes([old, new], new) == ()
    assert document.changes([old, new], page(Now="- b\n- d\n")) == (Change("Now", ("- d",), ("- a",)),)


def test_after_a_crash_the_page_itself_tells_which_of_our_texts_was_there():
    old, new = page(Now="- a\n- b\n"), page(Now="- a\n- c\n- d\n")
    assert document.changes([old, new], page(Now="- a\n- c\n")) == (Change("Now", (), ("- d",)),)
    # Nothing that only one of them has: nothing is taken for granted.
    assert document.changes([old, new], page(Now="- a\n")) == ()


def test_a_page_saved_by_an_editor_that_had_an_older_one_is_known_by_its_time():
    first = page(Time="- Hint: one\n", Recent="- a\n")
    second = page(Time="- Hint: two\n", Recent="- a\n- b\n")
    third = page(Time="- Hint: three\n", Recent="- a\n- b\n- c\n")
    older = [first, second]
    assert document.outdated([third], page(Time="- Hint: two\n", Recent="- mine\n"), older) == second
    assert document.outdated([third], page(Time="- Hint: one\n", Recent="- a\n"), older) == first
    # Whoever has the latest hint, or none, or one of their own, had the latest page.
    assert document.outdated([third], page(Time="- Hint: three\n", Recent="- a\n"), older) is None
    assert document.outdated([third], page(Time="", Recent="- a\n"), older) is None
    assert document.outdated([third], page(Time="- Hint: mine\n", Recent="- a\n"), older) is None
    assert document.outdated([third], page(Time="- Hint: three\n- Hint: one\n", Recent=""), older) is None
    assert document.outdated([second, third], page(Time="- Hint: two\n", Recent=""), older) is None
    assert document.outdated([], first, older) is None


def test_of_older_pages_with_the_same_times_the_one_that_was_changed_least_is_meant():
    seen = page(Time="- Hint: one\n", Recent="- a\n- b\n")
    later = page(Time="- Hint: one\n", Recent="- c\n")
    latest = page(Time="- Hint: two\n", Recent="- c\n")
    saved = page(Time="- Hint: one\n", Recent="- a\n- b\n- mine\n")
    assert document.outdated([latest], saved, [seen, later]) == seen
    assert document.outdated([latest], saved, [later, seen]) == seen


def test_an_emptied_page_is_no_deletion_and_neither_is_one_without_our_headings():
    assert document.changes([PAGE], "") == ()
    assert document.changes([PAGE], "hello\n\n## Mine\n- x\n") == ()


def test_a_section_taken_out_while_others_stay_is_a_deletion_of_its_lines():
    text = PAGE.replace("## Recent\n- Parser reads numbers\n\n", "")
    assert document.changes([PAGE], text) == (Change("Recent", (), ("- Parser reads numbers",)),)


def test_without_a_text_of_ours_nothing_is_guessed():
    assert document.changes([], PAGE) == ()


def test_a_new_page_gets_a_title_and_an_old_one_does_not():
    ours = {"Now": "## Now\n- a\n", "Time": "- b"}
    assert document.replace("", ours) == "# Context\n\n## Now\n- a\n\n## Time\n- b\n"
    assert document.replace("words", ours) == "words\n\n## Now\n- a\n\n## Time\n- b\n"
    assert (
        document.replace("\ufeff\r\n", ours)
        == "\ufeff# Context\r\n\r\n## Now\r\n- a\r\n\r\n## Time\r\n- b\r\n"
    )


def test_missing_sections_are_added_in_their_order_beside_ours():
    ours = {name: f"- {name}" for name in document.OURS}
    found = "# Mine\n\n## Time\n- x\n\n## My notes\nwords"
    assert document.replace(found, ours) == (
        "# Mine\n\n## Now\n- Now\n\n## Time\n- Time\n\n## Recent\n- Recent\n\n"
        "## External\n- External\n\n## My notes\nwords"
    )


def test_windows_line_ends_a_bom_and_a_missing_last_newline_stay():
    found = "\ufeff## Now\r\n\r\n- a\r\n\r\n## Mine\r\nwords"
    assert document.replace(found, {"Now": "## Now\n- b\n- c\n"}) == (
        "\ufeff## Now\r\n\r\n- b\r\n- c\r\n\r\n## Mine\r\nwords"
    )
    assert document.replace("## Now\n- a", {"Now": "- b"}) == "## Now\n- b"
    assert document.changes([PAGE], PAGE.replace("\n", "\r\n")) == ()


def test_an_empty_section_of_ours_keeps_its_heading():
    once = document.replace(PAGE, {"Time": "## Time\n"})
    assert "## Time\n\n## Recent\n" in once
    assert document.replace(once, {"Time": "## Time\n"}) == once
    assert "## Time\n- x\n\n## Recent\n" in document.replace(once, {"Time": "- x"})


def test_a_long_line_of_blanks_or_signs_costs_no_time():
    for line in (" " * 100_000 + "x", "#" * 100_000, "## " + " #" * 50_000, "`" * 100_000, "=" * 100_000):
        document.split(f"{line}\n" * 3)
        blocks(f"{line}\n" * 3)
