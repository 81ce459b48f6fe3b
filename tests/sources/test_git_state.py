from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanoctx.core import git_safety
from nanoctx.sources import git_runner, git_state
from nanoctx.sources.git_state import Since, state


def plain(folder: Path, *arguments: str, check: bool = True, **more: str) -> str:
    """Git as anybody calls it, with nothing made safe."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, **more}
    for role in ("AUTHOR", "COMMITTER"):
        environment.setdefault(f"GIT_{role}_NAME", "Mira")
        environment.setdefault(f"GIT_{role}_EMAIL", "mira@example.org")
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=check
    )
    return done.stdout.strip()


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


# -- hostile repositories ----------------------------------------------------------------------------------


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that tells that it was run."""
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\necho run >> '{tmp_path}/sprung'\ncat 2>/dev/null\nexit 0\n")
    program.chmod(0o755)
    return program


def _filter(repo: Path, key: str, trap: Path, name: str) -> None:
    plain(repo, "config", key, str(trap))
    (repo / ".gitattributes").write_text(f"* filter={name}\n")


def _include(repo: Path, trap: Path) -> None:
    (repo / ".git" / "more").write_text(f'[filter "x"]\n\tclean = {trap}\n')
    plain(repo, "config", "include.path", "more")
    (repo / ".gitattributes").write_text("* filter=x\n")


def _of_worktree(repo: Path, trap: Path) -> None:
    plain(repo, "config", "extensions.worktreeConfig", "true")
    (repo / ".git" / "config.worktree").write_text(f'[filter "x"]\n\tclean = {trap}\n')
    (repo / ".gitattributes").write_text("* filter=x\n")


def _hooks(repo: Path, trap: Path) -> None:
    folder = repo / "hooks"
    folder.mkdir()
    (folder / "post-index-change").symlink_to(trap)
    plain(repo, "config", "core.hooksPath", "hooks")


def _signature(repo: Path, trap: Path) -> None:
    raw = plain(repo, "cat-file", "commit", "HEAD")
    head, _, body = raw.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{body}\n"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=repo, input=signed, capture_output=True, text=True, check=True,
    )  # fmt: skip
    plain(repo, "update-ref", "HEAD", made.stdout.strip())
    plain(repo, "config", "log.showSignature", "true")
    plain(repo, "config", "gpg.program", str(trap))


def _driver(repo: Path, trap: Path) -> None:
    for name in ("textconv", "command"):
        plain(repo, "config", f"diff.x.{name}", str(trap))
    plain(repo, "config", "diff.external", str(trap))
    (repo / ".gitattributes").write_text("* diff=x\n")


def _embedded(repo: Path, trap: Path) -> None:
    """A bare repository among the files, as a clone may bring one: git in its folder would believe it."""
    inner = repo / "docs"
    subprocess.run(["git", "init", "-q", "--bare", str(inner)], check=True)
    for key, value in (("core.bare", "false"), ("core.worktree", ".."), ("core.fsmonitor", str(trap))):
        plain(repo, "config", "--file", str(inner / "config"), key, value)


VECTORS = {
    "fsmonitor": lambda repo, trap: plain(repo, "config", "core.fsmonitor", str(trap)),
    "clean filter": lambda repo, trap: _filter(repo, "filter.x.clean", trap, "x"),
    "process filter": lambda repo, trap: _filter(repo, "filter.x.process", trap, "x"),
    "filter a.b=c": lambda repo, trap: _filter(repo, "filter.a.b=c.clean", trap, "a.b=c"),
    "included filter": _include,
    "filter of a worktree": _of_worktree,
    "hooksPath": _hooks,
    "signature": _signature,
    "diff driver": _driver,
    "embedded bare repository": _embedded,
}
ALIVE = {
    "diff driver": ("diff",),
    "signature": ("log", "-1"),
    "hooksPath": ("update-index", "--refresh"),
    "embedded bare repository": ("-C", "docs", "status"),
}


@pytest.mark.parametrize("vector", VECTORS)
def test_a_hostile_repository_runs_nothing_and_is_left_as_it_is(
    repo: Path, tmp_path: Path, trap: Path, vector: str
) -> None:
    sprung = tmp_path / "sprung"
    VECTORS[vector](repo, trap)
    old = datetime.now(UTC) - timedelta(hours=1)

    def touched() -> None:  # git compares a file only if its times are others than it remembers
        (repo / "a.txt").write_text("two\n" if vector == "diff driver" else "one\n")
        os.utime(repo / "a.txt", (1_700_000_000, 1_700_000_000))

    touched()
    sprung.unlink(missing_ok=True)
    index = (repo / ".git" / "index").read_bytes()
    assert state(repo, Since(old)) is not None
    assert state(repo, Since(old, "0123456789ab", "main")) is not None
    assert vector != "embedded bare repository" or state(repo / "docs", Since(old)) is not None
    every = (git_safety.status(), git_safety.log(9), git_safety.identity(), git_safety.filter_listing())
    for command in every:
        filters = git_state._filters(git_state.git.places(repo), 5.0)  # type: ignore[arg-type]
        assert filters is not None
        git_runner.run(repo, command, filters=filters)
    assert not sprung.exists()
    assert (repo / ".git" / "index").read_bytes() == index
    plain(repo, *ALIVE.get(vector, ("status",)), check=False)
    assert sprung.exists(), "the trap works"


def test_an_inherited_git_dir_leads_nowhere_else(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    plain(other, "init", "-q", "-b", "elsewhere")
    (repo / "b.txt").write_text("x")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    seen = state(repo, Since(datetime.now(UTC) - timedelta(hours=1)))
    assert seen is not None and [one.path for one in seen.changed] == ["b.txt"]
    assert [one.subject for one in seen.commits] == ["First"]


def test_files_elsewhere_are_not_looked_at(repo: Path, tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    (private / "diary.txt").write_text("x")
    plain(repo, "config", "core.worktree", str(private))
    seen = state(repo, None)
    assert seen is not None and not seen.changed
