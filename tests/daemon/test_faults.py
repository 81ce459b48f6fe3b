"""What breaks in one workspace or one agent's logs is told, and stops nobody else."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from claude_log import ClaudeLog
from daemon.desk_clock import Clock, kept

from nanoctx import observer
from nanoctx.disk import workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.sources import codex

pytestmark = pytest.mark.timeout(60)

BEGIN = datetime(2026, 2, 12, 9, 30, tzinfo=UTC)


def made(folder: Path) -> Workspace:
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    return workspace.init(None, folder.resolve(), os.environ).workspace


def test_a_crash_in_one_workspace_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, well = made(tmp_path / "broken"), made(tmp_path / "tidewatch")
    observe, faulty = observer.observe, [broken.root]

    def looks(ws: Workspace, **more: Any) -> observer.Report:
        if ws.root in faulty:
            raise ZeroDivisionError("a fault of ours")
        return observe(ws, **more)

    monkeypatch.setattr(observer, "observe", looks)
    log = ClaudeLog(Path(os.environ["HOME"]), well.root.parent)
    log.prompt("Please build the tide gauge parser")
    with kept(Clock(BEGIN, monkeypatch), settled=False) as held:
        held.until(lambda: "tide gauge" in text(well), "the other workspace is looked at")
        told = {one["workspace"]: one for one in held.told()["workspaces"]}
        assert told[str(broken.root)]["errors"] == ["ZeroDivisionError: a fault of ours"]
        held_back = told[str(broken.root)]
        assert held_back["wants"] or held_back["working"]  # it is tried again
        assert not told[str(well.root)]["errors"]
        log.prompt("Now the moon phase calculator").leave()
        held.until(lambda: "moon phase" in text(well), "and goes on")
        faulty.clear()  # mended: what was wanted is done
        held.until(lambda: broken.context_page.exists(), "it is tried again", 15.0)


def test_an_agent_whose_logs_cannot_be_read_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    well = made(tmp_path / "tidewatch")

    def fails(*_: object) -> object:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(codex, "find_logs", fails)
    monkeypatch.setattr(codex, "read", fails)
    log = ClaudeLog(Path(os.environ["HOME"]), well.root.parent)
    with kept(Clock(BEGIN, monkeypatch)) as held:
        log.prompt("Please build the tide gauge parser")
        held.until(lambda: "tide gauge" in text(well), "the other agent's session is on the page")
        log.leave()
        held.until(lambda: "ended_by: exit" in observed(well), "and it has ended")
        errors = [one["text"] for one in held.told()["news"] if one["error"]]
        assert errors and all("codex" in error and "ZeroDivisionError" in error for error in errors)


def text(ws: Workspace) -> str:
    return ws.context_page.read_text() if ws.context_page.exists() else ""


def observed(ws: Workspace) -> str:
    return "".join(path.read_text() for path in ws.observation_files())
