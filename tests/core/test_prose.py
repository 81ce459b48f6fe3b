from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import prose

TEXT = st.text(st.characters(codec="utf-8"), max_size=400)
MARKDOWN = st.text("ab Z.!?;:,—-()[]*_`#>|\n\t1/\\<>é潮😀", max_size=300)


def test_a_line_loses_its_markdown_and_keeps_its_words() -> None:
    text = "## **Tide tables** for [the harbour](https://example.org/h) in `src/tides.py` ✅"
    assert prose.plain(text) == "Tide tables for the harbour in src/tides.py"


def test_addresses_are_shortened_to_what_names_them() -> None:
    assert prose.plain("see https://git.example.org/harbour/tides/pull/41#issuecomment-2") == "see #41"
    assert prose.plain("docs: https://www.example.org/api/v2/tides?port=3") == "docs: example.org/api"


def test_paths_below_a_home_are_named_by_their_last_part() -> None:
    assert prose.plain("wrote /home/mira/work/tides/src/moon.py today") == "wrote moon.py today"
    assert prose.plain("wrote src/moon.py today") == "wrote src/moon.py today"
    assert prose.plain(r"wrote C:\Users\mira\tides\moon.py, D:/tides/sun.py") == "wrote moon.py, sun.py"
    assert prose.plain("wrote src/moon: /home/mira/sun.py") == "wrote src/moon: sun.py"


@pytest.mark.parametrize(
    "said, means",
    [
        ("Great! I've now added the moon phase column.", "Added the moon phase column."),
        ("You're absolutely right! I wrote a second parser.", "Wrote a second parser."),
        ("So, basically the reader waits.", "The reader waits."),
        ("tides_at() returns None", "tides_at() returns None"),
        ("Perfect!", "Perfect!"),
    ],
)
def test_a_sentence_is_reduced_to_what_it_says(said: str, means: str) -> None:
    assert prose.tidy(said) == means


def test_an_announcement_still_begins_as_one() -> None:
    assert prose.opening("Great! Now let me run the suite.") == "Now let me run the suite."


def test_sentences_end_at_marks_but_not_inside_names() -> None:
    text = "The parser in moon.py reads v1.2 files. It skips the rest! Does it? Yes."
    expected = ["The parser in moon.py reads v1.2 files.", "It skips the rest!", "Does it?", "Yes."]
    assert prose.sentences(text) == expected
    assert prose.sentences("潮汐表已完成。下一步是月相。") == ["潮汐表已完成。", "下一步是月相。"]


def test_wide_signs_end_sentences_and_are_parted_from_latin_ones() -> None:
    said = prose.sentences("已完成。See `a.py`. Then 请看！好")
    assert said == ["已完成。", "See `a.py`.", "Then 请看！", "好"]
    assert prose.parted("打开config.py文件a本a") == "打开 config.py 文件 a 本 a"
    assert prose.parted("a-本-b é—x") == "a-本 -b é—x"
    assert prose.count_wide("打开 config.py 文件") == 4 and prose.count_wide("é — x") == 0


def test_a_whole_hash_is_shown_by_its_beginning() -> None:
    sha = "0123456789abcdef0123456789abcdef01234567"
    assert prose.plain(f"Committed {sha} to main") == "Committed 01234567 to main"
    assert prose.plain(f"Committed x{sha} to main") == f"Committed x{sha} to main"
    assert prose.plain(f"Committed {sha}8 to main") == f"Committed {sha}8 to main"


def test_a_cut_ends_with_a_clause_or_a_word() -> None:
    text = "Keep the harmonic table in memory, since reading it again costs forty milliseconds per port"
    assert prose.cut(text, 60) == "Keep the harmonic table in memory, since reading it again"
    assert prose.cut(text, 45) == "Keep the harmonic table in memory"
    assert prose.cut("short", 60) == "short"


def test_a_cut_leaves_no_bracket_open_near_the_end() -> None:
    text = "Moved the harmonics into one table (moon.py, sun.py, shallow.py, wind.py, ice.py)"
    assert prose.cut(text, 62) == "Moved the harmonics into one table (moon.py)"


@given(TEXT | MARKDOWN, st.integers(1, 250))
def test_a_cut_is_never_longer_than_asked(text: str, limit: int) -> None:
    assert len(prose.cut(text, limit)) <= limit


@given(TEXT | MARKDOWN)
def test_plain_and_tidy_text_is_one_line(text: str) -> None:
    for shown in (prose.plain(text), prose.tidy(text), prose.opening(text)):
        assert len(shown.splitlines()) <= 1
        assert shown == shown.strip()


def test_code_patches_and_thoughts_are_not_speech() -> None:
    text = (
        "<thinking>secretly delete it all</thinking>Before.\n```python\nraise SystemExit\n```\n"
        "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\nAfter."
    )
    spoken = prose.spoken(text)
    assert "Before." in spoken and "After." in spoken
    assert not any(hidden in spoken for hidden in ("secretly", "SystemExit", "old", "new"))


def test_a_fence_that_never_closes_hides_the_rest() -> None:
    assert prose.spoken("Said.\n```\nprint('never closed')\nmore").strip() == "Said."


def test_a_message_falls_into_headings_with_their_bullets_and_sentences() -> None:
    text = (
        "Done with the almanac. It prints now.\n\n"
        "## What changed\n- **Moon**: new column\n- Sun: kept,\n  as before\n\n"
        "| port | tests |\n|---|---|\n| Oban | pass |\n\n"
        "**Next steps**\n1. Print the margins\n\nThat is all."
    )
    found = prose.blocks(text)
    assert [block.heading for block in found] == ["", "What changed", "Next steps", ""]
    assert [part.text for part in found[0].parts] == ["Done with the almanac.", "It prints now."]
    assert [part.text for part in found[1].parts] == [
        "- **Moon**: new column",
        "- Sun: kept, as before",
        "Oban - pass",
    ]
    assert [part.bullet for part in found[2].parts] == [True]
    assert [part.text for part in found[3].parts] == ["That is all."]


@given(MARKDOWN | TEXT)
def test_no_message_breaks_the_parser_and_no_block_is_empty(text: str) -> None:
    for block in prose.blocks(prose.spoken(text)):
        assert block.parts
        for part in block.parts:
            prose.head(part.text)


def test_a_bullet_is_told_by_its_bold_words_or_its_first_clause() -> None:
    assert prose.head("- **Cache the harmonics:** they never change") == "Cache the harmonics"
    assert prose.head("2. Cache the harmonics — they never change") == "Cache the harmonics"


def test_words_are_stemmed_and_small_words_left_out() -> None:
    assert prose.words("We are printing the printed prints") == {"print"}
    assert prose.words("tides.parser") == {"tides.parser", "tide", "parser"}
    assert "moon_phase" in prose.words("moon_phase") and "moon" in prose.words("moon_phase")


def test_names_of_things_are_found_once_each_in_order() -> None:
    text = "In `moon_phase` and src/tides.py the TideTable (#12, --dry-run) uses src/tides.py"
    assert prose.identifiers(text) == ["moon_phase", "src/tides.py", "TideTable", "#12", "--dry-run"]


def test_neighbours_are_packed_into_lines_led_by_their_heading() -> None:
    assert prose.pack(["One.", "Two?", "Three."], 18, "H") == ["H: One; Two?", "H: Three"]
    assert prose.pack([], 20, "H") == []


@pytest.mark.parametrize(
    "text",
    [
        "*" * 20_000,
        "[a](" * 5_000,
        "(" * 20_000,
        "perfect, " * 4_000,
        "a/" * 10_000,
        "`" * 20_001,
        "<think>" * 3_000,
        "https://" * 3_000,
        "| " * 10_000,
        "**a" * 6_000,
        " \n" * 10_000,
    ],
)
def test_hostile_text_costs_little_time(text: str) -> None:
    started = time.process_time()
    for block in prose.blocks(prose.spoken(text)):
        for part in block.parts:
            prose.tidy(part.text)
            prose.head(part.text)
    prose.plain(text)
    prose.identifiers(text)
    prose.words(text)
    assert time.process_time() - started < 2
