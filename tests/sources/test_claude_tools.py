"""What the agent did, in Claude Code's logs of all versions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nanoctx.model import Step
from nanoctx.sources.base import clip
from nanoctx.sources.claude_records import text_of


@pytest.mark.parametrize(
    ("tool", "arguments", "meant"),
    [
        ("Bash", {"command": "make", "description": "Build"}, ("shell", "Build", "make", "")),
        ("Edit", {"file_path": "/p", "old_string": "a", "new_string": "b"}, ("edit", "b", "", "/p")),
        (
            "MultiEdit",
            {"file_path": "/p", "edits": [{"new_string": "b"}, {"new_string": "c"}]},
            ("edit", "b\nc", "", "/p"),
        ),
        ("NotebookEdit", {"notebook_path": "/n", "new_source": "x"}, ("edit", "x", "", "/n")),
        ("Write", {"file_path": "/p", "content": "all"}, ("write", "all", "", "/p")),
        ("Read", {"file_path": "/p", "limit": 5}, ("read", "", "", "/p")),
        ("Grep", {"pattern": "fr.g", "path": "src"}, ("search", "fr.g", "", "src")),
        ("Glob", {"pattern": "*.py"}, ("search", "*.py", "", "")),
        ("WebFetch", {"url": "https://pond.example", "prompt": "x"}, ("web", "https://pond.example", "", "")),
        ("WebSearch", {"query": "ponds"}, ("web", "ponds", "", "")),
        ("AskUserQuestion", {"questions": [{"question": "Deep?"}]}, ("ask", "Deep?", "", "")),
        ("ExitPlanMode", {"plan": "# Dig"}, ("plan", "# Dig", "", "")),
        ("TaskCreate", {"subject": "Dig", "description": "x"}, ("plan", "Dig", "", "")),
        ("Task", {"description": "Count frogs", "prompt": "long"}, ("agent", "Count frogs", "", "")),
        ("Agent", {"description": "Count frogs", "prompt": "long"}, ("agent", "Count frogs", "", "")),
        ("Skill", {"skill": "digging"}, ("other", "digging", "", "")),
        ("mcp__pond__level", {"command": ["odd", "shape"]}, ("other", "", "", "")),
        ("Bash", {"command": ["odd", "shape"]}, ("shell", "", "", "")),
    ],
)
def test_a_tool_is_named_by_what_it_does(
    log: Any, tool: str, arguments: dict[str, Any], meant: tuple[str, ...]
) -> None:
    log.calls(tool, **arguments)
    [event] = log.events("tool")
    assert (event.name, event.text, event.command, event.path) == meant
    assert event.call == "c1" and event.facts["tool"] == tool


def test_a_background_command_is_marked(log: Any) -> None:
    log.calls("Bash", command="serve", run_in_background=True)
    log.result("Command running in background with ID: b1", {"stdout": "", "backgroundTaskId": "b1"})
    assert [event.facts["background"] for event in log.events("tool", "result")] == ["1", "1"]


def test_a_result_is_good_unless_it_says_otherwise(log: Any) -> None:
    log.result("fine", {"stdout": "fine", "interrupted": False})
    log.result("Exit code 2\nno such pond", "Error: Exit code 2\nno such pond", error=True)
    log.result("Exit code 0\nfine")
    log.result("Exit code 3")
    log.result("<tool_use_error>File has not been read yet</tool_use_error>", error=True)
    log.result("half", {"stdout": "half", "interrupted": True})
    log.result("Claude requested permissions to write to /p, but you haven't granted it yet.", error=True)
    log.result([{"type": "text", "text": "a report"}, {"type": "image", "source": {}}])
    told = [(event.ok, event.text.split("\n")[0], dict(event.facts)) for event in log.events("result")]
    assert told == [
        (True, "fine", {}),
        (False, "Exit code 2", {"exit": "2"}),
        (True, "Exit code 0", {"exit": "0"}),
        (False, "Exit code 3", {"exit": "3"}),
        (False, "<tool_use_error>File has not been read yet</tool_use_error>", {}),
        (True, "half", {"interrupted": "1"}),
        (
            False,
            "Claude requested permissions to write to /p, but you haven't granted it yet.",
            {"denied": "1"},
        ),
        (True, "a report", {}),
    ]


def test_a_long_result_is_read_without_what_it_repeats(log: Any) -> None:
    output = "begin " + "pond water " * 3000 + "end"
    log.result(output, {"stdout": output, "interrupted": True})
    log.result(output, {"filePath": "/p", "originalFile": output * 9}, cwd=None)
    shell, edit = log.events("result")
    assert shell.facts == {"interrupted": "1"}
    for event, longest in ((shell, 3000), (edit, 500)):
        assert len(event.text) == longest
        assert event.text.startswith("begin") and event.text.endswith("end")


def test_newer_records_carry_their_envelope_behind_the_result(log: Any) -> None:
    record = {
        "parentUuid": "p",
        "isSidechain": False,
        "type": "user",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}],
        },
        "uuid": "u9",
        "timestamp": "2026-03-01T10:00:00.000Z",
        "toolUseResult": {"filePath": "/p", "originalFile": 'x, "userType": ' * 900},
        "userType": "external",
        "entrypoint": "sdk-cli",
        "cwd": "/w/late",
        "gitBranch": "late",
    }
    log.add(record)
    assert dict(log.events("about")[0].facts) == {"cwd": "/w/late", "branch": "late", "headless": "1"}
    assert log.events("result")[0].uid == "u9"


@pytest.mark.parametrize("character", ["a", " ", "é ", "🌱 ", '" ', "\\ ", "\n "])
def test_a_long_string_is_clipped_as_if_it_had_been_decoded_whole(character: str) -> None:
    for length in (2900, 9100, 40_000):
        text = "begin " + character * length + " end"
        for ascii_only in (True, False):
            raw = json.dumps(text, ensure_ascii=ascii_only).encode()
            assert text_of(raw, 3000) == clip(text, 3000)  # type: ignore[arg-type]


def test_texts_are_clipped(log: Any) -> None:
    log.user("p" * 20_000).says("s" * 20_000).calls("Bash", command="c" * 20_000).calls(
        "Write", content="w" * 20_000
    )
    prompt, say, shell, write = log.events("prompt", "say", "tool")
    lengths = (len(prompt.text), len(say.text), len(shell.command), len(write.text))
    assert lengths == (16_000, 8_000, 4_000, 4_000)


def test_todos_replace_the_plan(log: Any) -> None:
    log.calls(
        "TodoWrite",
        todos=[{"content": "Dig", "status": "completed"}, {"content": "Fill", "status": "pending"}],
    )
    [plan] = log.events("plan")
    assert plan.name == "replace"
    assert plan.steps == (Step("1", "Dig", "completed"), Step("2", "Fill", "pending"))


def test_tasks_change_the_plan_by_the_id_that_only_the_result_tells(log: Any) -> None:
    log.calls("TaskCreate", subject="Dig", description="deep")
    log.result("Task #4 created successfully: Dig", {"task": {"id": "4", "subject": "Dig"}})
    log.calls("TaskUpdate", taskId="4", status="in_progress")
    log.calls("TaskUpdate", taskId=4, subject="Dig deeper")
    assert [(plan.name, plan.steps) for plan in log.events("plan")] == [
        ("merge", (Step("4", "Dig", "pending"),)),
        ("merge", (Step("4", "", "in_progress"),)),
        ("merge", (Step("4", "Dig deeper", ""),)),
    ]
