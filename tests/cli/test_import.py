"""`nanoctx import`: what another program remembers is known here, and rules nothing until it is accepted."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from .conftest import Run, tree

RULE = "Never mock the database in integration tests."
SECRET = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"


@pytest.fixture
def notes(repo: Path, run: Run) -> Path:
    """The notes that Claude Code keeps of the repository, which is a workspace."""
    assert run("init", cwd=repo).code == 0
    slug = re.sub(r"[^a-zA-Z0-9]", "-", str(repo))
    folder = Path(os.environ["HOME"]) / ".claude" / "projects" / slug / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text(
        "# Memory\n- [No mocks](no-mocks.md) — real database\n\n## Gotchas\n"
        f"- The gauge at Ryde answers over IPv6 only\n- The feed is read with api_key={SECRET}\n"
        "<private>\n- My doctor is Ann\n</private>\n"
    )
    (folder / "no-mocks.md").write_text(
        f"---\nname: no-mocks\ndescription: d\nmetadata:\n  type: feedback\n---\n\n{RULE}\n"
    )
    return folder


def section(page: str, name: str) -> str:
    return page.partition(f"## {name}\n")[2].partition("\n## ")[0]


def test_lines_are_known_by_whom_they_are_from_and_rule_nothing(run: Run, repo: Path, notes: Path) -> None:
    before = tree(notes)
    assert run("import", "claude-code", "--json", cwd=repo).data["taken"] == 3
    page = (repo / ".nanoctx" / "MEMORY.md").read_text()
    assert "Ryde" in page and RULE in section(page, "Facts and insights")
    assert RULE not in section(page, "Preferences and rules")
    kept = "".join(file.read_text() for file in repo.glob(".nanoctx/observations/*/*/*.md"))
    assert kept.count("by=machine:claude-code") == 3
    assert "Ryde" in run("recall", "gauge", "Ryde", cwd=repo).out
    assert tree(notes) == before


def test_an_accepted_line_is_a_rule(run: Run, repo: Path, notes: Path) -> None:
    run("import", "claude-code", cwd=repo)
    page = (repo / ".nanoctx" / "MEMORY.md").read_text()
    line = next(line for line in page.splitlines() if RULE in line)
    assert run("accept", line.rpartition("^")[2], cwd=repo).code == 0
    page = (repo / ".nanoctx" / "MEMORY.md").read_text()
    assert RULE in section(page, "Preferences and rules") and page.count(RULE) == 1


def test_no_secret_and_nothing_private_comes_in(run: Run, repo: Path, notes: Path) -> None:
    said = run("import", "claude-code", "--json", cwd=repo)
    assert said.data["secrets"] == 2
    files = tree(repo / ".nanoctx") | tree(Path(os.environ["XDG_DATA_HOME"]))
    assert not [name for name, data in files.items() if SECRET.encode() in data or b"doctor" in data]


def test_nothing_is_taken_twice_and_what_is_new_comes_later(run: Run, repo: Path, notes: Path) -> None:
    run("import", "claude-code", cwd=repo)
    before = tree(repo / ".nanoctx" / "observations")
    again = run("import", "claude-code", "--json", cwd=repo)
    assert (again.data["taken"], again.data["known"]) == (0, 3)
    assert tree(repo / ".nanoctx" / "observations") == before
    (notes / "wharf.md").write_text("- The wharf is closed on Mondays\n")
    assert run("import", "claude-code", "--json", cwd=repo).data["taken"] == 1


def test_a_dry_run_changes_nothing(run: Run, repo: Path, notes: Path) -> None:
    before = tree(repo / ".nanoctx" / "observations")
    said = run("import", "claude-code", "--dry-run", cwd=repo)
    assert f"rule: {RULE}" in said.out and said.out.startswith("Would take over 3 lines")
    assert tree(repo / ".nanoctx" / "observations") == before


def test_why_names_the_file_a_line_came_from(run: Run, repo: Path, notes: Path) -> None:
    run("import", "claude-code", cwd=repo)
    said = run("why", "The gauge at Ryde", cwd=repo).out
    assert "machine:claude-code" in said and f"line 5 of {notes / 'MEMORY.md'}" in said


def test_the_memory_of_nanobot_comes_in_and_its_history_is_recalled_only(run: Run, tmp_path: Path) -> None:
    home = Path(os.environ["HOME"]) / ".nanobot" / "workspace"
    (home / "memory").mkdir(parents=True)
    (home / "memory" / "MEMORY.md").write_text(
        "# Long-term Memory\n\n## User Information\n\n(Important facts about the user)\n\n"
        "## Project Context\n\n- The boat is moored at Cowes\n"
    )
    told = {"cursor": 1, "timestamp": "2026-02-11T09:12:00", "content": "[2026-02-11 09:12] Painted the hull"}
    (home / "memory" / "history.jsonl").write_text(json.dumps(told) + "\n")
    run("init", home)
    before = tree(home / "memory")
    assert run("import", "nanobot", "--workspace", home, "--json").data["taken"] == 2
    page = (home / "MEMORY.md").read_text()
    assert "moored at Cowes" in page and "hull" not in page
    assert "Painted the hull" in run("recall", "--workspace", home, "painted hull").out
    assert tree(home / "memory") == before


def test_a_project_without_memory_of_its_own_takes_over_nobody_elses(
    run: Run, repo: Path, notes: Path
) -> None:
    notes.parent.rename(notes.parent.with_name("-some-other-project"))
    said = run("import", "claude-code", cwd=repo)
    assert said.code == 1 and "name its folder" in said.err
    elsewhere = notes.parent.with_name("-some-other-project") / "memory"
    assert run("import", "claude-code", elsewhere, "--json", cwd=repo).data["taken"] == 3


def test_what_cannot_be_read_is_said_and_stops_nothing(run: Run, repo: Path, notes: Path) -> None:
    (notes / "huge.md").write_text("- a line of it\n" * 100_000)
    (notes / "broken.md").write_bytes(b"\xff\xfe- not text")
    (notes / "loop.md").symlink_to(notes / "loop.md")
    said = run("import", "claude-code", "--json", cwd=repo)
    assert said.code == 0 and said.data["taken"] >= 3
    assert "huge.md is larger than 1 MB" in said.err and "loop.md" in said.err
