"""
What a person wanted forgotten: it is taken out of whatever is kept or written, and does not come back.

Their wish is kept as a tombstone, an observation of things done by hand. It names each passage by a salted
hash (core/passage), a whole session by its id, and holds none of their words. It stands until taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec.structs import replace as replaced

from nanoctx.core import undone, verbatim
from nanoctx.core.passage import Finder, Hashes, Imprint, Words, imprint
from nanoctx.model import Changed, Commit, Event, Evidence, Item, Observation, Repository

EVERYWHERE = "everywhere"  # the page that a tombstone is about
GONE = "[forgotten]"
FEWEST = 3  # words that a line of ours must have left

_WORDS = re.compile(r"\w+")
_LABEL = re.compile(
    r"^\s*(?:[-*+]|\d{1,9}[.)])?\s*(?:[^\w\s]\ufe0f?\s)?\s*(?:[A-Z][\w /-]{0,30}(?: \([^()]*\))?:)?"
)
_PLACES = frozenset(("cwd", "log", "session", "project", "id", "folders"))  # names of places are kept
_ABOUT = re.compile(r"(?: \([^()]*\))?(?: \^[a-z0-9]{6,40})?\s*$")


def tombstone(texts: Sequence[str], sessions: Sequence[str], salt: str) -> tuple[Item, ...]:
    """The items that keep the wish, and not the words."""
    marks = dict.fromkeys(imprint(text, salt) for text in texts)
    passages = (
        Item("retract", one.digest, by="person", more={"size": str(one.size), "head": one.head})
        for one in marks
    )
    return (*passages, *(Item("retract", id, by="person", more={"session": "whole"}) for id in sessions))


def is_tombstone(one: Observation) -> bool:
    is_wish = one.agent == undone.BY_HAND and one.more.get("page") == EVERYWHERE
    return is_wish and any(item.kind == "retract" for item in one.items)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Takes what is forgotten out of texts and values; whatever holds none of it stays the same object."""

    finder: Finder
    sessions: frozenset[str] = frozenset()
    name: str = ""  # the same as long as the same is forgotten

    def __bool__(self) -> bool:
        return bool(self.name)

    def holds(self, text: str) -> bool:
        return bool(self.finder.spans(text))

    def cut(self, text: str) -> str:
        """The text without it: "" if no other word is left."""
        found = self.finder.spans(text) if text else []
        if not found:
            return text
        left, at = [], 0
        for span in found:
            left.append(text[at : span.start])
            at = span.end
        left.append(text[at:])
        return GONE.join(left) if any(map(_WORDS.search, left)) else ""

    def line(self, text: str) -> str:
        """A line of ours without it: "" if what is left says nothing."""
        rest = self.cut(text)
        return rest if rest is text or _says_something(rest) else ""

    def page(self, text: str) -> str:
        """A page without it; a line goes as a whole if what is left of it says nothing."""
        found = self.finder.spans(text) if text else []
        if not found:
            return text
        kept, at = [], 0
        for span in found:
            kept.append(text[at : span.start])
            at = span.end
        kept.append(text[at:])
        lines = GONE.join(kept).split("\n")
        return "\n".join(line for line in lines if GONE not in line or _says_something(line))

    def lines(self, text: str) -> Iterator[str]:
        """The lines that it stands in."""
        seen = -1
        for span in self.finder.spans(text):
            start = text.rfind("\n", 0, span.start) + 1
            end = text.find("\n", span.end)
            if start > seen:
                seen = len(text) if end < 0 else end
                yield text[start:seen]

    def value(self, value: Any) -> Any:
        """Anything made of texts, lists and tables; the names of places and of what is in a table stay."""
        if isinstance(value, str):
            return self.cut(value)
        if isinstance(value, list):
            return [self.value(one) for one in value]
        if isinstance(value, dict):
            return {key: one if key in _PLACES else self.value(one) for key, one in value.items()}
        return value

    def observation(self, one: Observation) -> Observation | None:
        """The observation without it; None for a session that is forgotten as a whole."""
        if one.id in self.sessions:
            return None
        kept = self._by_hand(one.items) if one.agent == undone.BY_HAND else self._items(one.items)
        items = one.items if kept == one.items else kept
        clean = replace(
            one,
            title=self.line(one.title),
            summary=self.line(one.summary),
            branch=self.cut(one.branch),
            files=tuple(file for file in one.files if not self.holds(file)),
            notes=self.page(one.notes),
            items=items,
            evidence=tuple(self._evidence(one.evidence, items, all_stand=items is one.items)),
            more={key: self.cut(held) if isinstance(held, str) else held for key, held in one.more.items()},
        )
        return one if clean == one else clean

    def event(self, event: Event) -> Event:
        """What is taken from an event before its words: where it took place."""
        path = "" if event.path and self.holds(event.path) else event.path
        facts = {key: held if key == "cwd" else self.cut(held) for key, held in event.facts.items()}
        is_same = (path, facts) == (event.path, event.facts)
        return event if is_same else replaced(event, path=path, facts=facts)

    def repository(self, seen: Repository) -> Repository:
        return replace(
            seen,
            branch=self.cut(seen.branch),
            commits=tuple(self._commit(one) for one in seen.commits),
            changed=tuple(one for one in seen.changed if not self._is_named(one)),
        )

    def _commit(self, one: Commit) -> Commit:
        subject, author = self.cut(one.subject) or GONE, self.cut(one.author)
        return one if subject == one.subject else replace(one, subject=subject, author=author)

    def _is_named(self, one: Changed) -> bool:
        return self.holds(one.path)

    def _items(self, items: Iterable[Item]) -> tuple[Item, ...]:
        found = ((item, self.line(item.text)) for item in items)
        return tuple(item if text == item.text else replace(item, text=text) for item, text in found if text)

    def _by_hand(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """What a person did, in the same number of edits: a line is known by its number."""
        if not any(self.holds(text) for text, _ in verbatim.read("edit", items)):
            return items if self._plain_items(items) == items else self._plain_items(items)
        rest = self._plain_items(item for item in items if item.kind != "edit")
        edits: list[Item] = []
        for text, item in verbatim.read("edit", items):
            more = {key: held for key, held in item.more.items() if key not in ("as", "part")}
            edits += verbatim.write("edit", self.page(text), more)
        return (*rest, *edits)

    def _plain_items(self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Of what an agent was asked to remember, the words; the rest holds none."""
        return tuple(
            item if item.kind in ("edit", "retract", "pin") else replace(item, text=self.line(item.text))
            for item in items
            if item.kind in ("edit", "retract", "pin") or self.line(item.text)
        )

    def _evidence(
        self, evidence: Sequence[Evidence], items: Sequence[Item], *, all_stand: bool
    ) -> Iterator[Evidence]:
        """The words of items that still stand; an item keeps its place, if no words."""
        places = {item.pos for item in items}
        for one in evidence:
            if all_stand or one.pos in places:
                quote = self.cut(one.quote)
                yield one if quote == one.quote else replace(one, quote=quote or GONE)


def by_words(texts: Iterable[str], sessions: Iterable[str] = ()) -> Forgotten:
    """What is being forgotten right now, while its words are known."""
    return Forgotten(Words(texts), frozenset(sessions), "now")


def read(observations: Iterable[Observation]) -> Forgotten:
    """All that is forgotten, as the tombstones say that are in force."""
    theirs = [one for one in observations if one.agent == undone.BY_HAND]
    out = undone.left_out(theirs)
    return _of(one for one in theirs if is_tombstone(one) and one.id not in out)


def _of(tombstones: Iterable[Observation]) -> Forgotten:
    held = {one.id: one for one in tombstones}
    imprints: list[Imprint] = []
    sessions: set[str] = set()
    for one in held.values():
        salt = str(one.more.get("salt", ""))
        for item in one.items:
            size = item.more.get("size", "")
            if "session" in item.more:
                sessions.add(item.text)
            elif size.isdecimal() and 0 < int(size) < 10**6:
                imprints.append(Imprint(salt, item.text, int(size), item.more.get("head", "")))
    return Forgotten(Hashes(imprints), frozenset(sessions), " ".join(sorted(held)))


def lifted_by(text: str, observations: Iterable[Observation]) -> tuple[str, ...]:
    """The tombstones that stand in the way of a text."""
    known = tuple(observations)
    out = undone.left_out(known)
    return tuple(
        one.id for one in known if is_tombstone(one) and one.id not in out and _of([one]).holds(text)
    )


def _says_something(line: str) -> bool:
    """Whether a line of which something was cut still has words enough beside its label and its dates."""
    rest = _ABOUT.sub("", _LABEL.sub("", line, count=1), count=1).replace(GONE, " ")
    return len(_WORDS.findall(rest)) >= FEWEST or any(ord(sign) > 0x2E80 for sign in rest)
