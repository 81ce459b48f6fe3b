"""With the real Claude Code: what reaches the model is what the last session left, once, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from e2e.claude import Screen
from e2e.desk import Desk, compact, leave, say
from e2e.scripted_model import SUMMARY, Request, Say, Use

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

TASK = "Write a greeting into hello.py and run it"
OUTCOME = "The greeting is in hello.py and it prints hi"
RULE = "Never use tabs in this project"

MARK = "# Context (nanoctx, "
# What the client puts around the text of a hook.
_DELIVERED = re.compile(
    rf"SessionStart hook additional context: ({re.escape(MARK)}.*?)\n?</system-reminder>", re.DOTALL
)


@pytest.fixture
def connected(desk: Desk) -> Desk:
    desk.nanoctx("init")
    desk.nanoctx("connect", "claude-code", "--yes")
    return desk


def first_session(desk: Desk) -> None:
    """A person has a file written and run, states a rule and leaves."""
    with desk.claude.opened() as screen:
        work(desk, screen)
        leave(screen)
    desk.quiet()


def work(desk: Desk, screen: Screen) -> None:
    desk.model.plays(
        Use("Write", {"file_path": str(desk.repository / "hello.py"), "content": "print('hi')\n"}),
        Use("Bash", {"command": "python3 hello.py", "description": "Run the greeting"}),
        Say(f"{OUTCOME}."),
        Say("Understood, spaces only."),
    )
    say(screen, f"{TASK}.", OUTCOME)
    say(screen, f"{RULE}.", "Understood, spaces only.")


def clear(desk: Desk, screen: Screen) -> None:
    noted = desk.repository / ".nanoctx" / ".state" / "endings"
    screen.command("/clear", "nanoctx notes it", lambda: noted.exists() and " clear " in noted.read_text())


def next_start(desk: Desk) -> str:
    """All that the model sees of nanoctx in a new session's first request."""
    desk.model.plays(Say("Good morning."))
    desk.claude.ask("Good morning")
    return once(desk.model.turns[0])


def delivered(request: Request) -> list[str]:
    return _DELIVERED.findall(request.text)


def once(request: Request) -> str:
    texts = delivered(request)
    assert len(texts) == 1, f"delivered {len(texts)} times in\n{request.text[-3000:]}"
    assert request.text.count(MARK) == 1
    print(texts[0])  # seen only if the test fails
    return texts[0]


def section(text: str, name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def test_a_first_session_ever_is_told_nothing_of_the_past(connected: Desk) -> None:
    connected.model.plays(Say("Good morning."))
    connected.claude.ask("Good morning")
    assert all("Focus: " not in text or "Focus: None" in text for text in delivered(connected.model.turns[0]))


def test_the_second_session_is_told_focus_outcome_and_rule_once_each(connected: Desk) -> None:
    first_session(connected)
    text = next_start(connected)
    assert f"Focus: {TASK}" in section(text, "Now")
    assert OUTCOME in section(text, "Recent")
    assert RULE in section(text, "Rules")
    request = connected.model.turns[0].text
    assert {words: request.count(words) for words in (TASK, OUTCOME, RULE)} == {TASK: 1, OUTCOME: 1, RULE: 1}


def test_a_resumed_session_is_told_only_what_it_does_not_know(connected: Desk) -> None:
    first_session(connected)
    connected.git("commit", "-q", "--allow-empty", "-m", "Greet in full words", name="Bob")
    connected.model.plays(Say("I go on."))
    connected.claude.ask("Go on", "--continue")
    request = connected.model.turns[0]
    assert request.text.count(OUTCOME) == 1, "said by the session itself, and by nobody else"
    assert any("Greet in full words" in section(text, "External") for text in delivered(request))


def test_after_compact_the_model_gets_time_external_and_rules_but_no_work_again(connected: Desk) -> None:
    first_session(connected)
    asked, told = "Make hello.py greet the whole world", "It greets the world now"
    with connected.claude.opened() as screen:
        connected.model.plays(Say(f"{told}."))
        say(screen, f"{asked}.", told)
        _summary_tells(connected, asked, told)
        compact(screen)
        say(screen, "Go on.", "Done.")
        leave(screen)
    _is_told_what_the_summary_lacks(connected.model.turns[-1], asked, told)


def test_after_the_client_compacts_by_itself_it_is_the_same(connected: Desk) -> None:
    first_session(connected)
    asked = "How long is hello.py"
    count = {"command": "wc -l hello.py", "description": "Count lines"}
    connected.model.plays(
        Use("Bash", count), Use("Bash", count, tokens=90_000), Use("Bash", count), Say("One line.")
    )
    _summary_tells(connected, asked)
    connected.claude.ask(f"{asked}?", CLAUDE_CODE_AUTO_COMPACT_WINDOW="100000")
    _is_told_what_the_summary_lacks(connected.model.turns[-1], asked)


def _summary_tells(desk: Desk, *session: str) -> None:
    """The model sums up what it was told at the start and what was said since, as models do."""
    desk.model.summary = "\n".join((SUMMARY, f"Before: {TASK}. {OUTCOME}.", *session))


def _is_told_what_the_summary_lacks(request: Request, *session: str) -> None:
    assert SUMMARY in request.text
    text = once(request)
    assert section(text, "Time") and section(text, "External"), text
    assert RULE in section(text, "Rules"), text
    assert not section(text, "Now") and not section(text, "Recent"), text
    assert "Focus: " not in text and SUMMARY not in text, text
    # The summary is before the model; none of it comes a second time.
    said = (SUMMARY, TASK, OUTCOME, *session)
    assert {words: request.text.count(words) for words in said} == dict.fromkeys(said, 1), request.text


def test_after_clear_no_old_focus_is_what_we_do_now(connected: Desk) -> None:
    first_session(connected)
    with connected.claude.opened() as screen:
        connected.model.plays(Say("It greets the world now."))
        say(screen, "Make hello.py greet the whole world.", "It greets the world now.")
        clear(connected, screen)
        connected.model.plays(Say("Something new, then."))
        say(screen, "What shall we do?", "Something new, then.")
        leave(screen)
    text = once(connected.model.turns[0])
    assert "Focus: " not in text and not section(text, "Now"), text
    assert section(text, "Recent").startswith("- Before /clear: "), text
    assert RULE in section(text, "Rules"), text


def test_what_was_cleared_is_recent_at_the_next_start(connected: Desk) -> None:
    with connected.claude.opened() as screen:
        work(connected, screen)
        clear(connected, screen)
        leave(screen)
    connected.quiet()
    text = next_start(connected)
    assert "hello.py" not in section(text, "Now"), text
    assert "hello.py" in section(text, "Recent"), text


def test_a_commit_made_with_nothing_running_is_named_at_the_next_start(connected: Desk) -> None:
    first_session(connected)
    (connected.repository / "hello.py").write_text("print('hello')\n")
    connected.git("add", ".")
    connected.git("commit", "-q", "-m", "Greet in full words", name="Bob")
    assert not connected.processes()
    external = section(next_start(connected), "External")
    assert '1 commit since last session: "Greet in full words"' in external, external


def test_after_disconnect_nothing_arrives_and_the_settings_are_as_they_were(desk: Desk) -> None:
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n\t"includeCoAuthoredBy": false\n}')
    before = settings.read_bytes()
    desk.nanoctx("init")
    desk.nanoctx("connect", "claude-code", "--yes")
    first_session(desk)
    assert "hello.py" in section(next_start(desk), "Now")
    desk.nanoctx("disconnect", "claude-code", "--yes")
    desk.model.plays(Say("Good morning."))
    desk.claude.ask("Good morning")
    said = desk.model.turns[0].text
    assert not any(words in said for words in (MARK, TASK, OUTCOME, RULE)), said
    assert settings.read_bytes() == before


def test_another_project_is_told_nothing_of_this_one(connected: Desk, tmp_path: Path) -> None:
    first_session(connected)
    other = tmp_path / "weather"
    other.mkdir()
    connected.git("init", "-q", str(other))
    elsewhere = replace(connected, repository=other, claude=replace(connected.claude, folder=other))
    connected.model.plays()
    elsewhere.claude.ask("Good morning")
    elsewhere.nanoctx("init")
    elsewhere.claude.ask("Good morning")
    assert not any(words in turn.text for turn in connected.model.turns for words in (TASK, OUTCOME, RULE))


def test_a_helper_that_the_agent_starts_is_told_nothing(connected: Desk) -> None:
    first_session(connected)
    errand = {"description": "Look", "prompt": "Look around.", "subagent_type": "general-purpose"}
    connected.model.plays(Use("Agent", errand), Say("Nothing here."), Say("Nothing was found."))
    connected.claude.ask("Send somebody to look around", "--allowedTools", "Agent")
    helpers = [turn for turn in connected.model.turns if "Look around." in turn.messages[0]]
    assert helpers and not any(map(delivered, helpers))


def test_git_status_stays_empty_and_no_process_stays_behind(connected: Desk) -> None:
    connected.nanoctx("observe")
    assert connected.git("status", "--porcelain") == ""
    connected.model.plays(Say("Good morning."))
    connected.claude.ask("Good morning")
    connected.quiet()
    assert connected.git("status", "--porcelain") == ""
