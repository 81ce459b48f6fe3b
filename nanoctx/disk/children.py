"""A program that was started, seen to its end: within a time limit, with bounded output, no process left.

And the one that is started to outlive us.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired

MOST_TOLD = 4096
GRACE = 0.2  # how often a read looks whether the time is up
_PIECE = 65536

_alive: set[Popen[bytes]] = set()
_turn = threading.Lock()  # held while one is started, so that none is missed when all are ended
_over = threading.Event()


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program came to."""

    code: int
    out: bytes
    told: bytes  # on standard error
    whole: bool  # False when it was ended: out of time, or too much output

    @property
    def good(self) -> bool:
        return self.code == 0 and self.whole


def run(
    command: Sequence[str], *, given: bytes, env: Mapping[str, str], cwd: Path, timeout: float, limit: int
) -> Ran:
    """Start a program with `given` on its standard input; raises OSError if it cannot be started."""
    process = started(
        lambda: Popen(
            command, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0, env=env, cwd=cwd, start_new_session=True
        )
    )
    try:
        return gathered(process, timeout, limit, given)
    finally:
        _end(process)  # it may have left something running behind it


def started(start: Callable[[], Popen[bytes]]) -> Popen[bytes]:
    """Start a process that leads a group of its own; raises OSError once all were ended."""
    with _turn:
        if _over.is_set():
            raise ChildProcessError("this process is about to go, and starts no other")
        process = start()
        _alive.add(process)
    return process


def gathered(process: Popen[bytes], timeout: float, limit: int, given: bytes = b"") -> Ran:
    """What one that was `started` says until it ends, is out of time or says too much."""
    late = threading.Event()
    timer = threading.Timer(timeout, late.set)
    timer.daemon = True
    timer.start()
    whole = False
    try:
        out, told, whole = _talk(process, late, limit, given)
        whole = whole and _has_ended(process, late)
    finally:
        timer.cancel()
        _alive.discard(process)
        if not whole:
            _end(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
    return Ran(process.wait(), out, told, whole)


def end_all() -> None:
    """End whatever is still at work for us, and let nothing be started: we are about to go."""
    _over.set()
    with _turn:
        for process in tuple(_alive):
            _end(process)


def detached(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Start a program that outlives us, in a session of its own and with no stream of ours; its pid."""
    return Popen(
        command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, env=env, cwd="/", start_new_session=True
    ).pid


def _talk(
    process: Popen[bytes], late: threading.Event, limit: int, given: bytes
) -> tuple[bytes, bytes, bool]:
    """What both streams give until they end, the time is up, or there is too much of it."""
    assert process.stdout is not None and process.stderr is not None
    gathered = {"out": bytearray(), "told": bytearray()}
    rest = memoryview(given)
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ, "out")
        waiting.register(process.stderr, selectors.EVENT_READ, "told")
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            waiting.register(process.stdin, selectors.EVENT_WRITE, "given")
        while _is_heard(waiting):
            for key, _ in waiting.select(GRACE):
                if key.data == "given":
                    rest = _give(process, rest)
                    if not rest:
                        waiting.unregister(key.fileobj)
                        _close_input(process)
                    continue
                chunk = os.read(key.fd, _PIECE)
                if not chunk:
                    waiting.unregister(key.fileobj)
                room = (limit if key.data == "out" else MOST_TOLD) - len(gathered[key.data])
                gathered[key.data] += chunk[: max(0, room)]
                if key.data == "out" and len(chunk) > room:
                    late.set()
            if late.is_set():
                return bytes(gathered["out"]), bytes(gathered["told"]), False
    return bytes(gathered["out"]), bytes(gathered["told"]), True


def _is_heard(waiting: selectors.BaseSelector) -> bool:
    """Whether it may still say something; what it does not want to be given does not matter."""
    return any(key.data != "given" for key in waiting.get_map().values())


def _give(process: Popen[bytes], rest: memoryview) -> memoryview:
    """Hand over what fits into the pipe; give back what is left, nothing if nobody reads it."""
    assert process.stdin is not None
    try:
        return rest[process.stdin.write(rest[:_PIECE]) or 0 :]
    except BrokenPipeError:
        return rest[:0]


def _close_input(process: Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()


def _has_ended(process: Popen[bytes], late: threading.Event) -> bool:
    """Wait for the end of one that closed its output: it may go on for all that."""
    while not late.is_set():
        with contextlib.suppress(TimeoutExpired):
            process.wait(GRACE)
            return True
    return False


def _end(process: Popen[bytes]) -> None:
    """End the process and all that it started: it leads a group of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
