"""What is kept of an event: without what nobody will read."""

from __future__ import annotations

from msgspec.structs import replace

from nanoctx.core import edits
from nanoctx.model import Event

TOLD = 4000  # characters of a plan, an address or an errand that a tool was given
_MARKS = ("headings", "names", "open")  # of an edit, in the place of its text
_TOLD = frozenset(("plan", "web", "agent"))  # tools whose words say what was wanted


def lean(event: Event) -> Event:
    """The event without what nobody will read, such as the code that was written."""
    if event.kind != "tool":
        return event
    if event.name in ("edit", "write"):
        return replace(event, text="", facts=edits.marks(event.path, event.text))
    told = event.text[:TOLD] if event.name in _TOLD else ""
    return replace(event, text=told) if told != event.text else event


def words_of(event: Event) -> tuple[str, str, str]:
    if event.kind == "tool" and event.name in ("edit", "write"):
        headings, names, steps = (event.facts.get(key, "") for key in _MARKS)
        return headings, names, steps
    return event.text, event.command, event.facts.get("question", "")


def with_words(event: Event, text: str, command: str, question: str) -> Event:
    if event.kind == "tool" and event.name in ("edit", "write"):
        kept = {**event.facts, **dict(zip(_MARKS, (text, command, question), strict=True))}
        return replace(event, facts={key: value for key, value in kept.items() if value})
    facts = {**event.facts, "question": question} if question else event.facts
    return replace(event, text=text, command=command, facts=facts)
