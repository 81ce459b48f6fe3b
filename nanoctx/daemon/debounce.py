"""What was marked, given out once it is quiet, or after a while if it never is."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

QUIET = 0.2  # seconds without a further mark
LONGEST = 2.0  # after the first mark

Key = TypeVar("Key", bound=Hashable)


class Debounce(Generic[Key]):
    """Moments are seconds on a clock that nobody sets."""

    def __init__(self) -> None:
        self._marks: dict[Key, tuple[float, float]] = {}  # first and last mark

    def __len__(self) -> int:
        return len(self._marks)

    def mark(self, key: Key, at: float) -> None:
        first, _ = self._marks.get(key, (at, at))
        self._marks[key] = (first, at)

    def due(self, at: float) -> list[tuple[Key, float]]:
        """What is ready, each with the moment of its first mark; it is not given twice."""
        ready = [(key, first) for key, (first, _) in self._marks.items() if self._moment(key) <= at]
        for key, _ in ready:
            del self._marks[key]
        return ready

    def next(self) -> float | None:
        """When something will be ready."""
        return min(map(self._moment, self._marks), default=None)

    def _moment(self, key: Key) -> float:
        first, last = self._marks[key]
        return min(last + QUIET, first + LONGEST)
