"""What a person did is told, and can be taken back, by a command or with the page as a whole."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from claude_log import ClaudeLog
from sources.plain_git import plain

from nanoctx import byhand, history, observer, reflector
from nanoctx.disk import workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import NanoctxError

NOW = datetime(2026, 2, 12, 15, tzinfo=UTC)
RULE = "Never deploy on a Friday"


class Scene:
    """A workspace in which time goes on a minute with each thing that happens."""

    def __init__(self, ws: Workspace, repo: Path) -> None:
        self.ws, self.now = ws, NOW
        self.log = ClaudeLog(Path(os.environ["HOME"]), repo)

    def look(self) -> None:
        self.now += timedelta(minutes=1)
        observer.observe(self.ws, now=self.now, zone=UTC)
        reflector.reflect(self.ws, now=self.now, zone=UTC)

    def undo(self, target: str = "") -> history.Undone:
        self.now += timedelta(minutes=1)
        return history.undo(self.ws, target, now=self.now, zone=UTC)

    def meant(self, words: str) -> byhand.Meant:
        return byhand.only(byhand.meant(self.ws, words, now=self.now, zone=UTC), words)

    @property
    def memory(self) -> str:
        return self.ws.memory_page.read_text()

    @property
    def context(self) -> str:
        return self.ws.context_page.read_text()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    folder = tmp_path / "tidewatch"
    folder.mkdir()
    plain(folder, "init", "-q", "-b", "main")
    plain(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    made = Scene(workspace.init(None, folder.resolve(), os.environ).workspace, folder.resolve())
    made.log.prompt(f"{RULE}. Now show the heights in feet as well.")
    made.log.edit("tide/table.py").shell("pytest -q", "14 passed in 0.4s")
    made.log.say("Decided: keep feet behind a switch; all 14 tests pass.")
    made.look()
    return made


def test_undo_brings_a_deleted_line_back(scene: Scene) -> None:
    before = scene.memory
    line = next(line for line in before.splitlines() if RULE in line)
    scene.ws.memory_page.write_text(before.replace(f"{line}\n", ""))
    scene.look()
    assert RULE not in scene.memory
    done = scene.undo()
    assert "took out a line of MEMORY.md" in done.entry.what
    assert scene.memory == before
    scene.look()
    assert scene.memory == before
    shutil.rmtree(scene.ws.state)  # what was taken back is kept with the observations
    scene.look()
    assert line in scene.memory


def test_undo_takes_an_edit_of_the_page_back(scene: Scene) -> None:
    before = scene.context
    focus = next(line for line in before.splitlines() if line.startswith("- Focus:"))
    scene.ws.context_page.write_text(
        before.replace(focus, "- Focus: Something else") + "\n## Mine\nA section of my own.\n"
    )
    scene.look()
    assert "- Focus: Something else" in scene.context and "A section of my own." in scene.context
    scene.undo("CONTEXT.md")
    assert focus in scene.context and "Something else" not in scene.context
    assert "A section of my own." not in scene.context
    taken_back = next(one for one in history.entries(scene.ws) if one.what.startswith("took back"))
    scene.undo(taken_back.id)  # the way back has a way back
    assert "Something else" in scene.context and "A section of my own." in scene.context


@pytest.mark.parametrize("what", ["remember", "pin", "accept"])
def test_a_command_is_taken_back(scene: Scene, what: str) -> None:
    before = scene.memory
    scene.now += timedelta(minutes=1)
    if what == "remember":
        byhand.remember(
            scene.ws, "The gauge at the pier drifts in winter", kind="fact", now=scene.now, zone=UTC
        )
        assert "drifts in winter" in scene.memory
    elif what == "pin":
        assert byhand.pin(scene.ws, scene.meant(RULE), "📌", now=scene.now, zone=UTC)
        assert f"- 📌 {RULE}" in scene.memory
    else:
        assert byhand.accept(scene.ws, scene.meant(RULE), now=scene.now, zone=UTC)
        assert scene.meant(RULE).fact.accepted  # type: ignore[union-attr]
    assert scene.undo().entry.by == history.YOU
    assert scene.memory == before
    if what == "accept":
        assert not scene.meant(RULE).fact.accepted  # type: ignore[union-attr]


def test_each_undo_goes_one_step_further_back(scene: Scene) -> None:
    for number in (1, 2):
        scene.now += timedelta(minutes=1)
        byhand.remember(scene.ws, f"Number {number} of the gauges", kind="fact", now=scene.now, zone=UTC)
    scene.undo()
    assert "Number 1" in scene.memory and "Number 2" not in scene.memory
    scene.undo()
    assert "Number 1" not in scene.memory
    with pytest.raises(NanoctxError, match="nothing was done by hand"):
        scene.undo()


def test_history_names_what_happened_to_which_page_and_by_whom(scene: Scene) -> None:
    scene.now += timedelta(minutes=1)
    byhand.remember(scene.ws, "The gauge at the pier drifts", kind="fact", now=scene.now, zone=UTC)
    scene.undo()
    told = history.entries(scene.ws)
    assert told == tuple(sorted(told, key=lambda one: one.at, reverse=True))
    assert {(one.by, one.page) for one in told} == {("you", "MEMORY.md"), ("nanoctx", "MEMORY.md")}
    taken = next(one for one in told if "drifts" in one.what and one.what.startswith("wrote"))
    assert taken.undone and taken.by == "you"
    with pytest.raises(NanoctxError, match="taken back already"):
        scene.undo(taken.id)


@pytest.mark.parametrize("target", ["nosuch", "zzzzzzzz", "SOUL.md"])
def test_what_is_no_change_is_said(scene: Scene, target: str) -> None:
    with pytest.raises(NanoctxError, match="nanoctx history"):
        scene.undo(target)
