"""
Whether two lines say the same, or take each other's place. By words only, and each pair by itself.

The words of a line are reduced to stems that carry a sign: what stands in the reach of a "not" is denied, as
is "off" for "on". Names and numbers must be the same on both sides. Since a pair is judged by nothing but its
two lines, the fold of many comes out the same in any order, and needs to look only at what is new.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations
from math import ceil

import msgspec

from nanoctx.core import prose

SHARE = 0.6  # of the words of both that must be common for one to be the other, said longer
CLOSE = 0.8  # where each has a word that the other has not
FEWEST = 2  # words; with less, only the very same line is the same
STEM = 8  # letters: "configure" and "configuration" are one

_LIGHT = frozenset(
    """
    a about actually again all already also am an and any are as ask at be been being but by can could did do
    does done each ensure every everything for from get go good got had has have he help her here his how i if
    in instead into is it its itself just keep let like ll made make may me might must my need needs now of ok
    on-the-fly one only or other our out over own per please put re really s same say see set shall she
    should since so some still such sure t take than that the their them then there these they thing things
    this those to too turn up us use used using ve very via want was way we well were what when where which
    while who will with would you your always ever whenever going forward future time times simply rather
    """.split()  # noqa: SIM905
)
_NEGATION = frozenset(
    """
    not no never none neither nor without avoid stop dont don't doesn't doesnt didn't didnt isn't isnt aren't
    won't wont can't cant cannot shouldn't shouldnt mustn't mustnt wasn't nie niemals nicht kein keine jamais
    nunca
    """.split()  # noqa: SIM905
)
# Words of a pair deny each other, so the second counts as the first, denied.
_OPPOSITE = {
    "off": "on", "disable": "enable", "disabled": "enable", "disabling": "enable", "enabled": "enable",
    "enabling": "enable", "false": "true", "exclude": "include", "excluded": "include", "forbid": "allow",
    "forbidden": "allow", "deny": "allow", "denied": "allow", "allowed": "allow", "included": "include",
    "reject": "accept", "rejected": "accept", "accepted": "accept",
}  # fmt: skip
_DENIED = frozenset(
    ("off", "disable", "disabled", "disabling", "false", "exclude", "excluded", "forbid", "forbidden", "deny")
) | {"denied", "reject", "rejected"}
_ON = frozenset(("on",))  # a sign only beside what is switched
_TOKEN = re.compile(r"[^\W\d_][\w'’]*(?:[./:_-]+\w+)*|\d+(?:[.,:]\d+)*%?|[,;.!?()—–]", re.UNICODE)
_CLAUSE = frozenset(",;.!?()—–")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*%?")
_WIDE = re.compile(f"{prose.WIDE}+")
_FRAMED = "<>"  # what begins so is what a choice is made of
_SWITCH = re.compile(
    r"\b(?:on|off)\b\W*$|\b(?:turn(?:ed)?|switch(?:ed)?|keep|leave) (?:\w+ ){0,4}(?:on|off)\b"
)
_VALUE_BEFORE = frozenset(
    ("to", "is", "are", "be", "at", "of", "than", "most", "least", "under", "within", "maximum", "minimum")
) | {"max", "min", "limit"}

_WORDS = r"[^,;.()]{2,60}?"
_END = r"(?=$|[,;.()—–]| because | since | so | which | and | but )"
_FRAMES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # choice, what it is for
        r"\b(?:use|using|chose|choose|pick|adopt|take|go(?:ing)? with|went with|stay with|keep)"
        rf"\s+(?P<choice>{_WORDS})\s+(?:for|as)\s+(?P<subject>{_WORDS}){_END}",
        rf"\b(?:switch(?:ed)?|move[ds]?|migrated?|chang(?:e|ed))\s+(?P<subject>{_WORDS})\s+"
        rf"(?:from\s+(?P<replaces>{_WORDS})\s+)?to\s+(?P<choice>{_WORDS}){_END}",
        rf"\b(?:set|put)\s+(?P<subject>{_WORDS})\s+to\s+(?P<choice>{_WORDS}){_END}",
    )
)
_REPLACING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?P<choice>{_WORDS})\s+(?:instead of|rather than|in place of)\s+(?P<replaces>{_WORDS}){_END}",
        rf"\b(?:switch(?:ed)?|moved?|migrated?)\s+from\s+(?P<replaces>{_WORDS})\s+to\s+(?P<choice>{_WORDS}){_END}",
        rf"\breplaced?\s+(?P<replaces>{_WORDS})\s+(?:with|by)\s+(?P<choice>{_WORDS}){_END}",
        rf"\b(?:no longer|stop(?:ped)?|not?)\s+(?:use|using|need|want)\s+(?P<replaces>{_WORDS})"
        rf"(?:\s+(?:any ?more|any longer))?{_END}",
        rf"\b(?:drop(?:ped)?|abandon(?:ed)?)\s+(?P<replaces>{_WORDS}){_END}",
    )
)


class Saying(msgspec.Struct, frozen=True, gc=False):
    """What a line says, as far as words tell. Equal sayings are one."""

    key: str
    realm: str  # rule, dec, know, fail: only within one do lines compare
    project: str  # "" for what is said of everywhere
    terms: tuple[str, ...]  # stems; those denied begin with "!"
    names: tuple[str, ...]  # paths, symbols, flags, numbers
    values: tuple[str, ...] = ()  # numbers that say how much
    subject: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    words: str = ""  # what `near` reads: bare stems, and what it is a choice of


@lru_cache(maxsize=65536)
def saying(text: str, realm: str, project: str) -> Saying:
    """Read a line."""
    plain = prose.plain(text).replace("’", "'")
    terms, values = _terms(plain)
    names = tuple(sorted({name.lower() for name in prose.identifiers(text)}))
    subject, choice, replaces = _frame(plain) if realm in ("dec", "rule") else ((), (), ())
    place = "" if realm == "rule" else project
    parts = (terms, names, values, subject, choice, replaces)
    whole = "\x1f".join((realm, place, *map(" ".join, parts)))
    key = blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    words = " ".join((*sorted(_bare(terms)), *_frame_words(subject, choice, replaces)))
    return Saying(key, realm, place, terms, names, values, subject, choice, replaces, words)


def keys(words: str) -> Iterator[str]:
    """Of two lines that say the same or are rivals, one of these is common to both."""
    every = words.split()
    yield from (word for word in every if word[0] in _FRAMED)
    bare = sorted((word for word in every if word[0] not in _FRAMED), key=_rarity)
    if len(bare) < 3:
        yield " ".join(bare)
        return
    if len(bare) == 3:  # with one of two words, two are common
        yield from (f"{one} {other}" for one, other in combinations(bare, 2))
    # Enough of all words being common, three are among these first ones of both, the longest.
    first = bare[: len(bare) - ceil(SHARE * len(bare)) + 3]
    yield from (" ".join(three) for three in combinations(first, 3))


def is_plain(words: frozenset[str]) -> bool:
    """Whether a line has several words and names no choice."""
    return len(words) > 1 and not any(word[0] in _FRAMED for word in words)


def near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two lines, by their `words`, have enough in common to be looked at."""
    common = one & other
    if not common:
        return False
    if len(common) >= SHARE * max(len(one), len(other)):
        return True
    framed = sum(word[0] in _FRAMED for word in common)
    if framed:
        return True
    ours, theirs = (sum(word[0] not in _FRAMED for word in words) for words in (one, other))
    return len(common) >= SHARE * max(ours, theirs)


def same(a: Saying, b: Saying) -> bool:
    """Whether both say one thing."""
    if a.key == b.key:
        return True
    if not _comparable(a, b) or a.names != b.names or a.values != b.values:
        return False
    one, two = set(a.terms), set(b.terms)
    if one == two and one:
        return True
    if min(len(one), len(two)) < FEWEST:
        return False
    enough = SHARE if one <= two or two <= one else CLOSE
    # Of the bare words too: by those it is told which lines need to be compared at all.
    return _share(one, two) >= enough and _share(_bare(a.terms), _bare(b.terms)) >= SHARE


def rivals(a: Saying, b: Saying) -> str:
    """Why both cannot hold: "denied", "value", "choice" or "replaced" ("" when they can)."""
    if a.key == b.key or not _comparable(a, b):
        return ""
    if _denies(a, b):
        return "denied"
    if a.values and b.values and a.values != b.values and (a.names, a.terms) == (b.names, b.terms):
        return "value" if a.terms else ""
    both_subjects = a.subject and b.subject
    if both_subjects and a.subject == b.subject and a.choice and b.choice:
        return "" if set(a.choice) & set(b.choice) else "choice"
    if both_subjects and a.subject != b.subject:
        return ""
    for old, new in ((a, b), (b, a)):
        if new.replaces and new.replaces == old.choice:
            return "replaced"
    return ""


def _share(one: set[str], two: set[str]) -> float:
    return len(one & two) / len(one | two)


def _bare(terms: Iterable[str]) -> set[str]:
    return {term.lstrip("!") for term in terms}


def said_in(lines: Iterable[str], texts: Mapping[str, str]) -> frozenset[str]:
    """Which texts, by their names, one of the lines says as well, be it among other things."""
    read = {name: saying(text, "", "") for name, text in texts.items()}
    blocks: defaultdict[str, list[Saying]] = defaultdict(list)
    for line in lines:
        one = saying(line, "", "")
        for term in _bare(one.terms):
            blocks[term].append(one)
    return frozenset(
        name
        for name, one in read.items()
        if one.terms
        and any(_holds(other, one) for other in blocks.get(min(_bare(one.terms), key=_rarity), ()))
    )


def _rarity(term: str) -> tuple[int, str]:
    """The longest word first: it stands in the fewest lines."""
    return (-len(term), term)


def _holds(line: Saying, one: Saying) -> bool:
    within = (
        set(one.terms) <= set(line.terms) and set(one.names) <= set(line.names) and one.values == line.values
    )
    return same(line, one) or (within and len(one.terms) > FEWEST)


def _comparable(a: Saying, b: Saying) -> bool:
    return a.realm == b.realm and (a.project == b.project or not a.project or not b.project)


def _denies(a: Saying, b: Saying) -> bool:
    if a.names != b.names or a.values != b.values:
        return False
    one = {term.lstrip("!"): term.startswith("!") for term in a.terms}
    two = {term.lstrip("!"): term.startswith("!") for term in b.terms}
    common, every = one.keys() & two.keys(), one.keys() | two.keys()
    if not common or len(common) < SHARE * len(every) or (len(common) < FEWEST and len(every) > 1):
        return False
    flipped = [term for term in common if one[term] != two[term]]
    return bool(flipped) and (len(flipped) == len(common) or "on" in flipped or "enable" in flipped)


def _terms(plain: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Stems with their signs, and numbers that say how much."""
    found: dict[str, None] = {}
    values: list[str] = []
    lowered = plain.lower()
    has_switch = bool(_SWITCH.search(lowered))
    denied, before = False, ""
    for token in _TOKEN.findall(lowered):
        if token in _CLAUSE:
            denied = False
        elif _NUMBER.fullmatch(token):
            if before in _VALUE_BEFORE:
                values.append(token)
            else:
                found[token] = None
        elif token in _NEGATION:
            denied = True
        elif token in ("but", "instead"):
            denied = False
        elif _WIDE.search(token):
            found.update(dict.fromkeys(_pairs(token)))
        elif (token == "on" and has_switch) or token in _OPPOSITE:
            sign = denied != (token in _DENIED)
            found[("!" if sign else "") + _OPPOSITE.get(token, token)] = None
        elif token not in _LIGHT and (stem := prose.stem(token)[:STEM]) not in _LIGHT and len(stem) > 1:
            found[("!" if denied else "") + stem] = None
        before = token
    return tuple(sorted(found)), tuple(values)


def _pairs(token: str) -> Iterator[str]:
    """Words of a script that does not part them: each two signs."""
    for run in _WIDE.findall(token):
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))


def _frame(plain: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    subject: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    for pattern in (*_FRAMES, *_REPLACING):
        match = pattern.search(plain)
        if match is None:
            continue
        parts = {key: _terms(value)[0] for key, value in match.groupdict().items() if value}
        subject = subject or parts.get("subject", ())
        choice = choice or parts.get("choice", ())
        replaces = replaces or parts.get("replaces", ())
    return subject, choice, replaces


def _frame_words(
    subject: tuple[str, ...], choice: tuple[str, ...], replaces: tuple[str, ...]
) -> Iterator[str]:
    if subject:
        yield f"{_FRAMED[0]}{'_'.join(subject)}"
    for words in dict.fromkeys((choice, replaces)):
        if words:
            yield f"{_FRAMED[1]}{'_'.join(words)}"
