"""With the real Claude Code: memory by MCP, and the plugin as it would be installed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from e2e.desk import NANOCTX, Desk
from e2e.scripted_model import Say, Use

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[2]
RULE = "Never push on Fridays"
FACT = "The gauge at Ryde answers over IPv6 only"
MARK = "# Context (nanoctx, "
ON_THE_PATH = f"{NANOCTX.parent}:{os.environ['PATH']}"


@pytest.fixture
def known(desk: Desk) -> Desk:
    """A workspace in which a rule and a fact are known."""
    desk.nanoctx("init")
    desk.nanoctx("remember", RULE)
    desk.nanoctx("remember", "--kind", "fact", FACT)
    return desk


def ask(desk: Desk, tool: str, arguments: dict[str, object], *more: str) -> str:
    """Have the model call one tool; answers with what the model was told then."""
    desk.model.plays(Use(tool, arguments), Say("I see."))
    desk.claude.ask("What do you know?", "--allowedTools", tool, *more, PATH=ON_THE_PATH)
    assert len(desk.model.turns) == 2, [request.text[-300:] for request in desk.model.turns]
    return desk.model.turns[1].messages[-1]


@pytest.fixture
def server(known: Desk) -> tuple[str, str]:
    """How the client is told of our server."""
    config = known.home / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"nanoctx": {"command": str(NANOCTX), "args": ["mcp"]}}}))
    return "--mcp-config", str(config)


def test_memory_that_is_asked_for_arrives(known: Desk, server: tuple[str, str]) -> None:
    assert FACT in ask(known, "mcp__nanoctx__memory_context", {"query": "gauge at Ryde"}, *server)


def test_what_the_agent_remembers_is_known_to_the_next_session(known: Desk, server: tuple[str, str]) -> None:
    line = "The wharf sensor reports feet since March"
    ask(known, "mcp__nanoctx__remember", {"text": line, "kind": "fact"}, *server)
    assert line in ask(known, "mcp__nanoctx__memory_context", {"query": "wharf sensor"}, *server)
    assert line in (known.repository / ".nanoctx" / "MEMORY.md").read_text()


def test_an_agent_that_would_set_a_rule_is_told_that_it_does_not(
    known: Desk, server: tuple[str, str]
) -> None:
    wish = {"text": "Always deploy at once", "kind": "rule"}
    assert "an agent sets no rules" in ask(known, "mcp__nanoctx__remember", wish, *server)
    assert "deploy at once" not in (known.repository / ".nanoctx" / "MEMORY.md").read_text()


@pytest.mark.parametrize("place", [ROOT, ROOT / "plugin"], ids=["marketplace", "plugin"])
def test_the_validator_finds_nothing_to_say(desk: Desk, place: Path) -> None:
    assert "Validation passed" in desk.claude.command("plugin", "validate", "--strict", str(place))


def test_the_plugin_brings_page_and_memory_once_each(known: Desk) -> None:
    known.model.plays(Say("Done."))
    known.claude.ask("Describe the gauge reader in README.md", PATH=ON_THE_PATH)
    known.nanoctx("observe")
    known.claude.command("plugin", "marketplace", "add", str(ROOT))
    known.claude.command("plugin", "install", "nanoctx@nanoctx")
    told = ask(known, "mcp__plugin_nanoctx_memory__memory_context", {"query": "gauge at Ryde"})
    assert FACT in told
    assert known.model.turns[0].text.count(MARK) == 1
    assert "nanoctx:memory" in known.model.turns[0].text and "nanoctx:recall" in known.model.turns[0].text

    known.nanoctx("connect", "claude-code", "--yes")
    known.model.plays(Say("Good morning."))
    known.claude.ask("Good morning", PATH=ON_THE_PATH)
    assert known.model.turns[0].text.count(MARK) == 1
