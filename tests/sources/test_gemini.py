"""What a session of Gemini CLI is: a log that completes and takes back what it said, and where it lies."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from nanoctx.errors import UsageError
from nanoctx.model import Batch, Cursor, Event, Step
from nanoctx.sources import gemini

Record = dict[str, Any]
HEAD = {"sessionId": "0ba1c0de-1", "projectHash": "ab", "startTime": "2026-06-01T09:00:00Z", "kind": "main"}
START = 1780304400.0  # of the session


def user(key: str, text: str, **more: Any) -> Record:
    return {
        "id": key,
        "timestamp": "2026-06-01T09:01:00Z",
        "type": "user",
        "content": [{"text": text}],
        **more,
    }


def agent(key: str, text: str, *calls: Record, used: int = 9000, **more: Any) -> Record:
    message = {"id": key, "timestamp": "2026-06-01T09:02:00Z", "type": "gemini", "content": text, **more}
    message |= {"tokens": {"input": used, "output": 1}, "model": "gemini-3-flash"}
    return message | ({"toolCalls": list(calls)} if calls else {})


def call(name: str, args: Record, output: str, status: str = "success", key: str = "c1") -> Record:
    response = {"output" if status == "success" else "error": output}
    result = [{"functionResponse": {"id": key, "name": name, "response": response}}]
    ended = "2026-06-01T09:02:30Z"
    return {"id": key, "name": name, "args": args, "status": status, "timestamp": ended, "result": result}


def shell(output: str, status: str = "success") -> Record:
    return call("run_shell_command", {"command": "make test"}, output, status)


def said(kind: str, text: str) -> Record:
    return {"id": text, "timestamp": "2026-06-01T09:09:00Z", "type": kind, "content": text}


def write(log: Path, *records: Record) -> Path:
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in (HEAD, *records)))
    return log


@pytest.fixture
def told(tmp_path: Path) -> Callable[..., list[Event]]:
    """The events of a log with these records."""

    def read(*records: Record) -> list[Event]:
        return list(gemini.read(write(tmp_path / "log.jsonl", *records), Cursor()).events)

    return read


def of(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event.kind == kind]


def texts(events: list[Event], kind: str = "prompt") -> list[str]:
    return [event.text for event in of(events, kind)]


# What counts of a log that repeats itself?


def test_the_last_form_of_a_message_counts_in_its_first_place(told: Any) -> None:
    events = told(user("u", "go"), agent("a", "On it."), user("v", "more"), agent("a", "On it.", shell("ok")))
    assert [(event.kind, event.pos) for event in events if event.kind not in ("about", "usage")] == [
        ("prompt", 2),
        ("say", 3),
        ("tool", 3),
        ("result", 3),
        ("prompt", 4),
    ]


def test_what_a_person_rewound_was_not_said(told: Any) -> None:
    rewound = (user("u", "one"), user("v", "two"), agent("a", "Two."), {"$rewindTo": "v"}, user("w", "three"))
    assert texts(told(*rewound)) == ["one", "three"]
    assert texts(told(*rewound, {"$rewindTo": "of nothing known"}, user("x", "four"))) == ["four"]


def test_messages_set_by_a_compression_take_nothing_back_and_repeat_nothing(told: Any) -> None:
    summary = user("s", "<state_snapshot>All is well.</state_snapshot>")
    thanks = agent("t", "Got it. Thanks for the additional context!")
    kept = {"$set": {"messages": [summary, thanks, user("new id", "one"), agent("new", "One.")]}}
    events = told(user("u", "one"), agent("a", "One.", used=600_000), kept, user("v", "two"))
    assert texts(events) == ["one", "two"] and texts(events, "say") == ["One."]
    assert [
        (event.kind, event.text, event.used) for event in events if event.kind in ("usage", "compact")
    ] == [
        ("usage", "", 600_000),
        ("compact", "All is well.", 0),
        ("usage", "", 0),
        ("usage", "", 0),
    ]


def test_a_resumed_session_goes_on(told: Any) -> None:
    known = {"id": "a", "type": "gemini", "content": [{"functionCall": {"name": "glob", "args": {}}}]}
    again = HEAD | {"startTime": "2026-06-01T12:00:00Z"}
    events = told(user("u", "one"), agent("a", "", shell("ok")), again, {"$set": {"messages": [known]}})
    assert texts(events) == ["one"] and len(of(events, "tool")) == 1
    assert min(event.at for event in events if event.at) == START


def test_a_change_tells_the_session_anew_and_a_newline_alone_is_none(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", user("u", "one"))
    content = log.read_bytes()
    log.write_bytes(content[:-1])
    first = gemini.read(log, Cursor())
    log.write_bytes(content)
    second = gemini.read(log, first.cursor)
    assert second.events == () and not second.restarted and second.cursor.offset == len(content)
    with log.open("ab") as file:
        file.write(json.dumps(user("v", "two")).encode())
    third = gemini.read(log, second.cursor)
    assert third.restarted and texts(list(third.events)) == ["one", "two"]


# Whose words are they?


@pytest.mark.parametrize(
    "text",
    [
        "<session_context>\n- **Workspace Directories:**\n  - /w/balcony\n</session_context>",
        "<hook_context>mind the rain</hook_context>",
        "<hook_context>never closed",
        "System: Please continue.",
        "System: Potential loop detected. Details: rain, rain.",
        "Please continue.",
        "Here is the user's editor context as a JSON object.",
        "?",
        "  ",
        "/stats",
    ],
)
def test_what_the_host_says_in_the_users_name_is_no_prompt(told: Any, text: str) -> None:
    assert texts(told(user("u", text))) == []


def test_a_prompt_is_what_the_person_typed(told: Any) -> None:
    hooked = user("u", "<hook_context>rain</hook_context>\n\nread the gauge")
    hooked["content"].append({"text": "<hook_context>wind</hook_context>"})
    files = user("v", "see @gauge.py\n--- Content from referenced files ---\ndef gauge(): ...")
    shown = user("w", "a long expansion", displayContent=[{"text": "in short"}])
    plain = user("x", "") | {"content": "just text"}
    image = user("y", "") | {"content": [{"inlineData": {"mimeType": "image/png", "data": ""}}]}
    path = user("z", "/w/balcony/gauge.py is broken")
    wanted = ["read the gauge", "see @gauge.py", "in short", "just text", "[image]"]
    assert texts(told(hooked, files, shown, plain, image, path)) == [*wanted, "/w/balcony/gauge.py is broken"]


def test_a_warning_of_the_host_does_not_repeat_the_prompt_it_shows(told: Any) -> None:
    loop = user("v", "System: Potential loop detected. Rethink.", displayContent=[{"text": "one"}])
    assert texts(told(user("u", "one"), {"$set": {"messages": []}}, loop)) == ["one"]


def test_results_sent_back_are_no_prompts(told: Any) -> None:
    sent = user("u", "") | {"content": [{"functionResponse": {"id": "c", "response": {}}}, {"text": "x"}]}
    assert texts(told(sent)) == []


def test_a_command_is_for_the_host_unless_a_sentence_follows(told: Any) -> None:
    events = told(user("u", "/plan water the plants daily"), user("v", "/memory show"), user("w", "/quit"))
    assert [(e.text, e.facts["slash"]) for e in of(events, "prompt")] == [("water the plants daily", "/plan")]
    assert [(e.name, e.text) for e in of(events, "slash")] == [("/memory", "show"), ("/quit", "")]
    assert [event.name for event in of(events, "end")] == ["exit"]


@pytest.mark.parametrize(
    ("result", "ok", "facts"),
    [("commit abc", True, {}), ("Command exited with code 3.\nno rain", False, {"exit": "3"})],
)
def test_a_command_that_the_person_ran_is_a_command(told: Any, result: str, ok: bool, facts: Any) -> None:
    ran = "I ran the following shell command:\n```sh\ngit log\n```\n\nThis produced the following result:\n"
    events = told(user("u", f"{ran}```\n{result}\n```"))
    assert texts(events) == [] and [event.command for event in of(events, "tool")] == ["git log"]
    assert [(e.text, e.ok, dict(e.facts)) for e in of(events, "result")] == [(result, ok, facts)]


# What did the tools do?


@pytest.mark.parametrize(
    ("output", "text", "ok", "code"),
    [
        ("Output: 3 passed\nProcess Group PGID: 7", "3 passed", True, None),
        ("Output: 1 failed\nExit Code: 1\nProcess Group PGID: 7", "1 failed", False, "1"),
        ("Output: a\nError: spawn failed\nExit Code: 127", "a\nspawn failed", False, "127"),
        (
            "Command: make\nDirectory: (root)\nStdout: x\nError: (none)\nExit Code: 0\nSignal: (none)",
            "x",
            True,
            "0",
        ),
        ("Output: Exit Code: 9\nover\nExit Code: 0", "Exit Code: 9\nover", True, "0"),
        (
            "<untrusted_context>\nOutput: x\n</untrusted_context>\n\n<hook_context>y</hook_context>",
            "x",
            True,
            None,
        ),
        ("(empty)", "(empty)", True, None),
    ],
)
def test_a_commands_exit_code_decides(told: Any, output: str, text: str, ok: bool, code: str | None) -> None:
    (result,) = of(told(agent("a", "", shell(output))), "result")
    assert (result.text, result.ok, result.facts.get("exit")) == (text, ok, code)


def test_a_result_has_the_time_at_which_it_came(told: Any) -> None:
    events = told(agent("a", "", shell("Output: ok")))
    assert [event.at for event in of(events, "tool") + of(events, "result")] == [START + 120, START + 150]


def test_an_edit_names_its_file_and_its_new_text(told: Any) -> None:
    edit = {"file_path": "gauge.py", "old_string": "a", "new_string": "b"}
    file = {"file_path": "rain.py", "content": "c"}
    events = told(agent("a", "", call("replace", edit, "ok"), call("write_file", file, "ok", key="c2")))
    made = [(event.name, event.path, event.text, event.facts["tool"]) for event in of(events, "tool")]
    assert made == [("edit", "gauge.py", "b", "replace"), ("write", "rain.py", "c", "write_file")]


def test_a_call_that_waits_has_no_result_yet(told: Any) -> None:
    assert of(told(agent("a", "", shell("", "awaiting_approval"))), "result") == []


@pytest.mark.parametrize(
    ("called", "reason"),
    [
        (shell("[Operation Cancelled] Reason: User denied execution.", "cancelled"), ""),
        (
            call("exit_plan_mode", {}, "Plan rejected. User feedback: too long\n\nThe plan is stored at: /p"),
            "too long",
        ),
        (call("ask_user", {}, "User dismissed ask_user dialog without answering."), ""),
    ],
)
def test_a_person_may_refuse(told: Any, called: Record, reason: str) -> None:
    events = told(agent("a", "", called))
    assert texts(events, "reject") == [reason] and of(events, "result") == []


@pytest.mark.parametrize(
    ("called", "fact"),
    [
        (shell("[Operation Cancelled] Reason: User cancelled the operation.", "cancelled"), "interrupted"),
        (shell("Tool execution denied by policy.", "error"), "denied"),
    ],
)
def test_a_call_that_was_stopped_or_forbidden_failed(told: Any, called: Record, fact: str) -> None:
    (result,) = of(told(agent("a", "", called)), "result")
    assert result.ok is False and result.facts[fact] == "1"


def test_a_result_that_quotes_a_refusal_is_none(told: Any) -> None:
    events = told(agent("a", "", shell("Output: [Operation Cancelled] Reason: User denied execution.")))
    assert of(events, "reject") == [] and [event.ok for event in of(events, "result")] == [True]


def test_a_person_answers(told: Any) -> None:
    asked = {"questions": [{"question": "Which green?", "header": "Green"}, {"question": "How many?"}]}
    events = told(agent("a", "", call("ask_user", asked, '{"answers":{"0":"moss","1":"two"}}')))
    given = [(event.text, event.facts["question"]) for event in of(events, "answer")]
    assert given == [("moss", "Which green?"), ("two", "How many?")]


def test_todos_replace_the_plan_once_they_are_accepted(told: Any) -> None:
    statuses = ["pending", "in_progress", "completed", "cancelled", "blocked"]
    todos = {"todos": [{"description": status, "status": status} for status in statuses]}
    (plan,) = of(told(agent("a", "", call("write_todos", todos, "ok"))), "plan")
    assert plan.name == "replace" and [step.status for step in plan.steps] == [
        *statuses[:3],
        "deleted",
        "pending",
    ]
    assert of(told(agent("a", "", call("write_todos", todos, "bad", "error"))), "plan") == []


def test_the_task_tracker_changes_single_steps(told: Any) -> None:
    made = call("tracker_create_task", {"title": "Water"}, "Created task ab12: Water")
    done = call("tracker_update_task", {"id": "ab12", "status": "closed"}, "Updated task ab12", key="c2")
    plans = of(told(agent("a", "", made, done)), "plan")
    assert [(plan.name, plan.steps) for plan in plans] == [
        ("merge", (Step("ab12", "Water", "pending"),)),
        ("merge", (Step("ab12", "", "completed"),)),
    ]


# What else is known?


def test_notices_tell_of_cancelled_requests_errors_and_the_folder(told: Any) -> None:
    folder = said("info", "Current workspace directories:\n- /w/balcony\n- /w/attic")
    events = told(
        folder, said("info", "Request cancelled."), said("error", "quota"), said("info", "Updated.")
    )
    assert {"cwd": "/w/balcony"} in [event.facts for event in of(events, "about")]
    assert len(of(events, "interrupt")) == 1 and texts(events, "error") == ["quota"]
    assert max(event.at for event in events if event.at) == START + 540


def test_model_and_title_are_facts_and_the_last_tokens_the_usage(told: Any) -> None:
    events = told(
        agent("a", "x", used=5),
        agent("b", "y", used=7),
        {"$set": {"summary": "Rain"}},
        {"$set": {"summary": "<state_snapshot>x"}},
    )
    facts = [dict(event.facts) for event in of(events, "about") if event.facts]
    assert facts == [{"model": "gemini-3-flash"}, {"title": "Rain", "title_by": "agent"}]
    assert [(event.used, event.window) for event in of(events, "usage")] == [(7, 1_048_576)]


def test_the_session_is_named_inside_the_log(told: Any) -> None:
    assert {event.session for event in told(user("u", "go"))} == {"0ba1c0de-1"}


# Logs that are one document.


def document(*messages: Record) -> bytes:
    return json.dumps(HEAD | {"messages": messages, "summary": "Rain"}, indent=2).encode()


def test_a_document_is_read_like_lines_and_told_anew_when_saved(tmp_path: Path) -> None:
    log = tmp_path / "session-old.json"
    log.write_bytes(document(user("u", "one 🌱"), agent("a", "One.", shell("Output: ok"))))
    first = gemini.read(log, Cursor())
    events = list(first.events)
    assert texts(events) == ["one 🌱"] and [event.pos for event in of(events, "tool")] == [2]
    assert first.cursor.lines == 2 and {"title": "Rain", "title_by": "agent"} in [e.facts for e in events]
    assert gemini.read(log, first.cursor) == Batch((), first.cursor)
    log.write_bytes(document(user("u", "one"), user("v", "two")))
    again = gemini.read(log, first.cursor)
    assert again.restarted and texts(list(again.events)) == ["one", "two"]


def test_a_half_saved_document_waits(tmp_path: Path) -> None:
    log = tmp_path / "session-old.json"
    log.write_bytes(document(user("u", "one"))[:-20])
    assert gemini.read(log, Cursor()) == Batch((), Cursor())


def test_a_document_has_no_lines(tmp_path: Path) -> None:
    log = tmp_path / "session-old.json"
    log.write_bytes(document(user("u", "one")))
    with pytest.raises(UsageError):
        gemini.read(log, Cursor(), 1)


# Where are the logs?


def test_a_project_is_known_by_its_file_the_registry_or_its_hash(tmp_path: Path) -> None:
    project, other = tmp_path / "balcony", tmp_path / "attic"
    root = tmp_path / ".gemini"
    by_file = write(root / "tmp" / "one" / "chats" / "session-1.jsonl")
    (root / "tmp" / "one" / ".project_root").write_text(f"{project}\n")
    by_registry = write(root / "tmp" / "two" / "chats" / "session-2.jsonl")
    (root / "projects.json").write_text(json.dumps({"projects": {f"{project}/pots": "two"}}))
    by_hash = write(root / "tmp" / sha256(str(project).encode()).hexdigest() / "chats" / "session-3.jsonl")
    unknown = write(root / "tmp" / "four" / "chats" / "session-4.jsonl")
    found = [by_file, by_hash, by_registry]
    assert sorted(gemini.find_logs(tmp_path, {}, [project])) == sorted(found)
    assert list(gemini.find_logs(tmp_path, {}, [other])) == []
    assert sorted(gemini.find_logs(tmp_path, {}, None)) == sorted([*found, unknown])
    cwds = [gemini.read(log, Cursor()).events[0].facts.get("cwd") for log in (by_file, by_registry, unknown)]
    assert cwds == [str(project), f"{project}/pots", None]


def test_the_home_may_be_elsewhere(tmp_path: Path) -> None:
    log = write(tmp_path / "there" / ".gemini" / "tmp" / "one" / "chats" / "session-1.jsonl")
    assert list(gemini.find_logs(tmp_path, {"GEMINI_CLI_HOME": str(tmp_path / "there")}, None)) == [log]
    assert list(gemini.find_logs(tmp_path, {}, None)) == []


def test_sub_agents_and_logs_that_were_carried_over_are_left_out(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp" / "one" / "chats"
    new = write(chats / "session-1.jsonl", user("u", "go"))
    (chats / "session-1.json").write_bytes(document())
    old = chats / "session-2.json"
    old.write_bytes(document())
    (chats / "session-3.json").write_text(json.dumps({"messages": [], "kind": "subagent"}, indent=2))
    (chats / "session-4.jsonl").write_text('{"sessionId":"s","kind":"subagent"}\n')
    write(chats / "0ba1c0de-1" / "helper.jsonl")
    assert sorted(gemini.find_logs(tmp_path, {}, None)) == [new, old]
