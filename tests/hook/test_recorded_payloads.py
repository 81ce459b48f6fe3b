"""Payloads that the real Claude Code sent to hooks, if they are at hand: each gets the answer it should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hook_scene import Scene, fire

RECORDED = Path(__file__).parents[3] / "shared" / "hooks-recorded"
PAYLOADS = sorted(RECORDED.glob("claude-code-*/*/*.json"))

if not PAYLOADS:
    pytest.skip("no recorded payloads beside this clone", allow_module_level=True)


@pytest.mark.parametrize("path", PAYLOADS, ids=[f"{path.parent.name}-{path.stem}" for path in PAYLOADS])
def test_it_is_answered_in_the_client_s_form_or_not_at_all(scene: Scene, path: Path) -> None:
    payload = json.loads(path.read_text())["stdin"] | {"cwd": str(scene.repo)}
    event = payload["hook_event_name"]
    given = fire(event, payload, {"NANOCTX_OFF": "0"})
    assert (given.code, given.err) == (0, b"")
    if event != "SessionStart" or payload.get("agent_id"):
        assert given.out == b""
        return
    assert given.section("Time") and given.section("External")
    # A resumed session that we never saw has no Focus of its own: the project's is news to it.
    assert bool(given.section("Now")) == (payload["source"] in ("startup", "resume"))


def test_in_a_folder_that_is_not_here_nothing_is_said() -> None:
    for path in PAYLOADS:
        given = fire("", json.loads(path.read_text())["stdin"])
        assert (given.code, given.out, given.err) == (0, b"", b"")
