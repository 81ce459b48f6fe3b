"""What a person took back: an observation of things done by hand then counts no more."""

from __future__ import annotations

from collections.abc import Iterable

from nanoctx.model import Item, Observation

BY_HAND = "person"  # the agent of what a person did
UNDONE = "undone"  # what the `pin` says


def item(id: str) -> Item:
    """The item that takes an observation back."""
    return Item("pin", UNDONE, by="person", more={"of": id})


def taken_back(one: Observation) -> tuple[str, ...]:
    """The observations that this one takes back."""
    return tuple(item.more["of"] for item in one.items if _undoes(item))


def left_out(observations: Iterable[Observation]) -> frozenset[str]:
    """The ids of what was taken back and is still so: whoever takes back an undoing has it again."""
    theirs = [
        (one.started, one.id, taken_back(one))
        for one in observations
        if one.agent == BY_HAND and one.started and any(map(_undoes, one.items))
    ]
    out: set[str] = set()
    for _, id, ids in sorted(theirs, reverse=True):
        if id not in out:
            out.update(ids)
    return frozenset(out)


def _undoes(item: Item) -> bool:
    return item.kind == "pin" and item.text == UNDONE and bool(item.more.get("of"))
