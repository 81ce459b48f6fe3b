"""What recall finds: passages, and how observations and pages of bullets are read as such."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from nanoctx.core import escape
from nanoctx.model import Item, Observation

# What people did to a page is told by the page itself; a `retract` is a hash.
BY_HAND = frozenset(("edit", "retract", "pin"))

_BULLET = re.compile(r"\s*[-*+]\s+(?:\[[ xX]\]\s+)?(.*)")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*")
_MARKS = re.compile(r"^(?:[📌⭐🔴]\ufe0f?\s*)+|\s*📌\s*$")
_BLOCK_ID = re.compile(r"\s*\^([\w-]{3,})\s*$")
_TAIL = re.compile(r"\s*\(([^()]*\d{4}-\d\d-\d\d[^()]*|project:[^()]*|seen \d+[^()]*)\)\s*$")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PROJECT = re.compile(r"project:\s*([^\s,)]+)")
_STRUCK = re.compile(r"~~(.+?)~~")
_SECTIONS = (
    ("rule", "rule"), ("pref", "pref"), ("decision", "dec"), ("gotcha", "learn"), ("convention", "learn"),
    ("fail", "fail"), ("insight", "insight"),
)  # fmt: skip


class Passage(NamedTuple):
    """One thing that can be found."""

    text: str
    kind: str  # an item's kind, or document, project, user
    key: str  # names it within its file
    about: str = ""  # searched, too, and not shown: its heading, the words it came from
    project: str = ""
    scope: str = ""  # universal, project or what the item says
    at: float | None = None  # seconds since the epoch
    pos: int | None = None  # in the log of an observation; else the line in the file
    grade: str = ""
    by: str = ""


def of_observation(seen: Observation) -> Iterator[Passage]:
    """The session as a whole, then each of its items with the words it came from."""
    start = seen.started or seen.last or seen.ended
    title = escape.one_line(seen.title)
    summary = escape.one_line(seen.summary)
    if title or summary:
        told = f"{title}: {summary}" if title and summary and title not in summary else summary or title
        files = " ".join(seen.files[:20])
        yield Passage(told, "session", seen.id, files, seen.project, "project", _seconds(seen.last or start))
    quotes = {(one.pos): one for one in seen.evidence if not one.who.startswith("was:")}
    times: Counter[str] = Counter()
    for item in seen.items:
        if item.kind in BY_HAND or not item.text:
            continue
        quote = quotes.get(item.pos) if item.pos is not None else None
        key = f"{seen.id}@{item.pos}" if item.pos is not None else f"{seen.id}@{item.kind}"
        times[key] += 1
        yield Passage(
            text=escape.one_line(item.text),
            kind=item.kind,
            key=key if times[key] == 1 else f"{key}.{times[key]}",
            about=escape.one_line(quote.quote) if quote else "",
            project=_project(item, seen),
            scope=item.more.get("scope", "project"),
            at=_seconds(quote.at if quote and quote.at else start),
            pos=item.pos,
            grade=item.grade,
            by=item.by,
        )


def of_memory(text: str) -> Iterator[Passage]:
    """The lines of MEMORY.md, as they stand there."""
    for heading, line, number in bullets(text):
        name = _BLOCK_ID.search(line)
        line = _MARKS.sub("", _BLOCK_ID.sub("", line))
        tail = _TAIL.search(line)
        told = tail[1] if tail else ""
        day, project = _DATE.search(told), _PROJECT.search(told)
        superseded = "superseded" in heading.lower() or bool(_STRUCK.match(line))
        yield Passage(
            text=escape.one_line(_STRUCK.sub(r"\1", line[: tail.start()] if tail else line)),
            kind=next((kind for word, kind in _SECTIONS if word in heading.lower()), "fact"),
            key=f"^{name[1]}" if name else f"MEMORY.md:{number}",
            about=heading,
            project=project[1] if project else "",
            scope="project" if project else "universal",
            at=_day(day[0]) if day else None,
            pos=number,
            grade="superseded" if superseded else "",
        )


def of_page(text: str, path: str, kind: str, project: str, at: float) -> Iterator[Passage]:
    """A page that people write as bullets: USER.md, a project's page."""
    scope = "project" if project else "universal"
    for heading, line, number in bullets(text):
        yield Passage(line, kind, f"{path}:{number}", heading, project, scope, at, number, by="person")


def bullets(text: str) -> Iterator[tuple[str, str, int]]:
    """Each bullet or paragraph with its heading and its line; a label without a value says nothing."""
    heading, gathered, first = "", "", 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        titled, bullet = _HEADING.fullmatch(line.strip()), _BULLET.fullmatch(line)
        if gathered and (titled or bullet or not line.strip()):
            if not gathered.endswith(":"):
                yield heading, gathered, first
            gathered = ""
        if titled:
            heading = escape.one_line(titled[2]) if len(titled[1]) > 1 else ""
        elif bullet:
            gathered, first = escape.one_line(bullet[1]), number
        elif line.strip() and (gathered or heading):  # what stands above all headings introduces the page
            gathered, first = f"{gathered} {escape.one_line(line)}".strip(), first if gathered else number


def _project(item: Item, seen: Observation) -> str:
    return "" if item.more.get("scope") == "universal" else seen.project


def _seconds(at: datetime | None) -> float | None:
    return at.timestamp() if at else None


def _day(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
