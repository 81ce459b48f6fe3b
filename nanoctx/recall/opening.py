"""The index as it stands, for who has no time to bring it up to date, nor to load what that takes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from nanoctx.recall.store import Store

FILE = "index.sqlite"
DAMAGE = (sqlite3.DatabaseError, ValueError, OverflowError)


def path(state: Path) -> Path:
    return state / "recall" / FILE


def as_it_stands(state: Path) -> Store | None:
    """The index, whether or not it is fresh; None if there is none that can be used."""
    if not path(state).is_file():
        return None
    store = None
    try:
        store = Store(str(path(state)), read_only=True)
        if store.is_current():
            return store
    except DAMAGE:
        pass
    if store:
        store.close()
    return None
