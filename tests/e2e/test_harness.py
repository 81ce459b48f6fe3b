"""The client works as the other tests take for granted; if these fail, nanoctx is not to blame."""

from __future__ import annotations

import json

import pytest
from e2e.desk import Desk, compact, leave, say
from e2e.scripted_model import SUMMARY, Say, Use

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

WORDS = "words of some hook"


@pytest.fixture
def hooked(desk: Desk) -> Desk:
    """A hook of nobody's, which says the same at every start."""
    hook = desk.home / "hook"
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": WORDS}}
    hook.write_text(f"#!/bin/sh\necho called >> '{desk.home}/calls'\necho '{json.dumps(answer)}'\n")
    hook.chmod(0o755)
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    called = {"hooks": [{"type": "command", "command": str(hook)}]}
    settings.write_text(json.dumps({"hooks": {"SessionStart": [called]}}))
    return desk


def test_tools_are_used_and_the_hook_is_heard_once(hooked: Desk) -> None:
    hooked.model.plays(Use("Bash", {"command": "echo run > out", "description": "Run"}), Say("It ran."))
    assert "It ran." in hooked.claude.ask("Run it")
    assert (hooked.repository / "out").read_text() == "run\n"
    assert [turn.text.count(WORDS) for turn in hooked.model.turns] == [1, 1]


def test_after_compact_and_clear_the_hook_is_heard_again(hooked: Desk) -> None:
    hooked.model.plays(Say("One."), Say("Two."), Say("Three."))
    with hooked.claude.opened() as screen:
        say(screen, "Count", "One.")
        compact(screen)
        say(screen, "Go on", "Two.")
        calls = hooked.home / "calls"
        screen.command("/clear", "the hook is called", lambda: calls.read_text() == "called\n" * 3)
        say(screen, "And on", "Three.")
        leave(screen)
    first, compacted, cleared = hooked.model.turns
    assert [turn.text.count(WORDS) for turn in (first, compacted, cleared)] == [1, 1, 1]
    assert SUMMARY in compacted.text and SUMMARY not in cleared.text


def test_a_full_window_is_compacted(hooked: Desk) -> None:
    look = {"command": "ls", "description": "Look"}
    hooked.model.plays(Use("Bash", look), Use("Bash", look, tokens=90_000), Say("Seen."))
    hooked.claude.ask("Look around", CLAUDE_CODE_AUTO_COMPACT_WINDOW="100000")
    last = hooked.model.turns[-1]
    assert SUMMARY in last.text and last.text.count(WORDS) == 1
