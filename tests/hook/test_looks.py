"""Events that start a look behind the host's back: nobody waits for it, and it takes its turn."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from claude_log import ClaudeLog
from hook_scene import Scene, command, fire, looks, wait_for

from nanoctx.cli.main import main
from nanoctx.disk import lock, observations


def _ended_by(scene: Scene) -> list[str]:
    return [one.ended_by for one in observations.load_all(scene.workspace).observations if one.prompts]


@pytest.mark.parametrize(("reason", "how"), [("prompt_input_exit", "exit"), ("clear", "clear")])
def test_the_end_of_a_session_is_noted_though_its_log_does_not_say_so(
    scene: Scene, reason: str, how: str
) -> None:
    payload = scene.payload(session_id=scene.log.session, hook_event_name="SessionEnd", reason=reason)
    given = fire("session-end", payload)
    assert (given.code, given.out, given.err) == (0, b"", b"")
    wait_for(lambda: _ended_by(scene) == [how], "the look came")


def test_a_session_that_went_on_after_it_was_said_to_have_ended_is_open(scene: Scene) -> None:
    command("observe", "--ended", f"{scene.log.session}=exit")
    later = datetime(2026, 2, 12, 9, 58, tzinfo=UTC)
    assert _ended_by(scene) == ["exit"]
    os.environ["NANOCTX_NOW"] = "2026-02-12T10:30:00Z"
    scene.log.now = later.replace(hour=10, minute=20)
    scene.log.prompt("And now document the gauge reader").say("Documented.")
    command("observe")
    assert _ended_by(scene) == [""]


def test_before_compaction_the_page_is_brought_up_to_date(scene: Scene) -> None:
    scene.log.prompt("Draw the flood chart in chart.py").edit("chart.py").say("The chart is drawn.")
    given = fire("pre-compact", scene.payload(hook_event_name="PreCompact", trigger="auto"))
    assert (given.code, given.out) == (0, b"")
    wait_for(lambda: "chart" in (scene.workspace / "CONTEXT.md").read_text(), "the page followed")


@pytest.mark.parametrize("name", ["nanoctx/__init__.py", "click.py", "json.py"])
def test_a_look_runs_no_code_of_the_repository(scene: Scene, tmp_path: Path, name: str) -> None:
    trap = scene.repo / name
    trap.parent.mkdir(exist_ok=True)
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n")
    scene.log.prompt("Draw the flood chart in chart.py").edit("chart.py").say("The chart is drawn.")
    fire("pre-compact", scene.payload(hook_event_name="PreCompact"))
    wait_for(lambda: "chart" in (scene.workspace / "CONTEXT.md").read_text(), "the page followed")
    assert not (tmp_path / "sprung").exists()


def test_logs_newer_than_the_answer_start_a_look_and_the_old_answer_is_given(scene: Scene) -> None:
    other = ClaudeLog(Path(os.environ["HOME"]), scene.repo, "two", scene.log.now)
    other.prompt("Draw the flood chart in chart.py").edit("chart.py").say("The chart is drawn.")
    given = fire("session-start", scene.payload())
    assert "gauge" in given.section("Now")[0]
    wait_for(lambda: "chart" in (scene.workspace / "CONTEXT.md").read_text(), "the page followed")


def test_while_one_look_waits_no_other_does(scene: Scene) -> None:
    with lock.hold(scene.workspace / ".state" / "lock.next", wait=1, purpose="test"):
        assert main(["observe", "--detached", "--ended", f"{scene.log.session}=exit"]) == 1
    command("observe")  # what the one that did not wait was told is not lost
    assert _ended_by(scene) == ["exit"]


@pytest.mark.parametrize("given", ["exit", "=exit", "s=flew"])
def test_a_wrong_ending_is_refused(scene: Scene, given: str) -> None:
    assert main(["observe", "--ended", given]) == 2


def test_twenty_at_once_leave_no_process_behind(scene: Scene) -> None:
    for _ in range(20):
        fire("pre-compact", scene.payload(hook_event_name="PreCompact"))
    wait_for(lambda: not looks(scene.workspace), "all looks ended")


def test_a_look_keeps_nothing_open_that_its_host_waits_for(scene: Scene) -> None:
    """As where a host, or a shell around it, handed down more than the three streams."""
    reading, writing = os.pipe()
    with lock.hold(scene.workspace / ".state" / "lock", wait=1, purpose="test"):
        fire("pre-compact", scene.payload(hook_event_name="PreCompact"), pass_fds=(writing,))
        os.close(writing)
        assert os.read(reading, 1) == b"" and looks(scene.workspace)
    os.close(reading)
    wait_for(lambda: not looks(scene.workspace), "the look ended")
