"""What a fact names that a repository can be asked about, and what it means when it is not there any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

CONTEXT_AGE = timedelta(hours=24)  # CONTEXT.md older than this is refreshed
MOST_NAMES = 6  # of each sort in one fact
LONGEST_SOURCE = 1024 * 1024

_PATH = re.compile(
    r"(?<![\w~:/.-])(?:\./)?((?:[\w.@+-]+/)*[\w.@+-]*[\w+-]\.[A-Za-z][A-Za-z0-9]{0,9})(?![\w/(])"
)
_FOLDER = re.compile(r"(?<![\w~:/.-])((?:[\w.@+-]+/)+[\w.@+-]*)(?![\w(])")
_CALL = re.compile(r"\b(?:\w+\.)*([A-Za-z_]\w{2,60})\(\)")
_SYMBOL = re.compile(
    r"(?<![\w./-])([a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Za-z]+(?:_[A-Za-z0-9]+)+)(?![\w./-])"
)
_COMMIT = re.compile(r"(?<![\w/-])([0-9a-f]{7,40})(?![\w-])")
_BRANCH = re.compile(
    r"\bbranch(?: called| named)?\s+[`'\"]?([\w][\w./-]{1,80}\w)|\b([\w][\w./-]*[/-][\w./-]*\w)\s+branch\b"
)


@dataclass(frozen=True, slots=True)
class Names:
    """What of a fact can be looked up."""

    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths or self.symbols or self.commits or self.branches)


@dataclass(frozen=True, slots=True)
class Answers:
    """What a repository says of such names. Only what is there now, or surely was, is told of."""

    paths: frozenset[str] = frozenset()  # all files there are now
    were_paths: frozenset[str] = frozenset()  # that were there when it was said
    symbols: frozenset[str] = frozenset()  # defined or used now
    were_symbols: frozenset[str] = frozenset()
    gone_commits: frozenset[str] = frozenset()
    gone_branches: frozenset[str] = frozenset()


def names(text: str) -> Names:
    """Read the names in a fact."""
    branches = [one or other for one, other in _BRANCH.findall(text)]
    paths = [
        path for path in (*_PATH.findall(text), *_FOLDER.findall(text)) if path.rstrip("/") not in branches
    ]
    symbols = [*_CALL.findall(text), *(one for one in _SYMBOL.findall(text) if len(one) > 4)]
    commits = [one for one in _COMMIT.findall(text) if not one.isdecimal() and not one.isalpha()]
    return Names(*map(_some, (paths, symbols, commits, branches)))


def stale(named: Names, told: Answers) -> str:
    """Why a fact may not hold any more; "" when nothing speaks against it."""
    for path in named.paths:
        if (reason := _path_gone(path, told)) is not None:
            return reason
    for symbol in named.symbols:
        if symbol in told.were_symbols and symbol not in told.symbols:
            return f"{symbol} is gone"
    for commit in named.commits:
        if commit in told.gone_commits:
            return f"commit {commit} is gone"
    for branch in named.branches:
        if branch in told.gone_branches:
            return f"branch {branch} is gone"
    return ""


def defines(source: str, symbol: str) -> bool | None:
    """Whether Python code uses or defines a name, beyond comments and texts; None if it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return any(symbol in _named_by(node) for node in ast.walk(tree))


def context_is_old(written: datetime | None, now: datetime) -> bool:
    """Whether the page must be made anew from what is known."""
    return written is None or now - written > CONTEXT_AGE


def _path_gone(path: str, told: Answers) -> str | None:
    path = path.rstrip("/")
    was = _standing_for(path, told.were_paths)
    if not was or _standing_for(path, told.paths):
        return None
    base = path.rpartition("/")[2]
    moved = sorted(one for one in told.paths if one.rpartition("/")[2] == base)
    return f"{path} is now {moved[0]}" if len(moved) == 1 else f"{path} is gone"


def _standing_for(path: str, known: Iterable[str]) -> bool:
    """Whether a file or folder of this name is there, wherever it stands if only its last part was said."""
    return any(one == path or one.endswith(f"/{path}") or f"/{path}/" in f"/{one}" for one in known)


def _named_by(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            return (name,)
        case ast.alias(name=name, asname=asname):
            return (*name.split("."), asname or "")
        case ast.keyword(arg=str(name)):
            return (name,)
        case ast.Global(names=found) | ast.Nonlocal(names=found):
            return tuple(found)
        case ast.Constant(value=str(text)) if text.isidentifier():
            return (text,)  # a key, or a name in __all__
    return ()


def _some(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in found if one))[:MOST_NAMES]
