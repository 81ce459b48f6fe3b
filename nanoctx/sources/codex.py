"""Codex CLI's rollouts: where they are and what they say."""

from __future__ import annotations

import contextlib
import io
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from msgspec import Struct
from msgspec.json import Decoder

from nanoctx.errors import LogUnreadable, UsageError
from nanoctx.model import Batch, Cursor
from nanoctx.sources.codex_past import lines_before
from nanoctx.sources.codex_records import folder_in, is_sub_agent, line_of, texts_of, value_of
from nanoctx.sources.folders import unwaiting
from nanoctx.sources.lines import LONGEST_LINE, LogLines, elided

if TYPE_CHECKING:
    from nanoctx.sources.codex_events import Events

NAME = "codex"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """Sessions of people and programs; sub-agents and reviews have rollouts of their own and are left out.

    Names tell only the day, so the head of each log must say where it began.
    """
    given = env.get("CODEX_HOME", "").strip()
    root = home / (given.removeprefix("~/") or ".codex")
    wanted = None if projects is None else [_normal(os.path.realpath(project)) for project in projects]
    for log in _rollouts(root):
        head = _head(log)
        if not head.sub_agent and (wanted is None or _is_below(head.cwd, wanted)):
            yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    from nanoctx.sources.codex_events import Events

    events = Events(_session(log))
    if log.suffix == ".zst":
        return _read_compressed(log, cursor, until_line, events)
    with LogLines(log, cursor, until_line) as lines:
        knows_past = not cursor.offset or lines.restarted
        for pos, line in lines:
            if not knows_past:  # not before there is a new line that may refer to it
                for known in lines_before(log, cursor):
                    events.remember(*known)
                knows_past = True
            events.take(pos, line, lines.start)
        return Batch(
            events=events.finish(lambda: _title(log)),
            cursor=lines.cursor,
            skipped=events.skipped + lines.skipped,
            restarted=lines.restarted,
            at_end=lines.at_end,
        )


def _read_compressed(log: Path, cursor: Cursor, until_line: int | None, events: Events) -> Batch:
    """A rollout is compressed when it is cold: it is read at once, and again only if it was replaced."""
    if until_line is not None and until_line < 1:
        raise UsageError("The line to read up to must be 1 or more.")
    pos = begin = skipped = 0
    try:
        with open(log, "rb", opener=unwaiting) as file:
            known = os.fstat(file.fileno())
            mark = blake2b(file.read(_FINGERPRINT), digest_size=8).hexdigest()
        same = (known.st_dev, known.st_ino, known.st_size, mark)
        if until_line is None and same == (cursor.device, cursor.inode, cursor.offset, cursor.head):
            return Batch((), cursor)
        for line, size in islice(_decompressed(log), until_line):
            pos += 1
            if line is None:
                skipped += 1
            else:
                events.take(pos, line, begin)
            begin += size
    except OSError as error:
        raise LogUnreadable(f"Cannot read {log}: {error.strerror or error}; check the path.") from error
    if until_line is not None and pos < until_line:
        raise UsageError(f"{log} has only {pos} complete lines; name one of them.")
    return Batch(
        events=events.finish(lambda: _title(log)),
        cursor=Cursor(known.st_dev, known.st_ino, known.st_size, pos, mark),
        skipped=events.skipped + skipped,
        restarted=cursor.offset > 0,
        at_end=until_line is None,
    )


def _decompressed(log: Path) -> Iterator[tuple[bytes | None, int]]:
    """Lines and their sizes, in bounded memory: of a line too long, its long strings are cut."""
    with _opened(log) as file:
        while line := file.readline(LONGEST_LINE):
            if line.endswith(b"\n") or len(line) < LONGEST_LINE:
                yield line, len(line)
                continue
            size = len(line)

            def blocks(first: bytes = line) -> Iterator[bytes]:
                nonlocal size
                yield first
                while not first.endswith(b"\n") and (first := file.readline(_BLOCK)):
                    size += len(first)
                    yield first

            rest = blocks()
            whole = elided(rest)
            for _ in rest:
                pass
            yield whole, size


@contextlib.contextmanager
def _opened(log: Path) -> Iterator[BinaryIO]:
    """The log as it was before it was compressed, if it was."""
    with open(log, "rb", opener=unwaiting) as file:
        if log.suffix != ".zst":
            yield file
            return
        import zstandard  # most homes have no such log

        try:
            with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as plain:
                yield io.BufferedReader(plain)
        except zstandard.ZstdError as error:
            raise OSError(f"it is no whole archive ({error})") from error


class _Head(NamedTuple):
    """What the first lines of a log say of its session."""

    session: str = ""
    cwd: str = ""
    sub_agent: bool = False


def _head(log: Path) -> _Head:
    """The first `session_meta` is the session's own; logs without envelopes tell the folder in a message."""
    session = ""
    try:
        with _opened(log) as file:
            for line in islice(iter(lambda: file.readline(LONGEST_LINE), b""), _HEAD_LINES):
                read = line_of(line)
                if read is None:
                    continue
                body = read.body
                if read.kind == "session_meta":
                    session = session or body.id or ""
                    if not read.bare:
                        return _Head(session, body.cwd or "", is_sub_agent(body))
                elif read.bare and (folder := folder_in(texts_of(body.content))):
                    return _Head(session, folder)
    except OSError:
        pass  # whoever reads the log will say so
    return _Head(session)


def _session(log: Path) -> str:
    """The name of the log ends in it; a log under another name says it inside."""
    name = log.name.removesuffix(".zst").removesuffix(".jsonl")
    named = _ROLLOUT.fullmatch(name)
    return named[1] if named else _head(log).session or name


def _title(log: Path) -> str:
    """The name somebody gave the session; it stands in an index beside the logs, the last one counts."""
    home = next((folder.parent for folder in log.parents if folder.name in _FOLDERS), None)
    if home is None:
        return ""
    mark = f'"{_session(log)}"'.encode()
    try:
        with open(home / "session_index.jsonl", "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _INDEX_BYTES))
            lines = [line for line in file.read().splitlines() if mark in line]
    except OSError:
        return ""
    named = value_of(lines[-1], _INDEXED) if lines else None
    return (named.thread_name if named else None) or ""


def _rollouts(root: Path) -> Iterator[Path]:
    folders = [
        folder
        for year in _entries(root / "sessions")
        for month in _entries(year)
        for folder in _entries(month)
    ]
    for folder in (*folders, root / "archived_sessions"):
        logs = [log for log in _entries(folder) if log.name.startswith("rollout-")]
        names = {log.name for log in logs}
        for log in logs:
            compressed = log.name.endswith(".jsonl.zst") and log.name.removesuffix(".zst") not in names
            if log.suffix == ".jsonl" or compressed:
                yield log


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _is_below(cwd: str, projects: Sequence[str]) -> bool:
    if not cwd:
        return False
    return any(
        path == project or path.startswith(project.rstrip("/") + "/")
        for project in projects
        for path in (_normal(cwd), _normal(os.path.realpath(cwd)))
    )


def _normal(path: str) -> str:
    return unicodedata.normalize("NFC", path)


class _Indexed(Struct, gc=False):
    thread_name: str | None = None


_INDEXED = Decoder(_Indexed)
_FOLDERS = ("sessions", "archived_sessions")
_ROLLOUT = re.compile(r"rollout-.*?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_HEAD_LINES = 12
_FINGERPRINT = 4096
_INDEX_BYTES = 1 << 20
_BLOCK = 1 << 18
