"""What of a session is worth a line of memory, and what is only to be recalled."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from nanoctx.core import facts, fold, keeping, weighing
from nanoctx.model import Item, Observation


def kept(kind: str, text: str, by: str = "user", grade: str = "claimed") -> str | None:
    """The words that enter at once; None for those that do not, or only with another session's."""
    found = keeping.kept(Item(kind, text, 5, grade, by), headless=False)
    return found.text if found is not None and not found.weak else None


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I thought we no longer use feet we just use metres", "We no longer use feet we just use metres"),
        (
            "In reports, the heights should be those of that gauge; the same goes for times (for now)",
            "In reports, the heights should be those of that gauge",
        ),
        ("The parser should guide the reader if it fails",) * 2,
        ("setup.sh should guide people if it finds no git",) * 2,
        (".env must never be committed",) * 2,
        ("yes, ./run.sh must never be committed", "./run.sh must never be committed"),
        ("It should be metres", None),
        ("We should still save the heights somewhere", None),
        ("I don't want other heights outside of this report", None),
        ("The heights must be those of this table", None),
        ("The test should check the heights are those recorded", None),  # done once it is written
        ("We should separate the tables for clarity", None),  # an order, as it stands
        ("Can we read it instead of waiting?", None),
    ],
)
def test_a_decision_says_how_things_are_to_be(said: str, text: str | None) -> None:
    assert kept("dec", said) == text


def test_why_somebody_refused_is_a_decision() -> None:
    refused = "Rejected by the user: git commit — We should separate the tables for clarity."
    assert kept("fail", refused) == "We should separate the tables for clarity"
    assert kept("fail", "Rejected by the user: git commit — We should have a look first.") is None
    assert kept("fail", "Rejected by the user: git push") is None


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Never use tables in the README", "Never use tables in the README"),
        ("Be concise in the changes you make", None),  # of what was asked for then
        ("Always be concise in your answers", "Always be concise in your answers"),
        ("Do not change the tables", None),
    ],
)
def test_a_rule_is_for_longer_than_an_answer(said: str, text: str | None) -> None:
    assert kept("rule", said) == text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("TestTable fails because tides.readLevel requires a station", "tides.readLevel requires a station"),
        (
            "The summary shows zeros. It hangs because readTable() doesn't exist for old stations",
            "readTable() doesn't exist for old stations",
        ),
        (
            "Your setup has the key problem: .tide/own.json is ignored, so the server cannot use it",
            ".tide/own.json is ignored, so the server cannot use it",
        ),
        ("rebuildTable ignores rows because `read_rows` requires a header",) * 2,
        ("The build failed because the header was missing", None),
        ("It breaks because the reader is broken", None),  # no lasting cause: nothing to know next time
    ],
)
def test_of_what_failed_the_cause_is_a_lesson(said: str, text: str | None) -> None:
    assert kept("fail", said, by="agent") == text


def test_the_same_words_as_a_rule_and_as_a_decision_are_one_fact() -> None:
    told = (
        Item("rule", "Never deploy on a Friday", 5, by="user"),
        Item("dec", "We should never deploy on a Friday", 5, "claimed", "user"),
        Item("dec", "The table must only show metres", 7, "claimed", "user"),
    )
    at = datetime(2026, 2, 12, 9, tzinfo=UTC)
    one = Observation("0" * 12, "claude-code", project="tides", started=at, last=at, items=told)
    folded = fold.Folded()
    fold.update(folded, {one.id: fold.digest(one)})
    made = weighing.weigh(fold.groups(folded), folded.rivals, now=at).facts
    assert sorted((fact.section, fact.text, fact.seen) for fact in made) == [
        (facts.DECISIONS, "The table must only show metres", 1),
        (facts.RULES, "Never deploy on a Friday", 1),
    ]
