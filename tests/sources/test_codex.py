"""What a session of Codex is, what its tools did, and where its rollouts lie."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard

from nanoctx.core.turns import Story, grow
from nanoctx.errors import LogUnreadable, UsageError
from nanoctx.model import Batch, Cursor, Event, Step
from nanoctx.sources import codex, codex_past

SESSION = "0196a000-1111-7222-8333-944445555666"
PARENT = "0196a000-0000-7222-8333-944445555666"
NAME = f"rollout-2026-05-04T09-00-00-{SESSION}.jsonl"
PATCH = """*** Begin Patch
*** Update File: src/counter.py
@@ def count
-    return 0
+    return sum(1 for pot in pots if pot)
*** Add File: tests/test_counter.py
+def test_empty_pots():
+    assert True
*** Delete File: old.py
*** Update File: docs/a.md
*** Move to: docs/pots.md
+# Pots
*** End Patch"""


class CodexLog:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = datetime(2026, 5, 4, 9, tzinfo=UTC)

    def add(self, record: dict[str, Any]) -> CodexLog:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        return self

    def line(self, kind: str, /, **payload: Any) -> CodexLog:
        self.clock += timedelta(seconds=10)
        time = self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        return self.add({"timestamp": time, "type": kind, "payload": payload})

    def meta(self, **more: Any) -> CodexLog:
        known = {"id": SESSION, "cwd": "/w/greenhouse", "cli_version": "0.142.5", "source": "cli"}
        return self.line("session_meta", **known | {"git": {"branch": "seedlings"}} | more)

    def event(self, kind: str, /, **more: Any) -> CodexLog:
        return self.line("event_msg", type=kind, **more)

    def item(self, kind: str, **more: Any) -> CodexLog:
        return self.line("response_item", type=kind, **more)

    def user(self, text: str) -> CodexLog:
        self.item("message", role="user", content=[{"type": "input_text", "text": text}])
        return self.event("user_message", message=text, images=[])

    def says(self, text: str) -> CodexLog:
        self.event("agent_message", message=text)
        return self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def completed(self, kind: str, **more: Any) -> CodexLog:
        return self.event("item_completed", item={"type": kind, "id": "i1", **more})

    def calls(self, name: str, call: str = "c1", **arguments: Any) -> CodexLog:
        return self.item("function_call", name=name, arguments=json.dumps(arguments), call_id=call)

    def gives(self, output: Any, call: str = "c1", kind: str = "function_call_output") -> CodexLog:
        return self.item(kind, call_id=call, output=output)

    def tokens(self, used: int) -> CodexLog:
        usage = {"input_tokens": used - 9, "cached_input_tokens": used - 20, "total_tokens": used}
        info = {"total_token_usage": {"total_tokens": 22_000_000}, "last_token_usage": usage}
        return self.event("token_count", info=info | {"model_context_window": 258_400})

    def read(self, cursor: Cursor | None = None, until_line: int | None = None) -> Batch:
        return codex.read(self.path, cursor or Cursor(), until_line)

    def events(self, *kinds: str) -> list[Event]:
        return [event for event in self.read().events if not kinds or event.kind in kinds]

    def prompts(self) -> list[str]:
        return [event.text for event in self.events("prompt")]


@pytest.fixture
def log(tmp_path: Path) -> CodexLog:
    return CodexLog(tmp_path / NAME)


def told(*events: Event) -> list[tuple[object, ...]]:
    return [(event.name, event.command or event.path, event.text) for event in events]


# What is known of the session?


def test_facts_are_told_when_they_appear_and_when_they_change(log: CodexLog) -> None:
    log.meta().line("turn_context", cwd="/w/greenhouse", model="gpt-5.4")
    log.line("turn_context", cwd="/w/greenhouse/pond", model="gpt-5.4")
    log.event("thread_name_updated", thread_name="Pots")
    assert [dict(event.facts) for event in log.events("about")] == [
        {"cwd": "/w/greenhouse", "branch": "seedlings", "version": "0.142.5"},
        {"model": "gpt-5.4"},
        {"cwd": "/w/greenhouse/pond"},
        {"title": "Pots", "title_by": "agent"},
    ]


@pytest.mark.parametrize(
    ("meta", "headless"),
    [
        ({"source": "exec"}, "1"),
        ({"source": "mcp"}, "1"),
        ({"source": None, "originator": "codex_exec"}, "1"),
        ({"source": "vscode"}, None),
        ({"source": "cli"}, None),
    ],
)
def test_a_session_run_by_a_program_is_headless(
    log: CodexLog, meta: dict[str, Any], headless: str | None
) -> None:
    assert log.meta(**meta).events("about")[0].facts.get("headless") == headless


def test_a_fork_is_the_session_of_its_first_line_and_keeps_what_it_copied(log: CodexLog) -> None:
    log.meta().meta(id=PARENT, cwd="/w/elsewhere", cli_version="0.36.0").user("dig").says("dug").user("fill")
    log.meta(git={"branch": "pond"})
    assert {event.session for event in log.events()} == {SESSION}
    assert log.prompts() == ["dig", "fill"]
    assert [dict(event.facts) for event in log.events("about")][1:] == [{"branch": "pond"}]


def test_a_copied_log_says_inside_what_session_it_is(tmp_path: Path) -> None:
    copied = CodexLog(tmp_path / "copy of a log.jsonl").meta().meta(id=PARENT).user("go")
    assert {event.session for event in copied.events()} == {SESSION}


def test_lines_that_say_nothing_still_tell_the_time(log: CodexLog) -> None:
    log.meta().user("go").line("world_state", state={}).event("task_complete", last_agent_message="done")
    times = [event.at for event in log.events() if event.at is not None]
    assert max(times) - min(times) == 40


def test_lines_for_the_agents_own_window_are_not_its_words(log: CodexLog) -> None:
    log.meta().user("go").says('Potted.\n\n::git-commit{cwd="/w/greenhouse"}\n::git-push{branch="main"}')
    assert [event.text for event in log.events("say")] == ["Potted."]


def test_context_use_is_the_last_request_not_the_bill(log: CodexLog) -> None:
    log.meta().tokens(150_000).tokens(95_000).event("token_count", info=None)
    [usage] = log.events("usage")
    assert (usage.used, usage.window) == (95_000, 258_400)


def test_a_compaction_empties_the_context_and_may_leave_a_summary(log: CodexLog) -> None:
    log.meta().tokens(230_000)
    frame = "Another language model started to solve this problem and produced a summary. Use it:\n"
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "dig"}]}]
    log.line("compacted", message=f"{frame}The pond is dug.", replacement_history=history)
    log.event("context_compacted").tokens(9_000).line("compacted", message="", replacement_history=history)
    assert [(event.kind, event.name, event.text, event.used) for event in log.events()[1:]] == [
        ("usage", "", "", 230_000),
        ("compact", "auto", "", 0),
        ("usage", "", "", 0),
        ("compact", "summary", "The pond is dug.", 0),
        ("usage", "", "", 9_000),
        ("compact", "auto", "", 0),
        ("usage", "", "", 0),
    ]
    assert log.events("compact")[1].parent == log.events("compact")[0].uid


def test_a_turn_that_a_person_aborted_is_an_interruption(log: CodexLog) -> None:
    log.meta().event("turn_aborted", reason="interrupted").event("turn_aborted", reason="review_ended")
    assert len(log.events("interrupt")) == 1


def test_a_failure_of_the_service_is_an_error(log: CodexLog) -> None:
    assert log.meta().event("error", message="overloaded").events("error")[0].text == "overloaded"


# What did the person say?


def test_what_stands_twice_counts_once(log: CodexLog) -> None:
    log.meta().user("dig").says("dug")
    assert [event.kind for event in log.events("prompt", "say")] == ["prompt", "say"]


@pytest.mark.parametrize("kind", ["environment_context", "user_instructions"])
def test_words_of_the_host_are_no_prompts(log: CodexLog, kind: str) -> None:
    log.meta().event("user_message", message="<cwd>", kind=kind).user("<environment_context>\n</environment…")
    log.user("# AGENTS.md instructions for /w\n\nwater").user("<turn_aborted>\nx").user("<skill>\nx")
    log.event("user_message", message="go", kind="plain")
    assert log.prompts() == ["go"]


@pytest.mark.parametrize("begin", ["# Context from my IDE setup:", "\n# Files mentioned by the user:"])
def test_what_an_editor_puts_before_a_prompt_is_left_out(log: CodexLog, begin: str) -> None:
    log.meta().user(f"{begin}\n\n## a.py: src/a.py\n\n## My request for Codex:\nfix it\n")
    assert log.prompts() == ["fix it"]


def test_a_picture_alone_is_a_prompt(log: CodexLog) -> None:
    log.meta().event("user_message", message="", images=["data:image/png;base64,AA"])
    log.completed("UserMessage", content=[{"type": "image", "image_url": "x"}])
    assert log.prompts() == ["[image]", "[image]"]


def test_an_empty_message_is_no_prompt(log: CodexLog) -> None:
    assert log.meta().event("user_message", message=" ", images=[], local_images=None).prompts() == []


def test_paginated_history_tells_both_sides_by_completed_items(log: CodexLog) -> None:
    log.meta(history_mode="paginated")
    log.item("message", role="user", content=[{"type": "input_text", "text": "dig"}])
    log.completed("UserMessage", content=[{"type": "text", "text": "dig"}])
    log.completed("HookPrompt", fragments=[{"text": "more"}])
    log.completed("AgentMessage", content=[{"type": "Text", "text": "dug"}])
    log.item("message", role="assistant", content=[{"type": "output_text", "text": "dug"}])
    log.completed("Plan", text="1. fill")
    assert [(event.kind, event.text) for event in log.events("prompt", "say")] == [
        ("prompt", "dig"),
        ("say", "dug"),
        ("say", "1. fill"),
    ]


def test_logs_without_an_envelope_have_only_items(tmp_path: Path) -> None:
    log = CodexLog(tmp_path / NAME)
    log.add(
        {"id": SESSION, "timestamp": "2025-06-01T10:00:00Z", "instructions": None, "git": {"branch": "b"}}
    )
    log.add({"record_type": "state"})
    context = "<environment_context>\nCurrent working directory: /w/greenhouse\nApproval policy: never\n</…>"
    for role, kind, text in (
        ("user", "input_text", context),
        ("user", "input_text", "dig"),
        ("assistant", "output_text", "dug"),
    ):
        log.add({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    log.add(
        {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["ls", "a b"]}}
    )
    log.add(
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": '{"output":"x","metadata":{"exit_code":2}}',
        }
    )
    batch = log.read()
    assert batch.skipped == 0
    assert [(e.kind, e.text or e.command, dict(e.facts)) for e in batch.events] == [
        ("about", "", {"branch": "b"}),
        ("about", "", {"cwd": "/w/greenhouse"}),
        ("prompt", "dig", {}),
        ("say", "dug", {}),
        ("tool", "ls 'a b'", {"tool": "local_shell"}),
        ("result", "x", {"exit": "2"}),
    ]


def test_turns_that_were_rolled_back_are_taken_back_by_the_next_prompt(log: CodexLog) -> None:
    log.meta().user("dig").says("dug").user("fill").says("filled").user("water").says("watered")
    log.event("thread_rolled_back", num_turns=1).event("thread_rolled_back", num_turns=1).user("plant")
    assert [event.facts.get("after") for event in log.events("prompt")] == [None, None, None, "6"]
    story = grow(Story(SESSION), log.events())
    assert [turn.prompt.text for turn in story.turns if turn.prompt] == ["dig", "plant"]
    before = log.read(until_line=15)
    [prompt] = [event for event in log.read(before.cursor).events if event.kind == "prompt"]
    assert prompt.facts["after"] == "6"


def test_more_turns_than_there_are_is_all_of_them(log: CodexLog) -> None:
    log.meta().user("dig").event("thread_rolled_back", num_turns=9).user("plant")
    assert log.events("prompt")[1].facts["after"] == "2"


def test_an_answer_stands_with_its_question(log: CodexLog) -> None:
    log.meta().calls("request_user_input", questions=[{"id": "q", "question": "Which pot?"}])
    asked = log.read()
    log.gives('{"answers":{"q":{"answers":["red","blue"]}}}')
    [answer] = [event for event in log.read(asked.cursor).events if event.kind == "answer"]
    assert (answer.text, answer.call, answer.facts["question"]) == ("red, blue", "c1", "Which pot?")
    assert told(*log.events("tool")) == [("ask", "", "Which pot?")]


@pytest.mark.parametrize("words", ["exec command rejected by user", "patch rejected by user"])
def test_a_person_may_refuse_a_call(log: CodexLog, words: str) -> None:
    log.meta().calls("shell", command=["ls"]).gives(words)
    assert [(event.kind, event.call) for event in log.events("reject", "result")] == [("reject", "c1")]


def test_a_refusal_by_the_host_is_not_the_persons(log: CodexLog) -> None:
    log.meta().gives("This action was rejected due to unacceptable risk. It deletes pots.")
    [result] = log.events("reject", "result")
    assert result.ok is False and result.facts["denied"] == "1"


# What did the tools do?


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
        ("shell", {"command": ["/bin/zsh", "-c", "ls"]}, "ls"),
        ("shell", {"command": ["powershell.exe", "-NoProfile", "-Command", "dir"]}, "dir"),
        ("shell", {"command": ["git", "commit", "-m", "two words"]}, "git commit -m 'two words'"),
        ("shell_command", {"command": "pytest -q", "workdir": "/w"}, "pytest -q"),
        ("exec_command", {"cmd": "pytest -q", "workdir": "/w"}, "pytest -q"),
    ],
)
def test_a_command_is_what_one_would_type(
    log: CodexLog, tool: str, arguments: dict[str, Any], command: str
) -> None:
    [call] = log.meta().calls(tool, **arguments).events("tool")
    assert (call.name, call.command, call.facts["tool"]) == ("shell", command, tool)


HEAD = "Chunk ID: ab\nWall time: 0.1 seconds\n"


@pytest.mark.parametrize(
    ("output", "ok", "code", "text"),
    [
        (f"{HEAD}Process exited with code 0\nOriginal token count: 1\nOutput:\nfine", True, "0", "fine"),
        (f"{HEAD}Process exited with code 3\nOriginal token count: 1\nOutput:\nbad", False, "3", "bad"),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\nbad", False, "1", "bad"),
        ('{"output":"bad","metadata":{"exit_code":-1,"duration_seconds":0.1}}', False, "-1", "bad"),
        ('{"output":"fine","metadata":{"exit_code":0}}', True, "0", "fine"),
        ("failed in sandbox X with execution error: denied, exit code: 1, stdout: ", False, "1", None),
        ("Wall time: 0.7 seconds\nOutput:\nExit code: 9", True, None, "Exit code: 9"),
        ("apply_patch verification failed: no such lines", False, None, None),
        ("unsupported call: dig", False, None, None),
        ({"content": "bad", "success": False}, False, None, "bad"),
        ([{"type": "input_text", "text": "seen"}, {"type": "input_image"}], True, None, "seen"),
        ("it said Process exited with code 1", True, None, None),
    ],
)
def test_how_a_call_went_is_known_from_every_form_of_output(
    log: CodexLog, output: Any, ok: bool, code: str | None, text: str | None
) -> None:
    [result] = log.meta().gives(output).events("result")
    assert (result.ok, result.facts.get("exit")) == (ok, code)
    assert result.text == (output if text is None else text)


def test_a_command_that_was_interrupted_says_so(log: CodexLog) -> None:
    [result] = log.meta().gives("aborted by user after 3.1s").events("result")
    assert result.ok is False and result.facts["interrupted"] == "1"


def test_a_process_that_runs_on_gives_its_result_to_the_command_that_started_it(log: CodexLog) -> None:
    running = f"{HEAD}Process running with session ID 4711\nOriginal token count: 0\nOutput:\n"
    log.meta().calls("exec_command", cmd="pytest").gives(running)
    log.calls("write_stdin", "c2", session_id=4711, chars="").gives(running, "c2")
    log.calls("write_stdin", "c3", session_id=4711, chars="")
    asked = log.read()
    log.gives(f"{HEAD}Process exited with code 1\nOutput:\n1 failed", "c3")
    for events in (log.events("result"), list(log.read(asked.cursor).events)):
        assert [(event.kind, event.call, event.ok) for event in events] == [("result", "c1", False)]
    assert [event.call for event in log.events("tool")] == ["c1"]


def test_what_stands_too_far_back_is_out_of_reach_however_the_log_is_read(
    log: CodexLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codex_past, "REACH", 2_000)
    running = f"{HEAD}Process running with session ID 4711\n"
    log.meta().calls("exec_command", cmd="pytest").gives(running).says("x" * 3_000)
    log.calls("write_stdin", "c2", session_id=4711)
    asked = log.read()
    log.gives("Exit code: 1\nOutput:\n", "c2")
    assert [event.call for event in log.events("result")] == ["c2"]
    assert [event.call for event in log.read(asked.cursor).events] == ["c2"]


def test_a_patch_is_an_edit_of_each_file_it_touches(log: CodexLog) -> None:
    edits = [
        ("edit", "src/counter.py", "    return sum(1 for pot in pots if pot)"),
        ("write", "tests/test_counter.py", "def test_empty_pots():\n    assert True"),
        ("edit", "old.py", ""),
        ("edit", "docs/pots.md", "# Pots"),
    ]
    log.meta().item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c1")
    log.calls("apply_patch", "c2", input=PATCH)
    log.calls("shell", "c3", command=["apply_patch", PATCH])
    log.calls("shell", "c4", command=["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"])
    assert told(*log.events("tool")) == edits * 4


def test_a_patch_within_a_command_stands_beside_it_and_knows_its_folder(log: CodexLog) -> None:
    patch = "*** Begin Patch\n*** Update File: ./a.py\n+x\n*** End Patch"
    log.meta().calls("exec_command", cmd=f"apply_patch <<EOF\n{patch}\nEOF\npytest -q", workdir="/w/pond")
    assert told(*log.events("tool")) == [("edit", "/w/pond/a.py", "x"), ("shell", "pytest -q", "")]


def test_edits_the_host_reports_count_only_if_no_call_named_them(log: CodexLog) -> None:
    changes = {"/w/a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": None}}
    added = {"/w/b.py": {"type": "add", "content": "z\n"}}
    log.meta().item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c1")
    named = log.read()
    log.event("patch_apply_end", call_id="c1", success=True, changes=changes)
    assert log.read(named.cursor).events[0].kind == "about"
    log.event("patch_apply_end", call_id="c2", success=True, changes=changes)
    log.completed("FileChange", changes=added, status="completed")
    assert told(*log.events("tool")[4:]) == [("edit", "/w/a.py", "y"), ("write", "/w/b.py", "z\n")]


def test_a_plan_replaces_the_one_before(log: CodexLog) -> None:
    log.meta().calls("update_plan", plan=[{"step": "Dig", "status": "completed"}, {"step": "Fill"}])
    [plan] = log.events("plan")
    assert plan.name == "replace"
    assert plan.steps == (Step("1", "Dig", "completed"), Step("2", "Fill", "pending"))


def test_other_tools_are_told_by_what_they_do(log: CodexLog) -> None:
    log.meta().calls("view_image", path="/w/pot.png").calls("spawn_agent", message="count the pots")
    log.item("web_search_call", action={"type": "search", "query": "pots"})
    log.item("function_call", name="find", namespace="mcp__shed", arguments="not json", call_id="c1")
    assert told(*log.events("tool")) == [
        ("read", "/w/pot.png", ""),
        ("agent", "", "count the pots"),
        ("web", "", "pots"),
        ("other", "", ""),
    ]
    assert log.events("tool")[-1].facts["tool"] == "mcp__shed__find"


def test_a_log_that_did_not_grow_is_not_read_back(log: CodexLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.meta().user("Count the pots").says("There are nine.")
    seen = codex.read(log.path, Cursor())
    monkeypatch.setattr(codex, "lines_before", lambda *_: pytest.fail("nothing new refers to it"))
    assert codex.read(log.path, seen.cursor) == Batch((), seen.cursor)


def test_unknown_lines_are_passed_in_silence(log: CodexLog) -> None:
    log.meta().line("pond_level", message=["odd"], id=5).event("frog", message={"a": 1}).add({"type": "frog"})
    assert log.read().skipped == 0
    log.event("user_message", message=["odd"])
    assert log.read().skipped == 1


# Where are the logs?


def rollout(home: Path, place: str, cwd: str, number: int, **meta: Any) -> CodexLog:
    session = f"{number:08x}-1111-7222-8333-944445555666"
    log = CodexLog(home / place / f"rollout-2026-05-04T09-00-00-{session}.jsonl")
    return log.meta(id=session, cwd=str(home / cwd), **meta).user("go")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Sessions in a project, below it and beside it, an archived one, and those that no person began."""
    day = ".codex/sessions/2026/05/04"
    for place in ("w/garden/pond", "w/garden-pond"):
        (tmp_path / place).mkdir(parents=True)
    rollout(tmp_path, day, "w/garden", 1)
    rollout(tmp_path, day, "w/garden/pond", 2)
    rollout(tmp_path, day, "w/garden-pond", 3)
    rollout(tmp_path, ".codex/archived_sessions", "w/garden", 4)
    rollout(tmp_path, day, "w/garden", 5, source={"subagent": {"thread_spawn": {"parent_thread_id": "x"}}})
    rollout(tmp_path, day, "w/garden", 6, source={"subagent": "review"})
    rollout(tmp_path, day, "w/garden", 7, thread_source="subagent")
    rollout(tmp_path, day, "w/garden", 8, source="exec")
    (tmp_path / day / "notes.jsonl").write_text("{}\n")
    (tmp_path / ".codex/sessions/stray").write_text("")
    return tmp_path


def found(home: Path, *projects: str, env: dict[str, str] | None = None) -> list[int]:
    places = [home / project for project in projects] or None
    return sorted(int(log.name[28:36], 16) for log in codex.find_logs(home, env or {}, places))


def test_all_sessions_are_found_but_no_sub_agents(home: Path) -> None:
    assert found(home) == [1, 2, 3, 4, 8]


def test_a_project_has_its_own_sessions_and_those_begun_below_it(home: Path) -> None:
    assert found(home, "w/garden") == [1, 2, 4, 8]
    assert found(home, "w/garden-pond", "w/garden/pond") == [2, 3]
    assert found(home, "w/gard") == []


def test_a_project_reached_through_a_link_is_the_same_project(home: Path) -> None:
    (home / "link").symlink_to(home / "w" / "garden-pond")
    assert found(home, "link") == [3]


def test_the_host_may_keep_its_logs_elsewhere(home: Path) -> None:
    (home / ".codex").rename(home / "elsewhere")
    assert found(home) == []
    assert found(home, env={"CODEX_HOME": str(home / "elsewhere")}) == [1, 2, 3, 4, 8]


def test_a_log_without_an_envelope_is_found_by_the_folder_in_its_first_message(tmp_path: Path) -> None:
    log = CodexLog(tmp_path / ".codex/sessions/2025/06/01" / NAME)
    log.add({"id": SESSION, "timestamp": "2025-06-01T10:00:00Z"})
    text = f"<environment_context>\n  <cwd>{tmp_path}/w</cwd>\n</environment_context>"
    log.add({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
    assert list(codex.find_logs(tmp_path, {}, [tmp_path / "w"])) == [log.path]
    assert list(codex.find_logs(tmp_path, {}, [tmp_path / "v"])) == []


def compressed(log: Path) -> Path:
    packed = log.with_name(log.name + ".zst")
    packed.write_bytes(zstandard.compress(log.read_bytes()))
    return packed


def test_a_compressed_log_is_found_unless_it_was_unpacked(home: Path) -> None:
    [log] = codex.find_logs(home, {}, [home / "w/garden-pond"])
    packed = compressed(log)
    assert list(codex.find_logs(home, {}, [home / "w/garden-pond"])) == [log]
    log.unlink()
    assert list(codex.find_logs(home, {}, [home / "w/garden-pond"])) == [packed]


def test_a_compressed_log_says_the_same_once(log: CodexLog) -> None:
    log.meta().user("dig").says("dug").says("y" * (5 << 20)).gives("Exit code: 1\nOutput:\n")
    packed = compressed(log.path)
    batch = codex.read(packed, Cursor())
    whole = log.read()
    assert [(e.kind, e.pos, e.session, e.at) for e in batch.events] == [
        (e.kind, e.pos, e.session, e.at) for e in whole.events
    ]
    assert batch.skipped == 0 and batch.cursor.lines == whole.cursor.lines
    assert codex.read(packed, batch.cursor) == Batch((), batch.cursor)
    log.user("fill")
    compressed(log.path)
    again = codex.read(packed, batch.cursor)
    assert again.restarted and len(again.events) > len(batch.events)


def test_a_compressed_log_is_read_up_to_a_line_it_has(log: CodexLog) -> None:
    packed = compressed(log.meta().user("dig").says("dug").path)
    assert codex.read(packed, Cursor(), 3).cursor.lines == 3
    for line in (0, 99):
        with pytest.raises(UsageError, match="line"):
            codex.read(packed, Cursor(), line)


def test_a_broken_archive_is_named(tmp_path: Path) -> None:
    packed = tmp_path / f"{NAME}.zst"
    packed.write_bytes(b"no archive")
    with pytest.raises(LogUnreadable, match="archive"):
        codex.read(packed, Cursor())


def test_a_name_given_to_a_session_is_its_title(tmp_path: Path) -> None:
    log = CodexLog(tmp_path / ".codex/sessions/2026/05/04" / NAME).meta().user("go")
    index = CodexLog(tmp_path / ".codex/session_index.jsonl")
    index.add({"id": SESSION, "thread_name": "Pots"}).add({"id": PARENT, "thread_name": "Frogs"})
    index.add({"id": SESSION, "thread_name": "Empty pots"})
    assert log.events("about")[-1].facts["title"] == "Empty pots"
    assert log.read(log.read().cursor).events == ()
