"""Where logs lie, and in which project a session began."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

LONGEST_HEAD = 256 << 10


def given(home: Path, env: Mapping[str, str], name: str) -> Path | None:
    """The folder that a variable names, if it is set."""
    value = env.get(name, "").strip()
    return home / value.removeprefix("~/") if value else None


def entries(folder: Path) -> list[Path]:
    """What is in a folder; nothing if it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def unwaiting(path: str, flags: int) -> int:
    """For `open`: a pipe that lies among the logs would keep us waiting for somebody to write into it."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def first_line(log: Path) -> bytes:
    """The line with which a log begins; empty if it cannot be read."""
    try:
        with open(log, "rb", opener=unwaiting) as file:
            return file.readline(LONGEST_HEAD)
    except OSError:
        return b""  # whoever reads the log will say so


def began_in(cwd: str, projects: Sequence[Path] | None) -> bool:
    """Is this one of the projects, or a folder below one? None means that any will do."""
    if projects is None:
        return True
    if not cwd.startswith("/") or "\0" in cwd:
        return False
    places = {_plain(cwd), _plain(os.path.realpath(cwd))}
    wanted = [_plain(os.path.realpath(project)) for project in projects]
    return any(
        place == project or place.startswith(project.rstrip("/") + "/")
        for project in wanted
        for place in places
    )


def _plain(path: str) -> str:
    return unicodedata.normalize("NFC", path)
