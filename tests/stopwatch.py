"""How long a host waits for a program, and how much of that is the program's own doing.

On a machine where others work too, a program waits for its turn on a processor, however quick it is, and so
does whoever holds the watch. Linux counts these waits, so they can be told apart: what is left is what the
program computed, slept and read. Where the system does not count them, all is taken for the program's own.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

BARE = (sys.executable, "-I", "-S", "-c", "pass")


class Timed(NamedTuple):
    code: int
    out: bytes
    err: bytes
    waited: float  # seconds, as the host sees them
    own: float  # the same without the time in which others had the processor
    computed: float  # seconds on a processor, with those of children it waited for


def timed(
    command: Sequence[str | Path],
    given: bytes = b"",
    env: Mapping[str, str] | None = None,
    held: bool = False,
) -> Timed:
    """Run a program that says little, with `given` on its standard input, which is `held` open or ended."""
    pipe = subprocess.PIPE
    begun, queued_before = time.monotonic(), _queued("thread-self")
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, bufsize=0) as process:
        _feed(process, given, held)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        waited = time.monotonic() - begun
        queued = _queued(str(process.pid)) + _queued("thread-self") - queued_before
        assert process.stdout is not None and process.stderr is not None
        out, err = process.stdout.read(), process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    computed = used.ru_utime + used.ru_stime
    return Timed(process.returncode, out, err, waited, max(0.0, waited - queued), computed)


def bare() -> Timed:
    """The bare start of the Python that runs the tests."""
    return timed(BARE)


def _feed(process: subprocess.Popen[bytes], given: bytes, held: bool) -> None:
    assert process.stdin is not None
    rest = memoryview(given)
    with contextlib.suppress(OSError):  # it has ended, or does not listen
        while rest:
            rest = rest[process.stdin.write(rest) :]
    if not held:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _queued(task: str) -> float:
    """Seconds that a process which runs, or ended and was not yet collected, waited for a processor."""
    try:
        return int(Path(f"/proc/{task}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
