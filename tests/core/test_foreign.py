"""What other programs remember, taken apart: notes, files of one memory, histories."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import foreign, items
from nanoctx.model import Item

NOTES = """# Tidewatch memory

## Preferences
- Use **pytest**, never unittest
- [Harbour](harbour.md) — how the harbour is wired

## Decisions
1. Readings are kept in
   postgres

## Gotchas
The gauge at Ryde answers
over IPv6 only.

```sh
rm -rf everything
```

(Important facts about the user)
*This file is kept by a program.*
| a | b |
---
"""
ONE = """---
name: no-mocks
description: Integration tests use the real database
metadata:
  type: feedback
---

Never mock the database in integration tests.

**Why:** a mock hid a broken migration.
"""


def test_notes_are_taken_by_line_with_what_their_heading_makes_them() -> None:
    assert [(one.line, one.kind, one.text) for one in foreign.notes(NOTES, {"harbour.md"})] == [
        (4, "rule", "Use pytest, never unittest"),
        (8, "dec", "Readings are kept in postgres"),
        (12, "learn", "The gauge at Ryde answers over IPv6 only."),
    ]


def test_a_link_to_a_file_that_is_not_there_is_a_note() -> None:
    assert any("Harbour" in one.text for one in foreign.notes(NOTES))


def test_a_file_of_one_memory_is_its_first_paragraph() -> None:
    (one,) = foreign.notes(ONE)
    assert (one.line, one.kind, one.text) == (8, "rule", "Never mock the database in integration tests.")


def test_a_long_memory_is_told_by_its_description() -> None:
    (one,) = foreign.notes(ONE.replace("Never mock", "Never " * 60 + "mock"))
    assert one.text == "Integration tests use the real database"


def test_a_history_is_for_recall_only() -> None:
    line = json.dumps({"cursor": 1, "timestamp": "2026-02-12", "content": "[2026-02-11 09:12] Moved to UTC"})
    (one,) = foreign.history(f"{line}\nno json\n", as_json=True)
    assert one.text == "2026-02-11: Moved to UTC" and one.recall_only
    (one,) = foreign.history("[2026-02-11 09:12] Moved to UTC\n", as_json=False)
    assert one.text == "2026-02-11: Moved to UTC"


def test_secrets_and_private_parts_go_and_lines_stay_where_they_are() -> None:
    text = "first line\n<private>\nmy own\n</private>\npassword = correct7Horse!battery\nlast line here\n"
    clean, secrets = foreign.without_secrets(text)
    assert "my own" not in clean and "correct7Horse" not in clean and secrets == 2
    assert clean.splitlines().index("last line here") == text.splitlines().index("last line here")


@pytest.mark.parametrize(
    "text", ["", "---\n", "---\nname: x\n---\n", "```\nnever closed\n", "\x00\n- \n# \n"]
)
def test_what_says_nothing_gives_nothing(text: str) -> None:
    assert [*foreign.notes(text)] == []


@given(st.text())
def test_any_text_gives_lines_that_fit(text: str) -> None:
    for one in (*foreign.notes(text), *foreign.history(text, as_json=False)):
        assert 0 < len(one.text) <= items.TEXT_LIMIT and one.line >= 1
        kept = items.parse_item(items.render_item(Item(one.kind, one.text, one.line)))
        assert kept is not None and kept.text == one.text
