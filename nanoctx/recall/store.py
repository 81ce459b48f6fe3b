"""The index in one SQLite file: items, the terms they hold, and which files they came from."""

from __future__ import annotations

import math
import sqlite3
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from nanoctx.recall import embeddings, postings, words
from nanoctx.recall.passages import Passage

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE units (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL,
    source TEXT NOT NULL, until REAL NOT NULL
);
CREATE INDEX units_source ON units (source) WHERE source != '';
CREATE TABLE items (
    id INTEGER PRIMARY KEY, unit INTEGER NOT NULL, text TEXT NOT NULL, kind TEXT NOT NULL,
    key TEXT NOT NULL, about TEXT NOT NULL, project TEXT NOT NULL, scope TEXT NOT NULL, at REAL, pos INTEGER,
    grade TEXT NOT NULL, by TEXT NOT NULL, vector BLOB
);
CREATE INDEX items_unit ON items (unit);
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, items INTEGER NOT NULL);
CREATE TABLE postings (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
"""
_FIELDS = "id, unit, text, kind, key, about, project, scope, at, pos, grade, by"
_FORMAT = 2
NAMED = 3  # times more that the words of a name count in the code that defines it
_AT_ONCE = 500  # values in one statement
_TAG = "\x1f"  # before a term that is a property: no word has it
BUSY_SECONDS = 5.0


class Unit(NamedTuple):
    """A file as it goes into the index. `source` and `until` tell copies of one session apart."""

    path: str
    stamp: str
    passages: Sequence[Passage]
    source: str = ""
    until: float = 0.0


class Row(NamedTuple):
    """An item as it comes out."""

    id: int
    unit: int
    passage: Passage


class Counts(NamedTuple):
    items: int
    length: int  # of all items together, in terms

    @property
    def average(self) -> float:
        return self.length / self.items if self.items else 1.0


def tag(field: str, value: str) -> str:
    """The term that stands for a property of an item."""
    return f"{_TAG}{field}={value}"


def version() -> str:
    """What must be the same for an index to be of use."""
    return f"{_FORMAT} {words.VERSION} {sys.byteorder} {embeddings.name()}"


class Store:
    """An open index. What is read between `begin` and `end` is of one moment."""

    def __init__(self, name: str, *, read_only: bool = False) -> None:
        target = f"file:{_quoted(name)}?mode=ro" if read_only else name
        self.connection = sqlite3.connect(
            target, uri=read_only, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False
        )
        if not read_only:
            # Overwrites what is deleted, so that what was to be forgotten stands nowhere in the file.
            self._run("PRAGMA secure_delete = ON")
            self._run("PRAGMA cache_size = -32000")

    def close(self) -> None:
        self.connection.close()

    def begin(self, *, writing: bool = False) -> None:
        self._run("BEGIN IMMEDIATE" if writing else "BEGIN")

    def end(self) -> None:
        if self.connection.in_transaction:
            self._run("COMMIT")

    def undo(self) -> None:
        if self.connection.in_transaction:
            self._run("ROLLBACK")

    def lay_out(self) -> None:
        for statement in _SCHEMA.split(";"):
            self._run(statement)
        self._set("version", version())
        self._set("counts", "0 0")

    def is_current(self) -> bool:
        """Whether it was laid out by this version, in this surrounding."""
        if not self._run("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            return False
        return bool(self._get("version") == version())

    def is_empty(self) -> bool:
        return not self._run("SELECT 1 FROM sqlite_master").fetchone()

    # -- reading -------------------------------------------------------------------------------------------

    def stamps(self) -> dict[str, str]:
        return dict(self._run("SELECT path, stamp FROM units"))

    def counts(self) -> Counts:
        items, length = str(self._get("counts")).split()
        return Counts(int(items), int(length))

    def term(self, term: str) -> tuple[int, int]:
        """A term's number and how many items hold it; zeros for one that none holds."""
        found = self._run("SELECT id, items FROM terms WHERE term = ?", term).fetchone()
        return found or (0, 0)

    def holders(self, term: int) -> Iterator[tuple[int, postings.Packed]]:
        """The items that hold a term, by bucket: the number of its first item, and the items."""
        low = term << postings.BUCKET_BITS
        rows = self._run(
            "SELECT id, data FROM postings WHERE id BETWEEN ? AND ?", low, low + postings.BUCKET - 1
        )
        for row, data in rows:
            yield (row - low) << postings.BUCKET_BITS, postings.unpack(data)

    def tagged(self, field: str, values: Iterable[str]) -> set[int]:
        """The items that have one of these values."""
        found: set[int] = set()
        for value in values:
            for base, packed in self.holders(self.term(tag(field, value))[0]):
                found.update(map(base.__add__, packed.places))
        return found

    def since(self, first: str) -> set[int]:
        """The items of that month (as `month` names it) and later ones."""
        low, high = tag("month", first), tag("month", "~")
        found: set[int] = set()
        for (number,) in self._run("SELECT id FROM terms WHERE term BETWEEN ? AND ?", low, high).fetchall():
            for base, packed in self.holders(number):
                found.update(map(base.__add__, packed.places))
        return found

    def places(self, numbers: Sequence[int]) -> Iterator[tuple[int, int, float | None, bytes | None]]:
        """Of each item its number, unit, time and vector."""
        for part in _parts(numbers):
            marks = ",".join("?" * len(part))
            yield from self._run(f"SELECT id, unit, at, vector FROM items WHERE id IN ({marks})", *part)

    def rows(self, numbers: Sequence[int]) -> dict[int, Row]:
        found: dict[int, Row] = {}
        for part in _parts(numbers):
            marks = ",".join("?" * len(part))
            for row in self._run(f"SELECT {_FIELDS} FROM items WHERE id IN ({marks})", *part):
                found[row[0]] = _row(row)
        return found

    def paths(self, units: Iterable[int]) -> dict[int, tuple[str, str]]:
        """The file of each unit, and the observation that it is, if any."""
        return {
            unit: found
            for unit in set(units)
            if (found := self._run("SELECT path, source FROM units WHERE id = ?", unit).fetchone())
        }

    def copies(self, source: str) -> list[Unit]:
        """The files that are one observation, without their passages."""
        found = self._run("SELECT path, stamp, until FROM units WHERE source = ?", source)
        return [Unit(path, stamp, (), source, until) for path, stamp, until in found]

    def source(self, path: str) -> str:
        found = self._run("SELECT source FROM units WHERE path = ?", path).fetchone()
        return found[0] if found else ""

    # -- writing -------------------------------------------------------------------------------------------

    def change(self, gone: Iterable[str], new: Iterable[Unit]) -> None:
        """Take files out and put files in, within the present transaction."""
        counts = self.counts()
        items, length = counts.items, counts.length
        removed: dict[str, set[int]] = {}
        added: dict[str, array[int]] = {}
        for path in gone:
            for row in self._remove(path):
                held = _terms(row.passage)
                items, length = items - 1, length - held.length
                for term in held.times:
                    removed.setdefault(term, set()).add(row.id)
        last = self._run("SELECT max(id) FROM items").fetchone()[0] or 0
        last = max(last, int(str(self._get("last") or 0)))
        for unit in new:
            number = self._add_unit(unit)
            for passage in unit.passages:
                last += 1
                held = _terms(passage)
                items, length = items + 1, length + held.length
                self._add_item(last, number, passage)
                for term, times in held.times.items():
                    one = last << 16 | postings.code(times, held.length)
                    if term in added:
                        added[term].append(one)
                    else:
                        added[term] = array("Q", (one,))
        for term in sorted(removed.keys() | added.keys()):
            self._change_term(term, removed.get(term, set()), added.get(term, array("Q")))
        self._set("counts", f"{items} {length}")
        self._set("last", last)

    def _remove(self, path: str) -> list[Row]:
        found = self._run("SELECT id FROM units WHERE path = ?", path).fetchone()
        if not found:
            return []
        rows = [_row(row) for row in self._run(f"SELECT {_FIELDS} FROM items WHERE unit = ?", found[0])]
        self._run("DELETE FROM items WHERE unit = ?", found[0])
        self._run("DELETE FROM units WHERE id = ?", found[0])
        return rows

    def _add_unit(self, unit: Unit) -> int:
        done = self._run(
            "INSERT INTO units (path, stamp, source, until) VALUES (?, ?, ?, ?)",
            unit.path, unit.stamp, unit.source, unit.until,
        )  # fmt: skip
        assert done.lastrowid is not None
        return done.lastrowid

    def _add_item(self, number: int, unit: int, passage: Passage) -> None:
        vector = embeddings.packed(f"{passage.about} {passage.text}")
        one = passage
        self._run(
            f"INSERT INTO items ({_FIELDS}, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            number, unit, one.text, one.kind, one.key, one.about, one.project, one.scope, one.at, one.pos,
            one.grade, one.by, vector,
        )  # fmt: skip

    def _change_term(self, term: str, removed: set[int], added: array[int]) -> None:
        number, items = self.term(term)
        if not number:
            done = self._run("INSERT INTO terms (term, items) VALUES (?, 0)", term)
            number = done.lastrowid or 0
        buckets: dict[int, tuple[set[int], list[tuple[int, int]]]] = {}
        for one in removed:
            place = buckets.setdefault(one >> postings.BUCKET_BITS, (set(), []))
            place[0].add(one & postings.BUCKET - 1)
        for one in added:
            place = buckets.setdefault(one >> 16 + postings.BUCKET_BITS, (set(), []))
            place[1].append((one >> 16 & postings.BUCKET - 1, one & 0xFFFF))
        for bucket, (gone, more) in buckets.items():
            self._change_bucket(number << postings.BUCKET_BITS | bucket, gone, more)
        items += len(added) - len(removed)
        if items:
            self._run("UPDATE terms SET items = ? WHERE id = ?", items, number)
        else:
            self._run("DELETE FROM terms WHERE id = ?", number)

    def _change_bucket(self, row: int, gone: set[int], more: list[tuple[int, int]]) -> None:
        found = self._run("SELECT data FROM postings WHERE id = ?", row).fetchone()
        packed = postings.unpack(found[0] if found else b"")
        packed = postings.joined(postings.without(packed, gone) if gone else packed, more)
        if packed.places:
            self._run("INSERT OR REPLACE INTO postings (id, data) VALUES (?, ?)", row, postings.pack(packed))
        else:
            self._run("DELETE FROM postings WHERE id = ?", row)

    def _get(self, name: str) -> object:
        found = self._run("SELECT value FROM meta WHERE name = ?", name).fetchone()
        return found[0] if found else None

    def _set(self, name: str, value: object) -> None:
        self._run("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", name, value)

    def _run(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self.connection.execute(statement, values)


class _Held(NamedTuple):
    times: Counter[str]
    length: int


def _terms(passage: Passage) -> _Held:
    """What an item is found by: its words and properties; only words count for its length."""
    times = Counter(words.terms(f"{passage.about}\n{passage.text}"))
    length = math.fsum(times.values())
    for term in words.defined(passage.text):
        times[term] += NAMED
    for field, value in (("kind", passage.kind), ("scope", passage.scope), ("project", passage.project)):
        times[tag(field, value)] = 1
    if passage.at is not None:
        times[tag("month", month(passage.at))] = 1
    return _Held(times, int(length))


def month(at: float) -> str:
    """The 30 days that a moment lies in, as a number that sorts as text."""
    return f"{max(0, int(at // 2_592_000)):06d}"


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    yield from (numbers[start : start + _AT_ONCE] for start in range(0, len(numbers), _AT_ONCE))


def _row(row: tuple[object, ...]) -> Row:
    number, unit, text, kind, key, about, project, scope, at, pos, grade, by = row
    passage = Passage(text, kind, key, about, project, scope, at, pos, grade, by)  # type: ignore[arg-type]
    return Row(number, unit, passage)  # type: ignore[arg-type]


def _quoted(name: str) -> str:
    return name.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
