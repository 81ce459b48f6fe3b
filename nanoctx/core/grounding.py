"""Whether new words say no more and no less than the words they stand for: names, numbers, negations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanoctx.core import prose

LIMIT = 240
KNOWN_SHARE = 0.5  # of the content words; a text about something else is no rewording

_EDGES = "\"'“”‘’«»„()[]{}<>,;:!?…*|"
_CODE = re.compile(r"`([^`]*)`")
_NUMBER = re.compile(r"[-+]?\d[\d.,:]*")
_HARD = re.compile(r"[\d_/\\#@=$€£%~]|\w\.\w|::|->|\(\)|^--?\w|[^\W\d_][A-Z]*[a-z][A-Z]|^[a-z]+[A-Z]")
_SENTENCE = re.compile(r"(?:^|[.!?:;—–]\s+|\s[-—–]\s+)[\"'“(\[]*$")
_PARTS = re.compile(r"[^\W\d_]+(?:['’]t\b)?")
_COUNTED = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "fifty": "50",
    "hundred": "100", "thousand": "1000", "million": "1000000", "twice": "2", "dozen": "12",
    "zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8",
    "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12", "hundert": "100", "tausend": "1000",
}  # fmt: skip
# Words that turn a sentence around: there must be as many of them as before.
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|neither|nothing|nobody|nowhere|cannot|without|avoid\w*|un(?:able|less)"
    r"|nicht|nichts|nie|niemals|niemand|kein\w*|ohne|weder|vermeid\w*"
    r"|ne|pas|jamais|aucune?|rien|sans|nunca|ning[uú]n\w*|nada|sin|jam[aá]s|non|senza|niente|não|nem|sem)\b"
    r"|n't\b|\b(?:do|does|did|is|are|was|were|has|have|had|wo|ca|could|should|would|must)nt\b"
)
# Words that make a trouble or a guess of it: they may be others than before, but not appear or vanish.
_TURNS = (
    re.compile(r"\b(?:fail|broke|break|error|crash|hang|hung|wrong|refus|revert|undo|undid|fehler|kaputt)"),
    re.compile(
        r"\b(?:might|may|maybe|could|perhaps|probably|seems?|likely|should|vielleicht|wohl|könnte|sollte)\b"
    ),
    re.compile(r"\b(?:still|yet|todo|open|pending|remains?|unfinished|noch|offen)\b|\bto do\b"),
    re.compile(r"\b(?:only|except|nur|außer)\b"),
)
# What a sentence may begin with though the old one did not: a capital there makes no name.
_OPENINGS = frozenset(
    """
    allow allowed avoid avoided build built choose chose cleaned commit committed completed configured convert
    converted correct corrected create created decide decided describe described document documented ensure
    finish finished handle handled implement implemented improve improved include included introduce
    introduced investigate investigated measure measured merge merged move moved prefer read reads refactor
    refactored remove removed rename renamed replace replaced resolve resolved restore restored return returns
    review reviewed rewrite rewrote rewritten simplify simplified solve solved split store stored support
    supported switch switched task focus user users always write writes wrote written
    der die das ein eine es wir man ist wird nach bei mit für und
    """.split()  # noqa: SIM905
)


def is_grounded(new: str, old: str, quote: str = "") -> bool:
    """Tell whether `new` may stand for `old`: all it names occurs in `old` or in the words that shows it."""
    source = f"{old} \n {quote}"
    return (
        0 < len(new) <= LIMIT
        and _same_turns(new, old)
        and all(_occurs(name, source) for name in _hard(new))
        and all(_counted(word, source) for word in _PARTS.findall(new.casefold()))
        and _names_known(new, source)
        and _is_about(new, source)
    )


def _same_turns(new: str, old: str) -> bool:
    one, other = (text.casefold().replace("’", "'") for text in (new, old))
    return len(_NEGATION.findall(one)) == len(_NEGATION.findall(other)) and all(
        bool(turn.search(one)) == bool(turn.search(other)) for turn in _TURNS
    )


def _hard(text: str) -> Iterator[str]:
    """Paths, numbers, identifiers, flags, hashes, and whatever is written as code."""
    for code in _CODE.findall(text):
        yield from filter(None, (word.strip(_EDGES) for word in code.split()))
    for word in text.replace("`", " ").split():
        word = word.strip(_EDGES).removesuffix("'s").rstrip(".").rstrip(_EDGES)
        if _HARD.search(word):
            yield word


def _occurs(name: str, source: str) -> bool:
    """As a whole: 5 is not in 15, 1.5, -5 or #5, and src/reader is not in src/reader.py."""
    before, after = r"(?<![\w.\-#@$€£+~])(?<!\d[,:])", r"(?!\w)(?![./\\-]\w)"
    if _NUMBER.fullmatch(name):
        before, after = before + r"(?<!/)", after + r"(?![,:]\d)(?!\s?%)"
    return re.search(before + re.escape(name) + after, source) is not None


def _counted(word: str, source: str) -> bool:
    """A number in letters, if the word is one, stands there in letters or in digits."""
    digits = _COUNTED.get(word)
    if digits is None:
        return True
    return re.search(rf"\b{word}\b", source.casefold()) is not None or _occurs(digits, source)


def _names_known(new: str, source: str) -> bool:
    known = {prose.stem(word) for word in _PARTS.findall(source)}
    for found in _PARTS.finditer(new):
        word = found[0]
        contracted = word.endswith(("'t", "’t"))
        if not word[0].isupper() or contracted or prose.stem(word) in known or word.casefold() in prose.STOP:
            continue
        if not (word.casefold() in _OPENINGS and _SENTENCE.search(new[: found.start()])):
            return False
    return True


def _is_about(new: str, source: str) -> bool:
    said = prose.words(new)
    return len(said & prose.words(source)) >= KNOWN_SHARE * len(said)
