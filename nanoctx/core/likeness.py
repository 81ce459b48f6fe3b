"""
Whether two lines say the same, or take each other's place. By words only, and each pair by itself.

The words of a line are reduced to stems that carry a sign: what stands in the reach of a "not" is denied, as
is "off" for "on". Names and numbers must be the same on both sides, and one line may say more than the
other, but not each something else: a word that was put in the place of another makes another subject. Since a
pair is judged by nothing but its two lines, the fold of many comes out the same in any order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from nanoctx.core import prose

SHARE = 2 / 3  # of the longer line's words that the shorter must have to be the same, said in short
FEWEST = 2  # words; with less, only the very same line is the same
STEM = 8  # letters: "configure" and "configuration" are one

_LIGHT = frozenset(
    """
    a about actually again all already also am an and any are as at be been being but by can could did do
    does done each ensure every everything for from get go good got had has have he help her here his how i if
    in instead into is it its itself just keep let like ll made make may me might must my need needs now of ok
    on-the-fly one only or other our out over own per please put re really s same say see set shall she
    should since so some still such sure t take than that the their them then there these they thing things
    this those to too turn up us use used using ve very via want was way we well were what when where which
    while who will with would you your always ever whenever first going forward future time times simply
    rather
    """.split()  # noqa: SIM905
)
_NEGATION = frozenset(
    """
    not no never none neither nor avoid stop dont don't doesn't doesnt didn't didnt isn't isnt aren't
    won't wont can't cant cannot shouldn't shouldnt mustn't mustnt wasn't nie niemals nicht kein keine jamais
    nunca
    """.split()  # noqa: SIM905
)
# "Never push without a review" says of the review that it is wanted.
_WITHOUT = frozenset(("without", "ohne", "sans", "sin"))
_UNLESS = frozenset(("unless", "until", "except", "before"))
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
_SWITCH = re.compile(
    r"\b(?:on|off)\b\W*$|\b(?:turn(?:ed)?|switch(?:ed)?|keep|leave) (?:\w+ ){0,4}(?:on|off)\b"
)
_VALUE_BEFORE = frozenset(
    ("to", "is", "are", "be", "at", "of", "than", "most", "least", "under", "within", "maximum", "minimum")
) | {"max", "min", "limit", "port"}
_UNITS = frozenset(
    """
    ms s second seconds sec secs minute minutes min mins hour hours day days week weeks times time retries
    spaces space characters chars columns cols lines tokens bytes kb mb gb kib mib gib percent px rem em
    workers threads cores items entries rows pages requests attempts
    """.split()  # noqa: SIM905
)

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
        rf"\b(?:write|keep|store|put|save)\s+(?P<subject>{_WORDS})\s+in\s+(?P<choice>{_WORDS}){_END}",
        rf"^(?P<subject>{_WORDS})\s+(?:must|should|has to|have to|needs? to)\s+be\s+(?:\w+(?:ed|en|pt)\s+)?in"
        rf"\s+(?P<choice>{_WORDS}){_END}",
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
    names: tuple[str, ...]  # paths, symbols, flags, numbers, and words with a digit
    values: tuple[str, ...] = ()  # numbers that say how much
    lead: tuple[str, ...] = ()  # of the terms, those before the first "not"
    subject: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()

    @property
    def kin(self) -> str:
        """What two lines have in common if one says, or denies, what the other does."""
        return _hash(self.realm, *self.names)

    @property
    def words(self) -> str:
        """Beside that, of two such lines all of these that one has stand in the other."""
        return " ".join(sorted(_bare(self.terms)))

    @property
    def frames(self) -> str:
        """Of two lines of which one takes the place of the other, one of these is common to both."""
        subject = (f"<{'_'.join(self.subject)}",) if self.subject else ()
        choices = (f">{'_'.join(words)}" for words in (self.choice, self.replaces) if words)
        return " ".join(dict.fromkeys((*subject, *choices)))


@lru_cache(maxsize=8192)
def saying(text: str, realm: str, project: str) -> Saying:
    """Read a line."""
    plain = prose.plain(text).replace("`", "").replace("’", "'")
    read = _read(plain)
    names = tuple(sorted({*read.names, *_names(plain)}))
    subject, choice, replaces = _frame(plain) if realm in ("dec", "rule") else ((), (), ())
    place = "" if realm == "rule" else project
    parts = (read.terms, read.lead, names, read.values, subject, choice, replaces)
    key = _hash(realm, place, *map(" ".join, parts))
    return Saying(key, realm, place, read.terms, names, read.values, read.lead, subject, choice, replaces)


def within(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one line's `words` are those of the other, or that many of them that it may be the same."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    return few <= many and len(few) >= SHARE * len(many)


def same(a: Saying, b: Saying) -> bool:
    """Whether both say one thing."""
    if a.key == b.key:
        return True
    if not _comparable(a, b) or a.names != b.names or a.values != b.values:
        return False
    one, two = frozenset(a.terms), frozenset(b.terms)
    if one == two:
        return bool(one)
    return min(len(one), len(two)) >= FEWEST and within(one, two) and within(_bare(one), _bare(two))


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


def _bare(terms: Iterable[str]) -> frozenset[str]:
    return frozenset(term.lstrip("!") for term in terms)


def _hash(*parts: str) -> str:
    whole = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(whole, digest_size=8).hexdigest()


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
    common = one.keys() & two.keys()
    if not within(frozenset(one), frozenset(two)) or len(common) < min(FEWEST, len(one), len(two)):
        return False
    flipped = {term for term in common if one[term] != two[term]}
    if not flipped or (len(common) < FEWEST and len(one) != len(two)):
        return False
    # "The cache is not shared": what stands before the "not" is what it is said of.
    lead = {term for line in (a, b) if any(term[0] == "!" for term in line.terms) for term in line.lead}
    return common - flipped <= lead or bool(flipped & {"on", "enable"})


class _Read(NamedTuple):
    terms: tuple[str, ...]
    values: tuple[str, ...]
    names: tuple[str, ...]
    lead: tuple[str, ...]


def _read(plain: str) -> _Read:
    """Stems with their signs, numbers that say how much, and words with a digit."""
    found: dict[str, None] = {}
    values: list[str] = []
    names: list[str] = []
    lead: tuple[str, ...] | None = None
    lowered = plain.lower()
    has_switch = bool(_SWITCH.search(lowered))
    denied, before = False, ""
    tokens = _TOKEN.findall(lowered)
    for token, after in zip(tokens, [*tokens[1:], ""], strict=False):  # of nothing: nothing
        if token in _CLAUSE:
            denied = False
        elif _NUMBER.fullmatch(token):
            (values if before in _VALUE_BEFORE or after in _UNITS else names).append(token)
        elif token in _NEGATION or (token in _WITHOUT and not denied):
            lead = lead if lead is not None else tuple(found)
            denied = True
        elif token in ("but", "instead") or token in _WITHOUT:
            denied = False
        elif _WIDE.search(token):
            found.update(dict.fromkeys(_pairs(token)))
        elif any(sign.isdigit() for sign in token):
            names.append(token)
        elif (token == "on" and has_switch) or token in _OPPOSITE:
            sign = denied != (token in _DENIED)
            found[("!" if sign else "") + _OPPOSITE.get(token, token)] = None
        else:
            denied = denied and token not in _UNLESS
            if token not in _LIGHT and (stem := _stem(token)) not in _LIGHT and len(stem) > 1:
                found[("!" if denied else "") + stem] = None
        before = token
    return _Read(tuple(sorted(found)), tuple(values), tuple(names), lead or ())


def _stem(token: str) -> str:
    """"caching", "cached" and "cache" are one, and so are "commit" and "committing"."""
    stem = prose.stem(token)
    if stem.endswith("ing") and len(stem) >= 6:
        stem = stem[:-3]
    if len(stem) > 3 and stem[-1] == stem[-2] and stem != token:
        stem = stem[:-1]
    return stem[:STEM].rstrip("e") or stem


def _names(plain: str) -> Iterator[str]:
    """Paths, symbols and flags. A word in capitals is only said loudly."""
    return (name.lower() for name in prose.identifiers(plain) if not (name.isalpha() and name.isupper()))


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
        parts = {key: _read_choice(value) for key, value in match.groupdict().items() if value}
        subject = subject or parts.get("subject", ())
        choice = choice or parts.get("choice", ())
        replaces = replaces or parts.get("replaces", ())
    return subject, choice, replaces


def _read_choice(words: str) -> tuple[str, ...]:
    read = _read(words)
    return tuple(sorted((*read.terms, *read.names, *read.values)))
