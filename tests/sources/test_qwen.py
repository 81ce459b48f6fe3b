"""What a session of Qwen Code is, whose words its records hold, and where its log lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nanoctx.model import Cursor, Event
from nanoctx.sources import qwen

Record = dict[str, Any]
SESSION = "0ba1c0de-2222-4222-8333-944445555666"


class QwenLog:
    """A log written record by record, as the host would write it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.last: str | None = None

    def add(self, kind: str, **body: Any) -> QwenLog:
        self.count += 1
        record = {"uuid": f"id-{self.count}", "parentUuid": self.last, "sessionId": SESSION, "type": kind}
        record |= {
            "timestamp": f"2026-06-01T09:00:{self.count:02d}Z",
            "cwd": "/w/balcony",
            "version": "0.24.4",
        }
        record |= {"gitBranch": "main"} | body
        self.last = record["uuid"]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
        return self

    def user(self, *words: str, **more: Any) -> QwenLog:
        parts = [{"text": text} for text in words]
        return self.add("user", message={"role": "user", "parts": parts}, **more)

    def agent(self, *parts: Record, used: int = 0, **more: Any) -> QwenLog:
        usage = {"promptTokenCount": used}
        return self.add("assistant", message={"role": "model", "parts": parts}, usageMetadata=usage, **more)

    def result(self, tool: str, output: str, status: str = "success", shown: Any = "") -> QwenLog:
        response = {"output" if status == "success" else "error": output}
        parts = [{"functionResponse": {"id": "c1", "name": tool, "response": response}}]
        given = {"callId": "c1", "status": status, "resultDisplay": shown}
        return self.add("tool_result", message={"role": "user", "parts": parts}, toolCallResult=given)

    def system(self, subtype: str, **payload: Any) -> QwenLog:
        return self.add("system", subtype=subtype, provenance="system", systemPayload=payload)

    def events(self, kind: str) -> list[Event]:
        return [event for event in qwen.read(self.path, Cursor()).events if event.kind == kind]

    def texts(self, kind: str = "prompt") -> list[str]:
        return [event.text for event in self.events(kind)]


@pytest.fixture
def log(tmp_path: Path) -> QwenLog:
    return QwenLog(tmp_path / f"{SESSION}.jsonl")


# Whose words are they?


def test_a_prompt_is_what_the_person_typed(log: QwenLog) -> None:
    hook = "<qwen:user-prompt-submit-context>\nrain\n</qwen:user-prompt-submit-context>"
    log.user("an expansion", hook, provenance="real_user", systemPayload={"displayText": "count the doves"})
    log.user("hello", hook).user("see @a.py", "--- Content from referenced files ---", "def a(): ...")
    log.user("framed: cats too", subtype="mid_turn_user_message", systemPayload={"displayText": "cats too"})
    assert log.texts() == ["count the doves", "hello", "see @a.py", "cats too"]


@pytest.mark.parametrize(
    "more",
    [
        {"subtype": "notification", "provenance": "system"},
        {"subtype": "cron"},
        {"subtype": "goal_runtime", "provenance": "goal_runtime"},
        {"provenance": "system"},
        {"isSidechain": True},
        {"agentId": "explore-1"},
    ],
)
def test_what_a_program_says_in_the_users_name_is_no_prompt(log: QwenLog, more: Record) -> None:
    assert log.user("count again", **more).texts() == []


def test_a_hook_without_a_prompt_is_no_prompt(log: QwenLog) -> None:
    hook = "<qwen:user-prompt-submit-context>\nrain\n</qwen:user-prompt-submit-context>"
    log.user("", hook, provenance="real_user", systemPayload={"displayText": "", "hookContext": "rain"})
    assert log.user("<system-reminder>be brief</system-reminder>").texts() == []


def test_a_command_that_the_person_ran_is_a_command(log: QwenLog) -> None:
    ran = "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:"
    log.user(f"{ran}\n```\na.py\n```")
    assert log.texts() == [] and [event.command for event in log.events("tool")] == ["ls"]


def test_after_a_rewind_the_next_prompt_follows_what_was_kept(log: QwenLog) -> None:
    log.user("one").agent({"text": "One."}).system("attribution_snapshot").user("two").agent({"text": "Two."})
    log.last = "id-3"
    log.system("rewind", truncatedCount=2).system("session_model", modelId="m")
    between = qwen.read(log.path, Cursor()).cursor
    log.user("three").agent({"text": "Three."}).user("four")
    assert [(event.text, event.facts.get("after")) for event in log.events("prompt")] == [
        ("one", None),
        ("two", None),
        ("three", "3"),
        ("four", None),
    ]
    assert qwen.read(log.path, between).events[1].facts["after"] == "3"


def test_a_rewind_to_the_start_keeps_nothing(log: QwenLog) -> None:
    log.user("one")
    log.last = None
    assert log.system("rewind", truncatedCount=1).user("two").events("prompt")[1].facts["after"] == "0"


# What did the agent do?


def test_thoughts_are_not_said(log: QwenLog) -> None:
    assert log.agent({"text": "hm", "thought": True}, {"text": "Done."}).texts("say") == ["Done."]


def test_calls_stand_in_the_agents_words_and_results_in_their_own_records(log: QwenLog) -> None:
    edit = {"file_path": "doves.py", "old_string": "a", "new_string": "b"}
    log.agent({"functionCall": {"id": "c1", "name": "edit", "args": edit}}).result("edit", "Modified.")
    (tool,), (result,) = log.events("tool"), log.events("result")
    assert (tool.name, tool.path, tool.text, tool.call) == ("edit", "doves.py", "b", "c1")
    assert (result.call, result.ok, result.text, result.pos) == ("c1", True, "Modified.", 2)


def test_a_commands_exit_code_decides_and_hooks_are_not_its_output(log: QwenLog) -> None:
    frame = "Command: make\nDirectory: (root)\nOutput: no bird\nError: (none)\nExit Code: 2\nSignal: (none)\n"
    (result,) = log.result("run_shell_command", frame + "Process Group PGID: (none)\n\nbe brief").events(
        "result"
    )
    assert (result.text, result.ok, dict(result.facts)) == ("no bird", False, {"exit": "2"})


def test_a_person_may_refuse(log: QwenLog) -> None:
    log.result("run_shell_command", "[Operation Cancelled] Reason: User did not allow tool call", "cancelled")
    assert log.texts("reject") == [""] and log.events("result") == []


@pytest.mark.parametrize(
    ("shown", "question"),
    [
        (
            {"type": "ask_user_question_answers", "answers": [{"question": "Which?", "answer": "grey"}]},
            "Which?",
        ),
        ("shown", "Doves"),
    ],
)
def test_a_person_answers(log: QwenLog, shown: Any, question: str) -> None:
    answer = "User has provided the following answers:\n\n**Doves**: grey"
    (event,) = log.result("ask_user_question", answer, shown=shown).events("answer")
    assert (event.text, event.facts["question"]) == ("grey", question)


def test_the_plan_is_what_the_host_accepted(log: QwenLog) -> None:
    todos = [{"id": "7", "content": "Count", "status": "in_progress"}]
    log.agent({"functionCall": {"id": "c1", "name": "todo_write", "args": {"todos": todos}}})
    log.result("todo_write", "It is disabled.", "error", "It is disabled.")
    assert log.events("plan") == []
    (plan,) = log.result("todo_write", "ok", shown={"type": "todo_list", "todos": todos}).events("plan")
    assert [(step.text, step.status) for step in plan.steps] == [("Count", "in_progress")]


# What else is known?


def test_facts_usage_and_the_last_record_are_told(log: QwenLog) -> None:
    log.agent({"text": "x"}, used=5000, model="qwen3", contextWindowSize=262_144).system(
        "attribution_snapshot"
    )
    facts: Record = {}
    for event in log.events("about"):
        facts |= event.facts
    assert facts == {"cwd": "/w/balcony", "branch": "main", "version": "0.24.4", "model": "qwen3"}
    assert [(event.used, event.window) for event in log.events("usage")] == [(5000, 262_144)]
    assert log.events("about")[-1].at == 1780304402.0


def test_a_compression_is_told_with_its_summary(log: QwenLog) -> None:
    history = [{"role": "user", "parts": [{"text": "<state_snapshot>Counted.</state_snapshot>"}]}]
    info = {"originalTokenCount": 9000, "newTokenCount": 400}
    log.system("chat_compression", info=info, compressedHistory=history)
    assert [(event.name, event.text) for event in log.events("compact")] == [
        ("auto", ""),
        ("summary", "Counted."),
    ]
    assert [event.used for event in log.events("usage")] == [9000, 400]


def test_commands_of_the_host_are_told_once(log: QwenLog) -> None:
    log.system("slash_command", phase="invocation", rawCommand="/quit")
    log.system("slash_command", phase="result", rawCommand="/quit")
    assert [event.name for event in log.events("slash")] == ["/quit"]
    assert [event.name for event in log.events("end")] == ["exit"]


@pytest.mark.parametrize(("source", "by"), [("auto", "agent"), ("manual", "person"), (None, "person")])
def test_a_title_is_the_agents_only_if_it_says_so(log: QwenLog, source: str | None, by: str) -> None:
    log.system("custom_title", customTitle="Birds", titleSource=source)
    assert log.events("about")[-1].facts == {"title": "Birds", "title_by": by}


def test_a_cancelled_turn_is_an_interruption_and_a_failed_request_an_error(log: QwenLog) -> None:
    log.system("turn_result", promptId="p", state="cancelled", endedAt=1)
    log.system("ui_telemetry", uiEvent={"event.name": "qwen-code.api_error", "error": "429"})
    log.system(
        "ui_telemetry", uiEvent={"event.name": "qwen-code.api_error", "error": "x", "subagent_name": "y"}
    )
    assert len(log.events("interrupt")) == 1 and log.texts("error") == ["429"]


# Where are the logs?


def test_the_folder_recorded_in_a_log_says_whose_it_is(tmp_path: Path) -> None:
    new = QwenLog(tmp_path / ".qwen" / "projects" / "-w-balcony" / "chats" / "a.jsonl").user("go").path
    old = QwenLog(tmp_path / ".qwen" / "tmp" / "abc" / "chats" / "b.jsonl").user("go").path
    QwenLog(new.parent / "a" / "helper.jsonl").user("go")
    for projects in (None, [Path("/w/balcony")], [Path("/w")]):
        assert list(qwen.find_logs(tmp_path, {}, projects)) == [new, old]
    assert list(qwen.find_logs(tmp_path, {}, [Path("/w/balc")])) == []


@pytest.mark.parametrize("name", ["QWEN_RUNTIME_DIR", "QWEN_HOME"])
def test_the_logs_may_be_elsewhere(tmp_path: Path, name: str) -> None:
    log = QwenLog(tmp_path / "there" / "projects" / "p" / "chats" / "a.jsonl").user("go").path
    assert list(qwen.find_logs(tmp_path, {name: str(tmp_path / "there")}, None)) == [log]


def test_the_first_versions_wrote_documents_like_their_parent(tmp_path: Path) -> None:
    chats = tmp_path / ".qwen" / "tmp" / "abc" / "chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text("/w/balcony")
    log = chats / "session-1.json"
    message = {"id": "u", "type": "user", "timestamp": "2025-11-01T09:00:00Z", "content": "count the doves"}
    log.write_text(json.dumps({"sessionId": "s", "messages": [message]}))
    assert list(qwen.find_logs(tmp_path, {}, [Path("/w/balcony")])) == [log]
    prompts = [event for event in qwen.read(log, Cursor()).events if event.kind == "prompt"]
    assert [(event.session, event.text) for event in prompts] == [("s", "count the doves")]
