"""What a session of Copilot CLI is, what its records mean, and where its log lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nanoctx.model import Batch, Cursor, Event, Step
from nanoctx.sources import copilot

SESSION = "7d3c1f0a-5b5e-4c1d-9a57-2f4b8f6f0c11"
CONTEXT = {"cwd": "/w/bakery", "gitRoot": "/w/bakery", "branch": "main"}


class CopilotLog:
    """A log written record by record, as the host would write it."""

    def __init__(self, folder: Path, cwd: str = "/w/bakery") -> None:
        self.path = folder / "events.jsonl"
        self.count = 0
        start = {"sessionId": SESSION, "copilotVersion": "1.0.40", "context": CONTEXT | {"cwd": cwd}}
        self.add("session.start", **start)

    def add(self, kind: str, more: dict[str, Any] | None = None, **data: Any) -> CopilotLog:
        self.count += 1
        time = f"2026-05-04T08:00:{self.count:02d}.000Z"
        record = {"type": kind, "data": data, "id": f"r{self.count}", "timestamp": time, "parentId": None}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record | (more or {}), separators=(",", ":")) + "\n")
        return self

    def calls(self, tool: str, arguments: Any, call: str = "c1") -> CopilotLog:
        return self.add("tool.execution_start", toolCallId=call, toolName=tool, arguments=arguments)

    def result(self, text: str, call: str = "c1", success: bool = True) -> CopilotLog:
        result = {"content": text, "detailedContent": text}
        return self.add("tool.execution_complete", toolCallId=call, success=success, result=result)

    def fails(self, message: str, code: str) -> CopilotLog:
        error = {"message": message, "code": code}
        return self.add("tool.execution_complete", toolCallId="c1", success=False, error=error)

    def read(self, cursor: Cursor | None = None) -> Batch:
        return copilot.read(self.path, cursor or Cursor())

    def events(self, *kinds: str) -> list[Event]:
        return [event for event in self.read().events if not kinds or event.kind in kinds]

    def prompts(self) -> list[str]:
        return [event.text for event in self.events("prompt")]


@pytest.fixture
def log(tmp_path: Path) -> CopilotLog:
    return CopilotLog(tmp_path)


# Who speaks?


def test_a_prompt_is_what_the_person_typed_not_what_the_host_made_of_it(log: CopilotLog) -> None:
    log.add("user.message", content="bake", transformedContent="<now>8</now> bake", parentAgentTaskId="p")
    assert log.prompts() == ["bake"]


def test_what_the_host_says_in_the_persons_name_is_no_prompt(log: CopilotLog) -> None:
    log.add("user.message", content="Keep going", isAutopilotContinuation=True)
    log.add("user.message", content="<skill>knead</skill>", source="skill-knead")
    log.add("system.notification", content="A shell has ended.")
    log.add("user.message", content="  ", attachments=[])
    assert log.prompts() == []


def test_an_image_without_words_is_a_prompt(log: CopilotLog) -> None:
    log.add("user.message", content="", attachments=[{"type": "blob"}])
    assert log.prompts() == ["[image]"]


def test_hooks_repeat_prompts_and_tell_only_the_time(log: CopilotLog) -> None:
    log.add("hook.start", input={"prompt": "bake", "timestamp": "1990-01-01T00:00:00Z"})
    log.add("hook.end", success=True)
    events = log.events()
    assert {event.kind for event in events} == {"about"}
    assert max(event.at or 0 for event in events) - min(event.at or 0 for event in events) == 2


def test_sub_agents_are_not_the_agent(log: CopilotLog) -> None:
    log.add("assistant.message", content="I count.", parentToolCallId="c1")
    log.add("assistant.message", {"agentId": "a1"}, content="I count, too.")
    log.add("user.message", {"agentId": "a1"}, content="count")
    log.add("tool.execution_start", {"agentId": "a1"}, toolCallId="c2", toolName="bash", arguments={})
    assert log.events("say", "prompt", "tool") == []


def test_prose_is_said_once_and_tools_are_told_when_they_start(log: CopilotLog) -> None:
    request = {"toolCallId": "c1", "name": "bash", "arguments": {"command": "ls"}}
    log.add("assistant.message", content=" I look. ", toolRequests=[request]).calls("bash", {"command": "ls"})
    assert [(event.kind, event.text) for event in log.events("say", "tool")] == [
        ("say", "I look."),
        ("tool", ""),
    ]


def test_the_report_of_a_finished_task_is_prose(log: CopilotLog) -> None:
    log.add("session.task_complete", summary="The bread is baked.")
    assert [event.text for event in log.events("say")] == ["The bread is baked."]


# What do tools do?


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "path", "text"),
    [
        ("view", {"path": "/w/a.py"}, "read", "/w/a.py", ""),
        ("create", {"path": "/w/a.py", "file_text": "x"}, "write", "/w/a.py", "x"),
        ("edit", {"path": "/w/a.py", "old_str": "x", "new_str": "y"}, "edit", "/w/a.py", "y"),
        ("str_replace_editor", {"command": "create", "path": "/a", "file_text": "x"}, "write", "/a", "x"),
        ("str_replace_editor", {"command": "view", "path": "/a"}, "read", "/a", ""),
        ("grep", {"pattern": "rye", "path": "src"}, "search", "src", "rye"),
        ("web_fetch", {"url": "https://x.example"}, "web", "", "https://x.example"),
        ("ask_user", {"question": "Rye?"}, "ask", "", "Rye?"),
        ("task", {"description": "Count"}, "agent", "", "Count"),
        ("report_intent", {"intent": "Baking"}, "other", "", "Baking"),
        ("demo-oven", {"heat": 5}, "other", "", ""),
        ("edit", ["odd"], "edit", "", ""),
    ],
)
def test_tools_by_what_they_do(
    log: CopilotLog, tool: str, arguments: Any, name: str, path: str, text: str
) -> None:
    [event] = log.calls(tool, arguments).events("tool")
    assert (event.name, event.path, event.text, event.facts["tool"]) == (name, path, text, tool)


def test_a_patch_is_an_edit_of_each_file(log: CopilotLog) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
    log.calls("apply_patch", patch).calls("apply_patch", {"input": patch})
    assert [(event.path, event.text) for event in log.events("tool")] == [("a.py", "y"), ("b.py", "z")] * 2


def test_notes_that_the_agent_keeps_for_itself_are_no_files_of_the_project(log: CopilotLog) -> None:
    log.calls("create", {"path": f"/h/.copilot/session-state/{SESSION}/plan.md", "file_text": "1. bake"})
    [event] = log.events("tool")
    assert (event.name, event.path) == ("plan", "")


@pytest.mark.parametrize("mark", ["<exited with exit code 2>", "<shellId: 4 completed with exit code 2>"])
def test_a_command_that_fails_ends_with_its_exit_code(log: CopilotLog, mark: str) -> None:
    log.calls("bash", {"command": "make", "description": "Build"}).result(f"no flour\n{mark}")
    tool, result = log.events("tool", "result")
    assert (tool.name, tool.command, tool.text) == ("shell", "make", "Build")
    assert (result.ok, result.text, dict(result.facts)) == (False, "no flour", {"exit": "2"})


def test_a_command_that_still_runs_has_not_ended(log: CopilotLog) -> None:
    log.calls("bash", {"command": "serve", "mode": "async"})
    log.result("<command started in background with shellId: 7>")
    log.result("on\n<command with shellId: 7 is still running after 5 seconds. Use read_bash to wait.>")
    assert [event.facts.get("background") for event in log.events("tool", "result")] == ["1", "1", "1"]


def test_a_person_may_refuse_a_call_and_say_why(log: CopilotLog) -> None:
    log.fails("The user rejected this tool call. User feedback: not on Sundays", "rejected")
    log.fails("The user rejected this tool call.", "rejected")
    assert [event.text for event in log.events("reject")] == ["not on Sundays", ""]


def test_a_refusal_by_a_rule_or_a_failure_is_not_a_persons(log: CopilotLog) -> None:
    log.fails("The user rejected this tool call. User feedback: by the harness", "denied")
    log.fails("Tool does not exist.", "failure")
    assert [(event.ok, dict(event.facts)) for event in log.events("result", "reject")] == [
        (False, {"denied": "1"}),
        (False, {}),
    ]


def test_an_answer_comes_with_its_question_also_in_a_later_read(log: CopilotLog) -> None:
    first = log.calls("ask_user", {"question": "Rye or wheat?", "choices": ["Rye"]}).read()
    log.result("User selected: Rye")
    [answer] = [event for event in log.read(first.cursor).events if event.kind == "answer"]
    assert (answer.text, answer.call, dict(answer.facts)) == ("Rye", "c1", {"question": "Rye or wheat?"})


def test_only_a_question_to_the_person_is_answered_by_the_person(log: CopilotLog) -> None:
    log.calls("bash", {"command": "poll"}).result("User selected: Rye\n<exited with exit code 0>")
    assert [event.kind for event in log.events("answer", "result")] == ["result"]


def test_the_plan_is_kept_in_a_table(log: CopilotLog) -> None:
    query = (
        "INSERT OR REPLACE INTO todos (id, title, description, status) VALUES\n"
        "  ('dough', 'Make (the) dough; it''s wet', 'UPDATE todos SET x', 'in_progress'),\n"
        "  ('oven', 'Heat', '');\n"
        "INSERT INTO todo_deps (todo_id, depends_on) VALUES ('oven', 'dough');"
    )
    log.calls("sql", {"query": query})
    log.calls("sql", {"query": "UPDATE todos SET status = 'done' WHERE id = 'dough'"})
    log.calls("sql", {"query": "DELETE FROM todos WHERE id IN ('oven', 'dough')"})
    log.calls("sql", {"query": "SELECT * FROM todos"})
    assert [(event.name, event.steps) for event in log.events("plan")] == [
        (
            "merge",
            (Step("dough", "Make (the) dough; it's wet", "in_progress"), Step("oven", "Heat", "pending")),
        ),
        ("merge", (Step("dough", "", "completed"),)),
        ("merge", (Step("oven", "", "deleted"), Step("dough", "", "deleted"))),
    ]


def test_the_plan_was_once_a_checklist(log: CopilotLog) -> None:
    [plan] = log.calls("update_todo", {"todos": "# Bread\n- [x] dough\n- [ ] oven"}).events("plan")
    assert plan.name == "replace"
    assert plan.steps == (Step("1", "dough", "completed"), Step("2", "oven", "pending"))


# What is known of the session?


def test_facts_are_told_when_they_appear_and_when_they_change(log: CopilotLog) -> None:
    log.add("session.model_change", newModel="gpt-x").add("assistant.message", content="ok", model="gpt-x")
    log.add("session.title_changed", title="Bread")
    log.add("session.context_changed", cwd="/w/bakery/shop", branch="rye")
    log.add("session.resume", selectedModel="gpt-y", context=CONTEXT)
    told: dict[str, list[str]] = {}
    for event in log.events("about"):
        for key, value in event.facts.items():
            told.setdefault(key, []).append(value)
    assert told == {
        "version": ["1.0.40"],
        "cwd": ["/w/bakery", "/w/bakery/shop", "/w/bakery"],
        "branch": ["main", "rye", "main"],
        "model": ["gpt-x", "gpt-y"],
        "title": ["Bread"],
        "title_by": ["agent"],
    }


def test_a_session_without_a_person_at_the_keyboard_is_headless(log: CopilotLog) -> None:
    words = "You are Copilot. You are running in non-interactive mode."
    log.add("system.message", role="system", content="You are interactive. " + "x" * 500 + words)
    assert not [event for event in log.events() if "headless" in event.facts]
    log.add("system.message", role="system", content=words)
    assert log.events("about")[-1].facts == {"headless": "1"}


def test_context_use_and_its_window(log: CopilotLog) -> None:
    usage = {"inputTokens": 9000, "outputTokens": 50, "maxPromptTokens": 100000, "initiator": "user"}
    log.add("session.usage_record", usage=usage)
    log.add("session.usage_record", usage=usage | {"inputTokens": 10, "initiator": "sub-agent"})
    log.add("session.shutdown", shutdownType="routine", currentTokens=9100)
    assert [(event.used, event.window) for event in log.events("usage")] == [(9050, 100000), (9100, 0)]


def test_a_compaction_leaves_a_summary(log: CopilotLog) -> None:
    log.add("session.compaction_complete", success=False, error="no")
    log.add(
        "session.compaction_complete",
        success=True,
        trigger="manual",
        preCompactionTokens=900,
        postCompactionTokens=100,
        tokenLimit=1000,
        summaryContent="Bread was baked.",
    )
    told = [(event.kind, event.name, event.text, event.used) for event in log.events("usage", "compact")]
    assert told == [
        ("usage", "", "", 900),
        ("compact", "manual", "", 0),
        ("usage", "", "", 100),
        ("compact", "summary", "Bread was baked.", 0),
    ]
    happened, summary = log.events("compact")
    assert summary.parent == happened.uid


def test_a_session_ends_and_may_go_on(log: CopilotLog) -> None:
    log.add("session.shutdown", shutdownType="routine").add("session.resume", context=CONTEXT)
    log.add("user.message", content="more")
    assert [event.kind for event in log.events("end", "prompt")] == ["end", "prompt"]
    assert log.events("end")[0].name == "exit"


def test_a_person_may_stop_the_agent_and_so_may_a_limit(log: CopilotLog) -> None:
    log.add("abort", reason="user_initiated").add("abort", reason="autopilot_credit_limit")
    assert [event.pos for event in log.events("interrupt")] == [2]


def test_a_failure_of_the_service_is_an_error(log: CopilotLog) -> None:
    log.add("session.error", errorType="quota", message="no more flour")
    assert [event.text for event in log.events("error")] == ["no more flour"]


def test_unknown_records_are_passed_in_silence_and_odd_ones_counted(log: CopilotLog) -> None:
    log.add("session.oven_changed", heat=[1]).add("user.message", content=["odd"])
    log.add("user.message", content="go")
    batch = log.read()
    assert batch.skipped == 1
    assert log.prompts() == ["go"]


# Where are the logs?


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for number, place in enumerate(("bakery", "bakery/shop", "bakery-two")):
        folder = tmp_path / ".copilot" / "session-state" / f"{number}d3c1f0a-5b5e-4c1d-9a57-2f4b8f6f0c11"
        folder.mkdir(parents=True)
        CopilotLog(folder, cwd=str(tmp_path / place))
        (folder / "plan.md").write_text("1. bake")
    (tmp_path / ".copilot" / "session-state" / "empty").mkdir()
    return tmp_path


def test_a_project_has_its_own_sessions_and_those_begun_below_it(home: Path) -> None:
    def found(*places: str) -> set[str]:
        projects = [home / place for place in places] or None
        return {log.parent.name[0] for log in copilot.find_logs(home, {}, projects)}

    assert found() == {"0", "1", "2"}
    assert found("bakery") == {"0", "1"}
    assert found("bakery/shop", "bakery-two") == {"1", "2"}
    assert found("bake") == set()


def test_the_host_may_keep_its_logs_elsewhere(home: Path) -> None:
    def count(**env: str) -> int:
        return len(list(copilot.find_logs(home, env, None)))

    assert count(COPILOT_HOME=str(home / "absent")) == 0
    (home / ".copilot").rename(home / "other")
    assert count() == 0
    assert count(COPILOT_HOME="~/other") == count(COPILOT_HOME=str(home / "other")) == 3
    (home / "state").mkdir()
    (home / "other").rename(home / "state" / ".copilot")
    assert count(XDG_STATE_HOME=str(home / "state")) == 3


def test_the_session_is_named_by_its_folder_or_by_what_a_copy_says(home: Path, log: CopilotLog) -> None:
    for path in copilot.find_logs(home, {}, None):
        assert copilot.read(path, Cursor()).events[0].session == path.parent.name
    assert log.events()[0].session == SESSION
    early = log.path.rename(log.path.with_name(f"{SESSION[::-1].replace('-', '0')}.jsonl"))
    assert copilot.read(early, Cursor()).events[0].session == SESSION
