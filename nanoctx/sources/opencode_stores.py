"""Where OpenCode keeps its sessions: a database, before that a tree of JSON files; or an exported document.

Each gives the same records. The first two are read one session at a time, and only if it changed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.errors import LogUnreadable
from nanoctx.model import Step
from nanoctx.sources.decoding import NOTHING, decoded
from nanoctx.sources.lines import LONGEST_LINE, elided
from nanoctx.sources.opencode_records import MESSAGE, SESSION, Session, Span
from nanoctx.sources.opencode_tools import steps_of

Told = tuple[Raw | bytes, Iterable[Raw | bytes]]  # a message and its parts
LATEST = 4  # messages that may still change: whoever changes an older one touches its session, too


class Database:
    """Reads `opencode.db` and leaves no trace. What fails while it is open becomes LogUnreadable."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Database]:
        try:
            connection = sqlite3.connect(_address(path), uri=True, timeout=_BUSY_SECONDS)
        except sqlite3.Error as error:
            raise LogUnreadable(f"Cannot open the database {path}: {error}.") from error
        try:
            connection.text_factory = _text
            connection.execute("BEGIN")  # all that follows sees the same moment
            yield cls(connection)
        except sqlite3.Error as error:
            raise LogUnreadable(f"Cannot read the database {path}: {error}.") from error
        finally:
            connection.close()

    def main_sessions(self) -> list[tuple[str, str]]:
        """Id and folder of each session that is no sub-agent's."""
        return self._connection.execute(
            "SELECT id, CAST(directory AS TEXT) FROM session WHERE parent_id IS NULL"
            " ORDER BY time_created, id"
        ).fetchall()

    def session(self, id: str) -> Session | None:
        found = self._connection.execute(
            "SELECT CAST(parent_id AS TEXT), CAST(directory AS TEXT), CAST(title AS TEXT),"
            " CAST(version AS TEXT), time_created, time_updated, CAST(revert AS TEXT),"
            " CAST(permission AS TEXT) FROM session WHERE id = ?",
            (id,),
        ).fetchone()
        if found is None:
            return None
        parent, directory, title, version, created, updated, revert, permission = found
        known = decoded(
            b'{"revert":%s,"permission":%s}' % ((revert or "null").encode(), (permission or "null").encode()),
            SESSION,
        )
        return msgspec.structs.replace(
            known or Session(),
            id=id,
            parentID=parent,
            directory=directory,
            title=title,
            version=version,
            time=Span(created=created, updated=updated),
        )

    def state(self, session: Session) -> tuple[int, str]:
        """When the session last changed, and what tells one state of it from another."""
        counted = self._connection.execute(
            "SELECT count(*) FROM message WHERE session_id = ?", (session.id,)
        ).fetchone()
        latest = self._connection.execute(
            "SELECT id, time_updated, (SELECT count(*) FROM part WHERE message_id = message.id),"
            " (SELECT max(time_updated) FROM part WHERE message_id = message.id)"
            " FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT ?",
            (session.id, LATEST),
        ).fetchall()
        todos = self._connection.execute(
            "SELECT count(*), max(time_updated) FROM todo WHERE session_id = ?", (session.id,)
        ).fetchone()
        updated = session.time.updated if session.time else None
        times = [updated, todos[1], *(time for row in latest for time in (row[1], row[3]))]
        return _newest(times), hash_of(session, counted, latest, todos)

    def messages(self, session: Session) -> Iterator[Told]:
        rows = self._connection.execute(
            "SELECT rowid, id FROM message WHERE session_id = ? ORDER BY time_created, id", (session.id,)
        ).fetchall()
        for row, message in rows:
            yield _with_id(self._data("message", row), message), self._parts(message)

    def todos(self, session: Session) -> tuple[Step, ...]:
        rows = self._connection.execute(
            "SELECT content, status FROM todo WHERE session_id = ? ORDER BY position", (session.id,)
        )
        return steps_of(msgspec.json.encode([{"content": row[0], "status": row[1]} for row in rows]))

    def _parts(self, message: str) -> Iterator[bytes]:
        rows = self._connection.execute(
            "SELECT rowid, id FROM part WHERE message_id = ? ORDER BY id", (message,)
        ).fetchall()
        for row, part in rows:
            yield _with_id(self._data("part", row), part)

    def _data(self, table: str, row: int) -> bytes:
        """The JSON of one row; of a huge one only the heads of its strings."""
        with self._connection.blobopen(table, "data", row, readonly=True) as blob:
            if len(blob) <= LONGEST_LINE:
                return blob.read()
            return elided(iter(lambda: blob.read(_BLOCK), b"")) or b""


class Tree:
    """One session of the JSON files that OpenCode wrote before 1.2; `log` is the session's own file."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._id = log.stem
        self._oldest = log.parent.name == "info"  # project/<slug>/storage/session/{info,message,part}
        self._root = log.parent.parent if self._oldest else log.parent.parent.parent

    @staticmethod
    def holds(log: Path) -> bool:
        above = [folder.name for folder in log.parents][:3]
        return log.name.startswith("ses") and above[1:] == ["session", "storage"]

    def session(self) -> Session | None:
        known = decoded(_content(self._log), SESSION)
        if known is not None and not known.directory:
            known.directory = self._first_cwd()
        return known

    def state(self) -> tuple[int, str]:
        latest = self._message_files()
        seen = [_stamp(self._log), _stamp(self._todo_file()), (len(latest), 0)]
        for message in latest[-LATEST:]:
            seen += [_stamp(message), *map(_stamp, self._part_files(message.stem))]
        return _newest([time // 1_000_000 for time, _ in seen]), hash_of(seen)

    def messages(self) -> Iterator[Told]:
        for message in self._message_files():
            yield _content(message), map(_content, self._part_files(message.stem))

    def todos(self) -> tuple[Step, ...]:
        return steps_of(_content(self._todo_file()))

    def _todo_file(self) -> Path:
        return self._root / "todo" / self._log.name

    def _message_files(self) -> list[Path]:
        return json_files(self._root / "message" / self._id)

    def _part_files(self, message: str) -> list[Path]:
        return json_files(self._root / "part" / (f"{self._id}/{message}" if self._oldest else message))

    def _first_cwd(self) -> str | None:
        """The oldest records do not say where a session began, but their answers do."""
        for message in self._message_files()[:LATEST]:
            known = decoded(_content(message), MESSAGE)
            if known is not None and known.path and known.path.cwd:
                return known.path.cwd
        return None


class Export(Struct, gc=False):
    """What `opencode export` writes."""

    info: Raw = NOTHING
    messages: list[Raw] = []


def messages_in(document: Export) -> Iterator[Told]:
    """The messages of an export; one that cannot be read is empty."""
    for raw in document.messages:
        told = decoded(raw, _TOLD) or _Told()
        yield told.info, told.parts


def json_files(folder: Path) -> list[Path]:
    """Names are made of the time, so they are in order; a name with a dot in front is half written."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if name.endswith(".json") and not name.startswith(".")]


def _address(path: Path) -> str:
    """Read-only. Without a writer's files beside it not even SQLite's own must be made, so no lock either."""
    live = any(_stamp(Path(f"{path}{end}"))[1] for end in ("-shm", "-wal"))
    return f"{path.absolute().as_uri()}?mode=ro" + ("" if live else "&immutable=1")


def _with_id(data: bytes, id: str) -> bytes:
    """The ids are columns; what stands twice in an object counts as it stands last."""
    if not data.endswith(b"}") or data == b"{}":
        return data
    return data[:-1] + b',"id":' + msgspec.json.encode(id) + b"}"


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > LONGEST_LINE:
            with open(path, "rb") as file:
                return elided(iter(lambda: file.read(_BLOCK), b"")) or b""
        return path.read_bytes()
    except OSError:
        return b""


def _stamp(path: Path) -> tuple[int, int]:
    try:
        known = path.stat()
    except OSError:
        return 0, 0
    return known.st_mtime_ns, known.st_size


def _newest(times: Iterable[int | float | None]) -> int:
    return max((int(time) for time in times if isinstance(time, int | float)), default=0)


def hash_of(*values: object) -> str:
    return blake2b(repr(values).encode("utf-8", "replace"), digest_size=8).hexdigest()


class _Told(Struct, gc=False):
    info: Raw = NOTHING
    parts: list[Raw] = []


EXPORT = Decoder(Export)
ANY = Decoder(Raw)
_TOLD = Decoder(_Told)
_BUSY_SECONDS = 0.5
_BLOCK = 1 << 18
