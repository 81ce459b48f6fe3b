"""A line of Now with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from nanoctx.core import prose
from nanoctx.model import Event


@dataclass(frozen=True, slots=True)
class Named:
    """Its text, and the position and words in the log that gave it."""

    text: str
    pos: int
    at: float | None
    who: str
    quote: str


def by(who: str, event: Event, text: str, limit: int, quote: str) -> Named:
    return Named(prose.cut(text, limit), event.pos, event.at, who, quote)
