"""With real agents: what nanoctx told a session is never taken for something that was said in it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from e2e.agents import AGENTS
from e2e.desk import Desk, background
from e2e.scripted_model import Say
from e2e.table import laid

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

ROUNDS = 20
FEWER = int(os.environ.get("NANOCTX_ECHO_ROUNDS", "6"))  # of a slower one
BOATS = (
    "Albatross", "Bittern", "Curlew", "Dunlin", "Egret", "Fulmar", "Gannet", "Heron", "Ibis", "Jacana",
    "Kestrel",
    "Lapwing", "Merlin", "Noddy", "Osprey", "Petrel", "Quail", "Redshank", "Skua", "Turnstone",
)  # fmt: skip
HARBOURS = (
    "Ryde", "Padstow", "Whitby", "Oban", "Cromer", "Fowey", "Lerwick", "Tenby", "Mallaig", "Seaham",
    "Porlock", "Wick", "Amble", "Hythe", "Looe", "Stornoway", "Maryport", "Kinsale", "Howth", "Troon",
)  # fmt: skip
RULE = "Never use tabs in this project"
TOLD = (
    RULE, "# Context (nanoctx", "Relevant Memory", "Last interaction", "answers on channel", "hook_context",
)  # fmt: skip
KNOWN = tuple(zip(BOATS, HARBOURS, strict=True))


def prompt(boat: str, harbour: str) -> str:
    return f"Paint the {boat} that lies at {harbour} in {boat.lower()}.py."


def answer(boat: str) -> str:
    return f"The {boat} is painted in {boat.lower()}.py."


def stock(repository: Path) -> None:
    """Something is known of each that only a prompt on it brings up."""
    folder = repository / ".nanoctx" / "knowledge"
    folder.mkdir(exist_ok=True)
    for number, (boat, harbour) in enumerate(KNOWN):
        text = f"# Boat {number}\n\nAt {harbour} the {boat} answers on channel {number} only.\n"
        (folder / f"{boat.lower()}.md").write_text(text)


def no_echo(repository: Path, agent: str, rounds: int) -> None:
    texts = [one.read_text() for one in repository.glob(f".nanoctx/observations/*/*/*-{agent}-*.md")]
    assert len(texts) == rounds
    for text in texts:
        assert not [words for words in TOLD if words in text], text
        assert len([boat for boat in BOATS if boat in text]) == 1, f"one session tells of another's:\n{text}"
    memory = (repository / ".nanoctx" / "MEMORY.md").read_text()
    rules = [line for line in memory.splitlines() if RULE in line]
    assert len(rules) == 1 and not re.search(r"seen [2-9]|seen \d\d", rules[0]), rules
    assert not [words for words in TOLD[1:] if words in memory], memory


def test_over_twenty_rounds_claude_code_says_nothing_back(desk: Desk) -> None:
    desk.nanoctx("init")
    desk.nanoctx("connect", "claude-code", "--yes")
    desk.nanoctx("remember", RULE)
    stock(desk.repository)
    desk.nanoctx("recall", "channel")
    told = reminded = 0
    with background():
        for boat, harbour in KNOWN[:ROUNDS]:
            desk.model.requests.clear()
            desk.model.plays(Say(answer(boat)))
            desk.claude.ask(prompt(boat, harbour))
            told += RULE in desk.model.turns[0].text
            reminded += "Relevant Memory" in desk.model.turns[0].text
    assert told >= ROUNDS - 1 and reminded >= ROUNDS - 2, (told, reminded)
    desk.nanoctx("observe")
    desk.nanoctx("reflect")
    no_echo(desk.repository, "claude-code", ROUNDS)
    desk.quiet()


def test_over_some_rounds_codex_says_nothing_back(tmp_path: Path) -> None:
    agent = next(agent for agent in AGENTS if agent.name == "codex")
    with laid(agent, tmp_path) as table:
        table.nanoctx("init")
        table.nanoctx("connect", agent.name, "--yes")
        table.nanoctx("remember", RULE)
        stock(table.seat.folder)
        table.nanoctx("recall", "channel")
        told = reminded = 0
        with background():
            for boat, harbour in KNOWN[:FEWER]:
                given = table.ask(prompt(boat, harbour), answer(boat))
                told += any(RULE in text for text in given)
                reminded += any("Relevant Memory" in text for text in given)
        assert told >= FEWER - 1 and reminded >= FEWER - 2, (told, reminded)
        table.nanoctx("observe")
        table.nanoctx("reflect")
        no_echo(table.seat.folder, agent.name, FEWER)
