"""Payloads that real agents sent to hooks, if they are at hand: each gets the answer it should."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hook_scene import Fired, Scene, command, fire

from nanoctx import hook

RECORDED = Path(__file__).parents[3] / "shared" / "hooks-recorded"
CLIENTS = {
    "claude-code-*/*": "claude-code", "codex-*": "codex", "copilot-*": "copilot", "gemini-*": "gemini",
    "qwen-*": "qwen",
}  # fmt: skip
PAYLOADS = [
    (name, path) for where, name in CLIENTS.items() for path in sorted(RECORDED.glob(f"{where}/*.json"))
]
STARTS = {"SessionStart", "sessionStart"}
PROMPTS = {"UserPromptSubmit", "BeforeAgent"}

NOTE = "# Greetings\n\nThe file hello.py greets; create hello.py anew whenever the list of names changes.\n"

if not PAYLOADS:
    pytest.skip("no recorded payloads beside this clone", allow_module_level=True)

every_payload = pytest.mark.parametrize(
    ("client", "path"), PAYLOADS, ids=[f"{name}-{path.parent.name}-{path.stem}" for name, path in PAYLOADS]
)


def told(client: str, event: str, given: Fired) -> str:
    """What the model is given, out of the one form that this client takes."""
    if not given.out:
        return ""
    answer = json.loads(given.out)
    if client == "copilot":
        assert list(answer) == ["additionalContext"]
        return str(answer["additionalContext"])
    assert list(answer) == ["hookSpecificOutput"]
    inner = answer["hookSpecificOutput"]
    assert list(inner) == ["hookEventName", "additionalContext"] and inner["hookEventName"] == event
    return str(inner["additionalContext"])


def event_of(path: Path, payload: dict[str, Any]) -> str:
    return str(payload.get("hook_event_name") or path.stem.rpartition("-")[0])


@every_payload
def test_it_is_answered_in_the_client_s_form_or_not_at_all(scene: Scene, client: str, path: Path) -> None:
    (scene.workspace / "knowledge").mkdir(exist_ok=True)
    (scene.workspace / "knowledge" / "greetings.md").write_text(NOTE)
    command("recall", "greets")
    payload = json.loads(path.read_text())["stdin"] | {"cwd": str(scene.repo)}
    event = event_of(path, payload)
    given = fire(event, payload, {"NANOCTX_OFF": "0"}, client=client)
    assert (given.code, given.err) == (0, b"")
    said = told(client, event, given)
    if payload.get("agent_id") or event not in STARTS | PROMPTS:
        assert said == ""
    elif event in PROMPTS:
        assert not said or said.startswith("Relevant Memory:")
    else:
        source = payload["source"]
        assert "## Time" in said and "## External" in said
        # A resumed session that we never saw has no Focus of its own: the project's is news to it.
        assert ("\n## Now\n" in said) == (source in ("startup", "new", "resume")), said


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini", "qwen"])
def test_a_recorded_prompt_is_reminded_of_what_memory_has(scene: Scene, client: str) -> None:
    (scene.workspace / "knowledge").mkdir(exist_ok=True)
    (scene.workspace / "knowledge" / "greetings.md").write_text(NOTE)
    command("recall", "greets")
    path = next(path for name, path in PAYLOADS if name == client and path.stem.rpartition("-")[0] in PROMPTS)
    payload = json.loads(path.read_text())["stdin"] | {"cwd": str(scene.repo)}
    payload["prompt"] += " anew whenever the list of names changes"
    event = event_of(path, payload)
    said, _ = hook._answer(event, client, payload, time.monotonic())  # here, where no deadline hurries it
    assert "list of names changes" in told(client, event, Fired(0, said.encode(), b""))


def test_in_a_folder_that_is_not_here_nothing_is_said() -> None:
    for client, path in PAYLOADS:
        payload = json.loads(path.read_text())["stdin"]
        given = fire(event_of(path, payload), payload, client=client)
        assert (given.code, given.out, given.err) == (0, b"", b"")
