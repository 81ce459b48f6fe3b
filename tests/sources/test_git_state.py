from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sources.plain_git import plain

from nanoctx.sources import git_runner, git_state
from nanoctx.sources.git_state import Since, state


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "tides"
    folder.mkdir()
    plain(folder, "init", "-q", "-b", "main")
    plain(folder, "config", "user.email", "mira@example.org")
    (folder / "a.txt").write_text("one\n")
    plain(folder, "add", ".")
    plain(folder, "commit", "-q", "-m", "First")
    return folder


def test_commits_since_a_head_tell_author_subject_and_merge(repo: Path) -> None:
    old = plain(repo, "rev-parse", "HEAD")
    plain(repo, "checkout", "-q", "-b", "side")
    plain(repo, "commit", "-q", "--allow-empty", "-m", "By Tom", GIT_AUTHOR_EMAIL="tom@example.org")
    plain(repo, "checkout", "-q", "main")
    plain(repo, "merge", "-q", "--no-ff", "-m", "Merge side", "side")
    seen = state(repo, Since(None, old[:12], "main"))
    assert seen is not None and (seen.branch, seen.doing, seen.unsure) == ("main", "", False)
    assert {(one.subject, one.merge, one.foreign) for one in seen.commits} == {
        ("Merge side", True, False),
        ("By Tom", False, True),
    }


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        (b"[core]\n\tbare = false\n[user]\n\tname = Ann\n\temail = Ann@Example.org\n", "ann@example.org"),
        (b'[user]\n\temail = "bob@example.org" \n[user]\n\temail = ann@example.org', "ann@example.org"),
        (b"[user]\n\tname = Ann\n[remote \"a\"]\n\temail = no@example.org\n", ""),
        (b"[include]\n\tpath = more\n[user]\n\temail = ann@example.org\n", ""),
        (None, ""),
    ],
)
def test_whose_repository_it_is_stands_in_its_settings(settings: bytes | None, address: str) -> None:
    assert git_state._address_in(settings) == address


def test_without_a_head_the_time_of_the_commit_counts(repo: Path) -> None:
    now = datetime.now(UTC)
    later = state(repo, Since(now + timedelta(hours=1)))
    earlier = state(repo, Since(now - timedelta(hours=1)))
    assert later is not None and not later.commits
    assert earlier is not None and [one.subject for one in earlier.commits] == ["First"]


def test_a_head_that_is_gone_falls_back_to_time(repo: Path) -> None:
    seen = state(repo, Since(datetime.now(UTC) - timedelta(hours=1), "0123456789ab", "main"))
    assert seen is not None and [one.subject for one in seen.commits] == ["First"]


def test_changed_and_untracked_files_have_their_times(repo: Path) -> None:
    (repo / "a.txt").write_text("two\n")
    (repo / "new ü.txt").write_text("x")
    os.utime(repo / "a.txt", (1_700_000_000, 1_700_000_000))
    seen = state(repo, None)
    assert seen is not None
    assert [(one.path, one.untracked) for one in seen.changed] == [("a.txt", False), ("new ü.txt", True)]
    assert seen.changed[0].at == datetime.fromtimestamp(1_700_000_000, UTC)


def test_unborn_detached_and_no_repository(repo: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    assert state(fresh, None) is None
    plain(fresh, "init", "-q", "-b", "main")
    seen = state(fresh, Since(datetime.now(UTC)))
    assert seen is not None and (seen.branch, seen.head, seen.commits) == ("main", "", ())
    plain(repo, "checkout", "-q", "--detach")
    seen = state(repo, None)
    assert seen is not None and seen.branch == "" and seen.head


def test_a_bare_repository_has_no_files(repo: Path) -> None:
    plain(repo, "config", "core.bare", "true")
    seen = state(repo, None)
    assert seen is not None and seen.bare and not seen.changed and not seen.unsure


@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick"])
def test_what_is_in_progress_is_told(repo: Path, how: str) -> None:
    plain(repo, "checkout", "-q", "-b", "side")
    (repo / "a.txt").write_text("side\n")
    plain(repo, "commit", "-qam", "Side")
    plain(repo, "checkout", "-q", "main")
    (repo / "a.txt").write_text("main\n")
    plain(repo, "commit", "-qam", "Main")
    plain(repo, how, "side", check=False)
    seen = state(repo, None)
    assert seen is not None and seen.doing == how
    assert [one.path for one in seen.changed] == ["a.txt"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_somebody_else_is_none(repo: Path) -> None:
    for folder, _, names in os.walk(repo):
        for name in (".", *names):
            os.lchown(Path(folder, name), 12345, 12345)
    assert state(repo, None) is None


def test_a_linked_worktree_is_seen_for_itself(repo: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    plain(repo, "worktree", "add", "-q", "-b", "moon", str(linked))
    (linked / "b.txt").write_text("x")
    seen, main = state(linked, None), state(repo, None)
    assert seen is not None and seen.branch == "moon" and [one.path for one in seen.changed] == ["b.txt"]
    assert main is not None and main.branch == "main" and not main.changed


def test_a_time_out_leaves_no_process(repo: Path) -> None:
    sleeper = ["sh", "-c", "sleep 61.5 & sleep 61.5"]
    ran = git_runner.run(repo, sleeper, timeout=0.3)
    assert not ran.whole and not ran.good
    alive = subprocess.run(["pgrep", "-f", "^sleep 61.5"], capture_output=True, text=True).stdout
    assert alive == ""


def test_output_is_bounded(repo: Path) -> None:
    ran = git_runner.run(repo, ["sh", "-c", "yes"], limit=1000, timeout=5)
    assert not ran.whole and len(ran.out) == 1000


def test_files_elsewhere_are_not_looked_at(repo: Path, tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    (private / "diary.txt").write_text("x")
    plain(repo, "config", "core.worktree", str(private))
    seen = state(repo, None)
    assert seen is not None and not seen.changed


@pytest.mark.parametrize("program", ["exec sleep 30", "exec cat /dev/zero"], ids=["hangs", "never stops"])
def test_a_git_that_does_not_end_is_no_git(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text(f"#!/bin/sh\n{program}\n")
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(git_runner, "TIMEOUT", 0.2)
    seen = state(repo, Since(None, "0" * 40, "main"))
    assert seen is not None and (seen.branch, seen.unsure) == ("main", True)
