from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import edits


def test_names_that_code_defines() -> None:
    code = (
        "class TideTable:\n    def low_water(self): ...\n\nexport const moonPhase = 3\ndef low_water(): ..."
    )
    assert edits.symbols(code) == ["TideTable", "low_water", "moonPhase"]


def test_an_edit_of_code_is_marked_by_what_it_defines_and_speaks_of() -> None:
    new = "def low_water(table):\n    return TideTable(table).lowest_gauge(lowest_gauge)\n"
    assert edits.marks("src/tides.py", new) == {"symbols": "low_water", "names": "TideTable,lowest_gauge"}


def test_an_edit_of_prose_is_marked_by_its_headings() -> None:
    assert edits.marks("docs/tides.md", "# Tides\n\ntext\n\n## Low **water**\n") == {
        "headings": "Tides / Low water"
    }
    assert edits.marks("docs/tides.md", "only text") == {}


def test_unticked_boxes_are_what_is_open() -> None:
    text = "- [x] Print\n- [ ] Bind the book\n  * [ ] Sell it\n"
    assert edits.marks("PLAN.md", text) == {"open": "Bind the book / Sell it"}


@pytest.mark.parametrize(
    "text",
    [
        'key = "hunterTwo_secret"',
        "TOKEN=hunterTwo_secret",
        "password: hunterTwo_secret",
        "a/hunterTwo_secret",
    ],
)
def test_values_are_not_taken_for_names(text: str) -> None:
    assert "hunterTwo_secret" not in edits.marks("settings.yaml", text).get("names", "")
    if ":" not in text:  # in code, a name after a colon is a type
        assert "hunterTwo_secret" not in edits.marks("settings.py", text).get("names", "")


@given(st.text(max_size=300), st.sampled_from(["a.py", "a.md", "a.env", ""]))
def test_any_text_can_be_marked(text: str, path: str) -> None:
    assert all(value for value in edits.marks(path, text).values())


@pytest.mark.parametrize("text", ["aB" * 15_000, "_a" * 15_000, "# a" * 9_000, "export " * 5_000])
def test_hostile_text_costs_little_time(text: str) -> None:
    started = time.process_time()
    edits.marks("a.py", text)
    edits.marks("a.md", text)
    assert time.process_time() - started < 2
