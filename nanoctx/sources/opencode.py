"""OpenCode's sessions: where they are and what they say.

A session in a database has no file of its own. Its log is named `<database>/<session id>`, a path that never
exists on disk. A session that changed is told anew, as a message may change until its turn is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nanoctx.errors import LogUnreadable, UsageError
from nanoctx.model import Batch, Cursor, Step
from nanoctx.sources.decoding import decoded
from nanoctx.sources.folders import began_in, entries, given
from nanoctx.sources.opencode_records import SESSION, Session
from nanoctx.sources.opencode_stores import (
    ANY,
    EXPORT,
    Database,
    Export,
    Told,
    Tree,
    hash_of,
    json_files,
    messages_in,
)
from nanoctx.sources.whole import read_document

if TYPE_CHECKING:
    from nanoctx.sources.opencode_events import Events

NAME = "opencode"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """Main sessions only. The JSON files of old are stale copies once there is a database."""
    data = (given(home, env, "XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    named = given(data, env, "OPENCODE_DB")
    databases = _databases(data) if named is None else [named]
    for database in databases:
        for id, folder in _main_sessions(database):
            if began_in(folder, projects):
                yield database / id
    if named is not None or data / "opencode.db" in databases:
        return
    for log in _session_files(data):
        session = Tree(log).session()
        if session is not None and not session.parentID and began_in(session.directory or "", projects):
            yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    if until_line is not None:
        raise UsageError(f"{log} is no log of lines, so it cannot be read up to a line.")
    if _is_file(log.parent):
        return _read_database(log.parent, log.name, cursor)
    if log.suffix == ".db":
        return _read_database(log, None, cursor)
    return _read_tree(log, cursor) if Tree.holds(log) else _read_export(log, cursor)


def _read_database(path: Path, id: str | None, cursor: Cursor) -> Batch:
    """One session, or all main sessions."""
    with Database.open(path) as database:
        ids = [id] if id is not None else [known for known, _ in database.main_sessions()]
        sessions = [session for one in ids if (session := database.session(one)) is not None]
        if not sessions:
            raise LogUnreadable(f"The database {path} has no session {id or 'at all'}; check the path.")
        states = [database.state(session) for session in sessions]
        new = Cursor(offset=max(time for time, _ in states), head=hash_of(states))
        if _is_known(new, cursor):
            return Batch((), cursor)
        told = [_told(one, database.messages(one), database.todos(one)) for one in sessions]
        return _batch(told, new, cursor)


def _read_tree(log: Path, cursor: Cursor) -> Batch:
    tree = Tree(log)
    session = tree.session()
    if session is None:
        raise LogUnreadable(f"Cannot read {log} as a session of OpenCode; check the path.")
    time, head = tree.state()
    new = Cursor(offset=time, head=head)
    if _is_known(new, cursor):
        return Batch((), cursor)
    session.id = session.id or log.stem
    return _batch([_told(session, tree.messages(), tree.todos())], new, cursor)


def _read_export(log: Path, cursor: Cursor) -> Batch:
    found = read_document(log, cursor, None)
    if found is None or decoded(found[0], ANY) is None:
        return Batch((), cursor)  # nothing new, or half saved
    content, new = found
    document = decoded(content, EXPORT) or Export()
    info = decoded(document.info, SESSION)
    session = info or Session()
    session.id = session.id or log.stem
    events = _told(session, messages_in(document), ())
    events.skipped += info is None
    return _batch([events], new, cursor)


def _told(session: Session, messages: Iterable[Told], todos: tuple[Step, ...]) -> Events:
    from nanoctx.sources.opencode_events import Events

    events = Events(session)
    for info, parts in messages:
        events.take(info, parts)
    events.finish(todos)
    return events


def _is_known(new: Cursor, old: Cursor) -> bool:
    return (new.offset, new.head) == (old.offset, old.head)


def _batch(told: Sequence[Events], new: Cursor, old: Cursor) -> Batch:
    return Batch(
        events=tuple(event for one in told for event in one.events),
        cursor=replace(new, lines=max(one.messages for one in told)),
        skipped=sum(one.skipped for one in told),
        restarted=old.offset > 0,
        at_end=True,
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _databases(data: Path) -> list[Path]:
    """Of the stable release and of the channels that have one of their own."""
    return sorted(path for path in entries(data) if _DATABASE.fullmatch(path.name))


def _main_sessions(database: Path) -> list[tuple[str, str]]:
    try:
        with Database.open(database) as opened:
            return opened.main_sessions()
    except LogUnreadable:
        return []


def _session_files(data: Path) -> Iterator[Path]:
    for folder in entries(data / "storage" / "session"):
        yield from json_files(folder)
    for project in entries(data / "project"):
        yield from json_files(project / "storage" / "session" / "info")


_DATABASE = re.compile(r"opencode(-[\w.-]+)?\.db")
