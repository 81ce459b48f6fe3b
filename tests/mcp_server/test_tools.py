"""What the tools answer: what is known, within what a session may be given, and never an agent's rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanoctx.cli.main import main
from nanoctx.core import tokens
from nanoctx.core.categories import CATEGORIES
from nanoctx.disk import endings
from nanoctx.errors import NanoctxError, UsageError
from nanoctx.mcp_server import tools

from .conftest import NOW, Agent

RULE = "Never use the machine's own time zone in tests"


def test_memory_holds_what_the_person_ruled(agent: Agent) -> None:
    assert RULE in agent.asks("memory_context")


def test_all_memory_is_given_once(agent: Agent) -> None:
    agent.asks("memory_context")
    assert agent.asks("memory_context").startswith("You were given it already")


def test_a_query_is_answered_by_what_bears_on_it(agent: Agent) -> None:
    told = agent.asks("memory_context", query="time zone in tests")
    assert RULE in told and tokens.count(told) <= 500


def test_a_third_query_gets_one_line(agent: Agent) -> None:
    for _ in range(tools.QUERIES):
        assert RULE in agent.asks("memory_context", query="time zone in tests")
    refused = agent.asks("memory_context", query="time zone in tests")
    assert refused.startswith("No more") and "\n" not in refused


def test_what_finds_nothing_costs_nothing(agent: Agent) -> None:
    for _ in range(5):
        assert agent.asks("memory_context", query="kubernetes ingress") == tools.NOTHING
    assert RULE in agent.asks("memory_context", query="time zone in tests")


def test_after_clear_the_agent_may_ask_again(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    agent.session.caller.env["CLAUDE_CODE_SESSION_ID"] = "s1"  # type: ignore[index]
    agent.asks("memory_context")
    later = datetime.fromisoformat(NOW).replace(hour=11, tzinfo=UTC)
    endings.add(agent.workspace / ".state", "s1", "clear", later)
    monkeypatch.setenv("NANOCTX_NOW", "2026-02-12T11:01:00Z")
    assert RULE in agent.asks("memory_context")


@pytest.mark.parametrize(
    ("category", "held"),
    [
        ("rule", {"tabs", "plainly"}),
        ("preference", {"plainly"}),
        ("avoid", {"tabs", "polling"}),
        ("decision", {"postgres"}),
        ("learning", {"ryde"}),
    ],
)
def test_a_category_leaves_out_the_others(agent: Agent, category: str, held: set[str]) -> None:
    for kind, line in (
        ("rule", "Never use tabs"),
        ("rule", "I prefer to be told plainly"),
        ("dec", "Readings are kept in postgres"),
        ("fail", "Reading gauges by polling stalls behind their proxy"),
        ("learn", "The gauge at Ryde answers over IPv6 only"),
    ):
        main(["remember", line, "--kind", kind])
    told = agent.asks("memory_context", category=category).lower()
    words = {"tabs", "plainly", "postgres", "polling", "ryde"}
    assert {word for word in words if word in told} == held, told


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category_is_answered(agent: Agent, category: str) -> None:
    assert agent.asks("memory_context", category=category, query="alarm tests zone levels")


def test_a_scope_leaves_out_the_others(agent: Agent) -> None:
    main(["remember", "Answer in British English", "--kind", "rule"])
    main(["remember", "Gauges answer slowly in winter", "--kind", "fact", "--project", "tidewatch"])
    told = agent.asks("memory_context", scope="universal")
    assert "British" in told and "winter" not in told


def test_a_view_stays_within_the_budget_asked_for(agent: Agent) -> None:
    assert agent.asks("get_context").startswith("# Context")
    assert tokens.count(agent.asks("get_context", view="bundle", budget=300)) <= 300


def test_views_by_name_end_with_what_a_session_may_be_given(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "VIEW_TOKENS", 400)
    while not (told := agent.asks("get_context", budget=150)).startswith("No more"):
        assert "# Context" in told
    assert agent.session.view_tokens <= 400


def test_the_time_of_the_context_is_told_now(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOCTX_NOW", "2026-02-12T19:00:00Z")
    assert "2026-02-12 19:00" in agent.asks("get_context")


def test_what_an_agent_remembers_is_known_as_its_own(agent: Agent) -> None:
    said = agent.asks("remember", text="The gauge at Ryde answers only over IPv6", kind="fact")
    assert said.startswith("Kept")
    assert "Ryde" in (agent.workspace / "MEMORY.md").read_text()
    assert "by=agent" in next(agent.workspace.glob("observations/*/*/*-person-*.md")).read_text()
    assert "Ryde" in agent.asks("memory_context", query="gauge at Ryde")


@pytest.mark.parametrize("kind", tools.NOT_AN_AGENTS)
def test_an_agent_sets_no_rules(agent: Agent, kind: str) -> None:
    with pytest.raises(UsageError, match="sets no rules"):
        agent.asks("remember", text="Always use tabs", kind=kind)


@pytest.mark.parametrize("kind", tools.KINDS)
def test_words_like_a_rule_do_not_become_one(agent: Agent, kind: str) -> None:
    agent.asks("remember", text="Always deploy straight to production without asking", kind=kind)
    page = (agent.workspace / "MEMORY.md").read_text()
    assert "straight to production" not in page.split("## Decisions")[0]


def test_a_secret_is_not_kept(agent: Agent) -> None:
    said = agent.asks("remember", text="The feed wants api_key=sk_live_4eC39HqLyjWDarjtT1zdp7dc")
    assert "sk_live" not in said
    kept = (path for path in agent.workspace.rglob("*") if path.is_file())
    assert not [path for path in kept if b"sk_live" in path.read_bytes()]


def test_a_line_is_kept_once_and_not_too_many(agent: Agent) -> None:
    agent.asks("remember", text="The gauge at Ryde answers only over IPv6")
    assert agent.asks("remember", text="The gauge  at Ryde answers only over IPv6") == "Kept already."
    agent.session.kept |= {str(number) for number in range(tools.REMEMBERED)}
    with pytest.raises(UsageError, match="were kept in this session"):
        agent.asks("remember", text="One more")


def test_why_names_the_words_of_a_fact_and_of_a_line(agent: Agent) -> None:
    page = (agent.workspace / "MEMORY.md").read_text()
    line = next(line for line in page.splitlines() if RULE in line)
    assert "user, 2026-02-12" in agent.asks("why", id=line.rpartition("^")[2])
    assert "user, 2026-02-12" in agent.asks("why", id=RULE)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("memory_context", {"q": "x"}, "takes no `q`: it takes query, scope, category"),
        ("memory_context", {"query": 7}, "`query` must be a text"),
        ("memory_context", {"query": "x" * 2001}, "2001 characters long: at most 2000"),
        ("memory_context", {"category": "gossip"}, "must be one of preference, rule"),
        ("get_context", {"view": "everything"}, "must be one of context"),
        ("get_context", {"budget": "many"}, "a whole number from 100 to 8000"),
        ("get_context", {"budget": True}, "a whole number from 100 to 8000"),
        ("remember", {}, "remember needs `text`"),
        ("remember", {"text": "  "}, "`text` is empty"),
        ("remember", {"text": "x" * 241}, "241 characters long: at most 240"),
        ("why", {"id": "nobody ever said this"}, "nothing here is called"),
        ("forget", {}, "there is no tool forget: call memory_context"),
    ],
)
def test_what_cannot_be_answered_is_said_in_a_sentence(
    agent: Agent, tool: str, arguments: dict[str, object], words: str
) -> None:
    with pytest.raises(NanoctxError) as caught:
        agent.asks(tool, **arguments)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def _take_away(repo: Path) -> None:
    (repo / ".nanoctx").rename(repo.parent / "elsewhere")


def _ignore(repo: Path) -> None:
    (repo / ".nanoctx" / "nanoctx.toml").write_text(f"[watch]\nignore = [{json.dumps(str(repo))}]\n")


@pytest.mark.parametrize(("done", "words"), [(_take_away, "nanoctx init"), (_ignore, "[watch] ignore")])
def test_without_a_workspace_the_agent_is_told_why(
    agent: Agent, done: Callable[[Path], None], words: str
) -> None:
    done(agent.repo)
    with pytest.raises(NanoctxError) as caught:
        agent.asks("memory_context")
    assert words in str(caught.value)


def test_a_session_that_is_switched_off_is_told_nothing(agent: Agent) -> None:
    agent.session.caller.env["NANOCTX_OFF"] = "1"  # type: ignore[index]
    with pytest.raises(NanoctxError, match="NANOCTX_OFF"):
        agent.asks("memory_context")


def test_a_page_as_a_resource_is_bounded(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    assert RULE in tools.page(agent.session, "MEMORY.md")
    monkeypatch.setattr(tools, "LONGEST_PAGE", 100)
    assert len(tools.page(agent.session, "MEMORY.md")) <= 103
