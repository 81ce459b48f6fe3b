"""The text of an observation file: how it is read, how it is written, what it is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import unquote

from nanoctx.core import fields as head
from nanoctx.core.identity import observation_id
from nanoctx.model import Evidence, Item, Observation

VERSION = 1
TEXT_LIMIT = 240
QUOTE_LIMIT = 160
GRADES = ("verified", "claimed", "hypothesis", "refuted")

_ITEM = re.compile(r"- ([a-z][a-z-]*): (.*)", re.DOTALL)
_PLACE = re.compile(r"@(0|[1-9][0-9]*)", re.ASCII)
_PAIR = re.compile(r"([a-z][a-z0-9_-]*)=(\S*)", re.ASCII)
_EVIDENCE = re.compile(r'- @(0|[1-9]\d*)(?: (\d{4}-\d\d-\d\dT[\d:.]+Z))? (\S*): "(.*)"', re.ASCII | re.DOTALL)
_NOT_IN_A_VALUE = re.compile(r"[\s%\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_IN_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HEADING = re.compile(r"##? ")
_PLACE_KEY, _GRADE_KEY = "@", "!"  # no pair's key can be spelled like these


def parse(text: str) -> Observation:
    """Read an observation file; raise ValueError, saying why, for one that cannot be understood."""
    fields, body = head.load(text)
    known: dict[str, Any] = {
        key: read(fields[key]) for key, read in _FIELDS.items() if fields.get(key) is not None
    }
    for key in ("id", "agent"):
        if not known.get(key):
            raise ValueError(f"it has no field `{key}`")
    more = {key: value for key, value in fields.items() if key not in _FIELDS and key != "v"}
    if fields.get("v", VERSION) != VERSION:
        more["v"] = fields["v"]  # a later version's file stays one
    return Observation(**known, **_read_body(body), more=more)


def render(observation: Observation) -> str:
    """Write an observation file; the same observation always gives the same text."""
    values = {key: getattr(observation, key) for key in _FIELDS}
    fields = {"v": VERSION} | {key: value for key, value in values.items() if value not in _EMPTY}
    if observation.session:  # of a session, that nobody spoke is worth saying
        fields["prompts"] = observation.prompts
    fields |= {key: value for key, value in observation.more.items() if key not in _FIELDS}
    parts = [f"# {_one_line(observation.title)}\n"] if observation.title else []
    if observation.items:
        parts.append("".join(f"{render_item(item)}\n" for item in observation.items))
    if observation.evidence:
        parts.append("## Evidence\n" + "".join(f"{_render_evidence(one)}\n" for one in observation.evidence))
    if observation.notes:
        parts.append(f"{observation.notes}\n")
    return head.dump(fields) + "\n".join(parts)


def render_item(item: Item) -> str:
    """Write one item as its line, cut to its length."""
    text = cut(_one_line(item.text), TEXT_LIMIT)
    attributes = " ".join(_attributes(item))
    if attributes:
        return f"- {item.kind}: {text}  {attributes}"
    if _split_attributes(text)[1]:
        text = " ".join(text.split())  # else its last words would be taken for attributes
    return f"- {item.kind}: {text}"


def parse_item(line: str) -> Item | None:
    """Read one item; None for a line that is something else."""
    match = _ITEM.fullmatch(line)
    if not match:
        return None
    text, found = _split_attributes(match[2])
    place, grade, by = found.pop(_PLACE_KEY, None), found.pop(_GRADE_KEY, ""), found.pop("by", "")
    return Item(match[1], text.strip(), int(place) if place else None, grade, by, found)


def person_id(at: datetime, done: Sequence[Item]) -> str:
    """Name the observation of what a person did by hand at one moment."""
    return observation_id("person", "\n".join((at.isoformat(), *map(render_item, done))))


def file_name(observation: Observation) -> str:
    """Say what a new observation's file is called."""
    agent = re.sub(r"[^a-z0-9]+", "-", observation.agent.lower()).strip("-") or "generic"
    return f"{_beginning(observation):%Y%m%dT%H%M%SZ}-{agent}-{observation.id}.md"


def folder(observation: Observation) -> str:
    """Say where a new observation's file goes, seen from the workspace."""
    return f"observations/{_beginning(observation):%Y/%m}"


def cut(text: str, limit: int) -> str:
    """Shorten a text to at most `limit` characters, showing that something is missing."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _read_body(body: str) -> dict[str, Any]:
    """
    Take a body apart into title, items, evidence and notes.

    Notes are what a person wrote into the file: every line that is none of ours, and whatever stands under
    a heading of theirs.
    """
    title = ""
    items: list[Item] = []
    evidence: list[Evidence] = []
    notes: list[str] = []
    theirs = False
    for line in body.replace("\r\n", "\n").split("\n"):
        if not title and line.startswith("# "):
            title = line[2:].strip()
        elif line == "## Evidence":
            theirs = False
        elif theirs or _HEADING.match(line):
            theirs = True
            notes.append(line)
        elif item := parse_item(line):
            items.append(item)
        elif quoted := _parse_evidence(line):
            evidence.append(quoted)
        elif notes or line.strip():
            notes.append(line)
    return {
        "title": title,
        "items": tuple(items),
        "evidence": tuple(evidence),
        "notes": "\n".join(notes).strip("\r\n"),
    }


def _split_attributes(rest: str) -> tuple[str, dict[str, str]]:
    """Part a text from its attributes: what stands after its last two spaces, if that is nothing else."""
    text, gap, tail = rest.rpartition("  ")
    found: dict[str, str] = {}
    for word in tail.split(" ") if gap else ():
        if place := _PLACE.fullmatch(word):
            key, value = _PLACE_KEY, place[1]
        elif word in GRADES:
            key, value = _GRADE_KEY, word
        elif pair := _PAIR.fullmatch(word):
            key, value = pair[1], unquote(pair[2])
        else:
            return rest, {}
        if key in found:
            return rest, {}
        found[key] = value
    return (text, found) if found else (rest, {})


def _attributes(item: Item) -> Iterator[str]:
    if item.pos is not None:
        yield f"@{item.pos}"
    if item.grade in GRADES:
        yield item.grade
    if item.by:
        yield f"by={_encode(item.by)}"
    for key, value in item.more.items():
        yield f"{key}={_encode(value)}"


def _encode(value: str) -> str:
    """Write a value without a space in it."""
    return _NOT_IN_A_VALUE.sub(lambda sign: _percent(sign[0]), value)


def _percent(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "replace"))


def _render_evidence(evidence: Evidence) -> str:
    at = f"{head.time_text(evidence.at)} " if evidence.at else ""
    return f'- @{evidence.pos} {at}{_encode(evidence.who)}: "{cut(_one_line(evidence.quote), QUOTE_LIMIT)}"'


def _parse_evidence(line: str) -> Evidence | None:
    match = _EVIDENCE.fullmatch(line)
    if not match:
        return None
    try:
        at = datetime.fromisoformat(match[2]) if match[2] else None
    except ValueError:
        return None
    return Evidence(int(match[1]), at, unquote(match[3]), match[4])


def _one_line(text: str) -> str:
    if not text.isprintable():  # as what is no single line never is
        text = _NOT_IN_A_LINE.sub(lambda sign: "\ufffd" if sign[0] >= "\ud800" else " ", text)
    return text.strip()


def _beginning(observation: Observation) -> datetime:
    at = observation.started or observation.last or observation.ended or datetime.fromtimestamp(0, UTC)
    return at.astimezone(UTC)


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list) else (_text(value),)


def _moment(value: object) -> datetime:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        raise ValueError(f"{str(value)[:40]!r} is not a time like 2026-02-12T02:49:00Z")
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def _count(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{str(value)[:40]!r} is not a count")
    return value


def _share(value: object) -> float:
    if not isinstance(value, int | float):
        raise ValueError(f"{str(value)[:40]!r} is not a share between 0 and 1")
    return float(value)


# Every field we know, in its order, with what reads it.
_FIELDS: Mapping[str, Callable[[object], object]] = {
    "id": _text,
    "session": _text,
    "agent": _text,
    "project": _text,
    "cwd": _text,
    "branch": _text,
    "head": _text,
    "log": _text,
    "started": _moment,
    "last": _moment,
    "ended": _moment,
    "ended_by": _text,
    "prompts": _count,
    "pattern": _text,
    "context_used": _share,
    "summary": _text,
    "files": _texts,
    "commits": _texts,
}
_EMPTY = (None, "", (), 0)
