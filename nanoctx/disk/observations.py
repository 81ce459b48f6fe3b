"""The observation files of a workspace: read all of them, save one."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nanoctx.core import items
from nanoctx.disk import files, mirror
from nanoctx.errors import DiskError
from nanoctx.model import Observation

_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP)
_LONG_AGO = datetime.fromtimestamp(0, UTC)


class News(NamedTuple):
    """What differs from what was known of the files."""

    stamps: dict[str, str]  # every file that could be read, by its place below the workspace
    loaded: dict[str, Observation]  # of those, the ones that are new or changed
    problems: tuple[str, ...]


class Loaded(NamedTuple):
    observations: tuple[Observation, ...]  # oldest first
    problems: tuple[str, ...]  # one sentence for each file that could not be read


def load_all(root: Path) -> Loaded:
    """Read every observation of a workspace; a broken file is told of and stops nothing."""
    found: dict[str, Observation] = {}
    problems: list[str] = []
    for path in _files(root, ".md"):
        seen = _read(path, problems)
        if seen is not None:
            # Two files of one session come from two machines: what saw more of it counts.
            found[seen.id] = max(found.get(seen.id, seen), seen, key=end)
    return Loaded(tuple(sorted(found.values(), key=_start)), tuple(problems))


def news(root: Path, known: Mapping[str, str]) -> News:
    """Read the observations whose files are not as they were `known` to be by their stamps."""
    stamps: dict[str, str] = {}
    loaded: dict[str, Observation] = {}
    problems: list[str] = []
    for folder in _folders(root):
        for name, stamp in _stamps(folder):
            place = f"{folder.parent.name}/{folder.name}/{name}"
            if known.get(place) != stamp:
                seen = _read(folder / name, problems)
                if seen is None:
                    continue
                loaded[place] = seen
            stamps[place] = stamp
    return News(stamps, loaded, tuple(problems))


def save(root: Path, observation: Observation) -> Path:
    """Write an observation to its file: the one it has, whatever its name says by now, or a new one."""
    path = root / items.folder(observation) / items.file_name(observation)
    if not path.exists():
        path = next(_files(root, f"-{observation.id}.md"), path)
    files.make_folder(path.parent)
    text = items.render(observation)
    files.write(path, text)
    # The observation is safe by now: a copy that cannot be made is no reason to stop.
    with suppress(DiskError, OSError):
        mirror.keep(root, path, text, os.environ)
    return path


def end(seen: Observation) -> tuple[datetime, int]:
    """How much of a session an observation saw."""
    return (seen.last or seen.ended or seen.started or _LONG_AGO, len(seen.items))


def _read(path: Path, problems: list[str]) -> Observation | None:
    try:
        return items.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None  # taken away since we listed it
    except UnicodeDecodeError:
        problems.append(f"{path} is not UTF-8, so convert it or move it out of observations/.")
    except OSError as error:
        problems.append(f"{path} cannot be read ({error.strerror}), so check who may read it.")
    except ValueError as error:
        problems.append(f"{path} is skipped: {error}; mend it or move it out of observations/.")
    return None


def _files(root: Path, ending: str) -> Iterator[Path]:
    """The files so called, by year and month, oldest first."""
    for folder in _folders(root):
        for name in _names(folder):
            if name.endswith(ending) and not name.startswith("."):
                yield folder / name


def _folders(root: Path) -> Iterator[Path]:
    for year in _names(root / "observations"):
        for month in _names(root / "observations" / year):
            yield root / "observations" / year / month


def _stamps(folder: Path) -> list[tuple[str, str]]:
    """Files with what tells one version of each from another."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".md") and not entry.name.startswith("."):
                    with suppress(FileNotFoundError):
                        seen = entry.stat()
                        found.append((entry.name, f"{seen.st_mtime_ns}-{seen.st_size}-{seen.st_ino}"))
    except OSError as error:
        if error.errno not in _NO_FOLDER:
            raise
    return sorted(found)


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries)
    except OSError as error:
        if error.errno not in _NO_FOLDER:
            raise
        return []


def _start(seen: Observation) -> tuple[datetime, str]:
    return (seen.started or _LONG_AGO, seen.id)
