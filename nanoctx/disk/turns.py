"""What each session was reminded of, so that nothing is said twice and not too much in all. Only a cache."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from nanoctx.disk import files
from nanoctx.errors import DiskError

FOLDER = "turns"
MOST = 200  # sessions; then the oldest half is forgotten


@dataclass(frozen=True, slots=True)
class Told:
    """The tokens a session was given since it began or was compacted, and the ids of what they said."""

    tokens: int = 0
    ids: frozenset[str] = frozenset()


def load(state: Path, session: str) -> Told:
    try:
        found = json.loads(files.read(_path(state, session)).text)
        return Told(int(found["tokens"]), frozenset(map(str, found["ids"])))
    except (DiskError, ValueError, KeyError, TypeError):
        return Told()


def save(state: Path, session: str, told: Told) -> None:
    path = _path(state, session)
    files.make_folder(path.parent, private=True)
    if not path.exists():
        _forget_the_oldest(path.parent)
    text = json.dumps({"tokens": told.tokens, "ids": sorted(told.ids)})
    files.write(path, text + "\n", durable=False, private=True)


def reset(state: Path, session: str) -> None:
    """The host forgot what it was told."""
    with suppress(DiskError, OSError):
        files.remove(_path(state, session))


def _forget_the_oldest(folder: Path) -> None:
    with os.scandir(folder) as entries:
        known = sorted((entry.stat().st_mtime, entry.name) for entry in entries)
    if len(known) >= MOST:
        for _, name in known[: MOST // 2]:
            files.remove(folder / name)


def _path(state: Path, session: str) -> Path:
    return state / FOLDER / f"{sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.json"
