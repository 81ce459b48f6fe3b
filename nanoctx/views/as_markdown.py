"""A view as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nanoctx.core import tokens
from nanoctx.views.fitting import fitted
from nanoctx.views.shape import Entry, Root, Section, Shaped


def render(root: Root, sections: Sequence[Section], budget: int) -> Shaped:
    first = f"{root.line}\n" if root.line else ""
    return fitted(
        sections,
        budget,
        write=_write,
        head=lambda one: one.title,
        foot=lambda one: "",
        wrap=lambda text: (first + text).strip("\n") + "\n" if first or text else "",
        shorten=shorter,
    )


def shorter(entry: Entry, fits: Callable[[Entry], bool]) -> Entry | None:
    """The entry with as much of its beginning as fits; None if nothing does."""
    words = entry.shown or entry.text

    def with_words(text: str) -> Entry:
        return replace(entry, text=text, shown=text if entry.shown else "")

    text = tokens.clip(words, 1, lambda some: 1 if fits(with_words(some)) else 2)
    return with_words(text) if text else None


def _write(entry: Entry) -> str:
    return entry.shown or f"- {entry.text}"
