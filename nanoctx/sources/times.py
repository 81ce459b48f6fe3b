"""The span of time a log covers, also by records that say nothing else."""

from __future__ import annotations

from nanoctx.sources.base import epoch


class Times:
    """Collects times in any order: a resumed session carries older records behind newer ones."""

    def __init__(self) -> None:
        self._low = self._high = (b"", 0)
        self._first: tuple[float, int] | None = None
        self._last: tuple[float, int] | None = None

    def add(self, pos: int, at: float | None) -> None:
        if at is None:
            return
        if self._first is None or at < self._first[0]:
            self._first = (at, pos)
        if self._last is None or at > self._last[0]:
            self._last = (at, pos)

    def note(self, pos: int, line: bytes) -> None:
        """Times are compared as they are written; only the earliest and the latest are worth parsing."""
        if line.startswith(b'{"type":'):
            mark = line.find(_TIMESTAMP)
            if line.find(b"{", 1, mark) > 0:
                return
        else:
            mark = line.rfind(_TIMESTAMP)
        stamp = line[mark + len(_TIMESTAMP) : mark + len(_TIMESTAMP) + 24]
        if mark < 0 or not stamp.endswith(b"Z"):
            return
        if not self._low[0] or stamp < self._low[0]:
            self._low = (stamp, pos)
        if stamp > self._high[0]:
            self._high = (stamp, pos)

    def beyond(self, known: list[float]) -> list[tuple[int, float]]:
        """Places and times before the first or after the last known one."""
        for stamp, pos in (self._low, self._high):
            self.add(pos, epoch(stamp.decode("ascii", "replace")))
        found = []
        if self._first is not None and (not known or self._first[0] < min(known)):
            found.append((self._first[1], self._first[0]))
        if self._last is not None and (not known or self._last[0] > max(known)):
            found.append((self._last[1], self._last[0]))
        return found


_TIMESTAMP = b'"timestamp":"'
