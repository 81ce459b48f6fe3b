"""What words mean, roughly: static vectors of the extra `[semantic]`, read without its own machinery.

The weights are those of the package wordllama, whose own loader asks the network. A word is taken into the
pieces of the model's vocabulary as its tokenizer would, a text is the sum of its words, each taken once, and
128 small numbers of it are kept. All in plain Python: importing numpy takes longer than a search.
"""

from __future__ import annotations

import importlib.util
import math
import mmap
import struct
from array import array
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from operator import add, mul
from pathlib import Path
from typing import NamedTuple

import msgspec

from nanoctx.recall import words

PACKAGE = "wordllama"
SIZE = 128  # of the 256 numbers that a word has: the first ones say most
WEIGHTS, TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
_ROW = 256
_SCALE = 300.0  # of a number between -1 and 1 to the byte it is kept in; few lie beyond 127
_MOST_WORDS = 250  # of one text
_SPACE = "▁"


class _Model(msgspec.Struct):
    vocab: dict[str, int]


class _Tokenizer(msgspec.Struct):
    model: _Model


class _Tensor(msgspec.Struct):
    dtype: str
    shape: tuple[int, int]
    data_offsets: tuple[int, int]


class _Loaded(NamedTuple):
    vocabulary: dict[str, int]
    data: mmap.mmap
    start: int


@cache
def folder() -> Path | None:
    """Where the weights are installed, if they are."""
    try:
        found = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None
    for place in (found.submodule_search_locations or ()) if found else ():
        if (Path(place) / WEIGHTS).is_file() and (Path(place) / TOKENIZER).is_file():
            return Path(place)
    return None


def name() -> str:
    """What tells an index with vectors from one without; "" without the extra."""
    return f"{PACKAGE}-{SIZE}-once" if folder() else ""


def vector(text: str) -> tuple[float, ...] | None:
    """A text's direction; None if it has no words or there are no weights."""
    loaded = _load()
    said = dict.fromkeys(islice(words.pieces(text), _MOST_WORDS)) if loaded else {}
    if not said:
        return None
    total = list(map(sum, zip(*map(_word, said), strict=True)))
    length = math.sqrt(sum(map(mul, total, total)))
    return tuple(one / length for one in total) if length else None


def packed(text: str) -> bytes | None:
    """A text's direction in `SIZE` bytes."""
    found = vector(text)
    if found is None:
        return None
    kept = [int(one * _SCALE) for one in found]
    if max(kept) > 127 or min(kept) < -127:
        kept = [max(-127, min(127, one)) for one in kept]
    return array("b", kept).tobytes()


def likeness(one: Sequence[float], other: bytes) -> float:
    """The cosine of a direction and a kept one."""
    kept = memoryview(other).cast("b")
    return float(sum(map(mul, one, kept))) / _SCALE


@cache
def _load() -> _Loaded | None:
    place = folder()
    if not place:
        return None
    vocabulary = msgspec.json.decode((place / TOKENIZER).read_bytes(), type=_Tokenizer).model.vocab
    with (place / WEIGHTS).open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    (length,) = struct.unpack_from("<Q", data)
    (tensor,) = msgspec.json.decode(data[8 : 8 + length].strip(), type=dict[str, _Tensor]).values()
    if tensor.dtype != "F16" or tensor.shape[1] != _ROW:
        return None
    return _Loaded(vocabulary, data, 8 + length + tensor.data_offsets[0])


@lru_cache(maxsize=32768)
def _word(word: str) -> tuple[float, ...]:
    loaded = _load()
    assert loaded
    total = (0.0,) * SIZE
    for number in _numbers(word, loaded.vocabulary):
        row = struct.unpack_from(f"<{SIZE}e", loaded.data, loaded.start + number * _ROW * 2)
        total = tuple(map(add, total, row))
    return total


def _numbers(word: str, vocabulary: dict[str, int]) -> list[int]:
    """The pieces of a word: neighbours are joined, the commonest first, as long as that makes a piece."""
    parts = list(_SPACE + word[:32])
    while len(parts) > 1:
        best = min(
            ((vocabulary[one + two], at) for at, (one, two) in enumerate(pairwise(parts))
             if one + two in vocabulary), default=None,
        )  # fmt: skip
        if best is None:
            break
        at = best[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    numbers: list[int] = []
    for part in parts:
        if part in vocabulary:
            numbers.append(vocabulary[part])
        else:
            numbers += (
                vocabulary[sign] for byte in part.encode() if (sign := f"<0x{byte:02X}>") in vocabulary
            )
    return numbers
