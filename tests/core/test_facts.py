"""The line of a fact: written and read back, whatever its text holds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import escape, facts
from nanoctx.core.facts import Ended, Fact
from nanoctx.model import Origin

AT = datetime(2026, 2, 12, 9, tzinfo=UTC)


def made(text: str, **more: object) -> Fact:
    values = {"id": "mabcd2345", "section": facts.RULES, "kind": "rule", "last": AT} | more
    return Fact(text=text, **values)  # type: ignore[arg-type]


texts = st.text(max_size=120).map(escape.inert).filter(lambda text: text and "~~" not in text)


@given(
    texts,
    st.sampled_from(("", *facts.MARKS)),
    st.integers(1, 99),
    st.text(max_size=20),
    st.none() | st.text(max_size=60),
    st.text(max_size=60),
)
def test_a_line_reads_back(
    text: str, mark: str, seen: int, project: str, why: str | None, stale: str
) -> None:
    ended = Ended(AT, why) if why is not None else None
    fact = made(text, mark=mark, seen=seen, project=project, superseded=ended, stale=stale)
    line = facts.line(fact, UTC, projects=True)
    parsed = facts.parse(line)
    assert "\n" not in line
    assert (parsed.text, parsed.id, parsed.mark, parsed.struck) == (text, fact.id, mark, ended is not None)
    assert facts.write(parsed) == line


@pytest.mark.parametrize(
    "line",
    [
        "- plain (really)",
        "- two (2026) words",
        "- ends with ^note",
        "* another bullet",
        "no bullet",
        "- (seen)",
    ],
)
def test_what_is_no_line_of_ours_is_text(line: str) -> None:
    parsed = facts.parse(line)
    assert not parsed.id and not parsed.about and parsed.text in line


def test_the_line_of_the_design() -> None:
    fact = made("Keep it small", mark="⭐", project="x", seen=3)
    assert (
        facts.line(fact, UTC, projects=True)
        == "- ⭐ Keep it small (project:x, seen 3, 2026-02-12) ^mabcd2345"
    )


def test_an_id_tells_nothing_and_does_not_change() -> None:
    one = facts.name(Origin("7f3a9c21d04e", 12, "dec"))
    assert one == facts.name(Origin("7f3a9c21d04e", 12, "dec")) and len(one) == 9
    assert one != facts.name(Origin("7f3a9c21d04e", 13, "dec"))


def test_facts_are_found_by_id_line_and_words() -> None:
    known = (made("Keep it small"), made("Never use feet", id="mzyxw7654"))
    for query in ("mzyx", "^mzyxw7654", "never use", "- Never use feet (2026-02-12) ^mzyxw7654"):
        assert [fact.text for fact in facts.named(known, query)] == ["Never use feet"]
    assert facts.named(known, "") == () == facts.named(known, "nowhere")
