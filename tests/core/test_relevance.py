"""The relevance of facts, as the design gives it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from nanoctx.core import facts, relevance
from nanoctx.core.facts import Fact

NOW = datetime(2026, 2, 12, 9, tzinfo=UTC)


def fact(**more: object) -> Fact:
    values = {"section": facts.KNOWN, "kind": "fact", "last": NOW} | more
    return Fact("mabcd2345", "The reader hangs", **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "task", "value"),
    [
        ({"scope": "project", "seen": 10}, "debugging", 0.4 + 0.3 + 0.2 + 0.1),
        ({"scope": "language", "seen": 5}, "", 0.28 + 0.15 + 0.2 + 0.05),
        ({"scope": "universal", "seen": 1, "last": None}, "architecture", 0.16 + 0.03 + 0.1),
        ({"scope": "project", "seen": 1, "last": NOW - timedelta(days=8)}, "", 0.4 + 0.03 + 0.16 + 0.05),
        ({"scope": "project", "seen": 1, "last": NOW - timedelta(days=89)}, "", 0.4 + 0.03 + 0.12 + 0.05),
        ({"scope": "project", "seen": 1, "last": NOW - timedelta(days=400)}, "", 0.4 + 0.03 + 0.04 + 0.05),
    ],
)
def test_the_formula(more: dict[str, object], task: str, value: float) -> None:
    assert relevance.score(fact(**more), now=NOW, task=task) == pytest.approx(value)


@pytest.mark.parametrize(
    "more", [{"mark": "📌"}, {"by": "user", "section": facts.RULES}, {"by": "person"}, {"accepted": True}]
)
def test_what_is_the_person_s_is_never_below(more: dict[str, object]) -> None:
    assert relevance.score(fact(scope="universal", last=NOW - timedelta(days=900), **more), now=NOW) == 0.7


def test_other_projects_and_languages_do_not_apply() -> None:
    assert relevance.applies(fact(project="gauge"), project="gauge")
    assert not relevance.applies(fact(project="gauge"), project="moon")
    assert relevance.applies(fact(scope="universal"), project="moon", languages=("go",))
    assert not relevance.applies(fact(scope="language", language="python"), languages=("go",))


def test_the_task_is_known_by_its_words() -> None:
    assert relevance.task_of("the reader crashes with an error") == "debugging"
    assert relevance.task_of("write the README") == "documentation"
    assert relevance.task_of("tides") == ""


def test_a_hundred_facts_are_scored_in_no_time() -> None:
    many = [fact(seen=number % 12) for number in range(100)]
    start = time.process_time()
    assert len([relevance.score(one, now=NOW, task="debugging") for one in many]) == 100
    assert time.process_time() - start < 0.1
