"""How sessions, items and facts are put into words, the same in every view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from nanoctx.core import escape, facts, gaps, prose
from nanoctx.core.facts import Fact
from nanoctx.model import Item, Observation
from nanoctx.views.shape import Entry

UNSURE = ("refuted", "hypothesis")  # what is graded so is not told as an outcome
SHORTEST = 50  # characters of a first sentence; a shorter one takes the next with it
_PICTURES = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\ufe0f\u200d\U000e0000-\U000e007f]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


def last(one: Observation) -> datetime | None:
    return one.last or one.ended or one.started


def ago(at: datetime | None, now: datetime) -> str:
    """`2h ago`, `3d ago`: short, as many of them stand below each other."""
    if at is None:
        return "some time ago"
    seconds = max(0.0, (now - at).total_seconds())
    if seconds < 3600:
        return f"{int(seconds // 60)}min ago" if seconds >= 60 else "just now"
    return f"{int(seconds // 3600)}h ago" if seconds < 86400 else f"{int(seconds // 86400)}d ago"


def passed(at: datetime | None, now: datetime) -> str:
    """The words of Time."""
    if at is None:
        return gaps.FIRST[0]
    return gaps.told((now - at).total_seconds(), (now.date() - at.date()).days)[0]


def first_sentence(text: str) -> str:
    """The first sentence, and as many more as it takes to say something."""
    told = ""
    for part in _SENTENCE.split(text):
        told = f"{told} {part}".strip()
        if len(told) >= SHORTEST:
            break
    return told


def plain(text: str) -> str:
    """One line of words, without pictures and the marks of a page."""
    return " ".join(_PICTURES.sub("", escape.inert(text)).split())


def items(sessions: Iterable[Observation], kinds: Sequence[str]) -> Iterator[tuple[Observation, Item]]:
    """Items of some kinds, those of the latest session first, each said once."""
    said: list[frozenset[str]] = []
    for one in sorted(sessions, key=lambda one: (_seconds(last(one)), one.id), reverse=True):
        for item in one.items:
            if item.kind in kinds and item.grade not in UNSURE:
                words = prose.words(item.text)
                if words and not any(alike(words, other) for other in said):
                    said.append(words)
                    yield one, item


def alike(words: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts say nearly the same."""
    return len(words & other) >= 0.7 * min(len(words), len(other))


def fact(one: Fact, tag: str = "fact", *, mark: bool = False) -> Entry:
    """A fact with what tells how far to trust it."""
    text = escape.inert(one.text)
    stale = f" (stale: {one.stale})" if one.stale else ""
    about = {"confidence": f"{one.confidence:.2f}"}
    if one.last is not None:
        about["date"] = f"{one.last:%Y-%m-%d}"
    marked = f"{one.mark} " if mark and one.mark else ""
    return Entry(f"{marked}{text}{stale}", tag, about, vital=bool(one.mark))


def without_pictures(one: Entry) -> Entry:
    return replace(one, text=plain(one.text))


def is_rule(one: Fact) -> bool:
    return one.section == facts.RULES


def _seconds(at: datetime | None) -> float:
    return at.timestamp() if at is not None else 0.0
