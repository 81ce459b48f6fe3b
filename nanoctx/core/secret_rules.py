"""The rules that find secrets in UTF-8; all of them run in linear time on re2."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from nanoctx.core import secret_shapes as shapes
from nanoctx.core.secret_names import keyed
from nanoctx.core.secret_values import (
    is_blank_shape,
    is_passphrase,
    is_password,
    is_placeholder,
    is_random,
    is_strong,
)

Span = tuple[str, int, int]


def usual_secrets(data: bytes) -> list[Span]:
    """Tokens known by their shape or by the name beside them, and passwords told in a sentence."""
    found = [*keyed(data), *_said(data)]
    if _VENDORS_SHAPE.search(data) is not None:
        found += [*_shaped(data), *_prefixed(data)]
    elif _OTHER_SHAPE.search(data) is not None:
        found += [*_marked(data), *_prefixed(data)]
    return found


def rare_secrets(data: bytes) -> list[Span]:
    """Secrets in keys, URLs, headers, cookies, commands and files: worth it where `shapes.RARE` was seen."""
    return [span for rule in _RARE_RULES for span in rule(data)]


def _shaped(data: bytes) -> Iterator[Span]:
    for match in _all_shapes().finditer(data):
        group = match.lastindex
        kind = shapes.SHAPES[group - 1][0]
        start, end = match.span(group)
        token = _text(data[start : min(end, start + _ENOUGH)])
        if not is_blank_shape(token) and (kind != "token" or is_random(token)):
            yield kind, start, end


@cache
def _all_shapes() -> Any:
    """Compiled when a vendor's token was seen: it takes as long as most other rules together."""
    return shapes.compiled(shapes.SHAPE)


def _marked(data: bytes) -> Iterator[Span]:
    """The last of the shapes alone: to look for them all takes re2 long the first time."""
    kind = shapes.SHAPES[-1][0]
    for match in _MARKED.finditer(data):
        start, end = match.span(1)
        token = _text(data[start : min(end, start + _ENOUGH)])
        if not is_blank_shape(token) and is_random(token):
            yield kind, start, end


def _prefixed(data: bytes) -> Iterator[Span]:
    for match in _PREFIXED.finditer(data):
        token = _text(match.group(1))
        prefix, *rest = _PREFIX_END.split(token)
        mixed = all(any(map(test, "".join(rest))) for test in (str.isupper, str.islower, str.isdigit))
        mixed = mixed or bool(_LONG_AND_NOT_HEX.search(token))
        named = _ID_WORD.fullmatch(prefix) or _ID_WORD.fullmatch(rest[0])
        if mixed and max(map(len, rest)) >= 14 and not named and not is_blank_shape(token):
            yield "token", *match.span(1)


def _said(data: bytes) -> Iterator[Span]:
    for match in _PROSE.finditer(data):
        group = match.lastindex
        start, end = match.span(group)
        if group == 3:  # "… is the password": the value stands before
            start, end = _word_before(data, start)
        start, end, quoted = _unwrapped(data, start, min(end, start + _LONGEST_SAID))
        value = _text(data[start:end])
        if group == 5:
            if is_passphrase(value):
                yield "seed phrase", start, end
        elif not is_placeholder(value) and _is_said(value, match.group(0).lower(), group, quoted):
            yield "password", start, end


def _is_said(value: str, words: bytes, group: int, quoted: bool) -> bool:
    if group == 1 and words.startswith(b"pin") and value.isdigit():
        return 4 <= len(value) <= 8
    if _NOT_SAID.search(value):
        return False
    if group == 6:
        return is_strong(value) or (words.startswith(b"cred") and is_password(value))
    if group in (2, 7, 8, 10, 11, 12) and not quoted:
        word_and_number = _WORD_AND_NUMBER.fullmatch(value) and is_password(value)
        return is_strong(value) or is_random(value) or bool(word_and_number)
    if b"pass" in words or b"pw" in words or group in (4, 7, 8):
        return is_password(value)
    return is_strong(value) or is_random(value)


def _word_before(data: bytes, end: int) -> tuple[int, int]:
    words = data[max(0, end - 256) : end].split()
    return (end - len(words[-1]), end) if words else (end, end)


def _unwrapped(data: bytes, start: int, end: int) -> tuple[int, int, bool]:
    """Without the quotes, brackets and punctuation that a sentence puts around a value."""
    word = data[start:end]
    inner = word.lstrip(b"\"'`([*_<" if word.rstrip(b".,;:")[-1:] in b"\"'`)]*_>" else b"\"'`([<")
    left = len(word) - len(inner)
    opening = word[:left]
    quoted = opening[-1:] in (b'"', b"'", b"`") and opening[-1:] in inner
    if quoted:
        inner = inner[: inner.index(opening[-1:])]
    else:
        inner = inner.rstrip(b".,;:\"'`)]_>" if left else b".,;:)")
    return start + left, start + left + len(inner), quoted


def _hashes(data: bytes) -> Iterator[Span]:
    for match in _HASH.finditer(data):
        if not is_blank_shape(_text(match.group(1))):
            yield "password hash", *match.span(1)


def _private_keys(data: bytes) -> Iterator[Span]:
    for match in _PEM_BEGIN.finditer(data):
        start, end = match.span()
        if data.startswith(b"LS0t", start):
            if b"PRIVATE KEY" in _decoded(data[start : start + 64]):
                yield "private key", start, end
            continue
        stop = _PEM_BODY.match(data, end).end()
        closing = data.find(b"-----", stop + 8, stop + 80) if data.startswith(b"-----END", stop) else -1
        if _BASE64_LINE.search(data, end, stop):
            yield "private key", start, closing + 5 if closing > 0 else stop


def _urls(data: bytes) -> Iterator[Span]:
    for match in _URL.finditer(data):
        password, user = _text(match.group(1)), _text(data[match.start() + 4 : match.start(1) - 1])
        if password != user and (is_strong(password) or not is_placeholder(password)):
            yield "url password", *match.span(1)


def _files(data: bytes) -> Iterator[Span]:
    for match in _FILE.finditer(data):
        group = match.lastindex
        value = match.group(group)
        if group >= _LOGINS:
            if b":" in _decoded(value):
                yield "registry login", *match.span(group)
            continue
        password = _text(value)
        of_a_machine = b"machine" in data[max(0, match.start() - 300) : match.end()]
        if not is_placeholder(password) and (of_a_machine or is_password(password)):
            yield "password", *match.span(group)


def _cookies(data: bytes) -> Iterator[Span]:
    for match in _COOKIE.finditer(data):
        start, end = match.span(match.lastindex)
        for cookie in _ONE_COOKIE.finditer(data, start, end):
            value = _text(cookie.group(1))
            if is_random(value) and not is_placeholder(value):
                yield "cookie", *cookie.span(1)


def commands(data: bytes) -> Iterator[Span]:
    """Passwords given to a command as an argument."""
    for match in _COMMAND.finditer(data):
        group = match.lastindex
        start, end = match.span(group)
        if data[start : start + 1] in (b'"', b"'"):
            start, end = start + 1, end - 1
        password = _text(data[start:end])
        known = group <= len(shapes.COMMANDS)
        sure = known or (is_strong(password) and not _ADDRESS.search(password))
        if sure and len(password) >= 4 and not is_placeholder(password):
            yield "password", start, end


def _headers(data: bytes) -> Iterator[Span]:
    for match in _HEADER.finditer(data):
        group = match.lastindex
        scheme, value = match.group(0).lower(), match.group(group)
        login = _decoded(value)
        if b"basic" in scheme and b":" in login:
            if not is_placeholder(_text(login.partition(b":")[2])):
                yield "basic auth", *match.span(group)
        elif is_random(_text(value)) and not is_placeholder(_text(value)):
            kind = "bearer token" if b"bearer" in scheme else "authorization"
            yield kind, *match.span(group)


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _decoded(value: bytes) -> bytes:
    """What a base64 text says, or nothing when it is not readable text."""
    try:
        plain = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
    return plain if plain.isascii() and plain.replace(b"\n", b" ").decode("ascii").isprintable() else b""


_LONGEST_SAID = 512
_ENOUGH = 200  # characters of a token that tell whether it is a real one
_MARKED = shapes.compiled(shapes.MARKED)
_PREFIXED = shapes.compiled(shapes.PREFIXED)
_PREFIX_END = re.compile("[_.-]")
_LONG_AND_NOT_HEX = re.compile(r"[_-](?=[a-f0-9]*[g-z])(?=[a-z]*[0-9])[a-z0-9]{32,}$")
_ID_WORD = re.compile(
    r"ids?|msg|message|req|request|call|toolu|run|evt|event|file|thread|ses|session|hash|sha\d*|md5|chatcmpl|cmpl|resp"
    r"|asst|org|proj|item|node|chunk|blob|commit|image|img"
)
_PROSE = shapes.compiled(shapes.PROSE)
_NOT_SAID = re.compile(
    r"[=(){}<>\[\]|\\]|^[\w.-]*/|^--?\w|:\d+$|^\d+(?:[%x.,:/-]\d*)?\w{0,3}$|^\w+'\w$|^#\d+$|^@\w+"
)
_WORD_AND_NUMBER = re.compile(r"[A-Za-z]{3,}\d{2,}")
_VENDORS_SHAPE = shapes.compiled(shapes.VENDORS_SHAPE, groups=False)
_OTHER_SHAPE = shapes.compiled(shapes.OTHER_SHAPE, groups=False)
_HASH = shapes.compiled(shapes.HASH)
_PEM_BEGIN = shapes.compiled(shapes.PEM_BEGIN)
_PEM_BODY = shapes.compiled(shapes.PEM_BODY)
_BASE64_LINE = shapes.compiled(r"[A-Za-z0-9+/=]{16,}", groups=False)
_URL = shapes.compiled(shapes.URL)
_FILE = shapes.compiled(shapes.FILE)
_LOGINS = 7  # from this group on it is a name and a password in base64
_COOKIE = shapes.compiled(shapes.COOKIE)
_ONE_COOKIE = shapes.compiled(
    r"(?i)[\w.-]*(?:sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret|key|ticket)[\w.-]*=([^;,\s]{8,})"
)
_COMMAND = shapes.compiled(shapes.COMMAND)
_ADDRESS = re.compile(r"[/:=,@]")
_HEADER = shapes.compiled(shapes.HEADER)
_RARE_RULES = (_hashes, _private_keys, _urls, _files, _cookies, commands, _headers)
