"""
What a person did to MEMORY.md, as items that are kept.

A line of ours carries the id of its fact, so an edit of it is about that fact wherever the line stands now.
A line whose id got lost is told by its words. All other lines are the person's own (core/people).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nanoctx.core import facts, likeness, people, verbatim
from nanoctx.core.facts import Fact, Parsed
from nanoctx.model import Change, Item, Line


def recorded(changes: Sequence[Change], own: Mapping[str, str], *, salt: str) -> tuple[Item, ...]:
    """Write what changed as items; `own` names the fact that each of the person's own lines became."""
    gone = {
        parsed.id: (change.section, block, parsed)
        for change in changes
        for block in change.removed
        if (parsed := facts.parse(block)).id
    }
    pins: list[Item] = []
    edits: list[Item] = []
    rest: list[Change] = []
    kept: set[str] = set()
    for change in changes:
        added = []
        for block in change.added:
            id = _meant(block, gone, kept)
            if id is None:
                added.append(_without_id(block))
                continue
            kept.add(id)
            section, _, old = gone[id]
            after = facts.parse(block)
            if after.mark != old.mark:
                pins.append(pin(id, after.mark, change.section))
            if (after.text, after.struck, change.section) != (old.text, old.struck, section):
                edits += edit(id, after.text, change.section, struck=after.struck)
        rest.append(replace(change, added=tuple(added), removed=_unnamed(change, gone)))
    before = {
        change.section: [Line(block, (), f"^{own[block]}") for block in change.removed if block in own]
        for change in rest
    }
    retracts = [
        people.retraction(section, block, Line(block, (), f"^{id}"), salt)
        for id, (section, block, _) in gone.items()
        if id not in kept
    ]
    theirs = people.record(rest, before, salt=salt)
    out = [item for item in theirs if item.kind == "retract"]
    return (*retracts, *out, *pins, *edits, *(item for item in theirs if item.kind != "retract"))


def edit(id: str, text: str, section: str, *, struck: bool = False) -> tuple[Item, ...]:
    """Other words for a fact, for good."""
    words = facts.write(Parsed(text, struck=struck))
    return verbatim.write("edit", words, {"section": section, "key": f"^{id}"})


def pin(id: str, mark: str, section: str = "") -> Item:
    """A mark for a fact, or none; `accepted` vouches for it."""
    more = {"section": section} if section else {}
    return Item("pin", mark or people.NO_MARK, by="person", more={**more, "key": f"^{id}"})


def accept(id: str) -> Item:
    """A person vouches for a fact: it is sure, and wins over what contradicts it."""
    return pin(id, people.ACCEPTED)


def retract(fact: Fact, *, salt: str) -> Item:
    """A fact is not to be known any more, in whatever words it comes again."""
    block = fact.verbatim or facts.write(Parsed(fact.text, fact.id))
    return people.retraction(fact.section, block, Line(block, (), f"^{fact.id}"), salt)


def add(text: str, section: str) -> tuple[Item, ...]:
    """A line of the person's own."""
    return verbatim.write("edit", facts.write(Parsed(text)), {"section": section})


def _meant(block: str, gone: Mapping[str, tuple[str, str, Parsed]], kept: set[str]) -> str | None:
    """The fact whose line this was before it was changed."""
    parsed = facts.parse(block)
    if parsed.id:
        return parsed.id if parsed.id in gone and parsed.id not in kept else None
    words = likeness.saying(parsed.text, "", "")
    for id, (_, _, before) in gone.items():
        if id in kept:
            continue
        if before.text == parsed.text or likeness.same(words, likeness.saying(before.text, "", "")):
            return id
    return None


def _without_id(block: str) -> str:
    """A copy of a line is a line of its own."""
    parsed = facts.parse(block)
    return block if not parsed.id else facts.write(replace(parsed, id="", about=()))


def _unnamed(change: Change, gone: Mapping[str, tuple[str, str, Parsed]]) -> tuple[str, ...]:
    return tuple(block for block in change.removed if facts.parse(block).id not in gone)
