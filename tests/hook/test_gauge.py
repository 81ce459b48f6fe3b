"""The status line: what it tells of the window counts, and people see the line they had before."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hook_scene import SCRIPT, Scene, command, wait_for
from stopwatch import timed

from nanoctx.disk import fullness, observations
from nanoctx.hook.gauge import SECONDS

RECORDED = Path(__file__).parents[3] / "shared" / "hooks-recorded"
OWN = 'cat > seen; printf "mine: %s" "$PWD"'


def payload(scene: Scene, percent: float | None, session: str = "") -> dict[str, Any]:
    return {
        "session_id": session or scene.log.session,
        "cwd": str(scene.repo),
        "model": {"id": "model-9", "display_name": "Model 9"},
        "context_window": {"context_window_size": 200000, "used_percentage": percent},
    }


def show(scene: Scene, told: object, *words: str, env: dict[str, str] | None = None) -> str:
    given = told if isinstance(told, bytes) else json.dumps(told).encode()
    done = subprocess.run(
        [SCRIPT, "status-line", *words], input=given, capture_output=True, timeout=8, cwd=scene.repo,
        env={**os.environ, **(env or {})},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def noted(scene: Scene) -> list[int]:
    file = scene.workspace / ".state" / fullness.NAME
    return [int(line.split(" ")[1]) for line in file.read_text().splitlines()] if file.exists() else []


def used(scene: Scene) -> float | None:
    found = observations.load_all(scene.workspace).observations
    return next(one.context_used for one in found if one.session == scene.log.session)


def test_the_person_sees_how_full_the_window_is(scene: Scene) -> None:
    assert show(scene, payload(scene, 42)) == "Model 9 · 42 % of its window\n"
    assert show(scene, payload(scene, None)) == "Model 9 · window not used yet\n"


def test_what_it_tells_is_what_the_observation_says(scene: Scene) -> None:
    before = used(scene)
    show(scene, payload(scene, 37))
    command("observe")
    assert before != 0.37 and used(scene) == 0.37
    written = next(scene.workspace.glob("observations/*/*/*-claude-code-*.md")).read_text()
    assert "context_used: 0.37" in written


def test_only_a_change_is_noted(scene: Scene) -> None:
    for percent in (10, 11, 14, 15, 79, 80, 81, 79, 4, None):
        show(scene, payload(scene, percent))
    assert noted(scene) == [10, 15, 79, 80, 79, 4]


def test_a_window_that_is_nearly_full_brings_the_page_up_to_date(scene: Scene) -> None:
    scene.log.prompt("Draw the flood chart in chart.py").edit("chart.py").say("The chart is drawn.")
    page = scene.workspace / "CONTEXT.md"
    show(scene, payload(scene, 79))
    assert "chart" not in page.read_text()
    show(scene, payload(scene, 80))
    wait_for(lambda: "chart" in page.read_text(), "the page followed")


def test_the_settings_say_from_when_on_it_is_full(scene: Scene) -> None:
    (scene.workspace / "nanoctx.toml").write_text("[observe]\nthreshold = 0.5\n")
    command("observe")
    scene.log.prompt("Draw the flood chart in chart.py").edit("chart.py").say("The chart is drawn.")
    show(scene, payload(scene, 51))
    wait_for(lambda: "chart" in (scene.workspace / "CONTEXT.md").read_text(), "the page followed")


def test_what_was_told_long_ago_does_not_hold(scene: Scene) -> None:
    show(scene, payload(scene, 37), env={"NANOCTX_NOW": "2026-02-11T10:00:00Z"})
    command("observe")
    assert used(scene) != 0.37


@pytest.mark.parametrize("percent", [12, 93])
def test_a_line_of_their_own_is_shown_in_its_place_and_gets_the_same(scene: Scene, percent: int) -> None:
    told = payload(scene, percent)
    assert show(scene, told, "--then", OWN) == f"mine: {scene.repo}"
    assert json.loads((scene.repo / "seen").read_text()) == told
    assert noted(scene) == [percent]


def test_their_own_line_is_shown_whatever_becomes_of_ours(scene: Scene, tmp_path: Path) -> None:
    for told in (b"", b"no json", b"[1]", b"[" * 100_000, b"x" * (2 << 20), b'{"context_window": 7}'):
        assert show(scene, told, "--then", "echo mine") == "mine\n"
    assert show(scene, payload(scene, 93), "--then", "echo mine", env={"NANOCTX_OFF": "1"}) == "mine\n"
    assert noted(scene) == []
    os.mkfifo(scene.workspace / ".state" / fullness.NAME)
    assert show(scene, payload(scene, 93), "--then", "echo mine") == "mine\n"
    elsewhere = payload(scene, 93) | {"cwd": str(tmp_path)}
    assert show(scene, elsewhere, "--then", "echo mine") == "mine\n"


def test_their_own_line_may_take_longer_than_a_hook(scene: Scene) -> None:
    assert show(scene, payload(scene, 12), "--then", "sleep 0.4; echo mine") == "mine\n"


@pytest.mark.parametrize(
    "strange",
    [
        {"session_id": 7}, {"session_id": "a\nb"}, {"session_id": "x" * 5000}, {"cwd": 7}, {"cwd": "/"},
        {"context_window": None}, {"context_window": {"used_percentage": "93"}},
        {"context_window": {"used_percentage": True}}, {"context_window": {"used_percentage": 1e9}},
        {"model": {"display_name": "\x1b[2J"}},
    ],
)  # fmt: skip
def test_what_is_strange_is_not_noted(scene: Scene, strange: dict[str, Any]) -> None:
    said = show(scene, payload(scene, 12) | strange)
    assert "\x1b" not in said and noted(scene) == ([12] if "model" in strange else [])


def test_a_workspace_that_came_with_a_clone_is_not_touched(scene: Scene, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    (clone / ".nanoctx" / ".state").mkdir(parents=True)
    show(scene, payload(scene, 93) | {"cwd": str(clone)})
    assert not list((clone / ".nanoctx" / ".state").iterdir())


def test_an_input_without_end_keeps_nobody_waiting(scene: Scene) -> None:
    words = shlex.join([str(SCRIPT), "status-line", "--then", "echo mine"])
    done = timed(["sh", "-c", words], json.dumps(payload(scene, 12)).encode(), dict(os.environ), held=True)
    assert (done.code, done.out) == (0, b"mine\n") and done.own < 2 * SECONDS


@pytest.mark.skipif(not RECORDED.is_dir(), reason="no recorded payloads beside this clone")
def test_what_the_real_client_told_is_understood(scene: Scene) -> None:
    files = sorted(RECORDED.glob("claude-code-*/interactive/statusline/*.json"))
    assert files
    for file in files:
        told = json.loads(file.read_text())["stdin"] | {"cwd": str(scene.repo)}
        assert show(scene, told) == "Sonnet 4.5 · window not used yet\n"


def test_of_many_lines_only_the_latest_are_kept(scene: Scene) -> None:
    for number in range(3 * fullness.MOST):
        fullness.add(scene.workspace / ".state", f"session-{number}", 50, 1770890400.0)
    command("observe")
    assert len(noted(scene)) == fullness.MOST
