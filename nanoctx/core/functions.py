"""Which functions differ between two versions of a file: new, modified or deleted, each by its signature."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

NEW, MODIFIED, DELETED = "NEW", "MODIFIED", "DELETED"
SIGNATURE = 140
MOST_NODES = 200_000  # of one file; what stands behind them is not looked at
DEEPEST = 60  # nested blocks

# By ending: the package of the grammar, and the function in it that gives the language.
_GRAMMARS = {
    "py": ("tree_sitter_python", "language"),
    "pyi": ("tree_sitter_python", "language"),
    "js": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "mjs": ("tree_sitter_javascript", "language"),
    "cjs": ("tree_sitter_javascript", "language"),
    "ts": ("tree_sitter_typescript", "language_typescript"),
    "mts": ("tree_sitter_typescript", "language_typescript"),
    "cts": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rs": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "h": ("tree_sitter_c", "language"),
    "cc": ("tree_sitter_cpp", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "cxx": ("tree_sitter_cpp", "language"),
    "hh": ("tree_sitter_cpp", "language"),
    "hpp": ("tree_sitter_cpp", "language"),
}
_FUNCTIONS = frozenset(
    (
        "function_definition", "function_declaration", "generator_function_declaration", "method_definition",
        "method_declaration", "constructor_declaration", "function_item", "compact_constructor_declaration",
    )
)  # fmt: skip
_VALUES = frozenset(("arrow_function", "function_expression", "generator_function"))
_CONTAINERS = frozenset(
    (
        "class_definition", "class_declaration", "abstract_class_declaration", "interface_declaration",
        "impl_item", "trait_item", "mod_item", "enum_declaration", "record_declaration", "class_specifier",
        "struct_specifier", "namespace_definition", "class", "internal_module",
    )
)  # fmt: skip
_BLANKS = re.compile(r"\s+")
_INSIDE = re.compile(r"(\() |,? (\))")  # of brackets that were broken over lines


@dataclass(frozen=True, slots=True)
class Changed:
    """A function that is not what it was."""

    signature: str
    change: str


def is_known(path: str) -> bool:
    """Whether we have a grammar for a file so called."""
    return _ending(path) in _GRAMMARS


def changed(path: str, old: str, new: str) -> list[Changed]:
    """The functions of a file that differ, in the order they stand in it; deleted ones last."""
    before, after = _functions(path, old), _functions(path, new)
    found = [
        Changed(signature, MODIFIED if key in before else NEW)
        for key, (signature, text) in after.items()
        if key not in before or before[key][1] != text
    ]
    gone = [Changed(signature, DELETED) for key, (signature, _) in before.items() if key not in after]
    return found + gone


def _functions(path: str, text: str) -> dict[str, tuple[str, bytes]]:
    """Functions by their qualified name, each with its signature and its whole text."""
    if not text:
        return {}
    tree = _parser(_ending(path)).parse(text.encode("utf-8", "replace"))
    found: dict[str, tuple[str, bytes]] = {}
    times: Counter[str] = Counter()
    for within, node, name in _found(tree.root_node):
        key = ".".join((*within, name))
        times[key] += 1
        if times[key] > 1:  # overloads: what comes first keeps the name, the others are told by their place
            key = f"{key}#{times[key]}"
        found[key] = (_signature(node, within), node.text or b"")
    return found


def _found(root: Node) -> Iterator[tuple[tuple[str, ...], Node, str]]:
    """Functions outside other functions, each with the names of what it stands in."""
    seen = 0
    waiting: list[tuple[tuple[str, ...], int, Node]] = [((), 0, root)]
    while waiting and seen < MOST_NODES:
        within, depth, node = waiting.pop()
        seen += 1
        name = _name(node)
        if name and _is_function(node):
            yield within, node, name
            continue
        inside = (*within, name) if name and node.type in _CONTAINERS else within
        if depth < DEEPEST:
            waiting += [(inside, depth + 1, child) for child in reversed(node.named_children)]


def _is_function(node: Node) -> bool:
    if node.type in _FUNCTIONS:
        return True
    if node.type not in ("variable_declarator", "field_definition", "public_field_definition"):
        return False
    value = node.child_by_field_name("value")
    return value is not None and value.type in _VALUES


def _name(node: Node) -> str:
    for field in ("name", "property", "type", "declarator"):
        child = node.child_by_field_name(field)
        if child is not None and (node.type in _CONTAINERS or node.type in _FUNCTIONS or _is_function(node)):
            return _text(_innermost(child) if field == "declarator" else child)
    return ""


def _innermost(node: Node) -> Node:
    """What a C declarator declares: `*(*f)(int)` names f."""
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        node, inner = inner, inner.child_by_field_name("declarator")
    return node


def _signature(node: Node, within: tuple[str, ...]) -> str:
    """A function without its body, on one line, with the class it belongs to."""
    value = node.child_by_field_name("value")
    body = (value or node).child_by_field_name("body")
    source = node.text or b""
    head = source[: body.start_byte - node.start_byte] if body is not None else source
    text = _BLANKS.sub(" ", head.decode("utf-8", "replace")).strip().rstrip("{:=> ")
    text = _INSIDE.sub(r"\1\2", text)
    text = text if len(text) <= SIGNATURE else text[: SIGNATURE - 1].rstrip() + "…"
    return f"{'.'.join(within)}: {text}" if within else text


def _text(node: Node) -> str:
    return _BLANKS.sub(" ", (node.text or b"").decode("utf-8", "replace")).strip()[:SIGNATURE]


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


@cache
def _parser(ending: str) -> Parser:
    package, function = _GRAMMARS[ending]
    return Parser(Language(getattr(import_module(package), function)()))
