"""A few threads that do work piece by piece: one piece for a key at a time, and none stops another."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple

THREADS = 3
Key = tuple[str, str]  # kind of work, and what it is about


class Done(NamedTuple):
    key: Key
    result: Any
    error: BaseException | None
    told: str  # the traceback, if there is an error
    took: float


class Crew:
    """`finished` is called in the thread that did the work."""

    def __init__(self, finished: Callable[[Done], None], elapsed: Callable[[], float]) -> None:
        self._finished, self._elapsed = finished, elapsed
        self._todo: SimpleQueue[tuple[Key, Callable[[], Any]] | None] = SimpleQueue()
        self.busy: set[Key] = set()
        self._threads = [
            threading.Thread(target=self._work, name=f"crew-{number}", daemon=True)
            for number in range(THREADS)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def give(self, key: Key, work: Callable[[], Any]) -> bool:
        """Have a piece of work done, unless one for this key is under way."""
        if key in self.busy:
            return False
        self.busy.add(key)
        self._todo.put((key, work))
        return True

    def stop(self, wait: float) -> bool:
        """Let what is under way come to its end; whether all did in time."""
        deadline = self._elapsed() + wait
        for _ in self._threads:
            self._todo.put(None)
        for thread in self._threads:
            thread.join(max(0.0, deadline - self._elapsed()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while (piece := self._todo.get()) is not None:
            key, work = piece
            begun = self._elapsed()
            result, failed, told = None, None, ""
            try:
                result = work()
            except Exception as error:
                failed, told = error, traceback.format_exc()
            self.busy.discard(key)
            self._finished(Done(key, result, failed, told, self._elapsed() - begun))
