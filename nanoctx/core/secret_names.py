"""Finds values that are secret because of the name beside them: `PASSWORD=…`, `api_key: …`, `--token …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from nanoctx.core import secret_shapes as shapes
from nanoctx.core.secret_values import (
    is_code,
    is_passphrase,
    is_password,
    is_placeholder,
    is_random,
    is_strong,
)

_LONGEST = 4096
_ENOUGH = 512  # characters of a value that tell whether it is a secret


def keyed(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Each value beside a telling name as (kind, start, end)."""
    done: int | None = 0
    while done is not None:
        done, found = _next_value(data, done)
        if found:
            yield found


def _next_value(data: bytes, at: int) -> tuple[int | None, tuple[str, int, int] | None]:
    """Go on from here to the next value that is dealt with: where it ends, and the secret if it is one."""
    for place in _PLACE.finditer(data, at):
        begin, at = place.span()
        if _PLAINLY_NOT.match(data, at):
            continue
        match = None
        if data[at - 1] not in _SEPARATORS:  # the match took the first characters of the value
            match = _groups(data, begin, at)
            at = _start_of_value(match)
        start, end, quoted = _value_at(data, at)
        if end - start < 4:
            continue
        match = match or _groups(data, begin, place.end())
        kind = _judge(data, match, start, end, quoted)
        if kind:
            return end, (kind, start, end)
        # A bare value is dealt with, which keeps time linear. But one in quotes may hold a name and a
        # value, and one on the next line or after a mere blank may be the next name.
        after_blank = max(match.end(6), match.end(7), match.end(9)) > 0
        if not (quoted or after_blank or b"\n" in data[match.start() : start]):
            return end, None
    return None, None


def _groups(data: bytes, begin: int, end: int) -> Any:
    """The parts of a name up to its value. `re` is sooner done than re2, but only where there is little."""
    quick = _KEYED_QUICKLY.match(data, begin, end) if end - begin <= _SHORT else None
    return quick if quick and quick.end() == end else _KEYED.match(data, begin, end)


def _start_of_value(match: Any) -> int:
    before = max(match.end(3), match.end(4))
    if before > 0:
        return int(before)
    if max(match.end(6), match.end(7)) > 0:
        return int(match.end()) - 1
    return int(match.start(10)) if match.start(10) > 0 else int(match.end())


def _judge(data: bytes, match: Any, start: int, end: int, quoted: bool) -> str:
    """What kind of secret the value is, or nothing."""
    value = data[start : min(end, start + _ENOUGH)].decode("utf-8", "replace")
    kind = _kind_beside_name(data, match, start, end, quoted, value)
    # Asked last, since it takes the longest: most values are plainly none.
    return "" if kind and is_placeholder(value) else kind


def _kind_beside_name(data: bytes, match: Any, start: int, end: int, quoted: bool, value: str) -> str:
    group = next(number for number in (1, 2, 6, 7, 8, 9) if match.start(number) >= 0)
    name_start = match.start(group)
    if match.start(5) >= 0 and not _counts_in_markup(data, match, quoted):
        return ""
    if group == 9:
        name = _whole_name(data, name_start, match.start(10))
        sure = _is_after_blank(value, name) and not _INNOCENT_NAME.search(name.lower())
        return _kind(match.group(9)) if sure else ""
    if match.start(3) >= 0 and not (quoted and _stands_for_itself(value, match.group(3))):
        return ""
    option = group in (6, 7) and _is_option(data, name_start)
    if group in (6, 7) and not option and not _ends_line(data, end):
        return ""  # the start of a sentence, not a name and its value
    direct = option or _is_setting(data, name_start, start)
    if not quoted and ((not direct and is_code(value)) or _is_next_line(data[name_start:start], value)):
        return ""
    phrase = b"phrase" in data[name_start : name_start + 10].lower() and is_passphrase(value)
    if group in (1, 6) and not (phrase or _is_password_value(value, quoted, direct)):
        return ""
    if group in (1, 6) and data[match.end(group)] not in b"_-":
        return "" if data.startswith(b"PASS:", name_start) else "password"
    name = _whole_name(data, name_start, match.end()).lower()
    if group in (1, 6):
        return "" if _INNOCENT_NAME.search(name) else "password"
    return _kind(match.group(0)) if _is_token_value(value, name, quoted or direct) else ""


def _value_at(data: bytes, at: int) -> tuple[int, int, bool]:
    """Where the value starts and ends, and whether quotes say so."""
    quote, start = data[at : at + 1], at + 1
    if quote not in (b'"', b"'", b"`") or data.startswith(quote, start):
        opening = _OPENING.match(data, at)
        quote, start = (opening.group(1), opening.end()) if opening else (b"", at)
    if quote:
        end = data.find(quote, start, start + _LONGEST)
        if end >= 0:
            line = data.find(b"\n", start, end)
            return start, line if line >= 0 else end, True
        at = start
    bare = _BARE.match(data, at)
    if bare is None:
        return at, at, False
    cut = _NEXT_PAIR.search(data, at, bare.end())
    end = cut.start() if cut else bare.end()
    if data.startswith(_ELLIPSIS, end):
        return at, at, False  # cut short by whoever showed it
    return at, at + len(data[at:end].rstrip(b",.)]}:")), False


def _counts_in_markup(data: bytes, match: Any, quoted: bool) -> bool:
    """`<password>…` counts as a tag, `a->password > …` does not."""
    if data[match.start(5) : match.start(5) + 1] != b">":
        return True
    return not quoted and data.rfind(b"<", max(0, match.start() - 40), match.start()) >= 0


def _stands_for_itself(value: str, before: bytes) -> bool:
    """`Secret("…")` and `["…"]` hold a value, `getenv("…")` and `config["…"]` the name of one."""
    return b"." in before[:4] or is_random(value) or is_strong(value)


def _ends_line(data: bytes, end: int) -> bool:
    return data[end : end + 2].strip(b" \t\r")[:1] in (b"", b"\n")


def _is_next_line(between: bytes, value: str) -> bool:
    """Whether a value stands a line below its name and does not look as if it belonged to it."""
    if b"\n" not in between or b"value" in between:
        return False
    return b"=" in between or not (is_strong(value) or is_random(value))


def _is_option(data: bytes, name: int) -> bool:
    """`--db-password …`, and not "a multi-token …"."""
    words = data[max(0, name - 40) : name].split()
    return bool(words) and words[-1].lstrip(b"\"'[,(").startswith(b"-")


def _is_setting(data: bytes, name: int, value: int) -> bool:
    """`DB_PASSWORD=…`: no blanks and a name in capitals, as in environment files."""
    between = data[name:value]
    return between[:2].isupper() and b" " not in between and b"=" in between


def _whole_name(data: bytes, name: int, end: int) -> str:
    before = _NAME_BEFORE.search(data, max(0, name - 40), name)
    return data[before.start() if before else name : end].decode("utf-8", "replace")


def _is_password_value(value: str, quoted: bool, direct: bool) -> bool:
    if is_password(value):
        return True
    if not (quoted or direct):
        return False
    if value.isdigit():
        return 4 <= len(value) <= 12
    return is_passphrase(value) or (direct and len(value) >= 6 and value.isalpha())


def _is_token_value(value: str, name: str, whole: bool) -> bool:
    """`whole` tells that the value is no expression: it stands in quotes, or in an environment."""
    if _INNOCENT_NAME.search(name):
        return False
    if _SOME_KEY.search(name) and not _SURE_KEY.search(name):
        return is_random(value) and bool(_MANY_CLASSES.match(value))
    if not is_random(value):
        login = _LOGIN.fullmatch(value) if "cred" in name else None
        if login:
            return is_strong(login.group(1))
        return whole and len(value) >= 8 and is_strong(value) and " " not in value
    if " " in value or (not whole and "(" in value):
        return False
    if _SESSION_NAME.search(name) and _UUID.fullmatch(value):
        return False
    return len(value) >= 16 or not _VAGUE_NAME.match(name)


def _is_after_blank(value: str, name: str) -> bool:
    """In a sentence a word follows a name; an identifier is followed by its value."""
    if is_strong(value) and not _ADDRESS.search(value):
        return True
    if _IDENTIFIER.search(name):
        return is_random(value) or ("pass" in name.lower() and is_password(value))
    return is_random(value) and bool(_MANY_CLASSES.match(value))


def _kind(name: bytes) -> str:
    low = name.lower()
    if b"key" in low:
        return "api key"
    return "token" if b"token" in low or b"jwt" in low else "secret"


_SEPARATORS = b"=: \t\n"
_SHORT = 64
_ELLIPSIS = "…".encode()
_PLACE = shapes.compiled(shapes.KEYED, groups=False)
_KEYED = shapes.compiled(shapes.KEYED)
_KEYED_QUICKLY = re.compile(shapes.KEYED.encode("latin-1"))
_OPENING = re.compile(rb"\s?(?:[bBrRfFuU]{0,2}|[$@])(\"\"\"|'''|\\{0,3}[\"'`])")
# Numbers of up to three digits, literals and the start of an expression need no closer look.
_PLAINLY_NOT = re.compile(
    rb"\d{1,3}(?:[\s,;)\]}]|$)|(?:true|false|null|None|nil|undefined)\b|[({\[]|//|[a-zA-Z_][\w.]{0,80}\("
)
_BARE = re.compile(rb"[^\s\"'`<>\\\xe2-\xf4]{1,4096}")
# Where a bare value ends before the next blank: at the next pair of a query, a connection string, `sed`.
_NEXT_PAIR = re.compile(rb";|/[A-Z][A-Z0-9_]{2,}=|&(?:amp;)?[\w.%-]+=|,[\w.\"-]+[=:]|,\{|\|")
_NAME_BEFORE = re.compile(rb"[\w.-]*$")
_INNOCENT_NAME = re.compile(
    r"(?:^|[\s_.-])(?:public|publishable|page|next|prev|continuation|sync|cancel\w*|s3|sort|partition|primary|foreign"
    r"|idempotency|dedup|routing|max|min|num|total|input|output|prompt|completion|cached?|eos|bos|pad|unk|stop|special"
    r"|per|first|last|object|resume|cursor)[_-]?(?:token|key|secret)"
    r"|(?:token|key|secret|pass\w*|creds?|credentials?|auth)[_-](?:ids?|names?|path|file|dir|url|uri|count|type|kind|limit"
    r"|usage|len|length|size|hash|digest|ttl|expiry|expires|at|policy|field|label|hint|help|env|var|ref|arn|version"
    r"|status|prefix|owner)\b"
)
_IDENTIFIER = re.compile(r"_|[a-z][A-Z]")
_ADDRESS = re.compile(r"[/:=,@]")
_LOGIN = re.compile(r"[\w.@-]+[:/]([^\s/]+)")
# `x_key` may be a key of a cache or a table: then only a value with all classes of characters tells.
_SOME_KEY = re.compile(r"_key\W")
_SURE_KEY = re.compile(
    r"(?:api|access|secret|private|auth|sign\w*|encrypt\w*|crypto|account|shared|master|service|app\w*|deploy"
    r"|licen.e|consumer|hmac|webhook|subscription|admin|ssh|root|jwt|vault|client|sdk|server|write|ingest)"
    r"[ _.-]?(?:key|pat)"
)
_MANY_CLASSES = re.compile(r"(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9])[^\s:]{16,}$|[a-z2-7]{52}$")
_SESSION_NAME = re.compile(r"sess(?:ion)?[_-]?id|session[_-]?key")
_VAGUE_NAME = re.compile(r"(?:auth|salt|dsn|creds|credentials?|bearer|jwt|sess)\W")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
