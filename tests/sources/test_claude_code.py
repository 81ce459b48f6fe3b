"""What a session of Claude Code is, how its records hang together, and where its log lies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanoctx.model import Cursor
from nanoctx.sources import claude_code
from nanoctx.sources.claude_words import CONTINUED

SAMPLE = Path(__file__).parent / "fixtures" / "claude-code.jsonl"

# What is known of the session?


def test_facts_are_told_when_they_appear_and_when_they_change(log: Any) -> None:
    log.user("go").says("ok").says("ok", cwd="/w/garden/pond", gitBranch="pond").says("ok", model="claude-x")
    assert [dict(event.facts) for event in log.events("about")] == [
        {"cwd": "/w/garden", "branch": "main", "version": "2.1.81"},
        {"model": "claude-opus-4-6"},
        {"cwd": "/w/garden/pond", "branch": "pond"},
        {"cwd": "/w/garden", "branch": "main"},
        {"model": "claude-x"},
    ]


@pytest.mark.parametrize(
    ("entry", "headless"), [("sdk-cli", "1"), ("sdk-py", "1"), ("cli", None), ("claude-vscode", None)]
)
def test_a_session_run_by_a_program_is_headless(log: Any, entry: str, headless: str | None) -> None:
    log.user("go", entrypoint=entry)
    assert log.events("about")[0].facts.get("headless") == headless


def test_a_persons_title_outranks_the_agents_and_summaries_may_be_of_other_sessions(log: Any) -> None:
    log.add({"type": "summary", "summary": "Tomatoes", "leafUuid": "elsewhere"})
    log.add({"type": "ai-title", "aiTitle": "Pond work"})
    log.add({"type": "custom-title", "customTitle": "The pond"})
    log.add({"type": "ai-title", "aiTitle": "More pond work"})
    assert [dict(event.facts) for event in log.events("about")] == [
        {"title": "Pond work", "title_by": "agent"},
        {"title": "The pond", "title_by": "person"},
    ]


def test_a_pull_request_is_a_fact(log: Any) -> None:
    log.add(
        {
            "type": "pr-link",
            "prNumber": 7,
            "prUrl": "https://forge.example/7",
            "timestamp": "2026-03-01T10:00:00Z",
        }
    )
    assert dict(log.events("about")[0].facts) == {"pr": "https://forge.example/7"}


def test_the_session_is_named_by_the_log_or_by_what_a_copy_says(log: Any, tmp_path: Path) -> None:
    log.user("go")
    assert {event.session for event in log.events()} == {log.path.stem}
    copied = tmp_path / "copy of a log.jsonl"
    copied.write_bytes(log.path.read_bytes().replace(b'"sessionId":"5a6f', b'"sessionId":"ffff'))
    assert claude_code.read(copied, Cursor()).events[0].session.startswith("ffff0c52")


def test_records_that_say_nothing_still_tell_the_time(log: Any) -> None:
    def progress(time: str) -> None:
        log.enveloped(
            "progress",
            {"data": {"type": "hook_progress", "timestamp": "1990-01-01T00:00:00.000Z"}},
            timestamp=time,
        )

    log.user("go", timestamp="2026-03-01T10:00:00.000Z")
    progress("2026-03-01T09:59:59.500Z")
    progress("2026-03-01T10:07:00.250Z")
    log.add({"type": "file-history-snapshot", "snapshot": {"timestamp": "2031-01-01T00:00:00.000Z"}})
    times = [event.at for event in log.events() if event.at is not None]
    assert max(times) - min(times) == 420.75


def test_context_use_is_the_last_copy_of_the_last_message(log: Any) -> None:
    log.says("a", tokens=150_000).says("b", tokens=40_000)
    log.assistant({"type": "text", "text": "side"}, tokens=9, isSidechain=True)
    [usage] = log.events("usage")
    assert (usage.used, usage.window) == (40_000, 200_000)


@pytest.mark.parametrize(("tokens", "model"), [(250_000, "claude-x"), (50_000, "claude-x[1m]")])
def test_a_large_window_is_told_by_its_use_or_by_the_model(log: Any, tokens: int, model: str) -> None:
    log.says("a", tokens=tokens, model=model)
    assert log.events("usage")[0].window == 1_000_000


def test_a_compaction_empties_the_context_and_leaves_a_summary(log: Any) -> None:
    log.says("a", tokens=160_000)
    log.enveloped(
        "system",
        {"subtype": "compact_boundary", "compactMetadata": {"trigger": "manual", "preTokens": 161_000}},
        parentUuid=None,
        logicalParentUuid="u1",
    )
    log.user(
        f"{CONTINUED} a previous conversation.\nAnalysis:\nfrogs\n\nSummary:\n1. The pond is dug.\n\n"
        "If you need specific details from before compaction (like code), read the transcript.",
        isCompactSummary=True,
        isVisibleInTranscriptOnly=True,
    )
    told = [(e.kind, e.name, e.text, e.used) for e in log.events("usage", "compact")]
    assert told == [
        ("usage", "", "", 161_000),
        ("compact", "manual", "", 0),
        ("usage", "", "", 0),
        ("compact", "summary", "1. The pond is dug.", 0),
    ]
    boundary, summary = log.events("compact")
    assert (boundary.parent, summary.parent) == ("u1", boundary.uid)


def test_old_versions_write_a_summary_without_a_flag(log: Any) -> None:
    log.user(f"{CONTINUED} a previous conversation.\nThe pond is dug.")
    assert [event.kind for event in log.events("compact", "prompt")] == ["compact"]


def test_dropping_old_results_is_no_compaction(log: Any) -> None:
    log.enveloped("system", {"subtype": "microcompact_boundary", "content": "x"})
    assert log.events("compact", "usage") == []


def test_a_failure_of_the_service_is_not_the_agents_prose(log: Any) -> None:
    log.says("API Error: 529 overloaded", model="<synthetic>", isApiErrorMessage=True)
    log.says("No response requested.", model="<synthetic>")
    assert [event.kind for event in log.events("say", "error", "usage")] == ["error"]


# How do records hang together?


def test_a_replayed_record_counts_once(log: Any) -> None:
    log.user("dig", uuid="same").user("dig", uuid="same").says("done", uuid="said").says("done", uuid="said")
    assert log.prompts() == ["dig"]
    assert len(log.events("say")) == 1


def test_a_prompt_tells_the_line_it_follows_so_that_a_rewound_branch_shows(log: Any) -> None:
    log.user("dig").says("dug").enveloped("system", {"subtype": "turn_duration"}).user("fill").says("filled")
    log.user("no, plant", parentUuid="u3")
    assert [event.facts.get("after") for event in log.events("prompt")] == [None, "3", "3"]
    first = log.read(until_line=5)
    [prompt] = [event for event in log.read(first.cursor).events if event.kind == "prompt"]
    assert prompt.facts["after"] == "3" and prompt.parent == "u3"


def test_sub_agents_and_progress_are_not_the_session(log: Any) -> None:
    message = {"type": "user", "message": {"role": "user", "content": "count the frogs"}, "uuid": "x"}
    log.enveloped("progress", {"data": {"type": "agent_progress", "message": message}})
    log.user("count the frogs", isSidechain=True, agentId="a1")
    log.assistant(
        {"type": "tool_use", "id": "c9", "name": "Bash", "input": {"command": "ls"}}, isSidechain=True
    )
    assert {event.kind for event in log.events()} <= {"about"}


def test_unknown_records_are_passed_in_silence(log: Any) -> None:
    log.add({"type": "pond-level", "message": "a string where others have objects", "cwd": 5})
    log.add({"sessionId": "S", "type": "pond-level", "message": ["odd"]})
    log.user("go")
    batch = log.read()
    assert batch.skipped == 0 and len(batch.events) == 2


def test_neither_the_order_of_keys_nor_spaces_change_the_events(tmp_path: Path) -> None:
    plain = tmp_path / SAMPLE.name
    spaced = tmp_path / "spaced.jsonl"
    records = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    plain.write_bytes(SAMPLE.read_bytes())
    spaced.write_text(
        "".join(json.dumps(record, sort_keys=True) + "\n" for record in records), encoding="utf-8"
    )

    def told(path: Path) -> list[tuple[object, ...]]:
        events = claude_code.read(path, Cursor()).events
        return [(e.kind, e.pos, e.at, e.text, e.name, e.call, e.ok, e.path, e.used, e.steps) for e in events]

    assert told(spaced) == told(plain)


# Where are the logs?


@pytest.fixture
def home(tmp_path: Path, new_log: Callable[[Path], Any]) -> Path:
    """Sessions begun in a project, below it, in a neighbour of the same slug, elsewhere; and sub-agents."""
    for place in ("w/garden", "w/garden/pond", "w/garden-pond", "w/field"):
        (tmp_path / place).mkdir(parents=True)
        folder = (
            tmp_path
            / ".claude"
            / "projects"
            / "".join(c if c.isalnum() else "-" for c in str(tmp_path / place))
        )
        folder.mkdir(parents=True, exist_ok=True)
        log = new_log(folder)
        log.path = folder / f"{place.replace('/', '.')}.jsonl"
        log.add({"type": "summary", "summary": "x"}).user("go", cwd=str(tmp_path / place))
    (folder / "agent-a1.jsonl").write_bytes(log.path.read_bytes())
    (folder / "w.field" / "subagents").mkdir(parents=True)
    (folder / "w.field" / "subagents" / "agent-a2.jsonl").write_bytes(log.path.read_bytes())
    return tmp_path


def found(home: Path, *projects: str, env: dict[str, str] | None = None) -> set[str]:
    places = [home / project for project in projects] or None
    return {log.stem for log in claude_code.find_logs(home, env or {}, places)}


def test_all_sessions_are_found_but_no_sub_agents(home: Path) -> None:
    assert found(home) == {"w.garden", "w.garden.pond", "w.garden-pond", "w.field"}


def test_a_project_has_its_own_sessions_and_those_begun_below_it(home: Path) -> None:
    assert found(home, "w/garden") == {"w.garden", "w.garden.pond"}
    assert found(home, "w/garden-pond") == {"w.garden-pond"}
    assert found(home, "w/field", "w/garden/pond") == {"w.field", "w.garden.pond"}
    assert found(home, "w/gard") == set()


def test_a_project_reached_through_a_link_is_the_same_project(home: Path) -> None:
    (home / "link").symlink_to(home / "w" / "field")
    assert found(home, "link") == {"w.field"}


def test_a_path_too_long_for_a_folder_is_found_by_its_beginning(
    tmp_path: Path, new_log: Callable[[Path], Any]
) -> None:
    deep = tmp_path / ("very_long_name_" * 8) / ("and-another_" * 12)
    slug = "".join(c if c.isalnum() else "-" for c in str(deep))[:200]
    folder = tmp_path / ".claude" / "projects" / f"{slug}-1x9zk3"
    folder.mkdir(parents=True)
    log = new_log(folder).user("go", cwd=str(deep))
    assert list(claude_code.find_logs(tmp_path, {}, [deep])) == [log.path]
    assert list(claude_code.find_logs(tmp_path, {}, [deep / "other"])) == []


def test_the_host_may_keep_its_logs_elsewhere(home: Path) -> None:
    (home / ".claude").rename(home / "other")
    assert found(home) == set()
    assert len(found(home, env={"CLAUDE_CONFIG_DIR": str(home / "other")})) == 4
    assert len(found(home, env={"CLAUDE_CONFIG_DIR": f"{home}/absent, ~/other"})) == 4
    (home / ".config").mkdir()
    (home / "other").rename(home / ".config" / "claude")
    assert len(found(home)) == 4


def test_the_first_cwd_is_found_behind_records_without_one(log: Any) -> None:
    log.add({"type": "summary", "summary": 'a summary with "cwd": in it'}).add(b'{"cwd": broken').user("go")
    assert claude_code.first_cwd(log.path) == "/w/garden"
    assert claude_code.first_cwd(log.path.with_name("absent")) == ""
