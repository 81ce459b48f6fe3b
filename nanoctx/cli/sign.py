"""What `nanoctx doctor` found of one thing it looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing that was looked at; `cure` says what to do if it is not well."""

    name: str
    ok: bool
    text: str
    cure: str = ""
