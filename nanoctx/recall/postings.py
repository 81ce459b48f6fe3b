"""Which items a term stands in, packed: each item's number and, in one code, how often and how long."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

BUCKET_BITS = 16  # items whose numbers differ in the lowest 16 bits share a row
BUCKET = 1 << BUCKET_BITS
LONGEST = 1023  # terms of an item that are told apart
MOST_TIMES = 63

# BM25: how soon a word said again stops counting, and how much a long text is held against its words.
K1, B = 1.5, 0.8


class Packed(NamedTuple):
    """The items of one term in one bucket, by number."""

    places: array[int]  # numbers within the bucket
    codes: array[int]


def code(times: int, length: int) -> int:
    return min(times, MOST_TIMES) << 10 | min(length, LONGEST)


def unpack(data: bytes) -> Packed:
    """Raise ValueError for what `pack` never makes."""
    half, rest = divmod(len(data), 4)
    if rest:
        raise ValueError("half a place")
    places, codes = array("H"), array("H")
    places.frombytes(data[: 2 * half])
    codes.frombytes(data[2 * half :])
    return Packed(places, codes)


def pack(packed: Packed) -> bytes:
    return packed.places.tobytes() + packed.codes.tobytes()


def without(packed: Packed, gone: Collection[int]) -> Packed:
    kept = [pair for pair in zip(*packed, strict=True) if pair[0] not in gone]
    return Packed(array("H", (place for place, _ in kept)), array("H", (one for _, one in kept)))


def joined(packed: Packed, more: Sequence[tuple[int, int]]) -> Packed:
    """With more items, whose numbers are all higher."""
    places, codes = array("H", packed.places), array("H", packed.codes)
    places.extend(place for place, _ in more)
    codes.extend(one for _, one in more)
    return Packed(places, codes)


@lru_cache(maxsize=16384)
def weight(code: int, average: float) -> float:
    """What a term adds to an item's score, for each unit of how rare the term is."""
    times, length = code >> 10, code & LONGEST
    return times * (K1 + 1) / (times + K1 * (1 - B + B * length / average))
