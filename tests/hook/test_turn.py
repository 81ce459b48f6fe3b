"""What a prompt is answered with: what memory has on it, once, within the caps, and mostly nothing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hook_scene import SCRIPT, Scene, command, fire

from nanoctx import clock
from nanoctx.core import tokens
from nanoctx.hook import places, reading, turn

LEVELS = "How does the tide table compute harmonic constituents for the harbour gauge?"
NOTES = {
    "harmonics.md": "# Harmonics\n\nThe tide table computes harmonic constituents for the harbour gauge with"
    " M2,"
    " S2, K1 and O1 only; the others stay below one centimetre.\n",
    "paint.md": "# Paint\n\nThe hut by the pier is painted green every third spring.\n",
    "radio.md": "# Radio\n\nThe radio link to the buoy drops when the mast antenna freezes.\n",
}


def payload(scene: Scene, prompt: str, session: str = "a-new-session") -> dict[str, Any]:
    named = {"session_id": session, "cwd": str(scene.repo), "hook_event_name": "UserPromptSubmit"}
    return {**named, "prompt": prompt}


def ask(scene: Scene, prompt: str, session: str = "a-new-session") -> str:
    """As the script does, but without its deadline: tests run beside each other."""
    root, ready, _ = places.find(str(scene.repo)) or ("", "", "")
    given = payload(scene, prompt, session)
    answer = reading.json_file(ready)
    said, note = turn.text(root, ready, answer, "claude-code", given, clock.now().timestamp())
    if note:
        note()
    return said


def fired(scene: Scene, prompt: str) -> str:
    """Of the script itself; a machine busy with other tests may take all the time there is."""
    data = json.dumps(payload(scene, prompt)).encode()
    for _ in range(20):
        done = subprocess.run([SCRIPT, "user-prompt-submit"], input=data, capture_output=True, timeout=8)
        assert (done.returncode, done.stderr) == (0, b"")
        if done.stdout:
            inner = json.loads(done.stdout)["hookSpecificOutput"]
            assert set(inner) == {"hookEventName", "additionalContext"}
            assert inner["hookEventName"] == "UserPromptSubmit"
            return str(inner["additionalContext"])
        assert not (scene.workspace / ".state" / "turns").exists(), "noted, and not said"
    return ""


@pytest.fixture
def stocked(scene: Scene) -> Scene:
    for name, text in NOTES.items():
        write(scene.workspace / "knowledge" / name, text)
    command("recall", "harmonic")  # the index is made by whoever searches first
    return scene


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_prompt_is_answered_with_what_memory_has_on_it(stocked: Scene) -> None:
    given = fired(stocked, LEVELS)
    assert given.startswith("Relevant Memory:\n- ")
    assert "M2, S2, K1 and O1" in given and "knowledge/harmonics.md" in given
    assert "green" not in given and "antenna" not in given
    assert tokens.count(given) <= 200


@pytest.mark.parametrize(
    "prompt", ["continue", "yes, please go on", "Rename the helper and run the linter again", "", "?" * 50]
)
def test_a_prompt_on_something_else_is_answered_with_nothing(stocked: Scene, prompt: str) -> None:
    assert ask(stocked, prompt) == ""


def test_nothing_is_said_twice_in_a_session_until_it_forgets(stocked: Scene) -> None:
    assert ask(stocked, LEVELS)
    assert ask(stocked, LEVELS) == ""
    assert ask(stocked, LEVELS, session="another")
    fire("session-start", stocked.payload("compact"))
    assert ask(stocked, LEVELS)


def test_the_caps_of_a_turn_and_of_a_session_hold(stocked: Scene) -> None:
    for number in range(12):
        text = "\n\n".join(
            f"Berth{number} logs phase{number} and amplitude{number} of crossing{number}: {word}{number}."
            for word in ("pilot", "harbour", "chart", "almanac", "skipper")
        )
        write(stocked.workspace / "knowledge" / f"berth{number}.md", f"# Berth {number}\n\n{text}\n")
    (stocked.workspace / "nanoctx.toml").write_text("[hook]\nturn_cap = 150\nsession_cap = 250\n")
    command("observe")
    command("recall", "harmonic")
    asked = "How do phase{0} and amplitude{0} of crossing{0} get into berth{0}?"
    told = [ask(stocked, asked.format(number)) for number in range(6)]
    costs = [tokens.count(one) for one in told]
    assert costs[0] and costs[1] and not costs[-1], costs
    assert max(costs) <= 150 and sum(costs) <= 250, costs
    lines = [line for one in told for line in one.splitlines()[1:]]
    assert len(lines) == len(set(lines))


def test_what_the_session_began_with_is_not_told_again(stocked: Scene) -> None:
    prompt = "Let the gauge reader accept times in UTC: are gauge times read as UTC, do all 14 tests pass?"
    assert "14 tests" not in ask(stocked, prompt)


def test_it_can_be_switched_off(stocked: Scene) -> None:
    (stocked.workspace / "nanoctx.toml").write_text('[hook]\nturn = "off"\n')
    command("observe")
    assert ask(stocked, LEVELS) == ""
    assert not (stocked.workspace / ".state" / "turns").exists()


def test_without_an_index_nothing_is_said_and_nothing_made(scene: Scene) -> None:
    assert ask(scene, LEVELS) == ""
    assert not (scene.workspace / ".state" / "recall").exists()


def test_every_reminder_is_logged(stocked: Scene) -> None:
    ask(stocked, LEVELS)
    lines = (stocked.workspace / ".state" / "injections.jsonl").read_text().splitlines()
    last = json.loads(lines[-1])
    assert last["view"] == "turn" and last["layers"] == {"memory": 1} and 0 < last["tokens"] <= 200


def test_the_look_after_a_session_lets_the_next_prompts_find_it(scene: Scene) -> None:
    command("observe", "--detached")
    assert (scene.workspace / ".state" / "recall" / "index.sqlite").exists()

