"""What the process itself takes: memory, processor, descriptors, threads."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import threading
from pathlib import Path


def taken() -> dict[str, float | int]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "pid": os.getpid(),
        "rss_mb": round(_resident(usage.ru_maxrss), 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "threads": threading.active_count(),
        "descriptors": _descriptors(),
    }


def _resident(largest: int) -> float:
    """Megabytes in memory now; where the system does not say so, the most there ever were."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/statm", "rb") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return largest / (2**20 if sys.platform == "darwin" else 2**10)


def _descriptors() -> int:
    with contextlib.suppress(OSError):
        return len(list(Path("/dev/fd").iterdir()))
    return 0
