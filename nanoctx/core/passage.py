"""
Where a passage stands in a text, whatever its case, its blanks and its punctuation.

It is found by its words (`Words`), or, when nobody may know them any more, by hashes (`Hashes`).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from typing import NamedTuple, Protocol
from zlib import crc32

LEAST = 4  # bytes of a passage's plain words; fewer would stand everywhere
BEGINNING = 16  # characters of a passage that tell it where the text was cut off
_ANCHOR = 8  # characters at the start of a passage that are looked for first
_CUT = 150  # a text this long may have been cut without showing it

_WORD = re.compile(r"[\w\u0300-\u036f]+")


class Span(NamedTuple):
    start: int
    end: int


class Finder(Protocol):
    """Finds passages in a text."""

    def spans(self, text: str) -> list[Span]:
        """Where they stand, in order and without overlap."""
        ...


class Imprint(NamedTuple):
    """What tells a passage without holding it: a salted hash, its length, and what narrows the search."""

    salt: str
    digest: str
    size: int  # characters of its plain words
    head: str  # 16 bits of its first characters


@dataclass(frozen=True, slots=True)
class Plain:
    """The words of a text, one blank between them, and where each of them stood."""

    text: str
    starts: Sequence[int]
    words: Sequence[tuple[int, int, bool]]  # start, end, whether each character stands for itself

    def span(self, start: int, end: int) -> Span:
        return Span(self._place(start, first=True), self._place(end - 1, first=False))

    def _place(self, at: int, *, first: bool) -> int:
        number = bisect_right(self.starts, at) - 1
        start, end, one_to_one = self.words[number]
        if not one_to_one:
            return start if first else end
        return min(end, start + at - self.starts[number] + (not first))


def plain(text: str) -> str:
    """The words of a text, by which it is the same text."""
    return " ".join(_folded(match[0]) for match in _WORD.finditer(text))


def is_long_enough(text: str) -> bool:
    return len(plain(text).encode("utf-8", "replace")) >= LEAST


def imprint(text: str, salt: str) -> Imprint:
    words = plain(text)
    return Imprint(salt, _digest(salt, words), len(words), _head(words[:_ANCHOR]))


class Words:
    """Finds passages whose words are known, also where a text was cut in the middle of one."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._wanted = sorted({plain(text) for text in texts if is_long_enough(text)}, key=len, reverse=True)
        self._rarest = [max(words.split(), key=len) for words in self._wanted]

    def spans(self, text: str) -> list[Span]:
        return _without_overlap(self._found(text)) if self._wanted else []

    def _found(self, text: str) -> Iterator[Span]:
        folded = _folded(text)
        cut = text.rstrip().endswith("…") or len(text) >= _CUT
        likely = [
            words
            for words, rarest in zip(self._wanted, self._rarest, strict=True)
            if rarest in folded or (cut and len(words) > BEGINNING)
        ]
        if not likely:
            return
        whole = _plain(text)
        for words in likely:
            at = whole.text.find(words)
            while at >= 0:
                yield whole.span(at, at + len(words))
                at = whole.text.find(words, at + 1)
            if cut and (beginning := _cut_off(whole.text, words)):
                yield Span(whole.span(len(whole.text) - beginning, len(whole.text)).start, len(text))


class Hashes:
    """Finds passages of which only imprints are left."""

    def __init__(self, imprints: Iterable[Imprint]) -> None:
        self._wanted: dict[int, dict[str, list[Imprint]]] = {}
        for one in imprints:
            by_head = self._wanted.setdefault(min(one.size, _ANCHOR), {})
            by_head.setdefault(one.head, []).append(one)

    def spans(self, text: str) -> list[Span]:
        return _without_overlap(self._found(text)) if self._wanted else []

    def _found(self, text: str) -> Iterator[Span]:
        whole = _plain(text)
        for width, by_head in self._wanted.items():
            for at in range(len(whole.text) - width + 1):
                for one in by_head.get(_head(whole.text[at : at + width]), ()):
                    words = whole.text[at : at + one.size]
                    if len(words) == one.size and _digest(one.salt, words) == one.digest:
                        yield whole.span(at, at + one.size)


def _plain(text: str) -> Plain:
    places = [match.span() for match in _WORD.finditer(text)]
    folded = [_folded(text[start:end]) for start, end in places]
    starts = list(accumulate((len(word) + 1 for word in folded), initial=0))[: len(folded)]
    words = [
        (start, end, len(word) == end - start) for (start, end), word in zip(places, folded, strict=True)
    ]
    return Plain(" ".join(folded), starts, words)


def _folded(text: str) -> str:
    text = text.casefold()
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _cut_off(text: str, words: str) -> int:
    """How many characters of a passage's beginning a text ends with; 0 if too few to tell."""
    for size in range(min(len(words) - 1, len(text)), BEGINNING - 1, -1):
        if text.endswith(words[:size]) and (size == len(text) or text[-size - 1] == " "):
            return size
    return 0


def _head(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')) & 0xFFFF:04x}"


def _digest(salt: str, words: str) -> str:
    return sha256(f"{salt}\0passage\0{words}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _without_overlap(found: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(found):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return merged
