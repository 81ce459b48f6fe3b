"""The one place that starts git: hardened, within a time limit, with bounded output, no process left."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen, TimeoutExpired

from nanoctx.core import git_safety

TIMEOUT = 5.0  # seconds; a refresh that takes longer is not worth waiting for
MOST_OUTPUT = 4 * 1024 * 1024
_MOST_TOLD = 4096
GRACE = 0.2  # how often a read looks whether the time is up


@dataclass(frozen=True, slots=True)
class Ran:
    """What a git command came to."""

    code: int
    out: bytes
    told: bytes  # on standard error
    whole: bool  # False when it was ended: out of time, or too much output

    @property
    def good(self) -> bool:
        return self.code == 0 and self.whole

    @property
    def refused(self) -> bool:
        return git_safety.is_refusal(self.code, self.told)


NO_GIT = Ran(127, b"", b"git cannot be started", True)


def run(
    top: Path,
    command: Sequence[str],
    *,
    filters: Sequence[str] = (),
    timeout: float = TIMEOUT,
    limit: int = MOST_OUTPUT,
) -> Ran:
    """Run a command of `core.git_safety` in the checkout at `top`."""
    try:
        # Imported here: it takes longer than most commands of ours that need no git.
        from git import Git
        from git.exc import GitError
    except ImportError:  # GitPython refuses to be imported where there is no git
        return NO_GIT
    wanted = git_safety.environment(os.environ, str(top), filters)
    dropped = [name for name in os.environ if name not in wanted]
    # GitPython adds to the environment and takes nothing away; `env` does.
    unset = ["env", *(word for name in dropped for word in ("-u", name))] if dropped else []
    try:
        started = Git(top).execute(
            [*unset, *command], as_process=True, env=wanted, shell=False, start_new_session=True
        )
    except (GitError, OSError):
        return NO_GIT
    process = started.proc
    if process is None:
        return NO_GIT
    started.proc = None  # from here on it is ours to end
    return _gathered(process, timeout, limit)


def _gathered(process: Popen[bytes], timeout: float, limit: int) -> Ran:
    late = threading.Event()
    timer = threading.Timer(timeout, late.set)
    timer.daemon = True
    timer.start()
    whole = False
    try:
        out, told, whole = _read(process, late, limit)
        if whole:
            process.wait(timeout)
    except TimeoutExpired:  # it closed its output and went on
        whole = False
    finally:
        timer.cancel()
        if not whole:
            _end(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    return Ran(process.wait(), out, told, whole)


def _read(process: Popen[bytes], late: threading.Event, limit: int) -> tuple[bytes, bytes, bool]:
    """What both streams give until they end, the time is up, or there is too much of it."""
    assert process.stdout is not None and process.stderr is not None
    gathered = {"out": bytearray(), "told": bytearray()}
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ, "out")
        waiting.register(process.stderr, selectors.EVENT_READ, "told")
        while waiting.get_map():
            for key, _ in waiting.select(GRACE):
                chunk = os.read(key.fd, 65536)
                if not chunk:
                    waiting.unregister(key.fileobj)
                room = (limit if key.data == "out" else _MOST_TOLD) - len(gathered[key.data])
                gathered[key.data] += chunk[: max(0, room)]
                if key.data == "out" and len(chunk) > room:
                    late.set()
            if late.is_set():
                return bytes(gathered["out"]), bytes(gathered["told"]), False
    return bytes(gathered["out"]), bytes(gathered["told"]), True


def _end(process: Popen[bytes]) -> None:
    """End the process and all that it started: it leads a group of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
