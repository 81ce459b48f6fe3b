"""`nanoctx init` as a person meets it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .conftest import Run, tree


def test_in_a_repository_there_is_a_page_at_once_and_git_stays_clean(run: Run, repo: Path) -> None:
    said = run("init", cwd=repo)
    assert said.code == 0 and said.err == ""
    assert "nanoctx observe" in said.out and "nanoctx connect" in said.out
    page = (repo / ".nanoctx" / "CONTEXT.md").read_text()
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Now",
        "## Time",
        "## Recent",
        "## External",
    ]
    assert (repo / ".nanoctx" / "projects" / "tidewatch" / "project.md").is_file()
    status = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=repo, check=True, capture_output=True
    )
    assert status.stdout == b""


def test_a_second_time_it_says_so_and_changes_nothing(run: Run, repo: Path) -> None:
    run("init", cwd=repo)
    before = tree(repo)
    said = run("init", "--json")
    assert said.code == 0 and tree(repo) == before
    assert (said.data["created"], said.data["registered"]) == ([], False)
    assert "already a workspace" in run("init").out


def test_it_says_what_it_adopted(run: Run, tmp_path: Path) -> None:
    mine = b"# Ours\r\n\r\n- a line of mine"
    (tmp_path / "CONTEXT.md").write_bytes(mine)
    said = run("init", tmp_path)
    assert said.code == 0 and "Adopted as they are: CONTEXT.md" in said.out
    assert (tmp_path / "CONTEXT.md").read_bytes() == mine
    assert run("observe", "--workspace", tmp_path).code == 0
    page = (tmp_path / "CONTEXT.md").read_text()
    assert "- a line of mine" in page and "## Now" in page


def test_the_answer_for_programs_has_fixed_keys(run: Run, tmp_path: Path) -> None:
    said = run("init", tmp_path / "w", "--json")
    assert list(said.data) == [
        "workspace",
        "kind",
        "project",
        "created",
        "adopted",
        "registered",
        "page",
        "warnings",
    ]
    assert said.data["page"] == str((tmp_path / "w" / "CONTEXT.md").resolve())


def test_the_workspace_option_names_the_folder_too(run: Run, tmp_path: Path) -> None:
    assert run("--workspace", tmp_path / "w", "init").code == 0
    assert (tmp_path / "w" / "nanoctx.toml").is_file()


def test_outside_a_repository_it_asks_for_a_folder(run: Run, tmp_path: Path) -> None:
    said = run("init")
    assert said.code == 2 and "nanoctx init DIR" in said.err
    assert list(tmp_path.iterdir()) == []


def test_an_unmounted_workspace_is_not_made_anew_unless_asked(run: Run, tmp_path: Path) -> None:
    run("init", tmp_path / "w")
    (tmp_path / "w").rename(tmp_path / "away")
    said = run("init", tmp_path / "w")
    assert said.code == 3 and "--anew" in said.err and not (tmp_path / "w").exists()
    assert run("init", "--anew", tmp_path / "w").code == 0


def test_nothing_is_written_outside_but_the_registry_and_its_lock(run: Run, tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    run("init", tmp_path / "w")
    assert sorted(tree(home)) == [".config/nanoctx/workspaces.toml", "run/nanoctx/registry.lock"]
