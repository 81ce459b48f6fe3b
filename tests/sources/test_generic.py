"""The plain log that any agent may write, as docs/generic-log.md describes it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanoctx.model import Cursor, Event, Step
from nanoctx.sources import generic

DOC = Path(__file__).parents[2] / "docs" / "generic-log.md"
Told = Callable[..., tuple[Event, ...]]


def write(log: Path, *records: dict[str, Any]) -> Path:
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    return log


@pytest.fixture
def told(tmp_path: Path) -> Told:
    def read(*records: dict[str, Any]) -> tuple[Event, ...]:
        return generic.read(write(tmp_path / "tide.jsonl", *records), Cursor()).events

    return read


def test_facts_of_a_session(told: Told) -> None:
    facts = {"cwd": "/w/tide", "branch": "main", "model": "m", "version": "1", "title": "Tides"}
    (event,) = told({"type": "about", "headless": True, **facts})
    assert event.facts == facts | {"title_by": "agent", "headless": "1"}


def test_lines_without_a_session_belong_to_the_first_lines_or_to_the_file(told: Told) -> None:
    prompt = {"type": "prompt", "text": "go"}
    assert [event.session for event in told(prompt, prompt)] == ["tide", "tide"]
    named = told({**prompt, "session": "a"}, {**prompt, "session": "b"}, prompt)
    assert [event.session for event in named] == ["a", "b", "a"]


@pytest.mark.parametrize(
    "time", ["2026-04-02T08:00:00Z", "2026-04-02T10:00:00+02:00", 1775116800, 1775116800000]
)
def test_times_are_iso_or_counted(told: Told, time: object) -> None:
    assert told({"type": "prompt", "text": "go", "time": time})[0].at == 1775116800


@pytest.mark.parametrize(
    ("result", "ok"), [({"exit": 0}, True), ({"exit": 2}, False), ({"ok": False}, False), ({}, None)]
)
def test_a_result_failed_by_its_exit_code_or_if_it_says_so(told: Told, result: Any, ok: bool | None) -> None:
    (event,) = told({"type": "result", "call": "1", **result})
    assert event.ok is ok and event.call == "1"


def test_a_tool_we_have_no_name_for_is_some_other_tool(told: Told) -> None:
    events = told({"type": "tool", "tool": "shell", "command": "ls"}, {"type": "tool", "tool": "lamp"})
    assert [(event.name, event.command, event.facts["tool"]) for event in events] == [
        ("shell", "ls", "shell"),
        ("other", "", "lamp"),
    ]


def test_a_plan_replaces_the_one_before(told: Told) -> None:
    (event,) = told({"type": "plan", "steps": [{"text": "a", "status": "completed"}, {"text": "b"}, 5]})
    assert event.name == "replace"
    assert event.steps == (Step("1", "a", "completed"), Step("2", "b", "pending"))


def test_types_of_later_versions_are_passed_over(told: Told, tmp_path: Path) -> None:
    assert told({"type": "aura", "colour": "blue"}) == ()
    assert generic.read(tmp_path / "tide.jsonl", Cursor()).skipped == 0


def test_a_record_without_a_type_is_counted(tmp_path: Path) -> None:
    assert generic.read(write(tmp_path / "tide.jsonl", {"text": "go"}), Cursor()).skipped == 1


def test_the_example_of_the_documentation_is_read_whole(tmp_path: Path) -> None:
    (example,) = re.findall(r"```jsonl\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    log = tmp_path / "example.jsonl"
    log.write_text(example)
    batch = generic.read(log, Cursor())
    assert batch.skipped == 0
    assert {event.pos for event in batch.events} == set(range(1, example.count("\n") + 1))


def test_the_documentation_names_every_field_and_every_type() -> None:
    text = DOC.read_text(encoding="utf-8")
    for name in generic._Record.__struct_fields__:
        assert f"`{name}`" in text, name


# Where are the logs?


def test_patterns_come_from_the_environment(tmp_path: Path) -> None:
    tide = tmp_path / "tide"
    logs = [
        write(tide / "logs" / "a.jsonl", {"type": "prompt"}),
        write(tmp_path / "home" / ".agent" / "b.jsonl", {"type": "about", "cwd": str(tide)}),
        write(
            tmp_path / "var" / "x" / "c.jsonl", {"type": "prompt"}, {"type": "about", "cwd": f"{tide}/sub"}
        ),
    ]
    write(tmp_path / "home" / ".agent" / "other.jsonl", {"type": "about", "cwd": "/w/other"})
    patterns = ["logs/*.jsonl", "~/.agent/*.jsonl", f"{tmp_path}/var/**/*.jsonl", "", "***", "/nowhere/*"]
    env = {"NANOCTX_GENERIC_LOGS": os.pathsep.join(patterns)}
    home = tmp_path / "home"
    assert sorted(generic.find_logs(home, env, [tide])) == sorted(logs)
    assert len(list(generic.find_logs(home, env, None))) == 3  # a relative pattern needs a project
