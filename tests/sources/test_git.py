from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from nanoctx.sources import git


def run(folder: Path, *arguments: str) -> str:
    """Git for setting a scene: nothing of the machine's own settings takes part."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "Mira", f"GIT_{role}_EMAIL": "mira@example.org"}
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "tides"
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    return folder


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    """A repository as its files show it, for what needs no git to make."""
    git_folder = tmp_path / "tides" / ".git"
    (git_folder / "refs" / "heads").mkdir(parents=True)
    (git_folder / "HEAD").write_text("ref: refs/heads/main\n")
    (git_folder / "config").write_text("[core]\n\tbare = false\n")
    (git_folder / "refs" / "heads" / "main").write_text("c" * 40 + "\n")
    return git_folder.parent


def commit(folder: Path, subject: str = "First") -> str:
    run(folder, "commit", "-q", "--allow-empty", "-m", subject)
    return run(folder, "rev-parse", "HEAD")


def test_head_on_a_branch_is_seen_from_any_folder_inside(repository: Path) -> None:
    sha = commit(repository)
    run(repository, "checkout", "-q", "-b", "print/moon")
    inside = repository / "src" / "deep"
    inside.mkdir(parents=True)
    assert git.head(repository) == git.Head("print/moon", sha)
    assert git.head(inside) == git.Head("print/moon", sha)


def test_head_follows_a_commit(repository: Path) -> None:
    commit(repository)
    second = commit(repository, "Second")
    assert git.head(repository) == git.Head("main", second)


def test_a_detached_head_has_no_branch(repository: Path) -> None:
    first = commit(repository)
    commit(repository, "Second")
    run(repository, "checkout", "-q", first)
    assert git.head(repository) == git.Head("", first)


def test_before_the_first_commit_there_is_no_sha(repository: Path) -> None:
    assert git.head(repository) == git.Head("main", "")


def test_packed_refs_are_read(repository: Path) -> None:
    sha = commit(repository)
    run(repository, "branch", "maintenance")
    run(repository, "pack-refs", "--all")
    assert not (repository / ".git" / "refs" / "heads" / "main").exists()
    assert git.head(repository) == git.Head("main", sha)


def test_a_loose_ref_is_newer_than_the_packed_one(repository: Path) -> None:
    commit(repository)
    run(repository, "pack-refs", "--all")
    second = commit(repository, "Second")
    assert git.head(repository) == git.Head("main", second)


def test_a_linked_worktree_has_its_own_head_and_the_name_of_the_main_one(repository: Path) -> None:
    first = commit(repository)
    linked = repository.parent / "elsewhere"
    run(repository, "worktree", "add", "-q", "-b", "moon", str(linked))
    second = commit(linked, "Second")
    assert git.head(linked) == git.Head("moon", second)
    assert git.head(repository) == git.Head("main", first)
    run(repository, "pack-refs", "--all")
    assert git.head(linked) == git.Head("moon", second)
    assert git.slug(linked) == git.slug(repository) == "tides"


def test_a_submodule_is_a_repository_of_its_own(repository: Path, tmp_path: Path) -> None:
    library = tmp_path / "harmonics"
    library.mkdir()
    run(library, "init", "-q", "-b", "trunk")
    inner = commit(library)
    outer = commit(repository)
    run(repository, "submodule", "--quiet", "add", str(library), "lib/harmonics")
    place = repository / "lib" / "harmonics"
    assert (place / ".git").is_file()
    assert git.head(place) == git.Head("trunk", inner)
    assert git.head(repository) == git.Head("main", outer)
    assert git.slug(place) == "harmonics"


def test_a_folder_outside_of_any_repository(tmp_path: Path) -> None:
    assert git.head(tmp_path) is None
    assert git.head(tmp_path / "not" / "there") is None
    assert git.slug(tmp_path / "Moon Phases") == "moon-phases"


@pytest.mark.parametrize("content", ["", "gitdir: nowhere", "gitdir:", "something else", "\0\xff"])
def test_a_broken_pointer_is_no_repository(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content, encoding="latin-1")
    assert git.head(tmp_path) is None


@pytest.mark.parametrize(
    "ref", ["../../outside", "refs/../../outside", "refs/heads/../../../outside", "/etc/hostname", "outside"]
)
def test_a_hostile_ref_reads_nothing_outside_the_repository(drawn: Path, ref: str) -> None:
    for place in (drawn / "outside", drawn.parent / "outside", drawn / ".git" / "outside"):
        place.write_text("a" * 40)
    (drawn / ".git" / "HEAD").write_text(f"ref: {ref}\n")
    seen = git.head(drawn)
    assert seen is not None and seen.sha == ""


@pytest.mark.parametrize(
    "head", ["", "ref:", "ref: ", "nonsense", "ref: refs/heads/a\nb", "g" * 40, "\0" * 10]
)
def test_a_broken_head_stops_nothing(drawn: Path, head: str) -> None:
    (drawn / ".git" / "HEAD").write_text(head)
    seen = git.head(drawn)
    assert seen is None or seen.sha == ""


def test_a_ref_that_is_a_folder_or_a_huge_file_stops_nothing(drawn: Path) -> None:
    ref = drawn / ".git" / "refs" / "heads" / "main"
    ref.unlink()
    ref.mkdir()
    assert git.head(drawn) == git.Head("main", "")
    ref.rmdir()
    ref.write_bytes(b"a" * 200_000)
    assert git.head(drawn) == git.Head("main", "")


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(drawn: Path) -> None:
    for name in ("HEAD", "config", "commondir"):
        place = drawn / ".git" / name
        place.unlink(missing_ok=True)
        os.mkfifo(place)
    assert git.head(drawn) is None
    assert git.slug(drawn) == "tides"


def test_pointers_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / ".git").write_text("gitdir: a")
    assert git.head(tmp_path) is None


def test_a_ref_name_is_no_pattern(drawn: Path) -> None:
    (drawn / ".git" / "packed-refs").write_text(f"{'b' * 40} refs/heads/xyz\n")
    (drawn / ".git" / "HEAD").write_text("ref: refs/heads/.*\n")
    assert git.head(drawn) == git.Head(".*", "")


@pytest.mark.parametrize(
    "url",
    [
        "git@git.example.org:harbour/Tide-Tables.git",
        "ssh://git@git.example.org:2222/harbour/tide-tables.git",
        "https://git.example.org/harbour/tide-tables.git",
        "https://mira:word@git.example.org/harbour/tide-tables/",
        "git.example.org:tide-tables",
        "../tide-tables.git",
        "C:\\work\\tide-tables",
    ],
)
def test_a_project_is_named_by_its_remote(drawn: Path, url: str) -> None:
    (drawn / ".git" / "config").write_text(
        f'[core]\n\tbare = false\n[remote "fork"]\n\turl = https://example.org/other\n'
        f'[remote "origin"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\turl = {url}\n[branch "main"]\n'
    )
    assert git.slug(drawn) == "tide-tables"


def test_without_a_remote_a_project_is_named_by_its_folder(repository: Path) -> None:
    assert git.slug(repository) == "tides"
    inside = repository / "src"
    inside.mkdir()
    assert git.slug(inside) == "tides"


@pytest.mark.parametrize(
    "path, name", [("", "project"), ("/", "project"), ("...", "project"), ("/a/Ü b!", "ü-b")]
)
def test_every_place_has_a_name(path: str, name: str) -> None:
    assert git.named(path) == name


def test_no_process_is_started(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha = commit(repository)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setenv("PATH", "")
    assert git.head(repository) == git.Head("main", sha)
    assert git.slug(repository) == "tides"
