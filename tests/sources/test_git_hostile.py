"""Repositories that would run code when git is asked about them: every trap, every command of ours, no run.

Each trap is shown to work on git as anybody calls it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from inspect import getmembers, isfunction, signature
from pathlib import Path

import pytest
from sources.plain_git import plain

from nanoctx.core import freshness, git_safety
from nanoctx.hook import news, places
from nanoctx.sources import changed_code, git, git_names, git_runner, git_state
from nanoctx.sources.git_state import Since, state

OLD = datetime.now(UTC) - timedelta(hours=1)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository made once: to make one takes longer than to copy it."""
    folder = tmp_path_factory.mktemp("made") / "tides"
    folder.mkdir()
    plain(folder, "init", "-q", "-b", "main", "--template=")
    (folder / "a.txt").write_text("one\n")
    plain(folder, "add", ".")
    plain(folder, "commit", "-q", "-m", "First")
    return folder


@pytest.fixture
def repo(tmp_path: Path, made: Path) -> Path:
    folder = tmp_path / "tides"
    shutil.copytree(made, folder, symlinks=True)
    plain(folder, "status")  # which remembers the times of the copy
    return folder


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that tells that it was run."""
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\necho run >> '{tmp_path}/sprung'\ncat 2>/dev/null\nexit 0\n")
    program.chmod(0o755)
    return program


# -- traps -------------------------------------------------------------------------------------------------


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


def _own_hook(repo: Path, trap: Path) -> None:
    hook = repo / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.symlink_to(trap)


def _signature(repo: Path, trap: Path, kind: str = "PGP", program: str = "gpg.program") -> None:
    raw = plain(repo, "cat-file", "commit", "HEAD")
    head, _, body = raw.partition("\n\n")
    signed = (
        f"{head}\ngpgsig -----BEGIN {kind} SIGNATURE-----\n \n x\n -----END {kind} SIGNATURE-----\n\n{body}\n"
    )
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=repo, input=signed, capture_output=True, text=True, check=True,
    )  # fmt: skip
    plain(repo, "update-ref", "HEAD", made.stdout.strip())
    plain(repo, "config", "log.showSignature", "true")
    plain(repo, "config", program, str(trap))


def _driver(repo: Path, trap: Path, key: str) -> None:
    plain(repo, "config", key, str(trap))
    (repo / ".gitattributes").write_text("* diff=x\n")


def _embedded(repo: Path, trap: Path) -> None:
    """A bare repository among the files, as a clone may bring one: git in its folder would believe it."""
    inner = repo / "docs"
    subprocess.run(["git", "init", "-q", "--bare", str(inner)], check=True)
    for key, value in (("core.bare", "false"), ("core.worktree", ".."), ("core.fsmonitor", str(trap))):
        plain(repo, "config", "--file", str(inner / "config"), key, value)


def _submodule(repo: Path, trap: Path) -> None:
    """A repository inside, with a filter of its own: git looks into it for changes."""
    inner = repo / "lib"
    inner.mkdir()
    plain(inner, "init", "-q", "-b", "main")
    (inner / "c.txt").write_text("one\n")
    plain(inner, "add", ".")
    plain(inner, "commit", "-q", "-m", "Inside")
    plain(repo, "-c", "advice.addEmbeddedRepo=false", "add", "lib")
    plain(repo, "commit", "-q", "-m", "With a repository inside")
    _filter(inner, "filter.x.clean", trap, "x")
    os.utime(inner / "c.txt", (1_700_000_000, 1_700_000_000))


def _partial(repo: Path, trap: Path) -> None:
    """An object is missing, and the settings name the program that would fetch it."""
    for key, value in (
        ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"),
        ("remote.origin.url", f"file://{repo}"), ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", f"{trap} </dev/null; false"),
    ):  # fmt: skip
        plain(repo, "config", key, value)
    tree = plain(repo, "rev-parse", "HEAD^{tree}")
    (repo / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    # An index that is as the commit says is not compared with its tree.
    plain(repo, "update-index", "--add", "--cacheinfo", f"100644,{'1' * 40},b.txt")


Trap = Callable[[Path, Path], object]
TRAPS: dict[str, Trap] = {
    "fsmonitor": lambda repo, trap: plain(repo, "config", "core.fsmonitor", str(trap)),
    "clean filter": lambda repo, trap: _filter(repo, "filter.x.clean", trap, "x"),
    "process filter": lambda repo, trap: _filter(repo, "filter.x.process", trap, "x"),
    "filter a.b=c": lambda repo, trap: _filter(repo, "filter.a.b=c.clean", trap, "a.b=c"),
    "process filter a.b=c": lambda repo, trap: _filter(repo, "filter.a.b=c.process", trap, "a.b=c"),
    "included filter": _include,
    "filter of a worktree": _of_worktree,
    "hooksPath": _hooks,
    "hook": _own_hook,
    "gpg.program": _signature,
    "gpg.ssh.program": lambda repo, trap: _signature(repo, trap, "SSH", "gpg.ssh.program"),
    "textconv": lambda repo, trap: _driver(repo, trap, "diff.x.textconv"),
    "diff command": lambda repo, trap: _driver(repo, trap, "diff.x.command"),
    "external diff": lambda repo, trap: _driver(repo, trap, "diff.external"),
    "embedded bare repository": _embedded,
    "submodule": _submodule,
    "missing object": _partial,
}
ALIVE = {
    "textconv": ("diff",),
    "diff command": ("diff",),
    "external diff": ("diff",),
    "gpg.program": ("log", "-1"),
    "gpg.ssh.program": ("-c", "gpg.ssh.allowedSignersFile=/dev/null", "log", "-1"),
    "hooksPath": ("update-index", "--refresh"),
    "hook": ("update-index", "--refresh"),
    "embedded bare repository": ("-C", "docs", "status"),
}


# -- what we ask -------------------------------------------------------------------------------------------


def _command(command: list[str]) -> Callable[[Path], object]:
    """Run it as `git_state` does: filters are put out where files are compared."""

    def ask(repo: Path) -> object:
        places = git.places(repo)
        assert places is not None
        compares = {"status", "diff"} & set(command)
        filters = git_state.own_filters(places, 5.0) if compares else ()
        assert filters is not None
        return git_runner.run(repo, command, filters=filters)

    return ask


def _beyond_head(repo: Path, make: Callable[[str], list[str]]) -> object:
    head = git.head(repo)
    assert head is not None
    return _command(make(head.sha))(repo)


def _changed_code(repo: Path) -> object:
    seen = state(repo, None)
    assert seen is not None
    (repo / "b.py").write_text("def f():\n    pass\n")
    return changed_code.changed(repo, datetime.now(UTC) + timedelta(days=1), seen)


def _hook(repo: Path, base: str) -> object:
    answer = {"base": base, "commits": [], "since": OLD.timestamp()}
    head = places.head(str(repo)) or ("", "0" * 40, str(repo), "", "")
    return news.since(head, answer, False, 5.0)


def _named(repo: Path) -> object:
    head = git.head(repo)
    sha = head.sha if head is not None else GONE
    text = "main() in a.txt and src/b.py, commit 0123456 on branch side"
    asked = git_names.Asked(freshness.names(text), sha, ("src/b.py",), ("0123456",), "side")
    return git_names.elsewhere(repo), git_names.instructions(repo), git_names.look(repo, [asked])


GONE = "0123456789ab"
ASKED: dict[str, Callable[[Path], object]] = {
    "status": _command(git_safety.status()),
    "log": _command(git_safety.log(9)),
    "log beyond": _command(git_safety.log(9, beyond=GONE)),
    "log since": _command(git_safety.log(9, since="2020-01-01")),
    "identity": _command(git_safety.identity()),
    "commit_before": _command(git_safety.commit_before("2100-01-01")),
    "diff": lambda repo: _beyond_head(repo, lambda head: git_safety.diff(head, whole=True)),
    "sizes": lambda repo: _beyond_head(repo, git_safety.sizes),
    "times": lambda repo: _beyond_head(repo, lambda head: git_safety.times(head, 9)),
    "untracked": _command(git_safety.untracked()),
    "changed code": _changed_code,
    "filter_listing": _command(git_safety.filter_listing()),
    "tracked": _command(git_safety.tracked()),
    "tree": _command(git_safety.tree(GONE)),
    "unmerged": _command(git_safety.unmerged()),
    "branches": _command(git_safety.branches()),
    "occurrences": _command(git_safety.occurrences(["main", "tide"])),
    "occurrences before": _command(git_safety.occurrences(["main"], GONE)),
    "holds": _command(git_safety.holds(GONE)),
    "what memory names": lambda repo: _named(repo),
    "a look": lambda repo: state(repo, Since(OLD)),
    "a look that knows HEAD": lambda repo: state(repo, Since(OLD, GONE, "main")),
    "a hook": lambda repo: _hook(repo, ""),
    "a hook that knows HEAD": lambda repo: _hook(repo, GONE),
}


def test_every_command_of_ours_is_asked_here() -> None:
    made = {
        name
        for name, function in getmembers(git_safety, isfunction)
        if signature(function).return_annotation == "list[str]" and name not in ("_git", "filters_in")
    }
    assert made <= set(ASKED)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", TRAPS)
def test_a_hostile_repository_runs_nothing_and_is_left_as_it_is(
    repo: Path, tmp_path: Path, trap: Path, name: str, asked: str
) -> None:
    sprung = tmp_path / "sprung"
    TRAPS[name](repo, trap)
    # Git compares a file only if its times are others than it remembers.
    (repo / "a.txt").write_text("two\n" if name in ("textconv", "diff command", "external diff") else "one\n")
    os.utime(repo / "a.txt", (1_700_000_000, 1_700_000_000))
    sprung.unlink(missing_ok=True)
    index = (repo / ".git" / "index").read_bytes()
    ASKED[asked](repo)
    if name == "embedded bare repository":
        ASKED[asked](repo / "docs")
    assert not sprung.exists()
    assert (repo / ".git" / "index").read_bytes() == index
    plain(repo, *ALIVE.get(name, ("status",)), check=False)
    assert sprung.exists(), "the trap works"


def test_hooks_stay_off_even_where_git_writes_its_index(repo: Path, tmp_path: Path, trap: Path) -> None:
    command = git_safety.status()
    command.remove("--no-optional-locks")
    _own_hook(repo, trap)
    os.utime(repo / "a.txt", (1_700_000_000, 1_700_000_000))
    index = (repo / ".git" / "index").read_bytes()
    subprocess.run(command, cwd=repo, check=True, capture_output=True)
    assert (repo / ".git" / "index").read_bytes() != index
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("asked", ASKED)
def test_what_is_inherited_leads_nowhere_else(
    repo: Path, tmp_path: Path, trap: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    plain(other, "init", "-q", "-b", "elsewhere")
    os.utime(repo / "a.txt", (1_700_000_000, 1_700_000_000))
    for name, value in {
        "GIT_DIR": str(other / ".git"), "GIT_EXTERNAL_DIFF": str(trap), "GIT_PAGER": str(trap),
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": str(trap),
        "GIT_TRACE": str(tmp_path / "traced"), "GIT_INDEX_FILE": str(tmp_path / "index"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (repo / "b.txt").write_text("x")
    ASKED[asked](repo)
    assert not any((tmp_path / name).exists() for name in ("sprung", "traced", "index"))
    seen = state(repo, Since(OLD))
    assert seen is not None and "b.txt" in [one.path for one in seen.changed]
    assert [one.subject for one in seen.commits] == ["First"]
    assert "First" in str(_hook(repo, ""))


def test_status_says_the_same_before_and_after_a_look(repo: Path) -> None:
    (repo / "a.txt").write_text("two\n")
    (repo / "new.txt").write_text("x")
    os.utime(repo / "a.txt", (1_700_000_000, 1_700_000_000))
    before = plain(repo, "--no-optional-locks", "status")
    index = repo / ".git" / "index"
    kept = (index.read_bytes(), index.stat().st_mtime_ns, index.stat().st_ino)
    assert state(repo, Since(OLD)) is not None
    assert (index.read_bytes(), index.stat().st_mtime_ns, index.stat().st_ino) == kept
    assert plain(repo, "--no-optional-locks", "status") == before
