"""With the real agents: a prompt is told what memory has on it, another prompt nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.agents import AGENTS, Agent
from e2e.claude import until
from e2e.desk import Desk, background
from e2e.scripted_model import Say
from e2e.table import Table, is_called, laid

from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Cargo

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

FACT = "The tide table computes harmonic constituents for the harbour gauge from M2, S2, K1 and O1 only"
ASKED = "How does the tide table compute harmonic constituents for the harbour gauge?"
ASIDE = "Rename the helper and run the linter again, please."
REMINDED = "Relevant Memory:"
ANSWER = "That is how it is."


def _stock(repository: Path) -> None:
    note = repository / ".nanoctx" / "knowledge" / "harmonics.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text(f"# Harmonics\n\n{FACT}.\n")


def _counts(text: str) -> tuple[int, int]:
    return text.count(REMINDED), text.count(FACT)


def test_claude_code_is_reminded_by_a_prompt_that_memory_knows_of_and_by_no_other(desk: Desk) -> None:
    desk.nanoctx("init")
    desk.nanoctx("connect", "claude-code", "--yes")
    _stock(desk.repository)
    desk.nanoctx("recall", "harmonic")
    answer = desk.repository / ".nanoctx" / ".state" / "answers" / "project.json"
    with background():
        desk.model.plays(Say(ANSWER), Say(ANSWER), Say(ANSWER))
        desk.claude.ask(ASIDE)
        until("an answer made ready by a look", lambda: answer.exists())
        desk.claude.ask(ASKED)
        desk.claude.ask(ASKED, "--continue")
    aside, asked, again = (_counts(turn.text) for turn in desk.model.turns)
    assert (aside, asked) == ((0, 0), (1, 1))
    assert again == (1, 1), "what the session knows was told once more"
    desk.quiet()


def _asks_at_prompts(agent: Agent) -> bool:
    return "user-prompt-submit" in CLIENTS[agent.name].connected("", Cargo(Path("/nobody/nanoctx-hook")))


@pytest.fixture(
    params=[agent for agent in AGENTS if is_called(agent) and _asks_at_prompts(agent)],
    ids=lambda agent: agent.name,
)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    with laid(request.param, tmp_path) as made:
        yield made


def test_it_is_reminded_by_a_prompt_that_memory_knows_of_and_by_no_other(table: Table) -> None:
    table.nanoctx("init")
    table.nanoctx("connect", table.agent.name, "--yes")
    _stock(table.seat.folder)
    table.nanoctx("recall", "harmonic")
    with background():
        aside, asked = table.ask(ASIDE, ANSWER), table.ask(ASKED, ANSWER)
    assert aside and {_counts(text) for text in aside} == {(0, 0)}
    assert asked and {_counts(text) for text in asked} == {(1, 1)}, [text[-1500:] for text in asked]
    assert table.told_of("M2, S2") == 0, "what nanoctx told the agent was taken for something that was said"
