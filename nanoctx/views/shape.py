"""What a view is made of before it has a form: sections with their entries, the most useful first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing told: its words, and what is known of them."""

    text: str
    tag: str = "item"
    about: Mapping[str, str] = field(default_factory=dict)
    vital: bool = False  # never left out for want of room
    shown: str = ""  # as Markdown, where that is more than a bullet with the text
    at: datetime | None = None  # from when the words of `about["when"]` count


@dataclass(frozen=True, slots=True)
class Section:
    """A layer of a view. Of several `forms`, each shorter than the last, the first within its cap counts."""

    name: str
    title: str = ""  # Markdown above the entries
    tag: str = ""  # element around the entries; "" puts them right below the root
    forms: Sequence[Sequence[Entry]] = ((),)
    cap: int | None = None
    most: int | None = None
    about: Mapping[str, str] = field(default_factory=dict)  # attributes of that element
    turn: int = 0  # sections with a lower one are filled first


@dataclass(frozen=True, slots=True)
class Root:
    """The element around everything, in XML; in other forms its attributes are the first line."""

    tag: str
    about: Mapping[str, str] = field(default_factory=dict)
    line: str = ""  # Markdown


@dataclass(frozen=True, slots=True)
class Shaped:
    """A view in its form."""

    text: str
    used: int
    kept: Mapping[str, tuple[Entry, ...]]
    left_out: Mapping[str, int]
    cut: bool


def section(
    name: str,
    entries: Sequence[Entry],
    *,
    title: str = "",
    tag: str = "",
    cap: int | None = None,
    most: int | None = None,
    about: Mapping[str, str] | None = None,
    turn: int = 0,
) -> Section:
    """A section with one form; what is vital comes first."""
    ordered = sorted(entries, key=lambda entry: not entry.vital)
    return Section(name, title, tag, (tuple(ordered),), cap, most, about or {}, turn)
