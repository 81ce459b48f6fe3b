"""Edits one list in a person's YAML as text: what is not added or removed keeps every byte, comments too."""

from __future__ import annotations

import json
import re

import yaml

_PLAIN = re.compile(r"[\w/~][\w./~+-]*")
_SHORT = re.compile(r"[,\[\]{}#:\n\r]")  # what a plain word within brackets must not hold


class NotYaml(ValueError):
    """The text is no mapping of keys to values; the message says where or why."""


def values(text: str, key: str) -> tuple[str, ...]:
    """The words in a list; one word alone is a list of one, too."""
    found = _value(text, key)
    if found is None:
        return ()
    _, node = found
    if isinstance(node, yaml.SequenceNode):
        return tuple(str(one.value) for one in node.value if isinstance(one, yaml.ScalarNode))
    return () if _is_nothing(node) else (str(node.value),)


def added(text: str, key: str, word: str) -> str:
    """Put a word at the end of a list, which is made if it is not there."""
    found = _value(text, key)
    shown = word if _PLAIN.fullmatch(word) else json.dumps(word, ensure_ascii=False)
    if found is None:
        return _with_line(text, f"{key}: {shown}")
    name, node = found
    begin, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.SequenceNode):
        return _longer(text, node, shown)
    if _is_nothing(node):
        colon = text.index(":", name.end_mark.index) + 1
        return f"{text[:colon]} {shown}{text[colon:]}"
    first = text[begin:end]
    style = node.style if isinstance(node, yaml.ScalarNode) else ""
    if style in ("|", ">") or (style is None and _SHORT.search(first)):
        first = json.dumps(str(node.value).strip(), ensure_ascii=False)
        first += "\n" if text[begin:end].endswith("\n") else ""
    line = "\n" if first.endswith("\n") else ""
    return f"{text[:begin]}[{first.rstrip()}, {shown}]{line}{text[end:]}"


def removed(text: str, key: str, word: str) -> str:
    """Take a word out of a list; with the key, if nothing is left and it stood there alone."""
    found = _value(text, key)
    if found is None:
        return text
    name, node = found
    if not isinstance(node, yaml.SequenceNode):
        return _without_lines(text, name.start_mark.index, node.end_mark.index)
    items = node.value
    at = max(place for place, one in enumerate(items) if one.value == word)
    begin, end = items[at].start_mark.index, items[at].end_mark.index
    if not node.flow_style:
        whole = len(items) == 1
        return _without_lines(text, name.start_mark.index if whole else begin, end)
    if at:
        return text[: items[at - 1].end_mark.index] + text[end:]
    return text[:begin] + text[items[1].start_mark.index if len(items) > 1 else end :]


def _value(text: str, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    """A key and its value; of two with the same name the last one counts."""
    root = _root(text)
    if root is None:
        return None
    named = [(name, node) for name, node in root.value if name.value == key]
    if not named:
        return None
    name, node = named[-1]
    if isinstance(node, yaml.MappingNode) or node.start_mark.index < name.end_mark.index:
        raise NotYaml(f'not as expected ("{key}" is no list)')
    return name, node


def _root(text: str) -> yaml.MappingNode | None:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise NotYaml(f"not valid YAML{where}") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise NotYaml("not valid YAML") from None
    if root is None or (isinstance(root, yaml.ScalarNode) and _is_nothing(root)):
        return None
    if not isinstance(root, yaml.MappingNode):
        raise NotYaml("not as expected (no keys and values)")
    if root.flow_style:
        raise NotYaml("not as expected (it is written in braces)")
    return root


def _is_nothing(node: yaml.Node) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")


def _longer(text: str, node: yaml.SequenceNode, shown: str) -> str:
    if not node.value:
        inner = node.end_mark.index - 1
        return text[:inner] + shown + text[inner:]
    last = node.value[-1]
    if node.flow_style:
        end = last.end_mark.index
        return f"{text[:end]}, {shown}{text[end:]}"
    end = _end_of_line(text, max(last.start_mark.index, _last_sign(text, last.end_mark.index)))
    line = " " * node.start_mark.column + f"- {shown}"
    return text[:end] + _newline(text) + line + text[end:]


def _with_line(text: str, line: str) -> str:
    """A line more at the end, where the document ends; if the last one was not ended, neither is this."""
    end = re.search(r"^\.\.\.[ \t]*\r?$", text, re.MULTILINE)
    head, tail = (text[: end.start()], text[end.start() :]) if end else (text, "")
    new = _newline(text)
    if not head or head.endswith("\n"):
        return head + line + new + tail
    return head + (line if head == "\ufeff" else new + line) + tail


def _without_lines(text: str, begin: int, end: int) -> str:
    """Take out the lines in which a part stands; at the end of the text, with the end of the line before."""
    first = text.rfind("\n", 0, begin) + 1
    last = _end_of_line(text, max(begin, _last_sign(text, end)))
    if last < len(text):
        return text[:first] + text[text.index("\n", last) + 1 :]
    head = text[:first]
    if text[:1] == "\ufeff" and first == 0:
        return "\ufeff"
    return head.removesuffix("\n").removesuffix("\r")


def _last_sign(text: str, end: int) -> int:
    """Where the last sign before a place stands: a parser counts the lines after a part to it."""
    return len(text[:end].rstrip()) - 1


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" and end < len(text) else end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
