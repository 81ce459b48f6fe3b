"""How many tokens a text will cost an agent, estimated without a tokenizer."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from math import ceil

# Tokens per thing that `measure` counts, fitted by bench/calibrate_tokens.py. None is negative: the estimate
# never shrinks while a text grows, and `clip` and the budgets of core/layers lean on that.
WEIGHTS: Mapping[str, float] = {
    "spaced words": 0.953,
    "joined words": 0.827,
    "snake words": 1.726,
    "letters over 6": 0.119,
    "camel humps": 0.425,
    "capital pairs": 0.209,
    "digit groups": 1.322,
    "mark runs": 0.958,
    "further marks": 0.160,
    "line ends": 1.247,
    "accented letters": 2.719,
    "cyrillic letters": 0.318,
    "kana": 1.003,
    "han": 0.989,
    "hangul": 1.255,
    "symbols": 1.366,
    "emoji": 2.748,
}

ELLIPSIS = "…"


def count(text: str) -> int:
    """Estimated tokens, rounded up."""
    # The inner rounding keeps the noise of floating point from lifting a whole number to the next.
    return ceil(round(sum(WEIGHTS[name] * n for name, n in measure(text).items()), 6))


def clip(text: str, budget: int, cost: Callable[[str], int] = count) -> str:
    """The text if it fits, else as much of its beginning as does, cut between words and ended with `…`."""
    if cost(text) <= budget:
        return text
    if cost(ELLIPSIS) > budget:
        return ""
    end = _longest_fitting(text, lambda beginning: cost(beginning + ELLIPSIS) <= budget)
    return _before_a_word(text, end) + ELLIPSIS


def measure(text: str) -> dict[str, int]:
    """What the estimate is linear in, counted on classes of bytes: a loop over words is ten times slower."""
    raw = text.encode("utf-8", "surrogatepass")
    kinds = raw.translate(_KINDS, _CONTINUATION)  # one byte per character from here on
    cases = raw.translate(_CASES)
    words = kinds.translate(_WORDS)
    lengths = Counter(map(len, words.translate(_LETTERS).split()))
    numbers = Counter(map(len, kinds.translate(_NUMBERS).split()))
    mark_runs = len(kinds.translate(_MARKS).split())
    return {
        "spaced words": words.count(b" a") + words.startswith(b"a"),
        "joined words": words.count(b".a"),
        "snake words": words.count(b"_a"),
        "letters over 6": sum((length - 6) * n for length, n in lengths.items() if length > 6),
        "camel humps": cases.count(b"aA"),
        "capital pairs": cases.count(b"AA"),
        "digit groups": sum((length + 2) // 3 * n for length, n in numbers.items()),
        "mark runs": mark_runs,
        "further marks": kinds.count(b".") - mark_runs,
        "line ends": kinds.count(b"\n") - kinds.count(b"\n\n"),
        "accented letters": kinds.count(b"l"),
        "cyrillic letters": kinds.count(b"c"),
        "kana": kinds.count(b"k"),
        "han": kinds.count(b"h"),
        "hangul": kinds.count(b"g"),
        "symbols": kinds.count(b"s"),
        "emoji": kinds.count(b"e"),
    }


def _longest_fitting(text: str, fits: Callable[[str], bool]) -> int:
    """How many characters fit; by doubling, so that a huge text costs what is kept of it."""
    high = 64
    while high < len(text) and fits(text[:high]):
        high *= 2
    low, high = 0, min(high, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if fits(text[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def _before_a_word(text: str, end: int) -> str:
    """The text up to a word's end at or before `end`, without what should not stand before `…`."""
    kept = text[:end]
    if text[end : end + 1].strip():
        space = max(kept.rfind(" "), kept.rfind("\n"))
        if space >= 0 and end - space <= _LONGEST_WORD:
            kept = kept[:space]
        else:  # a path, Chinese: cut anywhere but inside a character that is drawn as one
            while kept and (_joins(kept[-1]) or _joins(text[len(kept)])):
                kept = kept[:-1]
    return kept.rstrip(" \t\n,;:–—-")


def _joins(character: str) -> bool:
    skin_tone = "\U0001f3fb" <= character <= "\U0001f3ff"
    return skin_tone or character in "\u200d\ufe0f" or unicodedata.combining(character) > 0


_LONGEST_WORD = 24


def _kind(byte: int) -> str:
    """The class of an ASCII character, or of all characters whose UTF-8 form begins with this byte."""
    character = chr(byte)
    if byte >= 0x80:
        return next(kind for first, kind in _BY_FIRST_BYTE if byte >= first)
    if character.isalpha():
        return "a"
    if character.isdigit():
        return "0"
    if character in "_\n":
        return character
    return " " if character.isspace() else "."


_BY_FIRST_BYTE = (
    (0xF0, "e"),  # emoji, rare signs
    (0xEE, "h"),  # full-width forms: cost what a Han character does
    (0xEA, "g"),  # Hangul
    (0xE4, "h"),  # Han
    (0xE3, "k"),  # kana
    (0xE2, "s"),  # dashes, arrows, boxes
    (0xE0, "g"),  # Devanagari, Thai: cut up as Hangul is
    (0xD0, "c"),  # Cyrillic, Hebrew, Arabic
    (0xC3, "l"),  # Latin letters with accents, Greek
    (0x80, "s"),  # signs of Latin-1
)


def _table(classes: Mapping[str, str], otherwise: str) -> bytes:
    return bytes(ord(classes.get(chr(byte), otherwise)) for byte in range(256))


_CONTINUATION = bytes(range(0x80, 0xC0))
_KINDS = bytes(ord(_kind(byte)) for byte in range(256))
_CASES = _table({chr(b): "a" if chr(b).islower() else "A" for b in range(128) if chr(b).isalpha()}, " ")
_WORDS = _table({"a": "a", "l": "a", "c": "a", " ": " ", "\n": " ", "_": "_"}, ".")
_LETTERS = _table({"a": "a"}, " ")
_NUMBERS = _table({"0": "0"}, " ")
_MARKS = _table({".": "."}, " ")
