"""Which folders and files of a workspace are worth watching: never its work tree."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from nanoctx.daemon.watching import Mark, Watched
from nanoctx.disk.workspace import Workspace
from nanoctx.sources import git

PAGE, GIT, LOG = "page", "git", "log"  # kinds of marks
SIGNS = ("nanoctx.toml", ".state", "observations")


def folders(root: Path, ws: Workspace | None) -> dict[Path, Watched]:
    """Of a workspace that could not be opened, the folder in which its settings are."""
    wanted = {root: Watched(Mark(PAGE, str(root)), below=False)}
    if ws is None:
        return wanted
    if ws.kind != "repo":
        wanted[ws.projects] = Watched(Mark(PAGE, str(root)), below=True)
    places = _of_git(ws.project_root) if ws.project_root is not None else None
    if places is not None:
        mark = Mark(GIT, str(root))
        wanted[places.own] = Watched(mark, below=False)
        wanted[places.shared / "refs" / "heads"] = Watched(mark, below=True)
    return wanted


def _of_git(top: Path) -> git.Places | None:
    """Looked up anew when `.git` is another, or something happened in it: this is asked all the time."""
    state = state_of(top / ".git")
    return _known(top, state) if state else git.places(top)


@lru_cache(maxsize=256)
def _known(top: Path, _: tuple[int, ...]) -> git.Places | None:
    return git.places(top)


def is_there(root: Path) -> bool:
    """Whether a workspace is in its place; an empty mount point is none."""
    return any((root / name).exists() for name in SIGNS)


def state_of(path: Path) -> tuple[int, ...]:
    """Tells one state of a file from another; empty if there is none."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return (status.st_mtime_ns, status.st_size, status.st_ino)
