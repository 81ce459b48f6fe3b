"""What a cycle remembers of the observations it folded. Only a cache: without it they are folded again."""

from __future__ import annotations

from pathlib import Path

import msgspec

from nanoctx.core.fold import Digest, Folded
from nanoctx.disk import files
from nanoctx.errors import DiskError

VERSION = 5


class Remembered(msgspec.Struct):
    """The fold, and the files it was made of."""

    v: int = VERSION
    stamps: dict[str, str] = msgspec.field(default_factory=dict)
    names: dict[str, str] = msgspec.field(default_factory=dict)  # the observation in each file
    twice: dict[str, dict[str, Digest]] = msgspec.field(default_factory=dict)  # those in several files
    folded: Folded = msgspec.field(default_factory=Folded)


_DECODER = msgspec.json.Decoder(Remembered)


def load(state: Path) -> Remembered:
    try:
        found = _DECODER.decode(files.read(_path(state)).text.encode())
    except (DiskError, ValueError, RecursionError):
        return Remembered()
    return found if found.v == VERSION else Remembered()


def save(state: Path, remembered: Remembered) -> None:
    files.write(_path(state), msgspec.json.encode(remembered).decode(), durable=False, private=True)


def _path(state: Path) -> Path:
    return state / "fold.json"
