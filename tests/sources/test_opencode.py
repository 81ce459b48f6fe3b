"""What a session of OpenCode is, in each of the three places where it may be kept."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from nanoctx.errors import LogUnreadable, UsageError
from nanoctx.model import Batch, Cursor, Event, Step
from nanoctx.sources import opencode

Record = dict[str, Any]
SESSION = "ses_meadow"
BEGIN = 1_772_360_000_000
RUN_RULES = [{"permission": "question", "pattern": "*", "action": "deny"}]


class Told:
    """A session written message by message; `export`, `database` and `tree` keep it as OpenCode does."""

    def __init__(self, folder: Path, **info: Any) -> None:
        self.folder = folder
        self.info: Record = {
            "id": SESSION,
            "directory": "/w/meadow",
            "title": "Count the seeds",
            "version": "1.14.2",
            "time": {"created": BEGIN, "updated": BEGIN},
        } | info
        self.messages: list[Record] = []
        self.todos: list[Record] = []

    def user(self, *parts: Record | str, **info: Any) -> Told:
        return self._message("user", parts, {"summary": {"diffs": []}} | info)

    def agent(self, *parts: Record | str, tokens: int = 0, **info: Any) -> Told:
        used = {"input": 10, "output": 20, "reasoning": 5, "cache": {"read": tokens - 30, "write": 0}}
        more = {"modelID": "acme-1", "path": {"cwd": "/w/meadow"}, "tokens": used if tokens else None}
        return self._message("assistant", parts, more | info)

    def calls(self, tool: str, status: str = "completed", **state: Any) -> Told:
        return self.agent(call(tool, status, **state))

    def _message(self, role: str, parts: tuple[Record | str, ...], info: Record) -> Told:
        number = len(self.messages) + 1
        id = f"msg_{number:03}"
        time = {"created": BEGIN + number * 10_000} | (
            {"completed": BEGIN + number * 10_000 + 5_000} if role == "assistant" else {}
        )
        told = [said(part) if isinstance(part, str) else part for part in parts]
        self.messages.append(
            {
                "info": {"id": id, "role": role, "time": time} | info,
                "parts": [{"id": f"prt_{number:03}_{at}", **part} for at, part in enumerate(told)],
            }
        )
        return self

    def export(self) -> Path:
        path = self.folder / "export.json"
        path.write_text(json.dumps({"info": self.info, "messages": self.messages}))
        return path

    def database(self, name: str = "opencode.db") -> Path:
        """Adds the session to a database, which is made if there is none; gives the path of its log."""
        path = self.folder / name
        with sqlite3.connect(path) as base:
            if not base.execute("SELECT 1 FROM sqlite_master").fetchone():
                base.executescript(SCHEMA)
            info, time = self.info, self.info["time"]
            base.execute(
                "INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?)",
                (
                    info["id"],
                    info.get("parentID"),
                    info["directory"],
                    info["title"],
                    info["version"],
                    json.dumps(info["revert"]) if "revert" in info else None,
                    json.dumps(info["permission"]) if "permission" in info else None,
                    time["created"],
                    time["updated"],
                ),
            )
            for message in self.messages:
                self._insert(base, message)
            for at, todo in enumerate(self.todos):
                row = (info["id"], todo["content"], todo["status"], at, BEGIN)
                base.execute("INSERT INTO todo VALUES (?,?,?,?,?)", row)
        base.close()
        return path / str(self.info["id"])

    def insert_last(self) -> None:
        with sqlite3.connect(self.folder / "opencode.db") as base:
            self._insert(base, self.messages[-1])
        base.close()

    def _insert(self, base: sqlite3.Connection, message: Record) -> None:
        info = dict(message["info"])
        id = self.info["id"] + info.pop("id")
        created = info["time"]["created"]
        row = (id, self.info["id"], created, created, json.dumps(info))
        base.execute("INSERT INTO message VALUES (?,?,?,?,?)", row)
        for part in message["parts"]:
            data = {key: value for key, value in part.items() if key != "id"}
            part_row = (self.info["id"] + part["id"], id, self.info["id"], created, created, json.dumps(data))
            base.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", part_row)

    def tree(self, oldest: bool = False) -> Path:
        data = self.folder / ".local/share/opencode"
        root = data / "project/w-meadow/storage/session" if oldest else data / "storage"
        log = root / ("info" if oldest else "session/f00d") / f"{self.info['id']}.json"
        write(log, {key: value for key, value in self.info.items() if not (oldest and key == "directory")})
        for message in self.messages:
            id = message["info"]["id"]
            write(root / "message" / self.info["id"] / f"{id}.json", message["info"])
            for part in message["parts"]:
                inside = f"{self.info['id']}/{id}" if oldest else id
                write(root / "part" / inside / f"{part['id']}.json", part)
        if self.todos:
            write(root / "todo" / log.name, self.todos)
        return log

    def events(self, *kinds: str) -> list[Event]:
        events = opencode.read(self.export(), Cursor()).events
        return [event for event in events if not kinds or event.kind in kinds]

    def prompts(self) -> list[str]:
        return [event.text for event in self.events("prompt")]


def said(text: str, **more: Any) -> Record:
    return {"type": "text", "text": text, **more}


def call(tool: str, status: str = "completed", id: str = "c1", **state: Any) -> Record:
    return {"type": "tool", "tool": tool, "callID": id, "state": {"status": status, "input": {}, **state}}


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text NOT NULL,
    version text NOT NULL, revert text, permission text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer,
    time_updated integer, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
    time_created integer, time_updated integer, data text NOT NULL);
CREATE TABLE todo (session_id text NOT NULL, content text NOT NULL, status text NOT NULL, position integer,
    time_updated integer);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
"""


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


# What did a person say?


def test_only_what_the_host_did_not_add_is_a_persons(told: Told) -> None:
    told.user("Look at @beds.py", said("Called the Read tool", synthetic=True), said("shown", ignored=True))
    told.user(said("Continue if you have next steps", synthetic=True))
    told.user("one", "two")
    assert told.prompts() == ["Look at @beds.py", "one\ntwo"]


def test_an_image_alone_is_a_prompt_and_a_text_file_is_not(told: Told) -> None:
    told.user({"type": "file", "mime": "image/png", "url": "data:"})
    told.user({"type": "file", "mime": "text/plain", "url": "file:"})
    assert told.prompts() == ["[image]"]


def test_a_sub_agent_has_no_prompts_but_says_what_it_did(tmp_path: Path) -> None:
    told = Told(tmp_path, parentID="ses_above").user("Review the beds").agent("All fine.")
    told.user({"type": "subtask", "command": "review", "description": "x"})
    assert [event.kind for event in told.events() if event.kind != "about"] == ["say"]


def test_what_a_person_undid_is_gone(tmp_path: Path) -> None:
    told = Told(tmp_path, revert={"messageID": "msg_003"})
    told.user("count").agent("done").user("paint").agent("painted")
    assert [event.text for event in told.events("prompt", "say")] == ["count", "done"]
    told.info["revert"] = {"messageID": "msg_004", "partID": "prt_004_1"}
    told.messages[3]["parts"] += [{"id": "prt_004_1", **said("too much")}]
    assert [event.text for event in told.events("prompt", "say")] == ["count", "done", "paint", "painted"]


def test_a_fork_does_not_repeat_the_session_it_came_from(tmp_path: Path) -> None:
    told = Told(tmp_path, time={"created": BEGIN + 29_990, "updated": BEGIN + 30_000})
    told.user("count").agent("done").user("paint")
    assert told.prompts() == ["paint"]
    assert told.events("prompt")[0].pos == 3


def test_a_prompt_that_did_not_fit_is_sent_again_and_counts_once(told: Told) -> None:
    told.user("first").agent("ok").user("count", {"type": "file", "mime": "image/png"})
    told.user({"type": "compaction", "auto": True, "overflow": True}).agent("so far", summary=True)
    told.user("count", "[Attached image/png: bed.png]").agent("ok").user("count")
    assert told.prompts() == ["first", "count", "count"]


def test_a_command_given_to_a_sub_agent_is_a_slash(told: Told) -> None:
    told.user({"type": "subtask", "prompt": "long", "description": "review it", "command": "review"})
    told.user({"type": "subtask", "prompt": "long", "description": "by the agent"})
    [slash] = told.events("slash")
    assert (slash.name, slash.text) == ("/review", "review it")


def test_a_run_by_a_program_is_headless_and_its_quotes_are_the_shells(tmp_path: Path) -> None:
    told = Told(tmp_path, permission=RUN_RULES).user('"say \\"hello\\" twice"').user('"a" and "b"')
    assert told.events("about")[0].facts["headless"] == "1"
    assert told.prompts() == ['say "hello" twice', '"a" and "b"']
    assert Told(tmp_path).user('"quoted"').prompts() == ['"quoted"']


# What is known of the session?


def test_facts_are_told_when_they_appear_and_when_they_change(told: Told) -> None:
    told.user("go").agent("a").agent("b", modelID="acme-2", path={"cwd": "/w/meadow/pond"})
    assert [dict(event.facts) for event in told.events("about") if event.facts] == [
        {"cwd": "/w/meadow", "version": "1.14.2", "title": "Count the seeds", "title_by": "agent"},
        {"model": "acme-1"},
        {"model": "acme-2", "cwd": "/w/meadow/pond"},
    ]
    assert {event.session for event in told.events()} == {SESSION}


@pytest.mark.parametrize("title", ["New session - 2026-03-01T10:13:20.000Z", "Child session - 2026-03-01T10"])
def test_a_title_that_only_says_when_is_none(tmp_path: Path, title: str) -> None:
    assert "title" not in Told(tmp_path, title=title).user("go").events("about")[0].facts


def test_a_session_lasts_until_its_last_answer_is_complete(told: Told) -> None:
    times = [event.at for event in told.user("go").agent("a").events() if event.at]
    assert (min(times), max(times)) == (BEGIN / 1000 + 10, BEGIN / 1000 + 25)


def test_parts_have_times_of_their_own(told: Told) -> None:
    told.agent(said("a", time={"start": BEGIN + 11_000, "end": BEGIN + 12_000}))
    told.calls("bash", time={"start": BEGIN + 21_000, "end": BEGIN + 24_000})
    assert [event.at for event in told.events("say", "tool", "result")] == [
        BEGIN / 1000 + 12,
        BEGIN / 1000 + 21,
        BEGIN / 1000 + 24,
    ]


def test_context_use_is_that_of_the_last_answer_with_what_was_cached(told: Told) -> None:
    told.user("go").agent("a", tokens=5000).agent("b", tokens=7000).agent("c")
    [usage] = told.events("usage")
    assert (usage.used, usage.window, usage.pos) == (7000, 0, 3)


def test_a_compaction_empties_the_context_and_leaves_a_summary(told: Told) -> None:
    told.user("go").agent("a", tokens=9000)
    told.user({"type": "compaction", "auto": False}).agent("Goal: seeds", summary=True, tokens=900)
    first, before, empty, summary = (
        told.events("compact")[0],
        *told.events("usage"),
        told.events("compact")[1],
    )
    assert (first.name, before.used, empty.used) == ("manual", 9000, 0)
    assert (summary.name, summary.text, summary.parent) == ("summary", "Goal: seeds", first.uid)
    assert not any(event.text == "Goal: seeds" for event in told.events("say"))


def test_an_old_summary_has_no_mark_before_it(told: Told) -> None:
    [compact] = told.user("go").agent("Goal: seeds", summary=True).events("compact")
    assert (compact.name, compact.parent) == ("summary", "")


# What did the agent do?


def test_a_command_tells_its_exit_code(told: Told) -> None:
    told.calls(
        "bash", input={"command": "pytest -q", "description": "Run"}, metadata={"exit": 1}, output="no"
    )
    told.calls("bash", input={"command": "ls"}, metadata={"exit": 0}, output="beds")
    told.calls("bash", input={"command": "sleep 9"}, metadata={"exit": None}, output="timeout")
    told.calls("bash", input={"command": "true"}, output="typed by the person")
    first = told.events("tool")[0]
    assert (first.name, first.command, first.text, first.facts["tool"]) == (
        "shell",
        "pytest -q",
        "Run",
        "bash",
    )
    results = [(event.ok, event.facts.get("exit")) for event in told.events("result")]
    assert results == [(False, "1"), (True, "0"), (False, None), (True, None)]


def test_files_are_named_from_the_root_and_carry_their_new_text(told: Told) -> None:
    told.calls("write", input={"filePath": "/w/meadow/a.py", "content": "a = 1"})
    told.calls("edit", input={"filePath": "b.py", "oldString": "b = 1", "newString": "b = 2"})
    told.calls("multiedit", input={"filePath": "c.py", "edits": [{"newString": "c"}, {"newString": "d"}]})
    told.calls("read", input={"filePath": "/etc/hosts"})
    assert [(event.name, event.path, event.text) for event in told.events("tool")] == [
        ("write", "/w/meadow/a.py", "a = 1"),
        ("edit", "/w/meadow/b.py", "b = 2"),
        ("edit", "/w/meadow/c.py", "c\nd"),
        ("read", "/etc/hosts", ""),
    ]


def test_a_patch_is_an_edit_of_each_file_it_touches(told: Told) -> None:
    patch = """*** Begin Patch
*** Add File: a.py
+a = 1
+b = 2
*** Update File: /w/meadow/old.py
*** Move to: /w/meadow/new.py
@@
-c = 3
+c = 4
*** Delete File: gone.py
*** End Patch"""
    told.calls("apply_patch", input={"patchText": patch})
    assert [(event.path, event.text) for event in told.events("tool")] == [
        ("/w/meadow/a.py", "a = 1\nb = 2"),
        ("/w/meadow/new.py", "c = 4"),
        ("/w/meadow/gone.py", ""),
    ]
    assert len(told.events("result")) == 1


@pytest.mark.parametrize(
    ("tool", "name"),
    [("glob", "search"), ("webfetch", "web"), ("task", "agent"), ("todoread", "plan"), ("pond_dig", "other")],
)
def test_each_tool_has_a_plain_name(told: Told, tool: str, name: str) -> None:
    assert told.calls(tool).events("tool")[0].name == name


def test_a_running_tool_has_no_result_yet(told: Told) -> None:
    told.calls("bash", "running", input={"command": "make"}).calls("bash", "pending")
    assert [event.kind for event in told.events() if event.kind != "about"] == ["tool", "tool"]


def test_a_todo_list_is_a_plan_and_what_was_cancelled_is_deleted(told: Told) -> None:
    todos = [{"content": "dig", "status": "completed"}, {"content": "sow", "status": "cancelled"}]
    told.calls("todowrite", input={"todos": todos})
    told.calls("todowrite", "error", input={"todos": []}, error="Invalid input")
    [plan] = told.events("plan")
    assert plan.name == "replace"
    assert plan.steps == (Step("1", "dig", "completed"), Step("2", "sow", "deleted"))


# What went wrong, and who said no?


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("The user rejected permission to use this specific tool call.", ""),
        ("PermissionRejectedError: The user rejected permission to use this specific tool call.", ""),
        ("The user rejected permission to use this tool call with the following feedback: no", "no"),
        ("Error: The user dismissed this question", ""),
    ],
)
def test_a_persons_no_is_a_rejection(told: Told, error: str, reason: str) -> None:
    told.calls("bash", "error", error=error)
    [rejected] = told.events("reject", "result")
    assert (rejected.kind, rejected.text, rejected.call) == ("reject", reason, "c1")


def test_a_no_that_no_person_said_is_a_denial(tmp_path: Path, told: Told) -> None:
    rule = "The user has specified a rule which prevents you from using this specific tool call."
    alone = Told(tmp_path, permission=RUN_RULES)
    alone.calls("bash", "error", error="The user rejected permission to use this specific tool call.")
    for session in (told.calls("bash", "error", error=rule), alone):
        [result] = session.events("reject", "result")
        assert (result.kind, result.ok, result.facts["denied"]) == ("result", False, "1")


def test_a_failed_tool_says_why(told: Told) -> None:
    [result] = told.calls("edit", "error", error="oldString not found").events("result")
    assert (result.ok, result.text, dict(result.facts)) == (False, "oldString not found", {})


def test_an_aborted_turn_is_an_interruption(told: Told) -> None:
    told.agent(
        call("bash", "error", error="Tool execution aborted"),
        call("bash", output="1\n\n<bash_metadata>\nUser aborted the command\n</bash_metadata>"),
        error={"name": "MessageAbortedError", "data": {"message": "aborted"}},
    )
    assert [(event.kind, event.facts.get("interrupted")) for event in told.events("result", "interrupt")] == [
        ("result", "1"),
        ("result", "1"),
        ("interrupt", None),
    ]


def test_a_failing_service_is_an_error(told: Told) -> None:
    told.agent(error={"name": "APIError", "data": {"message": "overloaded"}})
    told.agent(error={"name": "MessageOutputLengthError", "data": {}})
    assert [event.text for event in told.events("error")] == ["overloaded", "MessageOutputLengthError"]


def test_answers_belong_to_their_questions(told: Told) -> None:
    asked = [{"question": "How many?"}, {"question": "Any pond?"}, {"question": "Which beds?"}]
    told.calls("question", input={"questions": asked}, metadata={"answers": [["Four"], [], ["A", "B"]]})
    assert told.events("tool")[0].text == "How many?\nAny pond?\nWhich beds?"
    answers = [(event.facts["question"], event.text) for event in told.events("answer")]
    assert answers == [("How many?", "Four"), ("Which beds?", "A, B")]
    assert told.events("result") == []


# The database


def test_a_database_and_the_files_of_old_say_what_an_export_says(told: Told) -> None:
    told.user("go").agent("a", call("bash", input={"command": "ls"}, metadata={"exit": 0}), tokens=500)
    told.user("more").agent("b", error={"name": "APIError", "data": {"message": "overloaded"}})
    exported = opencode.read(told.export(), Cursor())
    for log in (told.database(), told.tree(), told.tree(oldest=True)):
        batch = opencode.read(log, Cursor())
        assert batch.events == exported.events
        assert (batch.cursor.lines, batch.skipped, batch.restarted) == (4, 0, False)


def test_a_session_that_did_not_change_costs_nothing(told: Told) -> None:
    told.user("go").agent("a")
    for log in (told.database(), told.tree()):
        cursor = opencode.read(log, Cursor()).cursor
        assert opencode.read(log, cursor) == Batch((), cursor)


def test_a_session_that_changed_is_told_anew_and_the_others_are_not(told: Told, tmp_path: Path) -> None:
    log = told.user("go").database()
    other = Told(tmp_path, id="ses_pond").user("dig").database()
    cursors = [opencode.read(path, Cursor()).cursor for path in (log, other)]
    told.agent("a").insert_last()
    batch = opencode.read(log, cursors[0])
    assert batch.restarted and [event.text for event in batch.events if event.text] == ["go", "a"]
    assert batch.cursor.offset > cursors[0].offset
    assert opencode.read(other, cursors[1]) == Batch((), cursors[1])


def test_a_part_that_was_completed_is_a_change(told: Told) -> None:
    log = told.user("go").calls("bash", "running", input={"command": "make"}).database()
    cursor = opencode.read(log, Cursor()).cursor
    with sqlite3.connect(log.parent) as base:
        done = {key: value for key, value in call("bash", output="ok").items() if key != "id"}
        base.execute(
            "UPDATE part SET time_updated = ?, data = ? WHERE data LIKE '%make%'",
            (BEGIN + 90_000, json.dumps(done)),
        )
    base.close()
    batch = opencode.read(log, cursor)
    assert batch.cursor.offset == BEGIN + 90_000
    assert [event.kind for event in batch.events if event.kind == "result"] == ["result"]


def test_the_bare_database_tells_all_main_sessions(told: Told, tmp_path: Path) -> None:
    database = told.user("go").database().parent
    Told(tmp_path, id="ses_pond").user("dig").database()
    Told(tmp_path, id="ses_sub", parentID="ses_pond").user("do").database()
    batch = opencode.read(database, Cursor())
    assert {(event.session, event.text) for event in batch.events if event.kind == "prompt"} == {
        (SESSION, "go"),
        ("ses_pond", "dig"),
    }
    assert opencode.read(database, batch.cursor) == Batch((), batch.cursor)


def test_the_todo_table_has_the_last_word_on_the_plan(told: Told) -> None:
    todos = [{"content": "dig", "status": "pending"}]
    told.calls("todowrite", input={"todos": todos}).todos = list(todos)
    for log in (told.database(), told.tree()):
        assert len([event for event in opencode.read(log, Cursor()).events if event.kind == "plan"]) == 1
    (told.folder / "opencode.db").unlink()
    told.todos = [{"content": "dig", "status": "completed"}]
    for log in (told.database(), told.tree()):
        plans = [event for event in opencode.read(log, Cursor()).events if event.kind == "plan"]
        assert [plan.steps[0].status for plan in plans] == ["pending", "completed"]


def test_reading_a_database_leaves_no_trace(told: Told) -> None:
    log = told.user("go").database()
    before = _written(told.folder)
    assert opencode.read(log, Cursor()).events
    assert _written(told.folder) == before


def _written(folder: Path) -> dict[str, tuple[int, ...]]:
    """What of each file only writing changes."""
    known = {path.name: path.stat() for path in folder.iterdir()}
    return {name: (one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for name, one in known.items()}


def test_what_a_writer_has_not_moved_into_the_database_yet_is_seen(told: Told) -> None:
    log = told.user("go").database()
    cursor = opencode.read(log, Cursor()).cursor
    told.agent("a")
    writer = sqlite3.connect(log.parent)
    told._insert(writer, told.messages[-1])
    writer.commit()
    assert (told.folder / "opencode.db-wal").stat().st_size
    assert [event.kind for event in opencode.read(log, cursor).events if event.kind == "say"] == ["say"]
    writer.close()


def test_a_huge_part_costs_bounded_memory_and_keeps_its_meaning(told: Told) -> None:
    told.user("go", said("x" * (20 << 20), synthetic=True))
    told.calls("write", input={"filePath": "/w/a.py", "content": "seed " * (4 << 20)}, output="ok")
    log = told.database()
    told.messages.clear()
    tracemalloc.start()
    batch = opencode.read(log, Cursor())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 << 20
    assert batch.skipped == 0
    assert [event.path for event in batch.events if event.kind == "tool"] == ["/w/a.py"]


def test_a_database_that_cannot_be_read_is_named(told: Told, tmp_path: Path) -> None:
    log = told.user("go").database()
    with pytest.raises(LogUnreadable, match="ses_absent"):
        opencode.read(log.with_name("ses_absent"), Cursor())
    with pytest.raises(LogUnreadable, match=r"absent\.db"):
        opencode.read(tmp_path / "absent.db", Cursor())
    (tmp_path / "other.db").write_bytes(b"")
    with pytest.raises(LogUnreadable, match="no such table"):
        opencode.read(tmp_path / "other.db", Cursor())
    with log.parent.open("r+b") as file:
        file.write(b"#" * 4096)
    for path in (log, log.parent):
        with pytest.raises(LogUnreadable, match=r"opencode\.db"):
            opencode.read(path, Cursor())
    assert list(opencode.find_logs(tmp_path, {"OPENCODE_DB": str(log.parent)}, None)) == []


def test_a_locked_database_is_not_waited_for(told: Told) -> None:
    log = told.user("go").database()
    writer = sqlite3.connect(log.parent)
    writer.execute("PRAGMA locking_mode = EXCLUSIVE")
    writer.execute("UPDATE session SET title = 'mine'")
    writer.commit()
    with pytest.raises(LogUnreadable, match="locked"):
        opencode.read(log, Cursor())
    writer.close()


def test_rows_that_make_no_sense_are_counted_and_stop_nothing(told: Told) -> None:
    log = told.user("go").agent("a").agent("b").database()
    with sqlite3.connect(log.parent) as base:
        base.execute("UPDATE message SET data = '[]' WHERE id LIKE '%msg_002'")
        base.execute("UPDATE part SET data = '{\"type\":' WHERE id LIKE '%prt_003_0'")
        base.execute("UPDATE session SET revert = 'oops', permission = '7', title = x'ff00'")
    base.close()
    batch = opencode.read(log, Cursor())
    assert batch.skipped == 2
    assert [event.text for event in batch.events if event.kind == "prompt"] == ["go"]


def test_only_logs_of_lines_can_be_read_up_to_one(told: Told) -> None:
    for log in (told.user("go").database(), told.tree(), told.export()):
        with pytest.raises(UsageError, match="line"):
            opencode.read(log, Cursor(), 3)


def test_a_copy_that_lost_its_id_is_named_by_its_file(tmp_path: Path) -> None:
    assert {event.session for event in Told(tmp_path, id=None).user("go").events()} == {"export"}


def test_a_document_of_something_else_holds_nothing(tmp_path: Path) -> None:
    for content in ("[]", "7", '{"info": 3, "messages": {}}', '{"name": "meadow"}'):
        (tmp_path / "other.json").write_text(content)
        batch = opencode.read(tmp_path / "other.json", Cursor())
        assert (batch.events, batch.skipped) == ((), 1)


# Where are the logs?


def test_main_sessions_of_a_project_are_found_in_all_databases(tmp_path: Path) -> None:
    data = tmp_path / ".local/share/opencode"
    data.mkdir(parents=True)
    mine = Told(data, directory="/w/meadow/pond").user("go").database()
    nightly = Told(data, id="ses_n", directory="/w/meadow").user("go").database("opencode-nightly.db")
    Told(data, id="ses_sub", parentID=SESSION).user("go").database()
    other = Told(data, id="ses_other", directory="/w/meadow-two").user("go").database()
    assert set(opencode.find_logs(tmp_path, {}, [Path("/w/meadow")])) == {mine, nightly}
    assert set(opencode.find_logs(tmp_path, {}, None)) == {mine, nightly, other}


@pytest.mark.parametrize(
    ("env", "place"),
    [
        ({"XDG_DATA_HOME": "{home}/data"}, "data/opencode/opencode.db"),
        ({"OPENCODE_DB": "{home}/mine.sqlite"}, "mine.sqlite"),
        ({"OPENCODE_DB": "mine.db"}, ".local/share/opencode/mine.db"),
    ],
)
def test_the_database_may_be_elsewhere(tmp_path: Path, env: dict[str, str], place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    log = Told(path.parent).user("go").database(path.name)
    given = {name: value.format(home=tmp_path) for name, value in env.items()}
    assert list(opencode.find_logs(tmp_path, given, [Path("/w/meadow")])) == [log]
    assert opencode.read(log, Cursor()).events


@pytest.mark.parametrize("oldest", [False, True])
def test_files_of_old_count_only_without_a_database(tmp_path: Path, oldest: bool) -> None:
    log = Told(tmp_path).user("go").agent("a").tree(oldest)
    Told(tmp_path, id="ses_sub", parentID=SESSION).user("go").agent("a").tree(oldest)
    assert list(opencode.find_logs(tmp_path, {}, [Path("/w/meadow")])) == [log]
    assert list(opencode.find_logs(tmp_path, {}, [Path("/w/pond")])) == []
    (tmp_path / ".local/share/opencode/opencode.db").touch()
    assert list(opencode.find_logs(tmp_path, {}, None)) == []


def test_a_file_of_old_that_changed_is_read_again(told: Told) -> None:
    log = told.user("go").agent("a").tree()
    cursor = opencode.read(log, Cursor()).cursor
    told.user("more").tree()
    batch = opencode.read(log, cursor)
    assert batch.restarted and len([event for event in batch.events if event.kind == "prompt"]) == 2
    log.write_text("{")
    with pytest.raises(LogUnreadable, match=log.name):
        opencode.read(log, cursor)
