"""The repository around a session, as plain file reads tell it: name, branch, HEAD. No git process is run."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from nanoctx.disk import repository

MOST_WORKTREES = 100
_SMALL = 64 * 1024
_REMOTE = re.compile(r'^\s*\[remote "origin"\](.*?)(?=^\s*\[|\Z)', re.MULTILINE | re.DOTALL)
_URL = re.compile(r"^\s*url\s*=\s*(\S+)", re.MULTILINE)
_SHA = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Head:
    branch: str  # "" when detached
    sha: str  # "" before the first commit


@dataclass(frozen=True, slots=True)
class Places:
    top: Path  # of the checkout
    own: Path  # what belongs to this checkout alone: HEAD, the index, a merge in progress
    shared: Path  # what all worktrees have in common: settings, branches; the same folder for most


def head(folder: Path) -> Head | None:
    """Where HEAD stands; None when the folder is not in a repository."""
    git = _git_folder(folder)
    if git is None:
        return None
    text = _read(git / "HEAD").strip()
    if not text.startswith("ref: "):
        return Head("", text) if _SHA.fullmatch(text) else None
    ref = text.removeprefix("ref: ").strip()
    return Head(ref.removeprefix("refs/heads/"), _resolved(git, ref))


def slug(folder: Path) -> str:
    """A name for the project: its remote's, else its folder's."""
    git = _git_folder(folder)
    if git is not None:
        remote = _REMOTE.search(_read(_common(git) / "config"))
        url = _URL.search(remote[1]) if remote else None
        if url:
            return named(url[1])
        top = git if git.name != ".git" else git.parent
        main = _common(git)
        return named(str(main.parent if main.name == ".git" else top))
    return named(str(folder))


def places(folder: Path) -> Places | None:
    """Where the parts of the repository around a folder are."""
    git, top = _git_folder(folder), repository.top_level(folder)
    return Places(top, git, _common(git)) if git is not None and top is not None else None


def read(path: Path, limit: int = _SMALL) -> bytes | None:
    """The bytes of a file; None if it is longer, or is there and cannot be read."""
    try:
        if not path.exists():
            return b""
        if not path.is_file():  # a pipe in its place would never end
            return None
        with path.open("rb") as file:
            text = file.read(limit + 1)
    except OSError:
        return None
    return text if len(text) <= limit else None


def worktrees(folder: Path) -> list[Path]:
    """The linked checkouts of a repository: sessions in them belong to the same project."""
    git = _git_folder(folder)
    if git is None:
        return []
    try:
        entries = sorted((_common(git) / "worktrees").iterdir())
    except OSError:
        return []
    pointers = (_read(entry / "gitdir").strip() for entry in entries[:MOST_WORKTREES])
    return [Path(pointer).parent for pointer in pointers if pointer.endswith("/.git") and "\0" not in pointer]


def named(path: str) -> str:
    """The last part of a path or address, as a slug; works for paths of other machines too."""
    last = re.split(r"[/\\:]", path.rstrip("/\\"))[-1].removesuffix(".git")
    return re.sub(r"[^\w.-]+", "-", last).strip("-.").lower() or "project"


def _git_folder(folder: Path) -> Path | None:
    for place in (folder, *folder.parents):
        git = place / ".git"
        try:
            if git.is_dir():
                return git
            if git.is_file():
                kind, _, pointer = _read(git).strip().partition(":")
                target = _pointed(place, pointer.strip())
                return target if kind == "gitdir" and pointer and target.is_dir() else None
        except OSError:  # a folder that may not be entered
            continue
    return None


def _common(git: Path) -> Path:
    shared = _read(git / "commondir").strip()
    return _pointed(git, shared) if shared else git


def _pointed(base: Path, pointer: str) -> Path:
    return Path(os.path.realpath(base / pointer.replace("\0", "")))


def _resolved(git: Path, ref: str) -> str:
    if ".." in ref.split("/") or not ref.startswith("refs/"):
        return ""
    for place in (git, _common(git)):
        sha = _read(place / ref).strip()
        if _SHA.fullmatch(sha):
            return sha
    packed = re.search(
        rf"^({_SHA.pattern}) {re.escape(ref)}$",
        _read(_common(git) / "packed-refs", 4 * 1024 * 1024),
        re.MULTILINE,
    )
    return packed[1] if packed else ""


def _read(path: Path, limit: int = _SMALL) -> str:
    try:
        if not path.is_file():  # a pipe in its place would never end
            return ""
        with path.open("rb") as file:
            return file.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""
