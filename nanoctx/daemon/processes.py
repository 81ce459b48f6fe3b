"""Whether the program a session runs in is still there: a terminal that is closed writes no farewell."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

PROC = Path("/proc")
# How the programs call themselves; a script counts by its name behind the interpreter's.
PROGRAMS = {
    "claude-code": ("claude",),
    "codex": ("codex",),
    "gemini": ("gemini",),
    "qwen": ("qwen",),
    "opencode": ("opencode",),
    "copilot": ("copilot",),
    "pi": ("pi",),
    "aider": ("aider",),
    "nanobot": ("nanobot",),
    "openclaw": ("openclaw",),
}
_WORDS = 3  # of a command line in which the name may stand

# Number and start of a process: numbers are given out again.
Process = tuple[int, str]


def at_work(agent: str, cwd: str) -> frozenset[Process]:
    """The processes of an agent in a folder. None where the system does not tell: only time does, there."""
    names = PROGRAMS.get(agent, ())
    found: set[Process] = set()
    if not names or not cwd:
        return frozenset()
    with contextlib.suppress(OSError):
        for entry in PROC.iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if str((entry / "cwd").readlink()) == cwd and _is_called(entry, names):
                        found.add((int(entry.name), _start(entry)))
    return frozenset(found)


def lives(process: Process) -> bool:
    try:
        return _start(PROC / str(process[0])) == process[1]
    except OSError:
        return False


def _is_called(entry: Path, names: tuple[str, ...]) -> bool:
    words = (entry / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")[:_WORDS]
    said = {os.path.basename(word).removesuffix(".js") for word in words if not word.startswith("-")}  # noqa: PTH119
    return bool(said & set(names))


def _start(entry: Path) -> str:
    """Field 22 of `stat`; the name before it may hold anything. A zombie does no more work."""
    fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
    if fields[0] == b"Z":
        raise ProcessLookupError
    return fields[19].decode()
