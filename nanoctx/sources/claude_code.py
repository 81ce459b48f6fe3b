"""Claude Code's session logs: where they are and what they say."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from nanoctx.model import Batch, Cursor
from nanoctx.sources.folders import unwaiting
from nanoctx.sources.lines import LogLines

NAME = "claude-code"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """Main sessions only: the logs of sub-agents repeat what their session says.

    A folder is named after its project's path with all but letters and digits made `-`, and past 200
    characters a hash that differs between versions: a name makes a candidate, the `cwd` in the log decides.
    """
    wanted = None if projects is None else {_real(project): _slug(_real(project)) for project in projects}
    for folder in _project_folders(home, env):
        inside = None if wanted is None else [p for p, slug in wanted.items() if _may_hold(folder.name, slug)]
        if inside == []:
            continue
        for log in _entries(folder):
            if log.suffix != ".jsonl" or log.name.startswith("agent-"):
                continue
            if inside is None or _began_in(log, inside):
                yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    from nanoctx.sources.claude_events import Events

    with LogLines(log, cursor, until_line) as lines:
        events = Events(lines, _session(log))
        for pos, line in lines:
            events.take(pos, line)
        return Batch(
            events=events.finish(),
            cursor=lines.cursor,
            skipped=events.skipped + lines.skipped,
            restarted=lines.restarted,
            at_end=lines.at_end,
        )


def memories(home: Path, env: Mapping[str, str], project: Path) -> Iterator[Path]:
    """The folders in which the agent keeps notes of its own on a project."""
    slug = _slug(_real(project))
    for folder in _project_folders(home, env):
        if folder.name == slug and (folder / "memory").is_dir():
            yield folder / "memory"


def first_cwd(log: Path) -> str:
    """The folder in which the session began; empty if its first records do not say."""
    return _peek(log, "cwd")


def _session(log: Path) -> str:
    """The name of the log; a log that was copied under another name says inside what session it is."""
    return log.stem if _UUID.fullmatch(log.stem) else _peek(log, "sessionId") or log.stem


def _peek(log: Path, key: str) -> str:
    mark = f'"{key}":'.encode()
    try:
        with open(log, "rb", opener=unwaiting) as file:
            left = _PEEK_BYTES
            while line := file.readline(left):
                left -= len(line)
                if mark in line and (value := getattr(_header(line), key)):
                    return str(value)
    except OSError:
        pass  # whoever reads the log will say so
    return ""


def _header(line: bytes) -> _Header:
    try:
        return _HEADER.decode(line)
    except (ValueError, RecursionError):
        return _Header()


def _project_folders(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    given = env.get("CLAUDE_CONFIG_DIR", "").strip()
    roots = [home / ".claude", home / ".config" / "claude"]
    if given:
        names = [given] if Path(given).is_dir() else given.split(",")
        roots = [home / name.strip().removeprefix("~/") for name in names if name.strip()]
    for root in dict.fromkeys(roots):
        for folder in _entries(root / "projects"):
            if folder.is_dir():
                yield folder


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _real(project: Path) -> str:
    return unicodedata.normalize("NFC", os.path.realpath(project))


def _slug(path: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "-", path)[:_LONGEST_SLUG]


def _may_hold(folder: str, slug: str) -> bool:
    return folder == slug or folder.startswith(slug if slug.endswith("-") else slug + "-")


def _began_in(log: Path, projects: Sequence[str]) -> bool:
    cwd = unicodedata.normalize("NFC", first_cwd(log))
    if not cwd:
        return any(_slug(project) == log.parent.name for project in projects)
    return any(
        path == project or path.startswith(project.rstrip("/") + "/")
        for project in projects
        for path in (cwd, os.path.realpath(cwd))
    )


class _Header(Struct, gc=False):
    cwd: str | None = None
    sessionId: str | None = None


_HEADER = Decoder(_Header)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LONGEST_SLUG = 200
_PEEK_BYTES = 256 << 10
