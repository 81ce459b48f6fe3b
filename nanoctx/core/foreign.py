"""Memory that another program keeps, as items: notes, files of one memory each, and histories by day."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from nanoctx.core import escape, items
from nanoctx.core.redact import PRIVATE, findings, redact

RECALL_ONLY = "no"  # of `page`: it is found, and stands on no page
LEAST_WORDS, LEAST_SIGNS = 2, 8

_FIELD = re.compile(r"\s*(name|description|type)\s*:\s*(\S.*)")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_NO_NOTE = re.compile(r"\(.*\)|[*_][^*_].*[*_]|[-=_*\s|]*|\|.*\|")  # a placeholder, a rule, a table
_STAMP = re.compile(r"\[(\d{4}-\d\d-\d\d)[^\]]{0,12}\]\s*")
_BOLD = re.compile(r"\*\*|__|`")
_KIND_OF_FILE = {"feedback": "rule", "user": "fact", "project": "fact", "reference": "fact"}
_KIND_UNDER = (
    ("rule", re.compile(r"rule|prefer|feedback|guideline|style|always|never", re.IGNORECASE)),
    ("dec", re.compile(r"decision|decided|choice", re.IGNORECASE)),
    ("fail", re.compile(r"\bfail|tried|dead end|did not work", re.IGNORECASE)),
    ("learn", re.compile(r"gotcha|lesson|learn|pitfall|convention|pattern|debug|tip", re.IGNORECASE)),
)


class Taken(NamedTuple):
    """One thing that the other program knows."""

    line: int
    kind: str
    text: str
    recall_only: bool = False


def without_secrets(text: str) -> tuple[str, int]:
    """A whole file without its secrets and private parts, line for line, and how many there were."""
    found = findings(text)
    pieces: list[str] = []
    at = 0
    for one in found:
        gone = "" if one.kind == PRIVATE else f"[secret: {one.kind}]"
        pieces += (text[at : one.start], gone, "\n" * text.count("\n", one.start, one.end))
        at = one.end
    return "".join((*pieces, text[at:])), len(found)


def notes(text: str, beside: Collection[str] = ()) -> Iterator[Taken]:
    """What a page of notes says. A line that only leads to a file `beside` it says nothing by itself."""
    fields, first, lines = _front_matter(text.splitlines())
    if fields:
        yield from _one_memory(fields, first, lines)
        return
    heading = ""
    for number, line in _paragraphs(first, lines):
        if titled := _HEADING.fullmatch(line):
            heading = titled[1]
        elif (link := _LINK.match(line)) is None or link[1] not in beside:
            yield from _taken(number, _kind_under(heading), line)


def history(text: str, *, as_json: bool) -> Iterator[Taken]:
    """What a history tells of the past: to be recalled, not to stand on a page."""
    for number, line in enumerate(text.splitlines(), 1):
        for said in (_content(line) if as_json else line).splitlines():
            stamp = _STAMP.match(said)
            words = said[stamp.end() :] if stamp else said
            if not _HEADING.fullmatch(words):
                found = _taken(number, "fact", _plain(words), f"{stamp[1]}: " if stamp else "")
                yield from (one._replace(recall_only=True) for one in found)


def _one_memory(fields: dict[str, str], first: int, lines: list[str]) -> Iterator[Taken]:
    """A file of one memory: its first paragraph, or what describes it when that is too long for a line."""
    kind = _KIND_OF_FILE.get(fields.get("type", ""), "fact")
    found = ((number, line) for number, line in _paragraphs(first, lines) if not _HEADING.fullmatch(line))
    number, body = next(found, (first, ""))
    described = fields.get("description", "")
    words = body if body and (len(body) <= items.TEXT_LIMIT or not described) else described
    yield from _taken(number if words == body else 1, kind, words)


def _paragraphs(first: int, lines: list[str]) -> Iterator[tuple[int, str]]:
    """Bullets, headings and paragraphs, each as one line with its number; no code."""
    fenced, begun, gathered = False, 0, ""
    for number, line in enumerate([*lines, ""], first):
        if _FENCE.match(line):
            fenced = not fenced
            line = ""
        bullet = _BULLET.fullmatch(line)
        if gathered and (
            bullet or fenced or _NO_NOTE.fullmatch(line.strip()) or _HEADING.fullmatch(line.strip())
        ):
            yield begun, gathered
            gathered = ""
        if fenced or _NO_NOTE.fullmatch(line.strip()):
            continue
        begun = begun if gathered else number
        gathered = f"{gathered} {bullet[1] if bullet else line.strip()}".strip()
        if _HEADING.fullmatch(gathered):
            yield begun, gathered
            gathered = ""


def _taken(number: int, kind: str, said: str, before: str = "") -> Iterator[Taken]:
    plain = escape.one_line(_plain(said))
    if plain.endswith(":"):  # it leads to what follows
        return
    words = escape.one_line(redact(plain))  # what a broken line hid shows in one line
    if words and (len(words.split()) >= LEAST_WORDS or len(words) >= LEAST_SIGNS):
        yield Taken(number, kind, escape.shorten(before + words, items.TEXT_LIMIT))


def _plain(text: str) -> str:
    return _BOLD.sub("", text)


def _kind_under(heading: str) -> str:
    return next((kind for kind, words in _KIND_UNDER if words.search(heading)), "fact")


def _front_matter(lines: list[str]) -> tuple[dict[str, str], int, list[str]]:
    """The fields we know of a file's head, where its body begins, and the body. Broken heads are common."""
    if lines[:1] != ["---"] or "---" not in lines[1:60]:
        return {}, 1, lines
    end = lines.index("---", 1)
    found = [match for line in lines[1:end] if (match := _FIELD.fullmatch(line))]
    fields = {match[1]: match[2].strip().strip("\"'") for match in found}
    return fields, end + 2, lines[end + 1 :]


def _content(line: str) -> str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    content = record.get("content") if isinstance(record, dict) else None
    return content if isinstance(content, str) else ""
