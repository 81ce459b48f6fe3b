"""`nanoctx uninstall`: all that was done outside workspaces is shown and taken back, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .conftest import Run, tree

SETTINGS = '{\n\t"includeCoAuthoredBy": false\n}'


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def installed(run: Run, repo: Path, workspace: Path, home: Path) -> Path:
    """A repository and a folder as workspaces, Claude Code connected for the person and for the project."""
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(SETTINGS)
    assert run("init", cwd=repo).code == 0
    assert run("remember", "Never push on Fridays", cwd=repo).code == 0
    assert run("connect", "claude-code", "--yes", cwd=repo).code == 0
    return repo


def traces(home: Path) -> list[str]:
    return [name for name in tree(home) if "nanoctx" in name]


def test_home_is_as_it_was_and_workspaces_stay(
    run: Run, installed: Path, workspace: Path, home: Path
) -> None:
    before = tree(installed) | tree(workspace)
    assert traces(home)
    said = run("uninstall", "--yes", cwd=installed)
    assert said.code == 0, said.err
    assert not [*home.rglob("*nanoctx*")]
    assert (home / ".claude" / "settings.json").read_text() == SETTINGS
    assert tree(installed) | tree(workspace) == before
    assert str(workspace) in said.out and "pip uninstall" in said.out


def test_it_is_shown_first_and_without_a_yes_nothing_happens(run: Run, installed: Path, home: Path) -> None:
    before = tree(home)
    said = run("uninstall", cwd=installed)
    assert said.code == 1 and tree(home) == before
    assert '-          "command"' in said.out or "nanoctx-hook" in said.out
    assert f"Removed: {home / '.config/nanoctx/workspaces.toml'}" in said.out
    assert f"Stays: {installed / '.nanoctx'}" in said.out


def test_a_project_that_was_connected_by_itself_is_found_from_anywhere(
    run: Run, installed: Path, tmp_path: Path, home: Path
) -> None:
    run("disconnect", "claude-code", "--yes", cwd=installed)
    run("connect", "claude-code", "--scope", "project", "--yes", cwd=installed)
    assert (installed / ".claude" / "settings.local.json").exists()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run("uninstall", "--yes", cwd=elsewhere).code == 0
    assert not (installed / ".claude").exists() and traces(home) == []


def test_what_a_person_wrote_beside_stays(run: Run, installed: Path, home: Path) -> None:
    own = home / ".config" / "nanoctx" / "config.toml"
    own.write_text("[writer]\nseconds = 5\n")
    said = run("uninstall", "--yes", cwd=installed)
    assert said.code == 0 and f"Stays: {own}" in said.out
    assert traces(home) == [".config/nanoctx/config.toml"]


def test_the_only_copy_of_memory_stays_unless_told(run: Run, installed: Path, home: Path) -> None:
    (installed / ".nanoctx").rename(installed.parent / "cleaned")
    assert run("uninstall", "--yes", cwd=installed).code == 0
    kept = [name for name in traces(home) if name.startswith(".local/share/")]
    assert kept and all(name.endswith(".md") for name in kept)


def test_when_told_workspaces_of_repositories_go_and_nothing_beside_them(
    run: Run, installed: Path, workspace: Path, home: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine.md").write_text("mine")
    (installed / ".nanoctx" / "knowledge").symlink_to(outside)
    (installed / "code.py").write_text("")
    before = tree(workspace)
    assert run("uninstall", "--workspaces", "--yes", cwd=installed).code == 0
    assert not (installed / ".nanoctx").exists() and (installed / "code.py").exists()
    assert (outside / "mine.md").read_text() == "mine"
    assert tree(workspace) == before and traces(home) == []


def test_while_an_agent_still_calls_us_the_rest_stays(run: Run, installed: Path, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.chmod(0o444)
    said = run("uninstall", "--yes", cwd=installed)
    assert said.code == 1 and "write-protected" in said.err
    assert (home / ".config" / "nanoctx" / "workspaces.toml").exists()
    settings.chmod(0o644)
    assert run("uninstall", "--yes", cwd=installed).code == 0
    assert settings.read_text() == SETTINGS and traces(home) == []


def test_a_second_time_there_is_nothing(run: Run, installed: Path) -> None:
    run("uninstall", "--yes", cwd=installed)
    said = run("uninstall", cwd=installed)
    assert said.code == 0 and "nothing of nanoctx" in said.out
