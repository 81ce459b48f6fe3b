"""Takes secrets and `<private>` parts out of a text, and leaves every other character as it was."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from string import hexdigits

from nanoctx.core.secret_rules import Span, commands, rare_secrets, usual_secrets
from nanoctx.core.secret_shapes import RARE, compiled

PRIVATE = "private"
_BETWEEN = "\n\f\n"


@dataclass(frozen=True, slots=True)
class Finding:
    """A part of a text that must not be stored."""

    kind: str
    start: int
    end: int


def redact(text: str) -> str:
    """The text with each secret replaced by `[secret: kind]` and each private part dropped."""
    found = findings(text)
    if not found:
        return text
    pieces: list[str] = []
    at = 0
    for finding in found:
        pieces.append(text[at : finding.start])
        if finding.kind != PRIVATE:
            pieces.append(f"[secret: {finding.kind}]")
        at = finding.end
    pieces.append(text[at:])
    return "".join(pieces)


def redact_all(texts: Sequence[str]) -> list[str]:
    """
    Each text redacted, at the price of about one look for all of them.

    They are looked at as one; whatever a finding touches is then looked at by itself, so that no text is
    judged by what stands beside it.
    """
    found = findings(_BETWEEN.join(texts))
    if not found:
        return list(texts)
    done: list[str] = []
    start = at = 0
    for text in texts:
        end = start + len(text)
        while at < len(found) and found[at].end <= start:
            at += 1
        touched = at < len(found) and found[at].start < end + len(_BETWEEN)
        done.append(redact(text) if touched else text)
        start = end + len(_BETWEEN)
    return done


def findings(text: str) -> tuple[Finding, ...]:
    """Every secret and private part, in order and without overlap."""
    if len(text) < _SHORTEST:
        return ()
    data = text.encode("utf-8", "surrogatepass")
    unusual = _UNUSUAL.search(data) is not None
    plain = _normalise(data) if unusual else _Plain(data)
    found = usual_secrets(plain.data)
    if unusual:
        found += rare_secrets(plain.data)
        found += _private_parts(plain.data)
    else:
        found += commands(plain.data)
    if not found:
        return ()
    spans = [(kind, plain.start_of(start), plain.end_of(end)) for kind, start, end in _without_overlap(found)]
    return _in_characters(spans, data, one_to_one=len(data) == len(text))


@dataclass(frozen=True, slots=True)
class _Plain:
    """A text as it would be read, and where each part of it came from."""

    data: bytes
    starts: tuple[int, ...] = ()  # where pieces start in `data` …
    sources: tuple[tuple[int, int], ...] = ()  # … and where they stood; one to one unless shorter

    def start_of(self, at: int) -> int:
        if not self.starts:
            return at
        piece = bisect_right(self.starts, at) - 1
        return min(self.sources[piece][0] + at - self.starts[piece], self.sources[piece][1])

    def end_of(self, at: int) -> int:
        if not self.starts:
            return at
        piece = bisect_right(self.starts, at - 1) - 1
        start, end = self.sources[piece]
        stop = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.data)
        one_to_one = stop - self.starts[piece] == end - start
        return start + at - self.starts[piece] if one_to_one else end


def _normalise(data: bytes) -> _Plain:
    """Undo what can stand in the middle of a secret: escapes, colours, invisible characters, broken lines."""
    pieces: list[bytes] = []
    starts: list[int] = []
    sources: list[tuple[int, int]] = []
    size = at = 0
    for odd in _ODD.finditer(data):
        start, end = odd.span()
        if at < start:
            pieces.append(data[at:start])
            starts.append(size)
            sources.append((at, start))
            size += start - at
        meant = _MEANT.get(data[start:end].lstrip(b"\\"))
        if meant:
            pieces.append(meant)
            starts.append(size)
            sources.append((start, end))
            size += 1
        at = end
    if not at:
        return _Plain(data)
    pieces.append(data[at:])
    starts.append(size)
    sources.append((at, len(data)))
    return _Plain(b"".join(pieces), tuple(starts), tuple(sources))


def _private_parts(data: bytes) -> list[Span]:
    """Outermost parts only; one that is never closed reaches to the end."""
    parts: list[Span] = []
    depth = start = 0
    for tag in _PRIVATE_TAG.finditer(data):
        if not tag.group(1):
            if depth == 0:
                start = tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                parts.append((PRIVATE, start, tag.end()))
    if depth:
        parts.append((PRIVATE, start, len(data)))
    return parts


def _without_overlap(spans: Iterable[Span]) -> list[Span]:
    """Overlapping spans become one that covers both, named after the one that starts first or is longer."""
    merged: list[Span] = []
    for kind, start, end in sorted(spans, key=lambda span: (span[1], -span[2], span[0] != PRIVATE)):
        if merged and start < merged[-1][2]:
            first, begin, stop = merged[-1]
            merged[-1] = (PRIVATE if PRIVATE in (first, kind) else first, begin, max(stop, end))
        else:
            merged.append((kind, start, end))
    return merged


def _in_characters(spans: list[Span], data: bytes, *, one_to_one: bool) -> tuple[Finding, ...]:
    if one_to_one:
        return tuple(Finding(*span) for span in spans)
    found: list[Finding] = []
    at = characters = 0
    for kind, start, end in spans:
        characters += len(data[at:start].translate(None, _INNER_BYTES))
        length = len(data[start:end].translate(None, _INNER_BYTES))
        found.append(Finding(kind, characters, characters + length))
        characters += length
        at = end
    return tuple(found)


_SHORTEST = 7  # "pw=a1b2"
_INNER_BYTES = bytes(range(0x80, 0xC0))  # of a character in UTF-8 all bytes but the first
_PRIVATE = r"(?i)<\s{0,4}(/?)\s{0,4}private(?:\s[^<>]*)?>"
_INVISIBLE = (
    r"\x00|\xc2\xad|\xcd\x8f|\xe1\xa0\x8e|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa9]|\xef\xbb\xbf"
    r"|\xf3\xa0[\x80\x81][\x80-\xbf]"
)
_COLOURS = (
    r"(?:\x1b|\\+u001[bB]|\\+x1[bB]|\\+033|\\+e)\[[0-9;:?]*[A-Za-z]"
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z^_=>c]"
)
_ODD_SIGNS = (
    rf"(?:{_INVISIBLE}|{_COLOURS})+|\\+(?:u00|x)[2-7][0-9a-fA-F]|%(?:2[bBdDfF]|3[dD]|5[fF])"
    r"|\\\r?\n[ \t]*|\"[ \t]?\+[ \t]?\"|'[ \t]?\+[ \t]?'"
)
_ODD = compiled(_ODD_SIGNS, groups=False)
# What an escape means, by its letters: `u0041`, `x41`, `%2b`. The other odd signs mean nothing.
_MEANT = {
    (before + digits).encode(): bytes.fromhex(digits)
    for before, digits in product(("u00", "x", "%"), map("".join, product("234567", hexdigits)))
}
_PRIVATE_TAG = compiled(_PRIVATE)
_UNUSUAL = compiled(f"(?:{_ODD_SIGNS})|(?:{_PRIVATE})|{RARE}", groups=False)
