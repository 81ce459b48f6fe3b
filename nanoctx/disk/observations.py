"""The observation files of a workspace: read all of them, or those that changed; save one."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nanoctx.core import items
from nanoctx.disk import catalogue, files, mirror
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


def load_all(root: Path, *, remember: bool = False) -> Loaded:
    """
    Read every observation of a workspace; a broken file is told of and stops nothing.

    With `remember`, what was read is kept for the next time. Only who holds the workspace's lock does so.
    """
    found: dict[str, Observation] = {}
    problems: list[str] = []
    for folder in _folders(root):
        for part, stamps in _parts(folder).items():
            for seen in _read_part(root / ".state", part, folder, stamps, problems, remember):
                # Two files of one session come from two machines: what saw more of it counts.
                found[seen.id] = max(found.get(seen.id, seen), seen, key=end)
    return Loaded(tuple(sorted(found.values(), key=_start)), tuple(problems))


def load_some(root: Path, places: Iterable[str]) -> Loaded:
    """Read the observations that stand in these files, named as `news` names them."""
    problems: list[str] = []
    found: dict[str, Observation] = {}
    for place in places:
        if (seen := _read(root / "observations" / place, problems)) is not None:
            found[seen.id] = max(found.get(seen.id, seen), seen, key=end)
    return Loaded(tuple(sorted(found.values(), key=_start)), tuple(problems))


def _read_part(
    state: Path,
    part: str,
    folder: Path,
    stamps: Mapping[str, catalogue.Stamp],
    problems: list[str],
    remember: bool,
) -> Iterator[Observation]:
    """The observations in some files: those that are as they were are not read again."""
    known = catalogue.load(state, part)
    now: dict[str, catalogue.Entry] = {}
    changed = known.keys() != stamps.keys()
    for name, stamp in stamps.items():
        entry = known.get(name)
        if entry is None or entry.stamp != stamp:
            changed = True
            seen = _read(folder / name, problems)
            entry = catalogue.Entry(stamp, seen) if seen is not None else None
        if entry is not None:
            now[name] = entry
    if remember and changed:
        catalogue.save(state, part, now)
    return (entry.observation for entry in now.values())


def news(root: Path, known: Mapping[str, str]) -> News:
    """Read the observations whose files are not as they were `known` to be by their stamps."""
    stamps: dict[str, str] = {}
    loaded: dict[str, Observation] = {}
    problems: list[str] = []
    for folder in _folders(root):
        month = f"{folder.parent.name}/{folder.name}"
        for name, stamp in _stamps(folder):
            place, told = f"{month}/{name}", catalogue.told(stamp)
            if known.get(place) != told:
                seen = _read(folder / name, problems)
                if seen is None:
                    continue
                loaded[place] = seen
            stamps[place] = told
    return News(stamps, loaded, tuple(problems))


def save(root: Path, observation: Observation, *, new: bool = False) -> Path:
    """
    Write an observation to its file: the one it has, whatever its name says by now, or a new one.

    Who has read all observations and not seen it calls it `new`: then its file is not looked for.
    """
    path = root / items.folder(observation) / items.file_name(observation)
    if not new and not path.exists():
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
        yield from (folder / name for name in _names(folder) if _is_called(name, ending))


def _folders(root: Path) -> Iterator[Path]:
    for year in _names(root / "observations"):
        for month in _names(root / "observations" / year):
            yield root / "observations" / year / month


def _parts(folder: Path) -> dict[str, dict[str, catalogue.Stamp]]:
    """The files of a month with their stamps, by the part of the catalogue they are in."""
    found: dict[str, dict[str, catalogue.Stamp]] = {}
    month = f"{folder.parent.name}-{folder.name}"
    for name, stamp in _stamps(folder):
        found.setdefault(f"{month}-{catalogue.part(name)}", {})[name] = stamp
    return found


def _stamps(folder: Path) -> list[tuple[str, catalogue.Stamp]]:
    """The observation files of a month, with what tells one version of each from another."""
    found = []
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(folder) as entries:
        for entry in entries:
            if _is_called(entry.name, ".md"):
                with suppress(OSError):  # taken away since we listed it, or a link that leads nowhere
                    found.append((entry.name, catalogue.stamp(entry.stat())))
    return sorted(found)


def _is_called(name: str, ending: str) -> bool:
    return name.endswith(ending) and not name.startswith(".")


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
