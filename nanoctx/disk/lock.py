"""One nanoctx at a time: a lock file of its own, which the system releases when its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from nanoctx import clock
from nanoctx.disk import files
from nanoctx.disk.refusals import refusals
from nanoctx.errors import Busy

_PAUSE = 0.01

# A process that was forked while we hold a lock shares it, and would keep it after our death.
_held: set[int] = set()


@contextlib.contextmanager
def hold(path: Path, *, wait: float, purpose: str) -> Iterator[None]:
    """Hold the lock file at `path`, or raise Busy if another process still has it after `wait` seconds."""
    descriptor = _acquire(path, clock.elapsed() + wait)
    owner = os.getpid()
    try:
        _held.add(descriptor)
        files.note(descriptor, f"{owner} {purpose}\n")
        yield
    finally:
        if os.getpid() == owner:
            _held.discard(descriptor)
            files.note(descriptor, "")
            os.close(descriptor)


def _acquire(path: Path, deadline: float) -> int:
    while True:
        descriptor = _open(path)
        try:
            if _try_lock(descriptor, path):
                if _stands_at(descriptor, path):
                    return descriptor
                # It was deleted while we waited, so somebody may hold a new one.
            elif clock.elapsed() >= deadline:
                raise Busy(_who_holds(descriptor, path))
            else:
                time.sleep(_PAUSE)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _open(path: Path) -> int:
    # The state folder may be deleted at any moment, and comes back; a workspace that is gone does not.
    if not path.parent.is_dir() and path.parent.parent.is_dir():
        files.make_folder(path.parent)
    return files.open_lock(path)


def _try_lock(descriptor: int, path: Path) -> bool:
    with refusals(path, "locked"):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _stands_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


def _who_holds(descriptor: int, path: Path) -> str:
    pid, _, purpose = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip().partition(" ")
    who = f"Process {pid} ({purpose})" if pid.isdigit() else "Another nanoctx"
    return f"{who} holds {path}: try again when it is done, or end it."


def _let_go_in_child() -> None:
    for descriptor in _held:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go_in_child)
