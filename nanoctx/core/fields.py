"""The fields at the head of an observation file: YAML between two `---` lines, one line for each field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import yaml
from frontmatter.default_handlers import SafeLoader, YAMLHandler

_HANDLER = YAMLHandler()
_HEAD = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"[a-z][a-z_]*", re.ASCII)
# What may stand without quotes: no sign that YAML gives a meaning to, and nothing it might take for a number.
_UNPRINTABLE = r"\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_PLAIN = re.compile(rf"[^\W\d_](?:[^\x00-\x1f{_UNPRINTABLE}:#]|:(?=\S)|(?<=\S)#)*")
_PLAIN_WORD = re.compile(r"[/\d][\w./@+-]*", re.ASCII)
_SCIENTIFIC = re.compile(r"[\d.]+[eE][\d+-]+", re.ASCII)
_FLOW_SIGNS = re.compile(r"[,\[\]{}]")
_ESCAPED = re.compile(f"[{_UNPRINTABLE}]")
_TEXT = "tag:yaml.org,2002:str"
_resolve: Callable[[type, str, tuple[bool, bool]], str] = SafeLoader("").resolve


def load(text: str) -> tuple[dict[str, Any], str]:
    """Take a file apart into its fields and its body; raise ValueError for a head that is no YAML."""
    match = _HEAD.match(text)
    if not match:
        raise ValueError("it does not begin with fields between two --- lines")
    try:
        fields = _HANDLER.load(match[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"its fields are not YAML ({' '.join(str(error).split())[:120]})") from error
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise ValueError("its fields are not pairs of a name and a value")
    return fields, text[match.end() :]


def dump(fields: Mapping[str, object]) -> str:
    """Write fields in their order, one line each where that can be."""
    lines = []
    for name, value in fields.items():
        written = _dump_value(value) if _NAME.fullmatch(name) else None
        if written is None:
            lines.append(_HANDLER.export({name: value}, sort_keys=False, width=2**30) + "\n")
        else:
            lines.append(f"{name}: {written}\n")
    return "---\n" + "".join(lines) + "---\n"


def time_text(moment: datetime) -> str:
    """Write a moment in UTC, with its fraction only if it has one."""
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.isoformat().removesuffix("+00:00") + "Z"


def _dump_value(value: object) -> str | None:
    """Write a value on one line; None for one that is left to the YAML library."""
    match value:
        case int() if not isinstance(value, bool):
            return str(value)
        case float() if 0 <= value < 10**9:
            return f"{value:.4f}".rstrip("0").ljust(len(str(int(value))) + 2, "0")
        case datetime():
            return time_text(value)
        case str():
            return value if _is_plain(value) else _quoted(value)
        case list() | tuple() if all(isinstance(one, str) for one in value):
            return f"[{', '.join(map(_dump_word, value))}]"
    return None


def _dump_word(word: str) -> str:
    return word if _is_plain(word) and not _FLOW_SIGNS.search(word) else _quoted(word)


def _is_plain(text: str) -> bool:
    return (
        bool(_PLAIN.fullmatch(text) or _PLAIN_WORD.fullmatch(text))
        and text[-1] not in " :"
        and not _SCIENTIFIC.fullmatch(text)  # a text to PyYAML, a number to others
        and _resolve(yaml.ScalarNode, text, (True, False)) == _TEXT
    )


def _quoted(text: str) -> str:
    # JSON's strings are YAML's, as long as nothing in them is outside what YAML can print.
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(sign: re.Match[str]) -> str:
    code = ord(sign[0])
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
