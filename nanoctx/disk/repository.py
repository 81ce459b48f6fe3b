"""Where the git repository around a folder begins, told by plain file reads: no git process is started."""

from __future__ import annotations

from pathlib import Path

POINTER_LIMIT = 8192  # a pointer file holds one path; more than this is something else


def top_level(folder: Path) -> Path | None:
    """The nearest folder, from here upward, that holds a `.git`."""
    for candidate in (folder, *folder.parents):
        if _exists(candidate / ".git"):
            return candidate
    return None


def main_worktree(top: Path) -> Path | None:
    """The checkout that a linked worktree belongs to; None for any other repository.

    A worktree's `.git` is a file naming a folder of the main repository. That folder must name the
    worktree back: else an unpacked archive could point at any repository and borrow its memory.
    """
    private = _pointed(top / ".git", top, prefix="gitdir:")
    if private is None:
        return None
    back = _pointed(private / "gitdir", private)
    shared = _pointed(private / "commondir", private)
    if back is None or shared is None or not _same(back, top / ".git"):
        return None
    # A bare main repository has no checkout to keep a workspace in.
    return shared.parent if shared.name == ".git" and shared.is_dir() else None


def _pointed(file: Path, base: Path, prefix: str = "") -> Path | None:
    try:
        if not file.is_file():
            return None
        with file.open("rb") as stream:
            raw = stream.read(POINTER_LIMIT)
        text = raw.decode("utf-8", "surrogateescape").strip()
        if not text.startswith(prefix) or "\0" in text:
            return None
        return (base / text.removeprefix(prefix).strip()).resolve()
    except OSError:
        return None


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder above that may not be searched
        return False
