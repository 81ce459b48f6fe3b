"""
Observations as they were last read, so that a look reads only the files that changed since.

A part holds what began in the same ten days: one small file is written anew when one of its observations
changes, however many there are in all. Only a cache: without it every observation is read again.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from nanoctx.disk import files
from nanoctx.errors import DiskError
from nanoctx.model import Observation

VERSION = 1
FOLDER = "catalogue"
# A file changed so shortly before its part was written may have changed once more without showing it.
_UNSURE_NS = 50_000_000

# What tells one version of a file from another: inode, size, time of its content, time of any change.
Stamp = tuple[int, int, int, int]


class Entry(msgspec.Struct):
    """An observation, and the file it was read from."""

    stamp: Stamp
    observation: Observation


class _Part(msgspec.Struct):
    v: int
    files: dict[str, Entry]


_DECODER = msgspec.json.Decoder(_Part)


def part(name: str) -> str:
    """Which part an observation's file belongs to, by its name: the year, the month, the tens of the day."""
    return name[:7] if name[:7].isdecimal() and name[:7].isascii() else "other"


def stamp(status: os.stat_result) -> Stamp:
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def told(stamp: Stamp) -> str:
    return "-".join(map(str, stamp))


def load(state: Path, name: str) -> dict[str, Entry]:
    """What is remembered of a part, by file name: only that which is surely so still if its stamp is."""
    path = _path(state, name)
    try:
        written = path.stat().st_mtime_ns
        with _uncollected():
            saved = _DECODER.decode(files.read(path).text.encode())
    except (OSError, DiskError, ValueError, RecursionError):
        return {}
    if saved.v != VERSION:
        return {}
    return {file: entry for file, entry in saved.files.items() if entry.stamp[3] + _UNSURE_NS < written}


def save(state: Path, name: str, entries: Mapping[str, Entry]) -> None:
    """Remember a part; a drive that takes nothing is no reason to stop."""
    with suppress(DiskError, OSError):
        files.make_folder(state / FOLDER)
        if entries:
            text = msgspec.json.encode(_Part(VERSION, dict(entries))).decode()
            files.write(_path(state, name), text, durable=False, private=True)
        else:
            files.remove(_path(state, name))


def drop(state: Path) -> None:
    """Forget all parts."""
    for path in (state / FOLDER).glob("*.json"):
        files.remove(path)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Many objects come at once and none is garbage: to look for some would take longer than to make all."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _path(state: Path, name: str) -> Path:
    return state / FOLDER / f"{name}.json"
