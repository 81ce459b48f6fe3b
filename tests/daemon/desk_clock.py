"""The background process without a process: its keeper, in this one, on a clock that the test sets."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from apscheduler.schedulers import base

from nanoctx import clock
from nanoctx.daemon.keeper import Keeper


class Clock:
    """The real one, shifted; `datetime.now` of the scheduler goes by it as well."""

    def __init__(self, begin: datetime, patch: pytest.MonkeyPatch) -> None:
        self.shift = begin - datetime.now(UTC)
        mine = self

        class Shifted(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:
                return mine.now().astimezone(tz)

        patch.setattr(base, "datetime", Shifted)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.shift

    def jump(self, by: timedelta) -> None:
        self.shift += by


class Kept:
    """A keeper whose steps are done by whoever waits for something."""

    def __init__(self, clock_: Clock) -> None:
        self._rung = threading.Event()
        self.keeper = Keeper(dict(os.environ), now=clock_.now, elapsed=clock.elapsed, wake=self._rung.set)

    def until(self, is_so: Callable[[], object], what: str, longest: float = 20.0) -> None:
        deadline = time.monotonic() + longest
        while not is_so():
            assert time.monotonic() < deadline, f"not within {longest} s: {what}\n{self.told()}"
            self._step()

    def settle(self) -> None:
        self.until(lambda: all(self._is_calm(one) for one in self.told()["workspaces"]), "calm")

    def go_on(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._step()

    def told(self) -> dict[str, Any]:
        return self.keeper.told()

    def one(self) -> dict[str, Any]:
        (only,) = self.told()["workspaces"]
        return dict(only)

    def _step(self) -> None:
        self._rung.wait(min(0.05, self.keeper.patience()))
        self._rung.clear()
        self.keeper.step()

    @staticmethod
    def _is_calm(one: dict[str, Any]) -> bool:
        return bool(one["last_look"]) and not one["wants"] and not one["working"]


@contextmanager
def kept(clock_: Clock, *, settled: bool = True) -> Iterator[Kept]:
    held = Kept(clock_)
    held.keeper.start()
    try:
        if settled:
            held.settle()
        yield held
    finally:
        assert held.keeper.stop(5.0)
