"""What loose objects tell must be what git's own log tells, or nothing."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from sources.plain_git import plain

from nanoctx.core import git_objects, git_safety

SUBJECTS = (
    "Mend the tide table",
    "Two lines\nof one subject  \n\nand a body",
    "Übergang — naïve ☕",
    "  indented  words",
    "signs: \x01 <b> `x` @CONTEXT.md",
    "no body but a break\n",
)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    plain(tmp_path, "init", "-q", "-b", "main")
    plain(tmp_path, "commit", "-q", "--allow-empty", "-m", "First")
    return tmp_path


def _read(repo: Path) -> Callable[[str], bytes | None]:
    def read(name: str) -> bytes | None:
        file = repo / ".git" / "objects" / name
        return file.read_bytes() if file.is_file() else None

    return read


def _between(repo: Path, base: str) -> list[git_objects.Commit] | None:
    return git_objects.between(base, plain(repo, "rev-parse", "HEAD"), 30, _read(repo))


def _log(repo: Path, base: str) -> list[tuple[str, ...]]:
    said = plain(repo, *git_safety.log(31, beyond=base)[1:])
    return [tuple(one.split(git_safety.FIELD)) for one in said.split("\0") if one]


def test_commits_of_one_line_are_told_as_git_tells_them(repo: Path) -> None:
    base = plain(repo, "rev-parse", "HEAD")
    for subject in SUBJECTS:
        plain(
            repo, "commit", "-q", "--allow-empty", "-m", subject, "--cleanup=verbatim",
            GIT_AUTHOR_NAME="Ann Ümlaut (x)", GIT_AUTHOR_EMAIL="ann+<tag>@example.org",
        )  # fmt: skip
    told = _between(repo, base)
    assert told is not None and len(told) == len(SUBJECTS)
    assert [tuple(one) for one in told] == _log(repo, base)
    assert _between(repo, base[:7]) == told
    assert _between(repo, plain(repo, "rev-parse", "HEAD")) == []


def test_what_loose_objects_cannot_tell_is_left_to_git(repo: Path) -> None:
    base = plain(repo, "rev-parse", "HEAD")
    plain(repo, "checkout", "-q", "-b", "side")
    plain(repo, "commit", "-q", "--allow-empty", "-m", "Aside")
    aside = plain(repo, "rev-parse", "HEAD")
    plain(repo, "checkout", "-q", "main")
    plain(repo, "commit", "-q", "--allow-empty", "-m", "Second")
    assert _between(repo, aside) is None, "not on the way"
    plain(repo, "merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert _between(repo, base) is None, "a merge"
    merge = plain(repo, "rev-parse", "HEAD")
    plain(repo, "-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "-m", "\xfc")
    assert _between(repo, merge) is None, "another encoding"
    plain(repo, "gc", "-q")
    assert _between(repo, merge) is None, "packed"


def test_more_commits_than_are_wanted_are_left_to_git(repo: Path) -> None:
    base = plain(repo, "rev-parse", "HEAD")
    for number in range(3):
        plain(repo, "commit", "-q", "--allow-empty", "-m", str(number))
    head = plain(repo, "rev-parse", "HEAD")
    assert git_objects.between(base, head, 2, _read(repo)) is None
    assert len(git_objects.between(base, head, 3, _read(repo)) or ()) == 3


WHOLE = b"tree 1\nparent 2\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n"


@pytest.mark.parametrize(
    "file",
    [
        None, b"", b"junk", zlib.compress(b"commit 3\0abc")[:-6], zlib.compress(b"blob 3\0abc"),
        zlib.compress(b"commit 2\0abc"), zlib.compress(b"commit 1\0\xff"), zlib.compress(b"commit 0\0"),
        zlib.compress(b"commit %d\0" % (1 << 30) + b"x" * (1 << 24)),
        zlib.compress(b"commit %d\0%s" % (len(WHOLE) + 1, WHOLE)),
    ],
)  # fmt: skip
def test_a_file_that_is_no_whole_commit_is_none(file: bytes | None) -> None:
    good = git_objects.commit("1" * 40, zlib.compress(b"commit %d\0%s" % (len(WHOLE), WHOLE)))
    assert good == ("1" * 40, "2", "1", "A", "a", "x")
    assert git_objects.commit("1" * 40, file) is None


def test_a_name_that_is_no_hash_is_not_looked_for() -> None:
    def read(name: str) -> bytes | None:
        raise AssertionError(name)

    assert git_objects.between("0" * 40, "../../etc/passwd" + "0" * 40, 3, read) is None
