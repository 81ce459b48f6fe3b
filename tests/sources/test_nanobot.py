"""What a session of nanobot is, who speaks in it, and where it lies."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from nanoctx.model import Cursor, Event
from nanoctx.sources import nanobot

HEAD = {"_type": "metadata", "key": "cli:direct", "created_at": "2026-05-04T07:00:00", "metadata": {}}
Told = Callable[..., tuple[Event, ...]]


def message(role: str, content: object, second: int = 1, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "timestamp": f"2026-05-04T07:00:{second:02}.5", **more}


def call(name: str, arguments: object, id: str = "c1") -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return message("assistant", "", tool_calls=[{"id": id, "type": "function", "function": function}])


def result(name: str, content: str, id: str = "c1") -> dict[str, Any]:
    return message("tool", content, name=name, tool_call_id=id)


def write(log: Path, *records: object, head: dict[str, Any] = HEAD) -> Path:
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(json.dumps(record) + "\n" for record in (head, *records)))
    return log


@pytest.fixture
def told(tmp_path: Path) -> Told:
    def read(*records: object, head: dict[str, Any] = HEAD) -> tuple[Event, ...]:
        return nanobot.read(write(tmp_path / "log.jsonl", *records, head=head), Cursor()).events

    return read


def of(kind: str, events: tuple[Event, ...]) -> list[Event]:
    return [event for event in events if event.kind == kind]


# Who speaks?


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("count the birds", "count the birds"),
        ("[Message Time: 2026-05-04 07:00]\ncount", "count"),
        ("[Runtime Context — metadata only]\nChannel: cli\n\ncount", "count"),
        ("count\n\n[Runtime Context — metadata only]\nChannel: cli\n[/Runtime Context]", "count"),
        ([{"type": "text", "text": "count"}, {"type": "image_url"}], "count"),
        ([{"type": "image_url", "image_url": {"url": "data:"}}], "[image]"),
    ],
)
def test_a_person_is_quoted_without_what_nanobot_put_around(told: Told, content: object, words: str) -> None:
    assert [event.text for event in of("prompt", told(message("user", content)))] == [words]


@pytest.mark.parametrize(
    "record",
    [
        message("user", "[System: subagent] [Subagent 'owls' completed successfully]"),
        message("user", "[Subagent 'owls' failed]"),
        message("user", "[Scheduled Task] water the owls"),
        message("user", "[Earlier conversation context - birds]"),
        message("user", "an owl", injected_event="subagent_result"),
        message("user", ""),
    ],
)
def test_what_nanobot_injects_is_no_prompt(told: Told, record: dict[str, Any]) -> None:
    assert of("prompt", told(record)) == []


@pytest.mark.parametrize("more", [{}, {"_command": True}])
def test_commands_are_no_prompts(told: Told, more: dict[str, Any]) -> None:
    events = told(message("user", "/status", **more))
    assert [event.name for event in of("slash", events)] == ["/status"] and not of("prompt", events)


@pytest.mark.parametrize("key", ["cron:1a2b", "heartbeat", "system:x"])
def test_what_runs_on_schedule_has_no_person(told: Told, key: str) -> None:
    events = told(message("user", "back up"), message("assistant", "Done."), head=HEAD | {"key": key})
    assert events[0].facts == {"headless": "1"}
    assert events[1].facts == {"title": "back up", "title_by": "schedule", "title_pos": "2"}
    assert [event.kind for event in events[2:]] == ["run", "say"]


def test_only_the_answer_is_told_not_the_thoughts_before_it(told: Told) -> None:
    events = told(message("assistant", "The person wants birds.</think>Three birds."))
    assert [event.text for event in of("say", events)] == ["Three birds."]


def test_a_message_sent_to_a_chat_is_something_said(told: Told) -> None:
    events = told(call("message", {"content": "Three birds.", "channel": "telegram"}))
    assert [(event.kind, event.text) for event in events] == [("say", "Three birds."), ("tool", "")]


def test_an_answer_to_a_question_is_a_persons(told: Told) -> None:
    events = told(call("ask_user", {"question": "Which wood?"}), result("ask_user", "The north one."))
    assert [(event.kind, event.text) for event in events] == [
        ("tool", "Which wood?"),
        ("answer", "The north one."),
    ]


# What was done?


@pytest.mark.parametrize(
    ("tool", "arguments", "meant"),
    [
        ("exec", {"command": "ls"}, ("shell", "ls", "", "")),
        ("edit_file", {"path": "a.py", "old_text": "x", "new_text": "y"}, ("edit", "", "a.py", "y")),
        ("write_file", {"path": "a.py", "content": "y"}, ("write", "", "a.py", "y")),
        ("read_file", {"path": "a.py"}, ("read", "", "a.py", "")),
        ("list_dir", {"path": "birds"}, ("search", "", "birds", "")),
        ("web_fetch", {"url": "https://birds.example"}, ("web", "", "", "https://birds.example")),
        ("spawn", {"task": "find owls", "label": "owls"}, ("agent", "", "", "owls")),
        ("mcp_demo_get", {"path": "a.py"}, ("other", "", "", "")),
        ("exec", ["of another shape"], ("shell", "", "", "")),
    ],
)
def test_tools_are_told_by_what_they_do(told: Told, tool: str, arguments: object, meant: object) -> None:
    (event,) = of("tool", told(call(tool, arguments)))
    assert (event.name, event.command, event.path, event.text) == meant
    assert event.facts == {"tool": tool} and event.call == "c1"


@pytest.mark.parametrize(
    ("content", "ok", "facts"),
    [
        ("birds\n\nExit code: 0", True, {"exit": "0"}),
        ("STDERR:\nno birds\n\nExit code: 2", False, {"exit": "2"}),
        ("birds", True, {}),
        ("Error: Command timed out", False, {}),
        ("Error: Command blocked by safety guard", False, {"denied": "1"}),
        ("the text says Exit code: 3 in passing", True, {}),
    ],
)
def test_a_result_tells_whether_the_command_failed(
    told: Told, content: str, ok: bool, facts: dict[str, str]
) -> None:
    (event,) = of("result", told(call("exec", {"command": "x"}), result("exec", content)))
    assert (event.ok, event.facts, event.call) == (ok, facts, "c1")


def test_private_state_of_providers_is_passed_over(told: Told, tmp_path: Path) -> None:
    assert told({"_type": "provider_state", "state": {"content": "x"}}) == ()
    assert nanobot.read(tmp_path / "log.jsonl", Cursor()).skipped == 0


# What is known of a conversation?


@pytest.mark.parametrize(("edited", "by"), [(True, "person"), (False, "agent")])
def test_title_and_usage_stand_in_the_metadata(told: Told, edited: bool, by: str) -> None:
    more = {"title": "Birds", "title_user_edited": edited, "_last_usage": {"context_tokens": 900}}
    events = told(message("user", "count"), head=HEAD | {"metadata": more})
    assert events[0].facts == {"title": "Birds", "title_by": by}
    assert [event.used for event in of("usage", events)] == [900]


def test_times_are_those_of_this_machine(told: Told) -> None:
    (event,) = of("prompt", told(message("user", "count", 7)))
    assert event.at == datetime(2026, 5, 4, 7, 0, 7, 500_000).timestamp()


def test_a_new_conversation_under_the_same_key_is_another_session(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", message("user", "count", 1))
    first = nanobot.read(log, Cursor())
    write(log, message("user", "count", 1), message("assistant", "Three.", 2))
    saved = nanobot.read(log, first.cursor)
    write(log)  # /new
    empty = nanobot.read(log, saved.cursor)
    write(log, message("user", "and the owls?", 40))
    second = nanobot.read(log, empty.cursor)
    sessions = [{event.session for event in batch.events} for batch in (first, saved, empty, second)]
    assert sessions[0] == sessions[1] == {"cli:direct@2026-05-04T07:00:01.5"}
    assert sessions[2:] == [set(), {"cli:direct@2026-05-04T07:00:40.5"}]


def test_old_versions_name_the_key_only_in_the_file_name(tmp_path: Path) -> None:
    head = {key: value for key, value in HEAD.items() if key != "key"}
    log = write(tmp_path / "telegram_12_3.jsonl", message("user", "count"), head=head)
    assert nanobot.read(log, Cursor()).events[0].session.startswith("telegram:12_3@")


# Where do sessions lie?

SAID = message("user", "count")


def test_sessions_are_sought_in_all_places_of_old_and_new_versions(tmp_path: Path) -> None:
    data = tmp_path / ".nanobot"
    (data / "workspace" / ".nanobot").mkdir(parents=True)
    (data / "workspace" / ".nanobot" / "workspace-id").write_text("ab12\n")
    logs = [
        write(data / "workspace" / "sessions" / "Y2xpOmRpcmVjdA.jsonl", SAID),
        write(data / "workspace" / "sessions" / "cli_direct.jsonl", SAID),
        write(data / "sessions" / "cli_direct.jsonl", SAID),
        write(data / "sessions" / "ab12" / "Y2xpOmRpcmVjdA.jsonl", SAID),
    ]
    assert list(nanobot.find_logs(tmp_path, {}, None)) == logs
    assert list(nanobot.find_logs(tmp_path, {}, [data / "workspace"])) == logs
    assert list(nanobot.find_logs(tmp_path, {}, [tmp_path / "elsewhere"])) == []
    for log in logs:
        assert nanobot.read(log, Cursor()).events[0].facts["cwd"] == str(data / "workspace")


def test_the_config_or_the_environment_may_name_another_workspace(tmp_path: Path) -> None:
    log = write(tmp_path / "birds" / "sessions" / "cli_direct.jsonl", SAID)
    (tmp_path / ".nanobot").mkdir()
    config = tmp_path / ".nanobot" / "config.json"
    config.write_text(json.dumps({"agents": {"defaults": {"workspace": "~/birds"}}}))
    assert list(nanobot.find_logs(tmp_path, {}, None)) == [log]
    config.write_text("{broken")
    assert list(nanobot.find_logs(tmp_path, {}, None)) == []
    env = {"NANOBOT_AGENTS__DEFAULTS__WORKSPACE": str(tmp_path / "birds")}
    assert list(nanobot.find_logs(tmp_path, env, None)) == [log]


def test_a_project_that_was_made_a_workspace_has_its_sessions(tmp_path: Path) -> None:
    birds = tmp_path / "birds"
    (birds / ".nanobot").mkdir(parents=True)
    (birds / ".nanobot" / "workspace-id").write_text("cd34")
    mine = write(tmp_path / ".nanobot" / "sessions" / "cd34" / "a.jsonl", SAID)
    write(tmp_path / ".nanobot" / "sessions" / "ef56" / "a.jsonl", SAID)
    assert list(nanobot.find_logs(tmp_path, {}, [birds])) == [mine]


@pytest.mark.parametrize("head", [{"id": 1}, HEAD | {"key": "subagent:1"}, HEAD | {"key": "dream:1"}])
def test_other_files_and_runs_of_subagents_are_left_out(tmp_path: Path, head: dict[str, Any]) -> None:
    write(tmp_path / "birds" / "sessions" / "a.jsonl", SAID, head=head)
    assert list(nanobot.find_logs(tmp_path, {}, [tmp_path / "birds"])) == []


def test_its_memory_is_never_read(tmp_path: Path) -> None:
    write(tmp_path / ".nanobot" / "workspace" / "memory" / "history.jsonl", SAID)
    assert list(nanobot.find_logs(tmp_path, {}, None)) == []
