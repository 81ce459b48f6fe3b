"""What a project is like: what a person wrote on its page, and what its sessions tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoctx.core import activity, document, people, undone
from nanoctx.core.activity import STATUSES
from nanoctx.model import Item, Observation

PAGE = "project.md"
SECTION, KEY = "Project", "Status"  # of the item that says a person set it
IDLE_AFTER = timedelta(days=14)
SHORTEST_NAME = 3  # of a project that a text is taken to name

_FIELD = re.compile(r"^([ \t]*[-*+] (Name|Status|Mission):)[ \t]*(.*?)([ \t]*\r?)$", re.MULTILINE)
_PATH = re.compile(r"(?<![\w.~/])/[^\s'\"`<>|()]+")
_LISTS = ("Goals", "Constraints", "Blockers", "Notes")


@dataclass(frozen=True, slots=True)
class Described:
    """What stands in project.md."""

    name: str = ""
    status: str = ""  # "" when nobody set it, or to none that we know
    mission: str = ""
    goals: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """How a project stands, and who says so: `you`, or what was seen."""

    word: str
    why: str


def read(text: str) -> Described:
    """Take the page apart; whatever is not as the template has it is left out."""
    fields = {match[2]: match[3].strip() for match in reversed(list(_FIELD.finditer(text)))}
    status = fields.get("Status", "").lower()
    sections = {one.heading: one.text.partition("\n")[2] for one in document.split(text, _LISTS)}
    goals, constraints, blockers, notes = (tuple(_lines(sections.get(name, ""))) for name in _LISTS)
    return Described(
        fields.get("Name", ""),
        status if status in STATUSES else "",
        fields.get("Mission", ""),
        goals,
        constraints,
        blockers,
        notes,
    )


def named(text: str, names: Iterable[str]) -> str:
    """The project that a text names, as a word of its own; of several the longest name, then the first."""
    said = text.lower()
    found = [
        name
        for name in names
        if len(name) >= SHORTEST_NAME
        and re.search(rf"(?<![\w/.-]){re.escape(name.lower())}(?![\w/-]|\.\w)", said)
    ]
    return max(found, key=len, default="")


def paths(text: str) -> list[str]:
    """The absolute paths in a text."""
    return [path.rstrip(".,:;!?") for path in _PATH.findall(text)]


def of_paths(some: Iterable[str], folders: Mapping[str, str]) -> str:
    """The project of the first path that lies in one of these folders; the innermost folder counts."""
    for path in some:
        place = path
        while "/" in place:
            if place in folders:
                return folders[place]
            place = place.rpartition("/")[0]
    return ""


def with_status(text: str, status: str) -> str:
    """The page with another status, or with none; every other byte stays."""
    value = f" {status}" if status else ""
    for match in _FIELD.finditer(text):
        if match[2] == "Status":
            return f"{text[: match.start()]}{match[1]}{value}{match[4]}{text[match.end() :]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    after = next((match for match in _FIELD.finditer(text) if match[2] == "Name"), None)
    line = f"- Status:{value}"
    if after is not None:
        end = after.end(3)
        return f"{text[:end]}{newline}{line}{text[end:]}"
    heading, first, rest = text.partition(newline)
    if heading.startswith("# "):
        return f"{heading}{newline}{newline}{line}{first}{rest}"
    return f"{line}{newline}{text}"


def set_to(status: str) -> Item:
    """The item that keeps what a person set."""
    return Item("edit", status or "none", by="person", more={"section": SECTION, "key": KEY})


def status(
    described: Described,
    project: str,
    known: Iterable[Observation],
    *,
    now: datetime,
    saved: datetime | None = None,
) -> Status:
    """
    What a person set, by a command or in the page, which was `saved` then; else what the sessions tell.

    The page may still have a word that was set here before another was set elsewhere.
    """
    observations = [one for one in known if one.project == project]
    done = _told(observations)
    outdated = described.status in (word for _, _, word in done[:-1])
    if described.status and not (outdated and (saved is None or saved < done[-1][0])):
        return Status(described.status, "set by you")
    if done and done[-1][2] in STATUSES:
        return Status(done[-1][2], "set by you")
    sessions = [one for one in observations if one.agent != people.AGENT and _last(one) is not None]
    return _seen(sessions, described, now)


def told(known: Iterable[Observation]) -> dict[str, str]:
    """What the command set last, by project, if that still holds."""
    said: dict[str, str] = {}
    for _, project, word in _told(known):
        said[project] = word
    return {project: word for project, word in said.items() if word in STATUSES}


def _told(observations: Iterable[Observation]) -> list[tuple[datetime, str, str]]:
    """What was set by the command and not taken back: when, of which project, and what."""
    theirs = [one for one in observations if one.agent == people.AGENT and one.started]
    out = undone.left_out(theirs)
    done = [(one.started, one.id, one) for one in theirs if one.started and one.id not in out]
    return [
        (at, one.project, item.text)
        for at, _, one in sorted(done, key=lambda three: three[:2])
        if one.more.get("page") == PAGE
        for item in one.items
        if item.kind == "edit" and item.more.get("key") == KEY
    ]


def _seen(sessions: Sequence[Observation], described: Described, now: datetime) -> Status:
    latest = max(sessions, key=lambda one: (_last(one) or now, one.id), default=None)
    last = _last(latest) if latest is not None else None
    if latest is None or last is None:
        return Status("active", "nothing was seen of it yet")
    if word := activity.said(latest.items):
        return Status(word, f"you said so on {last:%Y-%m-%d}")
    if described.blockers or any(item.kind == "block" for item in latest.items):
        return Status("blocked", "something is in the way")
    if now - last > IDLE_AFTER:
        return Status("idle", f"no session since {last:%Y-%m-%d}")
    return Status("active", f"a session on {last:%Y-%m-%d}")


def _last(one: Observation) -> datetime | None:
    return one.last or one.ended or one.started


def _lines(body: str) -> Iterable[str]:
    for line in body.splitlines():
        words = line.strip().lstrip("-*+ ").strip()
        if words:
            yield words
