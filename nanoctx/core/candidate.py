"""One thing a session said that may be worth a line."""

from __future__ import annotations

import msgspec

from nanoctx.model import Event

WIDTH = 232  # of an item's 240 characters


class Candidate(msgspec.Struct, frozen=True, gc=False):
    kind: str  # an item kind
    sort: str  # what it is for the ranking: commit, outline, asked, …
    text: str
    pos: int
    turn: int  # index in the story
    by: str
    who: str  # evidence: whose words
    quote: str
    at: float | None
    grade: str = "claimed"
    scope: str = ""
    weight: float = 1.0


def made(
    event: Event,
    index: int,
    kind: str,
    sort: str,
    text: str,
    weight: float,
    *,
    by: str = "agent",
    grade: str = "claimed",
    quote: str = "",
) -> Candidate:
    who = by if by in ("user", "agent") else "tool"
    said = quote or event.text[:400]
    # fmt: off
    return Candidate(
        kind, sort, text, event.pos, index, by, who, said, event.at, grade, weight=weight,
    )
    # fmt: on
