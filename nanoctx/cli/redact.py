"""`nanoctx redact`: standard input to standard output, without secrets."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.errors import UsageError

BLOCK = 256 * 1024  # how much is looked at in one piece
LONGEST = 4 * BLOCK  # a key of several lines is waited for until here
OPEN, CLOSE = "<private>", "</private>"
DEEPEST = 20  # private parts within private parts
TAIL = "\n\x1e\n"  # still there after a block: the block left nothing open


@click.command("redact")
@with_call
def command(call: Call) -> None:
    """Copy standard input to standard output, with secrets and private parts taken out.

    A secret becomes [secret: kind]; what stands between <private> and </private> is dropped. It is what
    nanoctx does to everything it reads before it keeps any of it. Input of any length is fine.

    \b
    Examples:
      nanoctx redact < session.jsonl > clean.jsonl
      printenv | nanoctx redact
    """
    if call.as_json:
        raise UsageError("redact answers with the text itself: leave --json out")
    depth = 0
    for block in blocks(sys.stdin.buffer):
        # A private part that a block left open goes on in the next.
        clean, depth = _redacted(OPEN * depth + block)
        sys.stdout.buffer.write(clean.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def blocks(stream: BinaryIO) -> Iterator[str]:
    """The input in pieces that cut through no line and no key, as long as those have a sane length."""
    held = b""
    while data := stream.read(BLOCK):
        held += data
        if len(held) < LONGEST and _in_a_key(held):
            continue
        end = _cut(held)
        if end:
            yield held[:end].decode("utf-8", "surrogateescape")
            held = held[end:]
    if held:
        yield held.decode("utf-8", "surrogateescape")


def _in_a_key(data: bytes) -> bool:
    return data.rfind(b"-----BEGIN ") > data.rfind(b"-----END ")


def _cut(data: bytes) -> int:
    """After the last complete line; in a line without end after its last space, or anywhere at last."""
    end = data.rfind(b"\n") + 1
    while end > 1 and data[end - 2 : end - 1] == b"\\":  # a line that goes on in the next one
        end = data.rfind(b"\n", 0, end - 1) + 1
    if end or len(data) < LONGEST:
        return end
    return data.rfind(b" ") + 1 or _between_characters(data)


def _between_characters(data: bytes) -> int:
    """The last place that surely cuts through no character; those have four bytes at most."""
    last = max(len(data) - 4, 1)
    return next((end for end in range(last, max(last - 4, 0), -1) if data[end] & 0xC0 != 0x80), len(data))


def _redacted(text: str) -> tuple[str, int]:
    """A block without its secrets, and how many private parts are open at its end."""
    from nanoctx.core.redact import PRIVATE, findings, redact

    clean = redact(text + TAIL)
    if clean.endswith(TAIL):
        return clean.removesuffix(TAIL), 0
    last = findings(text + TAIL)[-1]
    if last.kind != PRIVATE:
        return redact(text), 0
    part = text[last.start :]
    for depth in range(1, DEEPEST):
        if redact(part + CLOSE * depth + TAIL).endswith(TAIL):
            return clean, depth
    return clean, DEEPEST
