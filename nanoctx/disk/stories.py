"""What is remembered of each log between two looks. Only a cache: without it a log is read again."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec

from nanoctx.core.turns import Story
from nanoctx.disk import files
from nanoctx.errors import DiskError

VERSION = 2


class _Saved(msgspec.Struct):
    v: int
    stories: dict[str, Story]


_BEGINNING = b'{"v":%d,' % VERSION
_DECODER = msgspec.json.Decoder(_Saved)


def are_kept(state: Path, log: str) -> bool:
    """Whether the stories in a log are remembered, as the first bytes tell: `load` may find them damaged."""
    try:
        with _path(state, log).open("rb") as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False


def load(state: Path, log: str) -> dict[str, Story] | None:
    """The stories in a log, by session; None if they are not known."""
    try:
        saved = _DECODER.decode(files.read(_path(state, log)).text.encode())
    except (DiskError, ValueError, RecursionError):
        return None
    return saved.stories if saved.v == VERSION else None


def save(state: Path, log: str, stories: dict[str, Story]) -> None:
    files.make_folder(state / "stories")
    files.put(_path(state, log), msgspec.json.encode(_Saved(VERSION, stories)), durable=False, private=True)


def _path(state: Path, log: str) -> Path:
    return state / "stories" / f"{sha256(log.encode('utf-8', 'surrogateescape')).hexdigest()[:24]}.json"
