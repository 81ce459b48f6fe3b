"""Collects the events of one read of a log, and what is told of a session beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nanoctx.model import Event, Step


@dataclass(frozen=True, slots=True)
class At:
    """The place of a record in its log, when it was written, and its own name."""

    pos: int
    time: float | None = None
    uid: str = ""
    parent: str = ""


class Telling:
    """`add` events in the order of the log, then `finish`."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._events: list[Event] = []
        self._facts: dict[str, str] = {}
        self._usage: Event | None = None
        self._first: tuple[float, int] | None = None
        self._last: tuple[float, int] | None = None

    def time(self, pos: int, time: float | None) -> None:
        """A session lasts as long as its records do, also those that say nothing else."""
        if time is not None:
            self._first = min(self._first or (time, pos), (time, pos))
            self._last = max(self._last or (time, pos), (time, pos))

    def add(
        self,
        kind: str,
        at: At,
        *,
        text: str = "",
        name: str = "",
        call: str = "",
        ok: bool | None = None,
        command: str = "",
        path: str = "",
        steps: tuple[Step, ...] = (),
        facts: Mapping[str, str] | None = None,
    ) -> None:
        # fmt: off
        self._events.append(Event(
            kind, at.pos, self._session, at.time, text, name, call, ok, command, path, at.uid, at.parent,
            steps=steps, facts=facts or {},
        ))
        # fmt: on

    def about(self, at: At, **facts: object) -> None:
        """Facts as the log holds them; what is no text or not new is left out."""
        new = {
            key: value
            for key, value in facts.items()
            if isinstance(value, str) and value and self._facts.get(key) != value
        }
        if new:
            self._facts.update(new)
            self._events.append(Event("about", at.pos, self._session, at.time, facts=new))

    def use(self, at: At, used: int, window: int = 0) -> None:
        """How full the context is. Only the last one counts, but a later one may not know the window."""
        if not window and self._usage is not None and self._usage.window:
            self._tell_use()
        self._usage = Event("usage", at.pos, self._session, at.time, used=used, window=window)

    def compact(self, at: At, how: str, before: int, after: int, window: int, summary: str) -> None:
        self._tell_use()
        if before or window:
            self.use(at, before, window)
            self._tell_use()
        self.add("compact", at, name=how)
        self.use(at, after, window)
        self._tell_use()
        if summary:
            said = At(at.pos, at.time, at.uid, at.uid)
            self.add("compact", said, name="summary", text=summary)

    def finish(self) -> tuple[Event, ...]:
        self._tell_use()
        known = [event.at for event in self._events if event.at is not None]
        if self._first is not None and (not known or self._first[0] < min(known)):
            self._events.append(Event("about", self._first[1], self._session, self._first[0]))
        if self._last is not None and (not known or self._last[0] > max(known)):
            self._events.append(Event("about", self._last[1], self._session, self._last[0]))
        return tuple(self._events)

    def _tell_use(self) -> None:
        if self._usage is not None:
            self._events.append(self._usage)
            self._usage = None
