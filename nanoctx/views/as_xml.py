"""A view as XML, well-formed whatever its texts hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nanoctx.core import escape, tokens
from nanoctx.views.as_markdown import shorter
from nanoctx.views.fitting import fitted
from nanoctx.views.shape import Entry, Root, Section, Shaped

LONGEST_NAME = 80  # characters of an attribute of the root


def render(root: Root, sections: Sequence[Section], budget: int) -> Shaped:
    opened = _opened(root, budget)

    def wrap(text: str) -> str:
        return f"<{opened}>\n{text}</{root.tag}>\n" if text else f"<{opened}/>\n"

    return fitted(
        sections,
        budget,
        write=_write,
        head=lambda one: f"<{one.tag}{_attributes(one.about)}>" if one.tag else "",
        foot=lambda one: f"</{one.tag}>" if one.tag else "",
        wrap=wrap,
        shorten=shorter,
    )


def _write(entry: Entry) -> str:
    return f"<{entry.tag}{_attributes(entry.about)}>{escape.xml(entry.text)}</{entry.tag}>"


def _attributes(about: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape.xml(value)}"' for name, value in about.items())


def _opened(root: Root, budget: int) -> str:
    """The root's tag with its attributes, their values cut where a small budget asks for it."""
    for length in (LONGEST_NAME, 40, 20, 10, 5):
        about = {name: escape.shorten(escape.one_line(value), length) for name, value in root.about.items()}
        opened = f"{root.tag}{_attributes(about)}"
        if tokens.count(f"<{opened}/>\n") <= budget:
            return opened
    return root.tag
