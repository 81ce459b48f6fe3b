"""Functions that changed in a repository: what is committed, what is not, and new files."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sources.plain_git import plain

from nanoctx.sources import changed_code, git_state

DAY = timedelta(days=1)
START = datetime(2026, 2, 1, 12, tzinfo=UTC)


def commit(repo: Path, message: str, at: datetime) -> None:
    plain(repo, "add", "-A")
    when = at.isoformat()
    plain(repo, "commit", "-q", "-m", message, GIT_COMMITTER_DATE=when, GIT_AUTHOR_DATE=when)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "tides"
    folder.mkdir()
    plain(folder, "init", "-q", "-b", "main")
    (folder / "gauge.py").write_text("def level():\n    return 1\n\ndef old():\n    pass\n")
    (folder / "quay.py").write_text("def warn():\n    return 1\n")
    commit(folder, "First", START)
    return folder


def told(repo: Path, since: datetime = START + DAY) -> dict[str, list[str]]:
    seen = git_state.state(repo, None)
    assert seen is not None
    found = changed_code.changed(repo, since, seen)
    return {one.path: [f"{each.signature} [{each.change}]" for each in one.functions] for one in found}


def test_what_was_committed_since_and_what_is_not_committed_are_told(repo: Path) -> None:
    (repo / "gauge.py").write_text("def level(at):\n    return 2\n")
    commit(repo, "Levels at a time", START + 2 * DAY)
    (repo / "quay.py").write_text("def warn():\n    return 2\n")
    assert told(repo) == {
        "quay.py": ["def warn() [MODIFIED]"],
        "gauge.py": ["def level(at) [MODIFIED]", "def old() [DELETED]"],
    }


def test_what_was_committed_before_is_old(repo: Path) -> None:
    (repo / "gauge.py").write_text("def level(at):\n    return 2\n")
    commit(repo, "Levels at a time", START + 2 * DAY)
    assert told(repo, START + 3 * DAY) == {}


def test_new_files_are_told_tracked_or_not_but_none_that_are_ignored(repo: Path) -> None:
    (repo / ".gitignore").write_text("built/\n")
    (repo / "built").mkdir()
    (repo / "built" / "made.py").write_text("def made(): pass\n")
    (repo / "lib").mkdir()
    (repo / "lib" / "fresh one.py").write_text("def fresh(): pass\n")
    assert told(repo) == {"lib/fresh one.py": ["def fresh() [NEW]"]}
    plain(repo, "add", "-A")
    assert told(repo) == {"lib/fresh one.py": ["def fresh() [NEW]"]}


def test_a_file_that_is_gone_takes_its_functions_with_it(repo: Path) -> None:
    (repo / "quay.py").unlink()
    assert told(repo) == {"quay.py": ["def warn() [DELETED]"]}


def test_the_file_changed_last_comes_first(repo: Path) -> None:
    for number, name in enumerate(["a.py", "c.py", "b.py"]):
        (repo / name).write_text(f"def f{number}(): pass\n")
        commit(repo, name, START + (number + 2) * DAY)
    assert list(told(repo)) == ["b.py", "c.py", "a.py"]
    (repo / "c.py").write_text("def f9(): pass\n")
    assert list(told(repo)) == ["c.py", "b.py", "a.py"]


def test_without_a_grammar_git_says_which_function_it_is(repo: Path) -> None:
    body = "".join(f"  puts {number}\n" for number in range(12))
    (repo / "quay.rb").write_text(f"def warn(level)\n{body}end\n")
    commit(repo, "Ruby", START + timedelta(hours=1))
    (repo / "quay.rb").write_text(f"def warn(level)\n{body}  puts 99\nend\n")
    assert told(repo) == {"quay.rb": ["def warn(level) [MODIFIED]"]}


def test_huge_and_binary_files_are_passed_over(repo: Path) -> None:
    (repo / "big.py").write_text("x = 1\n" * changed_code.LARGEST)
    (repo / "data.py").write_bytes(bytes(range(256)) * 9)
    (repo / "quay.py").write_text("def warn():\n    return 2\n")
    plain(repo, "add", "-A")
    assert told(repo) == {"quay.py": ["def warn() [MODIFIED]"]}


def test_many_files_are_bounded(repo: Path) -> None:
    for number in range(changed_code.MOST_FILES + 20):
        (repo / f"f{number}.py").write_text(f"def f{number}(): pass\n")
        os.utime(repo / f"f{number}.py", (1_800_000_000 + number, 1_800_000_000 + number))
    found = told(repo)
    assert len(found) == changed_code.MOST_FILES
    assert next(iter(found)) == f"f{changed_code.MOST_FILES + 19}.py"


def test_in_a_young_repository_all_functions_are_new(repo: Path) -> None:
    (repo / "quay.py").write_text("def warn(level):\n    return level\n")
    assert told(repo, START - DAY) == {
        "quay.py": ["def warn(level) [NEW]"],
        "gauge.py": ["def level() [NEW]", "def old() [NEW]"],
    }


def test_of_a_shallow_clone_the_oldest_commit_is_not_taken_for_the_first(repo: Path, tmp_path: Path) -> None:
    (repo / "quay.py").write_text("def warn():\n    return 2\n")
    commit(repo, "Warn twice", START + DAY)
    shallow = tmp_path / "shallow"
    plain(tmp_path, "clone", "-q", "--depth", "1", repo.as_uri(), str(shallow))
    assert told(shallow, START - DAY) == {}


def test_before_the_first_commit_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    unborn = tmp_path / "unborn"
    unborn.mkdir()
    plain(unborn, "init", "-q")
    assert told(unborn) == {}
