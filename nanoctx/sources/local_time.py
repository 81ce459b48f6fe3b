"""Times that agents write without a zone: they mean the clock of this machine."""

from __future__ import annotations

from datetime import datetime


def local_epoch(timestamp: object) -> float | None:
    """Seconds since the epoch of an ISO time, local unless it says otherwise."""
    try:
        return datetime.fromisoformat(timestamp).timestamp() if isinstance(timestamp, str) else None
    except (ValueError, OverflowError, OSError):
        return None
