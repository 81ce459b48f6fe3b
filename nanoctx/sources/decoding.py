"""Reads a part of a record by its type, whatever a writer left in it."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Raw
from msgspec.json import Decoder

from nanoctx.sources.base import repaired

T = TypeVar("T")
NOTHING = Raw(b"")


def decoded(data: bytes | Raw, decoder: Decoder[T]) -> T | None:
    """What the JSON holds, mended if need be; None if it is absent or of another shape."""
    for attempt in (bytes, repaired):
        try:
            return decoder.decode(attempt(bytes(data)))
        except (ValueError, RecursionError):
            pass
    return None
