"""The files that recall reads: which there are, what tells that they changed, how each is read."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nanoctx import clock
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Observation
from nanoctx.recall import passages
from nanoctx.recall.passages import Passage

MOST_BYTES = 4 << 20  # read of one file; what is longer is searched up to here
MOST_HTML = 1 << 20
MOST_DOCUMENTS = 20_000
DEEPEST = 16  # folders below knowledge/
ENDINGS = (".md", ".markdown", ".txt", ".rst", ".html", ".htm")
SURE = 0.05  # seconds: what changed twice within them may show the same time for both

Stamps = dict[str, str]  # path below the workspace -> size, times and number of the file


class _Look(NamedTuple):
    """What a folder of observations held."""

    first: float  # when it was first seen as it was
    at: float
    changed: int
    stamps: Stamps


_looked: dict[str, _Look] = {}  # of this process, by folder


def scan(workspace: Workspace, *, lately: float = 0.0) -> Stamps:
    """
    Every file to be searched, with what changes whenever its content does.

    A month of observations in which no file came, went or was replaced since this process looked at it less
    than `lately` seconds ago is not looked at again: only who writes into such a file in place goes unseen.
    """
    found = _observations(workspace, lately)
    for path, seen in _documents(workspace.root):
        found[path] = stamp(seen)
    for path in ("MEMORY.md", "USER.md", *_project_pages(workspace)):
        try:
            seen = (workspace.root / path).stat()
        except OSError:
            continue
        if stat.S_ISREG(seen.st_mode):
            found[path] = stamp(seen)
    return found


def observation(workspace: Workspace, path: str) -> Observation:
    """Read an observation file; raise ValueError or OSError if that cannot be done."""
    from nanoctx.core import items  # a search reads no file, unless one changed

    return items.parse(_text(workspace.root / path, MOST_BYTES))


def read(workspace: Workspace, path: str) -> Iterator[Passage]:
    """The passages of any other file. Its secrets are taken out: what is searched is kept in the index."""
    from nanoctx.core.redact import redact
    from nanoctx.recall import documents

    file = workspace.root / path
    text = redact(_text(file, MOST_HTML if path.lower().endswith((".html", ".htm")) else MOST_BYTES))
    at = file.stat().st_mtime
    if path == "MEMORY.md":
        return passages.of_memory(text)
    if path == "USER.md":
        return passages.of_page(text, path, "user", "", at)
    if path.startswith("projects/"):
        return passages.of_page(text, path, "project", path.split("/")[1], at)
    return documents.passages(text, path, at)


def is_observation(path: str) -> bool:
    return path.startswith("observations/")


def _observations(workspace: Workspace, lately: float) -> Stamps:
    found: Stamps = {}
    for year in _entries(workspace.observations):
        for month in _entries(year.path):
            found |= _month(month, f"observations/{year.name}/{month.name}/", lately)
    return found


def _month(month: os.DirEntry[str], below: str, lately: float) -> Stamps:
    """There may be thousands, and each search looks at all of them: nothing more than that is done."""
    found: Stamps = {}
    now, seen = clock.elapsed(), _looked.get(month.path)
    # From the open folder, so that the way to it is not gone for each of its files.
    with contextlib.suppress(OSError), _opened(month.path) as folder:
        changed = os.fstat(folder).st_mtime_ns
        first = seen.first if seen and seen.changed == changed else now
        if seen and first < seen.at - SURE and now - seen.at < lately:
            return seen.stamps
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".md") and entry.name[0] != "." and (status := _regular(entry)):
                    found[below + entry.name] = stamp(status)
        _looked[month.path] = _Look(first, now, changed, found)
    return found


@contextlib.contextmanager
def _opened(folder: str) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _project_pages(workspace: Workspace) -> Iterator[str]:
    for folder in _entries(workspace.projects):
        yield f"projects/{folder.name}/project.md"


def _documents(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """What lies below knowledge/. A link is followed only to a file that lies there, too."""
    top = root / "knowledge"
    inside = os.path.realpath(top) + os.sep
    folders, found = [(str(top), "knowledge", 0)], 0
    while folders:
        folder, path, depth = folders.pop()
        for entry in _entries(folder):
            below = f"{path}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    folders.append((entry.path, below, depth + 1))
            elif entry.name.lower().endswith(ENDINGS):
                linked_out = entry.is_symlink() and not os.path.realpath(entry.path).startswith(inside)
                if not linked_out and (seen := _regular(entry)):
                    yield below, seen
                    found += 1
                    if found == MOST_DOCUMENTS:
                        return


def _entries(folder: str | os.PathLike[str]) -> list[os.DirEntry[str]]:
    """What stands in a folder and is not hidden, by name; nothing if it is none or is closed to us."""
    try:
        with os.scandir(folder) as entries:
            return sorted((one for one in entries if not one.name.startswith(".")), key=_name)
    except OSError:
        return []


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _regular(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        if not entry.name.isascii():
            entry.name.encode()  # a name that is no text cannot be told either
        seen = entry.stat()
    except (OSError, UnicodeEncodeError):
        return None
    return seen if stat.S_ISREG(seen.st_mode) else None


def stamp(seen: os.stat_result) -> str:
    return f"{seen.st_size}-{seen.st_mtime_ns}-{seen.st_ctime_ns}-{seen.st_ino}"


def _text(file: Path, most: int) -> str:
    # Without waiting: the file may have become a pipe since we listed it.
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        data = opened.read(most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if b"\0" in data[:8192]:
        raise ValueError("it is no text")
    return data.decode("utf-8-sig", "replace")
