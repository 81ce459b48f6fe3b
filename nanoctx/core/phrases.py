"""A person's request as a short phrase, and how phrases are measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import fsum

from nanoctx.core import cues, prose
from nanoctx.core.own_words import asks, own_words
from nanoctx.model import Event

_NONE: Mapping[str, float] = {}
_CLAUSE = re.compile(r"(?<=[.;!?,]) |(?<=[。；！？，])")
_DEPENDENT = re.compile(r"(?:or|which|who|because|since|so|but|though|when|while|if|as|for)\b", re.IGNORECASE)
_LEADS_ON = re.compile(
    r"(?:in|on|at|for|with|from|after|before|when|while|if|once|under|during|as|per|given|since)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"(?:sorry|thanks|thank you|thx|cheers|pls|please|(?:you can )?(?:ultra)?think(?: hard(?:er)?)?$)\b",
    re.IGNORECASE,
)
_JOINED_ON = re.compile(r"^(?:and|then|also|plus)\s+", re.IGNORECASE)
ASKED = 1.5  # what a clause counts that asks for something
LISTED = 2  # words of a thing in a list
LEADS = 5  # words of what only leads to the clause after it
_ASIDE = re.compile(r"\s+\([^()]{12,}\)")  # "(it is MIT, so should be ok)" names nothing
_UNCLOSED = re.compile(r"\s*[({\[][^)}\]]*$")
_DANGLING = re.compile(
    r"[\s,;:—-]+(?:to|in|on|with|from|of|for|the|an?|and|or|by|at|as|that|be|is|are|into|so|your?|its?|then|not"
    r"|these|those|using|via|about|because|but|if|when|where|while|which|who|how|what|why|we|you|i|they|he|she"
    r"|me|us|him|them|my|our|their|this|was|were|been|has|have|had|do|does|did|can|could|should|would|will|must"
    r"|make sure|make|sure|ensure|please|also|just|any|some|each|every|than|like|without|between|after|before"
    r"|per|until|whether|there|\w+n'?t)$",
    re.IGNORECASE,
)


_FOR_EVER = re.compile(r"\W*(?:always|never(?! mind)|from now on)\b", re.IGNORECASE)


def request(prompt: Event, room: int, weights: Mapping[str, float] = _NONE, plain: int = 0) -> str:
    """The person's request without "can you please": whole if it fits, else its most telling clauses.

    One of at most `plain` characters fits, too.
    """
    own = own_words(prompt.text)
    asked = [sentence for sentence in own.sentences if cues.IMPERATIVE.search(sentence) or asks(sentence)]
    asked += [sentence for sentence in own.sentences if sentence not in asked]
    asked = [sentence for sentence in asked if not cues.SUPPOSES.match(sentence)] or asked  # not the guess
    asked = [sentence for sentence in asked if not _FOR_EVER.match(sentence)] or asked  # told as a rule
    if own.heading and cues.PLAN_TEMPLATE.match(prompt.text):
        return f"Implement plan: {own.heading}"
    if own.heading and own.pasted:
        return " ".join(part for part in (_bare(asked[0]) if asked else "", own.heading) if part)
    asked = asked or [prose.tidy(prompt.text)]
    phrases = [cues.without_filler(sentence).strip(" .,:;") for sentence in asked]
    named = [phrase for phrase in phrases if " " in phrase or "/" not in phrase] or phrases  # no bare address
    phrases = [phrase for phrase in named if prose.words(phrase)] or phrases[:1]
    if len("; ".join(phrases)) <= max(room, plain):
        return "; ".join(sorted(phrases, key=own.text.find))  # as it was said
    bare = "; ".join(map(_bare, phrases))
    if len(bare) <= room or not weights:
        return bare
    one = len([clause for clause in _clauses(bare) if prose.words(clause)]) == 1
    return shortened(bare, max(room, plain)) if one else _most_telling(bare, room, weights)


def _bare(sentence: str) -> str:
    """Headline style: without politeness and small words, so that more of the matter fits."""
    bare = cues.SMALL_WORDS.sub("", cues.without_filler(sentence)).strip(" .,:;")
    return bare or sentence


def _most_telling(text: str, room: int, weights: Mapping[str, float]) -> str:
    """The clauses of a long request that speak most of what the talk is about, in their order."""
    clauses = [shortened(clause, room) for clause in _clauses(text) if prose.words(clause)]
    chosen: list[int] = []
    said: set[str] = set()
    left = room

    def worth(at: int) -> float:
        fresh = prose.words(clauses[at]) - said
        asked = ASKED if cues.ORDERS.match(clauses[at]) or asks(clauses[at]) else 1.0
        return asked * fsum(weights.get(word, 0.0) for word in fresh) / (len(clauses[at]) + 12)

    while True:
        fitting = [at for at in range(len(clauses)) if at not in chosen and len(clauses[at]) <= left]
        best = max(fitting, key=lambda at: (worth(at), -at), default=None)
        if best is None or (chosen and worth(best) <= 0):
            break
        chosen.append(best)
        said |= prose.words(clauses[best])
        left -= len(clauses[best]) + 2
    return ", ".join(clauses[at] for at in sorted(chosen)) or shortened(text, room)


def _clauses(text: str) -> list[str]:
    """The parts of a request that can stand alone.

    "which …" belongs to what it follows, "In …," to what follows it, and the things of a list to each other.
    """
    found: list[str] = []
    joins = False  # what comes next belongs to what stood last
    for part in _parts(text):
        clause = cues.without_filler(part.strip(" ,;"))
        if not clause or _COURTESY.match(clause):
            continue
        listed = bool(found) and len(clause.split()) <= LISTED
        if found and (joins or listed or _DEPENDENT.match(clause)):
            found[-1] = f"{found[-1]}, {clause}"
        else:
            found.append(_JOINED_ON.sub("", clause))
        joins = not joins and len(clause.split()) <= LEADS and bool(_LEADS_ON.match(clause))
    return found


def _parts(text: str) -> list[str]:
    """Parted after signs, but nothing within brackets: "{ port, host }" is one thing."""
    parts: list[str] = []
    for part in _CLAUSE.split(text):
        opened = parts and sum(map(parts[-1].count, "([{")) > sum(map(parts[-1].count, ")]}"))
        parts[-1:] = [f"{parts[-1]} {part}"] if opened else [*parts[-1:], part]
    return parts


def shortened(text: str, room: int) -> str:
    """At most so many characters, not ending in a word that wants another one."""
    short = prose.cut(text, room)
    if short != text:
        short = _UNCLOSED.sub("", short) or short
    while short != text and (dangling := _DANGLING.search(short)):
        short = short[: dangling.start()]
    return short


def without_asides(phrase: str) -> str:
    return _ASIDE.sub("", phrase) or phrase


def size(text: str) -> int:
    """How many words a text has; of scripts that do not part them, two signs count as one."""
    return len(text.split()) + prose.count_wide(text) // 2


def overlap(text: str, other: str) -> float:
    have = prose.words(text)
    return len(have & prose.words(other)) / len(have) if have else 1.0


def capital(text: str) -> str:
    return text[:1].upper() + text[1:] if re.match(r"[a-z]+ ", text) else text
