from __future__ import annotations

import os
import subprocess
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from claude_log import ClaudeLog

from nanoctx import observer
from nanoctx.cli.main import main
from nanoctx.disk import mirror, observations, workspace


def _repository(tmp_path: Path) -> Path:
    repo = tmp_path / "tides"
    repo.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=repo, check=True)
    return repo


def test_git_clean_loses_no_observation(tmp_path: Path) -> None:
    repo = _repository(tmp_path)
    ws = workspace.init(None, repo, os.environ).workspace
    log = ClaudeLog(Path(os.environ["HOME"]), repo).prompt("Print the tides of tomorrow")
    observer.observe(ws, now=log.now + timedelta(hours=1), zone=UTC)
    text = ws.context_page.read_text(encoding="utf-8").replace("## Recent\n", "## Recent\n- ask Ann\n")
    ws.context_page.write_text(text, encoding="utf-8")
    observer.observe(ws, now=log.now + timedelta(hours=2), zone=UTC)
    before = observations.load_all(ws.root).observations
    assert len(before) == 2, "the session, and what the person wrote"
    subprocess.run(["git", "clean", "-fdxq"], cwd=repo, check=True)
    assert not ws.root.exists()
    again = workspace.init(None, repo, os.environ).workspace
    observer.refresh_page(again, now=log.now + timedelta(hours=2), zone=UTC)
    assert observations.load_all(again.root).observations == before
    assert "- ask Ann" in again.context_page.read_text(encoding="utf-8")


def test_after_git_clean_the_next_look_brings_all_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = _repository(tmp_path)
    ws = workspace.init(None, repo, os.environ).workspace
    log = ClaudeLog(Path(os.environ["HOME"]), repo).prompt("Print the tides of tomorrow")
    observer.observe(ws, now=log.now + timedelta(hours=1), zone=UTC)
    before = observations.load_all(ws.root).observations
    log.path.unlink()  # the host has forgotten the session, too
    subprocess.run(["git", "clean", "-fdxq"], cwd=repo, check=True)
    monkeypatch.chdir(repo)
    monkeypatch.setenv("NANOCTX_NOW", (log.now + timedelta(hours=2)).isoformat())
    assert main(["observe"]) == 0
    assert observations.load_all(ws.root).observations == before
    assert "Focus: Print the tides of " in ws.context_page.read_text(encoding="utf-8")
    status = subprocess.run(["git", "status", "--porcelain"], cwd=repo, check=True, capture_output=True)
    assert status.stdout == b""


def test_one_file_taken_away_on_purpose_stays_away(tmp_path: Path) -> None:
    repo = _repository(tmp_path)
    ws = workspace.init(None, repo, os.environ).workspace
    log = ClaudeLog(Path(os.environ["HOME"]), repo).prompt("Print the tides of tomorrow")
    observer.observe(ws, now=log.now + timedelta(hours=1), zone=UTC)
    (file,) = ws.observation_files()
    file.unlink()
    assert mirror.restore(ws.root, os.environ) == 0 and not file.exists()


def test_only_a_workspace_inside_a_repository_has_copies(tmp_path: Path) -> None:
    assert mirror.folder(tmp_path / "notes", os.environ) is None
    one, other = (mirror.folder(tmp_path / name / "tides" / ".nanoctx", os.environ) for name in "ab")
    assert one is not None and other is not None and one != other
    assert one.name.startswith("tides-") and one.parent == Path(os.environ["XDG_DATA_HOME"], "nanoctx")
