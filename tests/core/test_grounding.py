"""New words are kept only if they say what the old ones said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core.grounding import is_grounded

OLD = "The table shows metres and feet, switched by --unit in tide/table.py; All 14 tests pass"
QUOTE = "Done. in_feet() multiplies by 3.28, as Marta asked. All 14 tests pass (1a2b3c4), issue #52."


@pytest.mark.parametrize(
    "new",
    [
        "Table shows metres and feet (--unit, tide/table.py), 14 tests pass",
        "Metres and feet in the table, as Marta asked; 14 tests pass.",
        "`in_feet()` multiplies by 3.28: the table shows feet",
        "Implemented feet in the table (table.py), see 1a2b3c4 and #52",
        "Feet in the table. Tests pass.",
    ],
)
def test_shorter_words_for_the_same_are_kept(new: str) -> None:
    assert is_grounded(new, OLD, QUOTE)


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("The table shows metres and feet; All 15 tests pass", "a number"),
        ("The table shows metres and feet; All 4 tests pass", "a part of a number"),
        ("The table multiplies by 28 for feet", "a part behind a point"),
        ("The table shows metres and feet; fifteen or twelve tests pass", "a number in letters"),
        ("The table shows metres and feet, see 52", "a number without its mark"),
        ("The table shows feet, switched in tide/units.py", "a path"),
        ("The table shows feet, switched in tide/table", "a path cut short"),
        ("The table shows feet, switched by --units", "a flag"),
        ("The table shows feet by inFeet", "camel case"),
        ("The table shows feet by in_metres", "snake case"),
        ("The table shows feet by tide.table", "a dotted name"),
        ("The table shows feet, 1a2b3c5", "a hash"),
        ("The table shows metres and feet, as Bob asked", "a name"),
        ("Bob: the table shows metres and feet", "a name that comes first"),
        ("The table shows metres and feet. Bob asked for it", "a name that begins a sentence"),
        ("The table shows metres and feet, switched by `units`", "code"),
        ("The table does not show feet", "a negation"),
        ("The table shows metres and feet; all 14 tests fail", "a failure"),
        ("The table might show metres and feet", "a guess"),
        ("Deployment to production went well", "another subject"),
        ("The table shows metres and feet " + "and feet " * 30, "length"),
        ("", "nothing"),
    ],
)
def test_words_that_say_something_new_are_refused(new: str, why: str) -> None:
    assert not is_grounded(new, OLD, QUOTE), why


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("Do not use tables in the page", "Use tables in the page", False),
        ("Do not use tables in the page", "Don't use tables in the page", True),
        ("Don’t use tables in the page", "Never use tables in the page", True),
        ("Never use tables in the page", "No tables in the page", True),
        ("Use tables in the page", "Never use tables in the page", False),
        ("The cache can't be shared", "The cache can be shared", False),
        ("Bitte keine Tabellen in der Seite", "Bitte Tabellen in der Seite", False),
        ("Tabellen nicht in der Seite zeigen", "Tabellen in der Seite zeigen", False),
        ("Tabellen nicht in der Seite zeigen", "In der Seite nicht Tabellen zeigen", True),
        ("Ne pas utiliser les tables", "Utiliser les tables", False),
        ("Deploy without the cache", "Deploy with the cache", False),
        ("Tests still hang in the reader", "Tests of the reader", False),
        ("It took -5 degrees", "It took 5 degrees", False),
        ("Starts at 9:30 each day", "Starts at 9 each day", False),
        ("Memory down by 5 % today", "Memory down by 5 today", False),
    ],
)
def test_what_turns_a_sentence_stays(old: str, new: str, kept: bool) -> None:
    assert is_grounded(new, old) is kept


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_judged(new: str, old: str, quote: str) -> None:
    assert is_grounded(new, old, quote) in (True, False)
