"""With the real agents: what one session came to stands before the model in the next one, exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.agents import AGENTS
from e2e.table import Table, is_called, laid

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

TASK = "Write a greeting into hello.py and run it"
OUTCOME = "The greeting is in hello.py and it prints hi"
RULE = "Never use tabs in this project"
FOCUS = "- Focus: Write a greeting into hello.py and run it"
MORNING = "Good morning, what is next?"
MARK = "# Context (nanoctx, "
PAGE = "# Context\n\n## Now\n"


def _told(text: str) -> str:
    """What a failing test shows: the surroundings of our text."""
    begun = text.find("# Context")
    return text[max(begun - 200, 0) : begun + 2500] if begun >= 0 else f"Nothing of ours in: {text[-1500:]}"


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.name)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    with laid(request.param, tmp_path) as made:
        yield made


def test_the_next_session_is_told_what_the_last_came_to_exactly_once(table: Table) -> None:
    table.nanoctx("init")
    table.nanoctx("connect", table.agent.name, "--yes")
    first = table.ask(f"{TASK}. {RULE}.", f"{OUTCOME}.")
    assert first and not any(OUTCOME in text for text in first)
    if not is_called(table.agent):
        table.nanoctx("observe")
    assert OUTCOME in (table.seat.folder / ".nanoctx" / "CONTEXT.md").read_text()
    second = table.ask(MORNING, "It prints hi to all.")
    assert second, "the model was not asked"
    # The page by itself has no rules on it: they are in MEMORY.md.
    wanted = (MARK, FOCUS, OUTCOME, RULE) if is_called(table.agent) else (PAGE, FOCUS, OUTCOME)
    told = [{words: text.count(words) for words in wanted} for text in second]
    assert told == [dict.fromkeys(wanted, 1)] * len(second), _told(second[0])
    assert table.told_of(RULE) == 1, "what nanoctx told the agent was taken for something that was said"
    table.nanoctx("disconnect", table.agent.name, "--yes")
    assert b"nanoctx" not in table.settings()
    third = table.ask(MORNING, "It prints hi to all.")
    assert third and not any(words in text for text in third for words in wanted)
