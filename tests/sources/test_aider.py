"""What aider's chat history says: whose words are whose, what was done, and when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from nanoctx.model import Batch, Cursor, Event
from nanoctx.sources import aider, lines
from nanoctx.sources.aider_answers import answer_of

START = "\n# aider chat started at 2026-06-01 08:00:00\n\n"
LATER = "\n# aider chat started at 2026-06-01 09:00:00\n\n"
HEAD = "> Aider v0.86.2  \n> Main model: small-1 with diff edit format  \n"
TOKENS = "> Tokens: 1.5k sent, 20 received.  \n"

Read = Callable[..., tuple[Event, ...]]


def local(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def typed(*prompt_lines: str) -> str:
    return "\n" + "".join(f"#### {line}  \n" for line in prompt_lines)


def said(text: str) -> str:
    return f"\n{text}\n\n"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / aider.HISTORY


@pytest.fixture
def told(history: Path) -> Read:
    def read(*parts: str, kinds: str = "") -> tuple[Event, ...]:
        history.write_text(START + HEAD + "".join(parts), encoding="utf-8")
        events = aider.read(history, Cursor()).events
        return tuple(event for event in events if not kinds or event.kind in kinds.split())

    return read


def texts(events: tuple[Event, ...]) -> list[str]:
    return [event.text for event in events]


# Whose words?


def test_lines_typed_together_are_one_prompt(told: Read) -> None:
    events = told(typed("fly the kite", "", "  but not today"), said("Fine."), TOKENS, kinds="prompt")
    assert texts(events) == ["fly the kite\n\n  but not today"]


@pytest.mark.parametrize("command", ["/add kite.py", "/undo", "/run ls", "!ls", "/clear", "-ask", "/ask"])
def test_commands_are_no_prompts(told: Read, command: str) -> None:
    events = told(typed("go"), said("ok"), TOKENS, typed(command), kinds="prompt slash")
    assert [(event.kind, event.name) for event in events] == [("prompt", ""), ("slash", command.split()[0])]


@pytest.mark.parametrize("command", ["/ask", "/code", "/architect"])
def test_a_question_behind_a_command_stands_twice_and_counts_once(told: Read, command: str) -> None:
    events = told(typed(f"{command} how high?"), typed("how high?"), said("High."), kinds="prompt")
    assert texts(events) == ["how high?"]
    assert events[0].facts == {"slash": command}


def test_the_architects_answer_given_to_the_editor_is_no_prompt(told: Read) -> None:
    plan = ["Change kite.py.", "", "- make it fly", "# not a launch"]
    answer = said("\n".join(plan))
    events = told(typed("fly"), answer, TOKENS, typed(*plan), said("Done."), TOKENS, kinds="prompt say")
    assert texts(events) == ["fly", "\n".join(plan), "Done."]


@pytest.mark.parametrize(
    "words",
    ["Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]: all", "<blank>", "   "],
)
def test_confirmations_and_empty_inputs_are_no_prompts(told: Read, words: str) -> None:
    assert told(typed("go"), said("ok"), TOKENS, typed(words), kinds="prompt slash")[1:] == ()


def test_in_watch_mode_the_comments_are_the_persons_words_but_were_not_typed(told: Read) -> None:
    block = ('Find the "AI" comments below (marked with █) in the code files.', "", "kite.py:", "│def fly():")
    events = told("> Processing your request...  \n", typed(*block, "█# AI? how high?"), said("High."))
    slash = [event for event in events if event.kind == "slash"]
    assert [(event.name, event.text) for event in slash] == [("watch", "# AI? how high?")]
    assert not [event for event in events if event.kind == "prompt"]


def test_headings_and_quotes_of_the_model_are_its_words(told: Read) -> None:
    answer = "# Kites\n#### Strings\n> as the poet says\n\nDone."
    assert texts(told(typed("go"), said(answer), TOKENS, kinds="prompt say")) == ["go", answer]


def test_a_markdown_file_that_the_model_writes_holds_no_prompts(told: Read) -> None:
    answer = "README.md\n```\n#### Kites  \n> high  \n```\n\nDone."
    events = told(
        typed("go"), said(answer), TOKENS, "> Applied edit to README.md  \n", kinds="prompt say tool"
    )
    assert texts(events) == ["go", "Done.", "#### Kites  \n> high  "]


def test_an_answer_broken_off_inside_a_fence_swallows_nothing(told: Read) -> None:
    events = told(typed("go"), said("kite.py\n```\ndef fly():"), "> ^C again to exit  \n", typed("again"))
    assert [event.kind for event in events if event.kind != "about"] == ["prompt", "interrupt", "prompt"]


def test_without_the_two_spaces_the_place_tells_what_a_line_is(history: Path) -> None:
    text = START + HEAD + typed("go") + said("One.\n#### Two\nThree.") + TOKENS + typed("on")
    history.write_text("\n".join(line.rstrip() for line in text.split("\n")) + "\n")
    events = aider.read(history, Cursor()).events
    assert texts(tuple(event for event in events if event.kind == "prompt")) == ["go", "on"]


def test_a_history_written_on_windows_reads_the_same(history: Path, told: Read) -> None:
    parts = (typed("go", "on"), said("ok"), TOKENS, "> Applied edit to src\\kite.py  \n")
    unix = told(*parts)
    history.write_bytes((START + HEAD + "".join(parts)).replace("\n", "\r\n").encode())
    assert aider.read(history, Cursor()).events == unix
    assert unix[-2].path == "src/kite.py"


# What was done?


def test_an_edit_has_its_path_and_the_text_that_was_put_there(told: Read) -> None:
    block = "kite.py\n```python\n<<<<<<< SEARCH\nold\n=======\ndef fly():\n    pass\n>>>>>>> REPLACE\n```"
    events = told(typed("go"), said(f"Here:\n\n{block}\n\nDone."), TOKENS, "> Applied edit to kite.py  \n")
    tool = events[-2]
    assert (tool.kind, tool.name, tool.path, tool.text) == ("tool", "edit", "kite.py", "def fly():\n    pass")
    assert [event.text for event in events if event.kind == "say"] == ["Here:\n\n\nDone."]


def test_an_edit_that_found_no_place_failed_and_aiders_report_is_nobodys_prose(told: Read) -> None:
    report = (
        "> The LLM did not conform to the edit format.  \n> # 1 SEARCH/REPLACE block failed to match!\n\n"
        "## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in kite.py\n"
        "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\nJust reply with fixed versions.  \n"
    )
    events = told(typed("go"), said("ok"), TOKENS, report, said("Again."), kinds="say tool result")
    assert [(event.kind, event.ok, event.path) for event in events] == [
        ("say", None, ""),
        ("tool", None, "kite.py"),
        ("result", False, ""),
        ("say", None, ""),
    ]


def test_a_commit_of_aider_is_a_commit_and_one_of_the_persons_edits_is_not_its_work(told: Read) -> None:
    own = "> Committing a.py before applying edits.  \n> Commit 1111aaa docs: mine  \n"
    events = told(typed("go"), own, "> Commit 2222bbb feat: fly  \n", kinds="tool result")
    assert [(event.command, event.text) for event in events] == [
        ("git commit", ""),
        ("", "[HEAD 2222bbb] feat: fly"),
    ]


def test_undo_takes_the_last_commit_back(told: Read) -> None:
    events = told(typed("/undo"), "> Removed: 2222bbb feat: fly  \n", kinds="tool")
    assert events[0].command == "git reset --soft HEAD~1"


def test_a_command_that_ran_has_no_known_end(told: Read) -> None:
    events = told(typed("go"), said("ok"), TOKENS, "> Running make kite  \n", kinds="tool result")
    assert [(event.kind, event.command) for event in events] == [("tool", "make kite")]


@pytest.mark.parametrize(
    ("after", "ok"),
    [("> Added 3 lines of output to the chat.  \n", [False]), (typed("on"), [True]), ("", [])],
)
def test_a_test_failed_if_its_output_was_taken_into_the_chat(told: Read, after: str, ok: list[bool]) -> None:
    events = told(typed("/test pytest"), after, kinds="result")
    assert [event.ok for event in events] == ok


def test_a_person_may_refuse_a_command_or_an_edit(told: Read) -> None:
    command = "> rm -r kites  \n> Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: n  \n"
    edit = "> a.py  \n> Allow edits to file that has not been added to the chat? (Y)es/(N)o [Yes]: n  \n"
    events = told(typed("go"), command, edit, "> Skipping edits to a.py  \n", kinds="tool reject")
    assert [(event.kind, event.command or event.path) for event in events] == [
        ("tool", "rm -r kites"),
        ("reject", ""),
        ("tool", "a.py"),
        ("reject", ""),
    ]
    assert events[0].call == events[1].call and events[2].call == events[3].call


def test_breaking_off_an_answer_interrupts_and_leaving_ends(told: Read) -> None:
    leave = "> ^C again to exit  \n> ^C KeyboardInterrupt  \n"
    assert [e.kind for e in told(typed("go"), leave, kinds="interrupt end")] == ["interrupt", "end"]
    assert [e.kind for e in told(typed("go"), TOKENS, leave, kinds="interrupt end")] == ["end"]
    assert [e.kind for e in told(typed("go"), TOKENS, typed("/exit"), kinds="interrupt end")] == ["end"]


def test_a_service_that_fails_again_and_again_fails_once(told: Read) -> None:
    failure = "> litellm.RateLimitError: slow  \n> Retrying in 0.2 seconds...  \n"
    assert len(told(typed("go"), failure * 3, kinds="error")) == 1


# What is known of a session?


def test_facts_and_usage(told: Read, history: Path) -> None:
    events = told(typed("go"), said("ok"), "> Tokens: 12k sent, 3k cache hit, 1.1k received.  \n")
    facts = {key: value for event in events for key, value in event.facts.items()}
    assert facts == {"cwd": str(history.parent), "version": "0.86.2", "model": "small-1"}
    assert [event.used for event in events if event.kind == "usage"] == [13_100]


def test_a_copy_elsewhere_knows_its_folder_only_if_aider_wrote_it(tmp_path: Path) -> None:
    copy = tmp_path / "copy.md"
    copy.write_text(START + "> Git working dir: /w/kites  \n" + typed("go"))
    assert aider.read(copy, Cursor()).events[0].facts == {"cwd": "/w/kites"}


def test_a_message_on_the_command_line_makes_it_headless(told: Read) -> None:
    events = told("> /bin/aider --yes --message fly  \n", typed("fly"))
    assert {"headless": "1"} in [dict(event.facts) for event in events]


def test_each_launch_is_a_session_and_one_without_a_word_is_none(told: Read) -> None:
    again = START + typed("same second")
    events = told(typed("go"), again, LATER + HEAD, LATER.replace("09", "10") + typed("on"), kinds="prompt")
    assert [event.session for event in events] == [
        "2026-06-01T08:00:00",
        "2026-06-01T08:00:00#2",
        "2026-06-01T10:00:00",
    ]


def test_prompts_have_the_times_of_the_input_history(told: Read, history: Path) -> None:
    history.with_name(".aider.input.history").write_text(
        "\n# 2026-06-01 07:00:00.000000\n+go\n\n# 2026-06-01 08:01:00.500000\n+go\n+on\n"
        "\n# 2026-06-01 08:02:00.000000\n+/ask why?\n\n# 2026-06-01 09:30:00.000000\n+late\n"
    )
    parts = (typed("go", "on"), typed("/ask why?"), typed("why?"), typed("late"), LATER + typed("late"))
    events = told(*parts, kinds="prompt")
    assert [event.at for event in events] == [
        local("2026-06-01 08:01:00.5"),
        local("2026-06-01 08:02:00"),
        None,
        local("2026-06-01 09:30:00"),
    ]


def test_a_session_starts_when_aider_was_started(told: Read) -> None:
    assert min(event.at for event in told(typed("go")) if event.at) == local("2026-06-01 08:00:00")


# A history that grows


def grown(history: Path, cursor: Cursor, text: str) -> Batch:
    with history.open("a") as file:
        file.write(text)
    return aider.read(history, cursor)


def test_a_history_that_grew_tells_only_its_last_session_anew(history: Path) -> None:
    history.write_text(START + typed("go") + TOKENS + LATER + typed("on"))
    first = aider.read(history, Cursor())
    second = grown(history, first.cursor, said("ok") + TOKENS)
    assert second.restarted
    assert {event.session for event in second.events} == {"2026-06-01T09:00:00"}
    assert [event.pos for event in second.events if event.kind == "prompt"] == [11]
    assert second.cursor == aider.read(history, Cursor()).cursor


def test_a_session_just_begun_takes_nothing_back(history: Path) -> None:
    history.write_text(START + typed("go") + TOKENS + LATER.rstrip("\n") + "\n")
    first = aider.read(history, Cursor())
    second = grown(history, first.cursor, typed("on"))
    assert not second.restarted
    assert {event.session for event in second.events} == {"2026-06-01T09:00:00"}


def test_sessions_of_the_same_second_keep_their_numbers(history: Path) -> None:
    history.write_text(START + typed("go") + START + typed("on"))
    second = grown(history, aider.read(history, Cursor()).cursor, TOKENS)
    assert {event.session for event in second.events} == {"2026-06-01T08:00:00", "2026-06-01T08:00:00#2"}


def test_a_long_history_is_given_in_parts_of_whole_sessions(
    history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.write_text("".join(START.replace("08", f"{hour:02}") + typed("go") * 20 for hour in range(10)))
    at_once = aider.read(history, Cursor())
    monkeypatch.setattr(lines, "BATCH", 300)
    cursor, events, parts = Cursor(), list[Event](), 0
    while (batch := aider.read(history, cursor)).cursor != cursor:
        assert not batch.restarted
        cursor, parts = batch.cursor, parts + 1
        events += batch.events
    assert parts > 3
    assert tuple(events) == at_once.events


# Where are the histories?


def test_histories_lie_in_the_projects_we_are_asked_about(tmp_path: Path) -> None:
    kites, boats = tmp_path / "kites", tmp_path / "boats"
    for folder in (kites, boats):
        folder.mkdir()
        (folder / aider.HISTORY).write_text("")
    assert list(aider.find_logs(tmp_path, {}, [kites])) == [kites / aider.HISTORY]
    assert list(aider.find_logs(tmp_path, {}, None)) == []


@pytest.mark.parametrize("named", ["chat.md", "~/kites/chat.md", "{home}/kites/chat.md"])
def test_the_environment_may_name_another_file(tmp_path: Path, named: str) -> None:
    kites = tmp_path / "kites"
    kites.mkdir()
    (kites / "chat.md").write_text("")
    env = {"AIDER_CHAT_HISTORY_FILE": named.format(home=tmp_path)}
    assert list(aider.find_logs(tmp_path, env, [kites])) == [kites / "chat.md"]
    assert list(aider.find_logs(tmp_path, env, [tmp_path / "boats"])) == []
    found = [] if named == "chat.md" else [kites / "chat.md"]
    assert list(aider.find_logs(tmp_path, env, None)) == found


# The forms of an edit


@pytest.mark.parametrize(
    "answer",
    [
        "src/kite.py\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```",
        "```python\nsrc/kite.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```",
        "src/kite.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
        "**src\\kite.py**\n````\nb\n````",
        "src/kite.py\n<source>\nb\n</source>",
    ],
)
def test_an_edit_is_read_in_all_its_forms(answer: str) -> None:
    got = answer_of(["Before.", *answer.split("\n"), "After."])
    assert got.edits == {"src/kite.py": "b"}
    assert got.prose == "Before.\nAfter."


@pytest.mark.parametrize(
    "thoughts",
    ["<thinking-content-1a>\nhm\n</thinking-content-1a>", "---\n► **THINKING**\nhm\n---\n► **ANSWER**"],
)
def test_thoughts_are_not_told(thoughts: Any) -> None:
    assert answer_of([*thoughts.split("\n"), "Fly."]).prose == "Fly."
