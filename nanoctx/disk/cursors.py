"""How far each log was read. Only a cache: what cannot be read counts as nothing read yet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec

from nanoctx.disk import files
from nanoctx.errors import DiskError
from nanoctx.model import Cursor

VERSION = 1
NOTHING = "{}"  # no log was read yet


class _Saved(msgspec.Struct):
    v: int
    logs: dict[str, Cursor]


def load(path: Path) -> dict[str, Cursor]:
    """The cursors by log; none if the file is missing, damaged or of another version."""
    try:
        # Not msgspec's own parser: it refuses names of logs that are not UTF-8.
        saved = msgspec.convert(json.loads(files.read(path).text), _Saved)
    except (DiskError, ValueError, RecursionError):
        return {}
    if saved.v != VERSION or not all(_is_sound(cursor) for cursor in saved.logs.values()):
        return {}
    return saved.logs


def save(path: Path, cursors: Mapping[str, Cursor]) -> None:
    """Save all cursors, after everything that was made from what they passed over."""
    # One by one, for json's fast encoder does not break lines.
    logs = ",\n".join(
        f"{json.dumps(log)}: {msgspec.json.encode(cursors[log]).decode()}" for log in sorted(cursors)
    )
    told = f"{{\n{logs}\n}}" if cursors else NOTHING
    files.write(path, f'{{"v": {VERSION}, "logs": {told}}}\n', durable=False)


def _is_sound(cursor: Cursor) -> bool:
    return min(cursor.device, cursor.inode, cursor.offset, cursor.lines) >= 0
