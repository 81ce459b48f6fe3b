"""The words of a text as recall compares them: stemmed, names taken apart and kept whole, CJK by pairs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

import Stemmer

from nanoctx.recall.irregular import BASIC

VERSION = f"2-{Stemmer.version()}"  # other words ask for another index
LONGEST = 64  # characters of a word; what is longer is cut, and found by its beginning
MOST_PARTS = 24  # of one name

# Words that a question is made of and that say nothing of what is asked for. In a text they count like any.
STOP = frozenset(
    """
    a about above after again against all also am an and any are aren arent as at be because been before
    being below between both but by can cannot cant could couldn couldnt d did didn didnt do does doesn
    doesnt doing don dont down during each few for from further had hadn has hasn have haven having he
    her here hers herself him himself his how i if im in into is isn isnt it its itself ive just let ll
    m may me might more most must mustn my myself no nor not now o of off on once only or other ought
    our ours ourselves out over own re s same shall shan she should shouldn so some such t than that
    thats the their theirs them themselves then there these they this those through to too under until
    up us ve very was wasn wasnt we were weren what whats when where which while who whom why will with
    won wont would wouldn you your youre yours yourself yourselves
    """.split()  # noqa: SIM905
)

# Vowel signs and tone marks that belong to a word although they are no letters.
_MARKS = (
    "\u0591-\u05c7\u064b-\u0670\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0fbc\u102b-\u103e\u17b4-\u17d3"
)
# Scripts written without spaces.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
_DENSE = f"{_DENSE}\U00020000-\U0003ffff"
_SIGN = rf"(?:[^\W_]|[{_MARKS}])"
_NAME = re.compile(rf"{_SIGN}+(?:(?:[._/\\]+|['’]){_SIGN}+)*")
_PART = re.compile(
    rf"[{_DENSE}{_MARKS}]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
    rf"|(?:(?![{_DENSE}A-Za-z0-9])(?:[^\W\d_]|[{_MARKS}]))+|[^\W_]"
)
# A first line of code that gives something a name, `async def name(…):` or `func (s *T) Name(…) {`
# or, as in C and Java, the word before the first bracket of a line that ends like the beginning of a block.
_DEFINED = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|static|final|abstract|async|override|inline|unsafe|pub)\s+)*"
    r"(?:def|class|func|fn|fun|function|sub|struct|interface|trait|enum)\b[ *]*(?:self\.|\([^)\n]*\)\s*)?"
    r"(?P<name>[A-Za-z_$][\w$]*)(?=[^\n]*[({:])"
    r"|[^\n(:]{0,120}?(?<![\w$])(?P<before>[A-Za-z_$][\w$]*)\([^\n]*[{(,][ \t]*(?:\n|$)"
)
_IS_DENSE = re.compile(f"[{_DENSE}]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_POSSESSIVE = re.compile("['’][sS]$")

_stem = Stemmer.Stemmer("english", 0).stemWord


def terms(text: str) -> list[str]:
    """All terms of a text, in order; a term comes as often as it is said."""
    found: list[str] = []
    for name in _NAME.findall(_plain(text)):
        found += _terms_of(name)
    return found


def defined(text: str) -> tuple[str, ...]:
    """The terms of the name that a text defines, if it is a piece of code: what a title is to a document."""
    found = _DEFINED.match(text[:400])
    return _terms_of(found["name"] or found["before"]) if found else ()


def asked(query: str) -> list[str]:
    """The terms that a query asks for, each once: without stop words, unless there is nothing else."""
    names = _NAME.findall(_plain(query))
    telling = [name for name in names if not _is_stop(name)] or names
    found: dict[str, None] = {}
    for name in telling:
        found |= dict.fromkeys(_terms_of(name, whole_runs=False))
    return list(found)


def pieces(text: str) -> Iterator[str]:
    """The plain lower-case words of a text that say something, for the comparison by meaning."""
    for name in _NAME.findall(text[:4000]):
        if not _is_stop(name):
            yield from (part.lower() for part in _PART.findall(_POSSESSIVE.sub("", name))[:MOST_PARTS])


def likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """How much of their words two texts share, from 0 to 1."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first or second else 1.0


def _plain(text: str) -> str:
    """Compatibility forms unified, accents taken off: what a person types is rarely what stands there."""
    if text.isascii():
        return text
    split = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", split)


@lru_cache(maxsize=65536)
def _terms_of(name: str, whole_runs: bool = True) -> tuple[str, ...]:
    name = _POSSESSIVE.sub("", name).replace("'", "").replace("’", "")
    found: list[str] = []
    parts = _PART.findall(name)[:MOST_PARTS]
    for part in parts:
        if _IS_DENSE.match(part):
            found += _grams(part, whole_runs)
        else:
            word = part.lower()[:LONGEST]
            found.append(_stem(BASIC.get(word, word)))
    if len(parts) > 1 and not _IS_DENSE.search(name):
        found.append(name.lower()[:LONGEST])
    return tuple(found)


def _grams(run: str, singles: bool) -> Iterator[str]:
    """Pairs of neighbouring characters. A text has the single ones, too, for a query of just one."""
    yield from (run[at : at + 2] for at in range(len(run) - 1))
    if singles or len(run) == 1:
        yield from run


@lru_cache(maxsize=16384)
def _is_stop(name: str) -> bool:
    word = name.lower().replace("’", "'")
    return word.replace("'", "") in STOP or word.partition("'")[0] in STOP
