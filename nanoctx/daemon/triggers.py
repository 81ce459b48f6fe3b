"""What the growth of a log means for the page: not each line is a reason to write it anew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nanoctx.model import Event

STEP = 0.05  # once the window is nearly full, a further part of it is a reason again
_LEAVING = ("/exit", "/quit", "/clear")


@dataclass(slots=True)
class Told:
    """What a log told so far. Changed in place: there is one for each log that grows."""

    session: str = ""
    cwd: str = ""
    last: float = 0.0  # when the latest event was, in seconds since the epoch
    used: int = 0
    window: int = 0
    prompted: bool = False
    ended: bool = False
    step: float = 0.0  # up to which share of the window the page was written for

    @property
    def share(self) -> float:
        return self.used / self.window if self.window else 0.0


def take(told: Told, events: Iterable[Event], threshold: float) -> tuple[str, ...]:
    """Note what events say; returns the reasons they give to look: started, full, compacted, ended."""
    reasons: dict[str, None] = {}
    prompted = False
    for event in events:
        told.session = event.session or told.session
        told.last = max(told.last, event.at or 0.0)
        if event.kind == "about":
            told.cwd = told.cwd or event.facts.get("cwd", "")
        elif event.kind == "usage":
            told.window = max(told.window, event.window)
            told.used = event.used or told.used
        elif event.kind == "compact":
            told.used, told.step = 0, 0.0
            reasons["compacted"] = None
        if event.kind in ("prompt", "say", "tool") and told.ended:
            told.ended = False  # resumed
            reasons["started"] = None
        if event.kind == "prompt":
            prompted = True
            if not told.prompted:
                told.prompted = True
                reasons["started"] = None
        if event.kind == "end" or (event.kind == "slash" and event.name in _LEAVING):
            told.ended = True
            reasons["ended"] = None
    if told.share >= threshold and (prompted or told.share >= told.step + STEP or told.step < threshold):
        told.step = told.share
        reasons["full"] = None
    elif told.share < threshold:
        told.step = 0.0
    return tuple(reasons)
