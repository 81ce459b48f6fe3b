"""A view as JSON: every section a list of entries, each with its text and what is known of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nanoctx.core import tokens
from nanoctx.views import as_markdown
from nanoctx.views.shape import Root, Section, Shaped


def render(root: Root, sections: Sequence[Section], budget: int) -> Shaped:
    """As many entries as Markdown would have room for, or fewer, as JSON takes more."""
    low, high = 0, budget
    best = _written(root, as_markdown.render(Root(root.tag), sections, budget))
    if best.used <= budget:
        return best
    best = Shaped("", 0, {}, best.left_out, cut=True)
    while low < high:
        middle = (low + high + 1) // 2
        tried = _written(root, as_markdown.render(Root(root.tag), sections, middle))
        if tried.used <= budget:
            low, best = middle, tried
        else:
            high = middle - 1
    return best


def _written(root: Root, shaped: Shaped) -> Shaped:
    data: dict[str, Any] = dict(root.about)
    for name, entries in shaped.kept.items():
        data[name] = [{"text": entry.text, **entry.about} for entry in entries]
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n" if data else ""
    return replace(shaped, text=text, used=tokens.count(text))
