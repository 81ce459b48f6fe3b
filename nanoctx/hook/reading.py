"""Reads what a hook is given and the small files it needs, by the parts of Python that load at once."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST_PAYLOAD = 1 << 20
LARGEST_FILE = 1 << 20
END = 4096


def payload() -> dict[str, Any]:
    """What the host says on standard input."""
    found = parsed(given().decode("utf-8", "replace"))
    return found if isinstance(found, dict) else {}


def given() -> bytes:
    """Standard input, nothing if it is too long; it is read to its end: the host can finish writing."""
    kept, size = [], 0
    try:
        if os.isatty(0):
            return b""
        while block := os.read(0, 1 << 16):
            size += len(block)
            if size <= LONGEST_PAYLOAD:
                kept.append(block)
    except OSError:
        return b""
    return b"" if size > LONGEST_PAYLOAD else b"".join(kept)


def json_file(path: str) -> dict[str, Any]:
    """What a small file of ours holds; nothing if it was cut short or is something else."""
    try:
        found = parsed(small(path))
    except Exception:  # the parser alone raises SystemError and StopIteration, too
        return {}
    return found if isinstance(found, dict) else {}


def parsed(text: str) -> Any:
    text = text.strip("\ufeff \t\r\n")
    return scanner()(text, 0)[0] if text else {}


def scanner() -> Callable[[str, int], tuple[Any, int]]:
    """The parser inside the json module, without that module: it takes as long to load as Python does."""
    try:
        from _json import make_scanner
    except ImportError:  # another Python than CPython
        import json

        return json.JSONDecoder().raw_decode
    return make_scanner(_Rules())  # type: ignore[arg-type]


class _Rules:
    """What the parser wants to be told."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def quoted(text: str) -> str:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return encode_basestring_ascii(text)


def small(path: str) -> str:
    """The text of a small regular file; empty if there is none."""
    return start(path, LARGEST_FILE).decode("utf-8", "replace")


def start(path: str, most: int) -> bytes:
    """The first bytes of a file; none if it is not there. A pipe in its place is not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            return os.read(descriptor, most)
        finally:
            os.close(descriptor)
    except OSError:
        return b""


def end(path: str) -> str:
    """The last part of a file that grows; empty if it is not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            os.lseek(descriptor, max(0, os.fstat(descriptor).st_size - END), os.SEEK_SET)
            return os.read(descriptor, END).decode("utf-8", "replace")
        finally:
            os.close(descriptor)
    except OSError:
        return ""
