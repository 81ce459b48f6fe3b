"""What a session of Pi is, how its records hang together, and where its log lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nanoctx.core.turns import Story, grow
from nanoctx.model import Batch, Cursor, Event
from nanoctx.sources import pi

SESSION = "0197a000-1111-7222-8333-944445555666"


class PiLog:
    """A log written record by record, as the host would write it."""

    def __init__(self, path: Path, cwd: str = "/w/orchard", **header: Any) -> None:
        self.path = path
        self.count = 0
        self.last: str | None = None
        self._write({"type": "session", "version": 3, "id": SESSION, "cwd": cwd} | header)

    def add(self, kind: str, **body: Any) -> PiLog:
        id = f"e{self.count:07d}"
        self._write({"type": kind, "id": id, "parentId": self.last} | body)
        self.last = id
        return self

    def message(self, role: str, content: Any = None, **more: Any) -> PiLog:
        return self.add("message", message={"role": role, "content": content} | more)

    def user(self, text: str) -> PiLog:
        return self.message("user", [{"type": "text", "text": text}])

    def says(self, text: str, tokens: int = 1000, **more: Any) -> PiLog:
        usage = {"input": tokens, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": tokens}
        return self.message("assistant", [{"type": "text", "text": text}], usage=usage, **more)

    def calls(self, tool: str, **arguments: Any) -> PiLog:
        call = {"type": "toolCall", "id": "c1", "name": tool, "arguments": arguments}
        return self.message("assistant", [{"type": "thinking", "thinking": "hm"}, call])

    def result(self, text: str, error: bool = False) -> PiLog:
        content = [{"type": "text", "text": text}]
        return self.message("toolResult", content, toolCallId="c1", toolName="x", isError=error)

    def goes_back_to(self, line: int) -> PiLog:
        self.last = f"e{line - 1:07d}"
        return self

    def read(self, cursor: Cursor | None = None) -> Batch:
        return pi.read(self.path, cursor or Cursor())

    def events(self, *kinds: str) -> list[Event]:
        return [event for event in self.read().events if not kinds or event.kind in kinds]

    def prompts(self) -> list[str]:
        return [event.text for event in self.events("prompt")]

    def after(self) -> list[str | None]:
        return [event.facts.get("after") for event in self.events("prompt")]

    def _write(self, record: dict[str, Any]) -> None:
        time = {"timestamp": f"2026-06-01T09:00:{self.count:02d}.000Z"}
        self.count += 1
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record | time, separators=(",", ":")) + "\n")


@pytest.fixture
def log(tmp_path: Path) -> PiLog:
    return PiLog(tmp_path / f"2026-06-01T09-00-00-000Z_{SESSION}.jsonl")


# Who speaks?


def test_people_write_text_or_blocks_or_send_an_image(log: PiLog) -> None:
    log.user("prune").message("user", "water").message("user", [{"type": "image", "data": "x"}])
    assert log.prompts() == ["prune", "water", "[image]"]


def test_a_persons_own_command_and_what_extensions_inject_are_no_prompts(log: PiLog) -> None:
    log.message("bashExecution", command="git status", output="clean", exitCode=0)
    log.add("custom_message", customType="notes", content="Remember the pears.", display=True)
    log.message("custom", "Remember the plums.", customType="notes")
    assert log.events("prompt", "tool", "say") == []


def test_thoughts_are_not_said(log: PiLog) -> None:
    log.message("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": " I prune. "}])
    assert [event.text for event in log.events("say")] == ["I prune."]


def test_an_abort_is_the_persons_and_a_failure_is_the_services(log: PiLog) -> None:
    log.says("I cut", stopReason="aborted").says("", tokens=0, stopReason="error", errorMessage="429")
    assert [(event.kind, event.text) for event in log.events("say", "interrupt", "error")] == [
        ("say", "I cut"),
        ("interrupt", ""),
        ("error", "429"),
    ]


# What do tools do?


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "path", "text"),
    [
        ("read", {"path": "a.py"}, "read", "a.py", ""),
        ("write", {"path": "a.py", "content": "x"}, "write", "a.py", "x"),
        ("edit", {"path": "a.py", "oldText": "x", "newText": "y"}, "edit", "a.py", "y"),
        ("edit", {"path": "a", "edits": [{"newText": "y"}, {"newText": "z"}]}, "edit", "a", "y\nz"),
        ("grep", {"pattern": "plum", "path": "src"}, "search", "src", "plum"),
        ("ls", {"path": "src"}, "search", "src", ""),
        ("subagent", {"task": "Count"}, "agent", "", "Count"),
        ("ladder", {"height": 3}, "other", "", ""),
        ("edit", {"path": ["odd"]}, "edit", "", ""),
    ],
)
def test_tools_by_what_they_do(
    log: PiLog, tool: str, arguments: Any, name: str, path: str, text: str
) -> None:
    [event] = log.calls(tool, **arguments).events("tool")
    assert (event.name, event.path, event.text, event.facts["tool"]) == (name, path, text, tool)


def test_a_command_that_fails_ends_with_its_exit_code(log: PiLog) -> None:
    log.calls("bash", command="make").result("no apples\n\n\nCommand exited with code 2", error=True)
    tool, result = log.events("tool", "result")
    assert (tool.name, tool.command, tool.call) == ("shell", "make", "c1")
    assert (result.ok, result.text, dict(result.facts)) == (False, "no apples", {"exit": "2"})


def test_a_person_may_refuse_a_call_and_an_extension_may_block_it(log: PiLog) -> None:
    log.calls("bash", command="rm").result("Blocked by user", error=True)
    log.calls("bash", command="rm").result("Blocked: a protected folder", error=True)
    assert [(event.kind, event.ok) for event in log.events("reject", "result")] == [
        ("reject", None),
        ("result", False),
    ]


def test_a_call_that_was_never_made_did_not_fail(log: PiLog) -> None:
    log.calls("bash", command="make").result("Skipped due to queued user message.", error=True)
    log.calls("bash", command="make").result("half\n\nCommand aborted", error=True)
    assert [(event.ok, dict(event.facts)) for event in log.events("result")] == [
        (None, {"interrupted": "1"}),
        (False, {"interrupted": "1"}),
    ]


# How do records hang together?


def test_a_prompt_that_goes_on_from_an_earlier_record_takes_back_what_followed_it(log: PiLog) -> None:
    log.user("count").says("12").user("cut it").says("cut")
    log.goes_back_to(3).user("water it")
    assert log.after() == [None, None, "3"]
    story = grow(Story(SESSION), log.events())
    assert [turn.prompt.text for turn in story.turns if turn.prompt] == ["count", "water it"]


def test_notes_of_the_host_may_stand_first_on_the_new_branch(log: PiLog) -> None:
    log.user("count").says("12").user("cut it").says("cut")
    log.goes_back_to(3).add("branch_summary", fromId="x", summary="It was cut.")
    log.add("model_change", modelId="b").message("bashExecution", command="ls").user("water it")
    assert log.after() == [None, None, "3"]


def test_the_place_of_a_fork_is_found_in_a_later_read(log: PiLog) -> None:
    first = log.user("count").says("12").user("cut it").says("cut").read()
    log.goes_back_to(3).user("water it")
    [prompt] = [event for event in log.read(first.cursor).events if event.kind == "prompt"]
    assert prompt.facts["after"] == "3"


def test_a_person_may_begin_again(log: PiLog) -> None:
    log.add("model_change", modelId="a").user("count").says("12")
    log.last = None
    log.user("water it")
    assert log.after() == [None, "1"]


def test_a_straight_session_takes_nothing_back(log: PiLog) -> None:
    log.add("model_change", modelId="a").add("thinking_level_change").user("count").says("12")
    log.add("compaction", summary="Counted.", tokensBefore=5).add("label", label="x").user("and now?")
    assert log.after() == [None, None]


def test_the_first_version_had_no_tree(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    records = [
        {"type": "session", "id": SESSION, "cwd": "/w/orchard", "provider": "p", "modelId": "model-a"},
        {"type": "message", "message": {"role": "user", "content": "count"}},
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "12"}]}},
        {"type": "message", "message": {"role": "user", "content": "again"}},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    about, *events = pi.read(path, Cursor()).events
    assert dict(about.facts) == {"cwd": "/w/orchard", "model": "model-a"}
    assert [(event.kind, event.text) for event in events] == [
        ("prompt", "count"),
        ("say", "12"),
        ("prompt", "again"),
    ]
    assert not any(event.facts for event in events)


# What is known of the session?


def test_facts_are_told_when_they_appear_and_when_they_change(log: PiLog) -> None:
    log.add("model_change", modelId="a").says("ok", model="a").says("ok", model="b")
    log.says("sorry", tokens=0, model="host").add("session_info", name="Apples")
    assert [dict(event.facts) for event in log.events("about")] == [
        {"cwd": "/w/orchard"},
        {"model": "a"},
        {"model": "b"},
        {"title": "Apples", "title_by": "person"},
    ]


def test_context_use_is_the_last_messages_and_its_window_is_not_known(log: PiLog) -> None:
    log.says("a", tokens=9000).says("b", tokens=4000).says("", tokens=0, stopReason="error")
    assert [(event.used, event.window) for event in log.events("usage")] == [(4000, 0)]


def test_a_compaction_leaves_a_summary(log: PiLog) -> None:
    log.says("a", tokens=9000).add("compaction", summary="## Goal\nCount.", tokensBefore=9100)
    told = [(event.kind, event.name, event.text, event.used) for event in log.events("usage", "compact")]
    assert told == [
        ("usage", "", "", 9000),
        ("usage", "", "", 9100),
        ("compact", "auto", "", 0),
        ("usage", "", "", 0),
        ("compact", "summary", "## Goal\nCount.", 0),
    ]


def test_records_that_say_nothing_still_tell_the_time(log: PiLog) -> None:
    log.user("go").add("custom", customType="x", data={}).add("pear_count", message="odd")
    batch = log.read()
    times = [event.at for event in batch.events if event.at is not None]
    assert max(times) - min(times) == 3 and batch.skipped == 0


# Where are the logs?


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for place in ("orchard", "orchard/pond", "orchard-two"):
        folder = tmp_path / ".pi" / "agent" / "sessions" / f"--{place.replace('/', '-')}--"
        folder.mkdir(parents=True)
        PiLog(folder / f"{place.replace('/', '.')}.jsonl", cwd=str(tmp_path / place)).user("go")
        (folder / "notes.txt").write_text("x")
    return tmp_path


def found(home: Path, *places: str, **env: str) -> set[str]:
    return {log.stem for log in pi.find_logs(home, env, [home / place for place in places] or None)}


def test_a_project_has_its_own_sessions_and_those_begun_below_it(home: Path) -> None:
    assert found(home) == {"orchard", "orchard.pond", "orchard-two"}
    assert found(home, "orchard") == {"orchard", "orchard.pond"}
    assert found(home, "orchard/pond", "orchard-two") == {"orchard.pond", "orchard-two"}
    assert found(home, "orch") == set()


def test_a_project_reached_through_a_link_is_the_same_project(home: Path) -> None:
    (home / "orchard-two").mkdir()
    (home / "link").symlink_to(home / "orchard-two")
    assert found(home, "link") == {"orchard-two"}


def test_the_host_may_keep_its_logs_elsewhere(home: Path) -> None:
    (home / ".pi").rename(home / "other")
    assert found(home) == set()
    assert len(found(home, PI_CODING_AGENT_DIR="~/other/agent")) == 3
    assert len(found(home, PI_CODING_AGENT_SESSION_DIR=str(home / "other/agent/sessions"))) == 3


def test_the_session_is_named_by_its_header_or_by_its_log(log: PiLog, tmp_path: Path) -> None:
    assert log.events()[0].session == SESSION
    cut = tmp_path / "2026-06-01T09-00-00-000Z_0197b.jsonl"
    cut.write_text('{"type":"session_info","name":"Apples"}\n')
    assert pi.read(cut, Cursor()).events[0].session == "0197b"
