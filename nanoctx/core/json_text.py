"""Edits a person's JSON as text: what is not added or removed keeps every byte, comments too."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r'(?P<space>[ \t\r\n]+)|(?P<comment>//[^\n\r]*|/\*.*?\*/)|(?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<word>-?[0-9][0-9.eE+-]*|true|false|null)|(?P<mark>[{}\[\]:,])",
    re.DOTALL,
)
_DEEPEST = 200


class NotJson(ValueError):
    """The text is no JSON, even with comments and trailing commas allowed."""

    def __init__(self, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        super().__init__(f"line {self.line}, column {self.column}")


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object, or an element of an array (whose key is ""), and where it stands."""

    key: str
    start: int
    node: Node
    comma: int | None  # where the comma after it stands


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands; `items` are those of an object or an array."""

    start: int
    end: int
    value: Any
    items: tuple[Item, ...] = ()

    def member(self, key: str) -> Node | None:
        """The value of a key. Of two with the same name the last one counts, as for all readers of JSON."""
        return next((item.node for item in reversed(self.items) if item.key == key), None)


def parse(text: str) -> Node:
    """The value in a text, with the places of its parts; a byte order mark before it is fine."""
    return _Reader(text).document()


def add(text: str, container: Node, value: Any, key: str = "") -> str:
    """Put a member or an element at the end of an object or array, in the manner of its neighbours."""
    name = json.dumps(key, ensure_ascii=False) + _colon(text) if isinstance(container.value, dict) else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    flat = "\n" not in text.strip()
    if not container.items:
        outer = _indent(text, container.start)
        inner = outer + _unit(text)
        body = name + _shown(text, value, inner, newline, flat)
        filled = body if flat else f"{newline}{inner}{body}{newline}{outer}"
        # A comment in an empty pair of brackets stays before what is added.
        kept = text[container.start + 1 : container.end - 1].rstrip()
        kept += newline + inner if "//" in kept and flat else ""
        return text[: container.start + 1] + kept + filled + text[container.end - 1 :]
    first, last = container.items[0], container.items[-1]
    lead = text[container.start : first.start]
    flat = "\n" not in lead
    inner = _indent(text, first.start) if not flat else ""
    gap = newline + inner if not flat else " " if _spaced(text, container) else ""
    body = name + _shown(text, value, inner, newline, flat)
    comma = last.node.end if last.comma is None else last.comma + 1
    # On one line with its neighbours, what is added must not fall into a comment's line.
    place = comma if flat else _after_remark(text, comma)
    if last.comma is None:
        return text[:comma] + "," + text[comma:place] + gap + body + text[place:]
    return text[:place] + gap + body + "," + text[place:]


def remove(text: str, container: Node, index: int) -> str:
    """Take a member or an element out, with the comma and the space that came with it."""
    item = container.items[index]
    begin, in_remark = _before(text, item.start)
    rest = text[item.node.end :]
    if item.comma is not None:
        rest = text[item.node.end : item.comma] + text[item.comma + 1 :]
    elif index == 0 and text[begin - 1] in "{[":
        rest = rest.lstrip()
    if in_remark and not rest.startswith(("\n", "\r")):
        rest = "\n" + rest  # or what follows would become part of the comment
    comma = container.items[index - 1].comma if index and item.comma is None else None
    head = text[:begin] if comma is None else text[:comma] + text[comma + 1 : begin]
    return head + rest


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, int, int]] = []
        at = 1 if text.startswith("\ufeff") else 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if not found:
                raise NotJson(text, at)
            if found.lastgroup not in ("space", "comment"):
                self._tokens.append((found.lastgroup or "", at, found.end()))
            at = found.end()
        self._next = 0

    def document(self) -> Node:
        node = self._node(0)
        if self._next < len(self._tokens):
            raise NotJson(self._text, self._tokens[self._next][1])
        return node

    def _peek(self) -> str:
        if self._next == len(self._tokens):
            raise NotJson(self._text, len(self._text))
        kind, start, _ = self._tokens[self._next]
        return self._text[start] if kind == "mark" else kind

    def _take(self, *kinds: str) -> tuple[int, int]:
        if self._peek() not in kinds:
            raise NotJson(self._text, self._tokens[self._next][1])
        _, start, end = self._tokens[self._next]
        self._next += 1
        return start, end

    def _node(self, depth: int) -> Node:
        start, end = self._take("string", "word", "{", "[")
        mark = self._text[start]
        if depth > _DEEPEST:
            raise NotJson(self._text, start)
        if mark not in "{[":
            try:
                return Node(start, end, json.loads(self._text[start:end]))
            except ValueError:
                raise NotJson(self._text, start) from None
        items = []
        close = "}" if mark == "{" else "]"
        while self._peek() != close:
            items.append(self._item(mark, depth))
            if items[-1].comma is None:
                break
        _, end = self._take(close)
        value: Any = [item.node.value for item in items]
        if mark == "{":
            value = {item.key: item.node.value for item in items}
        return Node(start, end, value, tuple(items))

    def _item(self, mark: str, depth: int) -> Item:
        key, begin = "", None
        if mark == "{":
            begin, end = self._take("string")
            try:
                key = json.loads(self._text[begin:end])
            except ValueError:
                raise NotJson(self._text, begin) from None
            self._take(":")
        node = self._node(depth + 1)
        comma = self._take(",")[0] if self._peek() == "," else None
        return Item(key, node.start if begin is None else begin, node, comma)


def _before(text: str, at: int) -> tuple[int, bool]:
    """Where the space before a place begins, and whether a comment to the end of its line stands there."""
    end, in_remark = 0, False
    for found in _TOKEN.finditer(text, 0, at):
        if found.lastgroup != "space":
            end, in_remark = found.end(), found[0].startswith("//")
    return end, in_remark


def _after_remark(text: str, at: int) -> int:
    """Behind a comment on the rest of this line, which is about what stands before it."""
    found = re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^\n\r]*?\*/(?=[ \t]*[\r\n]))").match(text, at)
    return found.end() if found else at


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation, as the first indented line shows it."""
    found = re.search(r"\n([ \t]+)[^ \t\r\n]", text)
    return found[1] if found else "  "


def _colon(text: str) -> str:
    found = re.search(r'"(\s*:\s*)["\[{0-9tfn-]', text)
    return ":" if found and found[1] == ":" else ": "


def _spaced(text: str, container: Node) -> bool:
    comma = container.items[0].comma
    return comma is None or text[comma + 1 : comma + 2] in (" ", "\t")


def _shown(text: str, value: Any, indent: str, newline: str, flat: bool) -> str:
    if flat:
        colon = _colon(text)
        return json.dumps(value, ensure_ascii=False, separators=("," if colon == ":" else ", ", colon))
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", newline + indent)
