"""A person's text of any length and shape as the texts of items, and back to the same characters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from nanoctx.core import items
from nanoctx.model import Item

_NOT_AS_IT_IS = re.compile(r"[^\S ]|(?<= ) |[\x7f-\x9f\ud800-\udfff]")


def write(kind: str, text: str, more: Mapping[str, str]) -> tuple[Item, ...]:
    """
    Write a text as one item, or as several that belong together.

    What an item's line can say stands there as it is. Anything else is written as a JSON string (`as=json`)
    and, where that is too long for a line, cut into pieces (`part=2/3`).
    """
    plain = Item(kind, text, by="person", more=dict(more))
    if items.parse_item(items.render_item(plain)) == plain:
        return (plain,)
    pieces = list(_pieces(_encoded(text)))
    return tuple(
        Item(kind, piece, by="person", more={**more, "as": "json", "part": f"{number}/{len(pieces)}"})
        for number, piece in enumerate(pieces, 1)
    )


def read(kind: str, written: Iterable[Item]) -> Iterator[tuple[str, Item]]:
    """Read the texts of a kind back, each with its item; a text that misses a piece is left out."""
    held: list[str] = []
    for item in written:
        if item.kind != kind:
            continue
        number, _, count = item.more.get("part", "1/1").partition("/")
        if item.more.get("as") != "json":
            yield item.text, item
            continue
        held = [*held, item.text] if number != "1" else [item.text]
        if number == count and str(len(held)) == count:
            text = _decoded("".join(held))
            if text is not None:
                yield text, item


def _encoded(text: str) -> str:
    return _NOT_AS_IT_IS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(text, ensure_ascii=False))


def _decoded(text: str) -> str | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _pieces(text: str) -> Iterator[str]:
    """Cut a text so that no piece begins or ends with the blank that an item's line would lose."""
    while text:
        end = items.TEXT_LIMIT
        while text[end - 1] == " " or text[end : end + 1] == " " if end < len(text) else False:
            end -= 1
        yield text[:end]
        text = text[end:]
