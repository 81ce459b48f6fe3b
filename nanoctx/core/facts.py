"""A fact: what the fold of all observations says, and the line of MEMORY.md it stands in."""

from __future__ import annotations

import re
from base64 import b32encode
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from hashlib import sha256

from nanoctx.core import escape
from nanoctx.model import Origin

RULES, DECISIONS, CONVENTIONS, FAILED, KNOWN, SUPERSEDED = SECTIONS = (
    "Preferences and rules",
    "Decisions",
    "Conventions and gotchas",
    "Tried and failed",
    "Facts and insights",
    "Superseded",
)
MARKS = ("⭐", "📌", "🔴")  # critical, pinned, important: a person's, kept whatever the budget
UNIVERSAL = "universal"  # scopes: everywhere, in one language, in one project
LANGUAGE = "language"
PROJECT = "project"
LONGEST = 240  # characters of a text

_LINE = re.compile(r"(?:[-*+] )?(?:(⭐|📌|🔴)\ufe0f? )?(.*?)(?: \(([^()]*)\))?(?: \^([a-z0-9]{6,40}))?\s*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ABOUT = re.compile(
    r"project:[^\s(),]+|language:[^\s(),]+|seen \d+|\d{4}-\d\d-\d\d|stale: [^(),]+|unsure"
    r"|until \d{4}-\d\d-\d\d: [^(),]+"
)
_STRUCK = re.compile(r"~~(.*)~~", re.DOTALL)
_NOT_ABOUT = re.compile(r"[(),\s]+")


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a fact no longer holds."""

    at: datetime
    why: str
    by: str = ""  # id of the fact that took its place; "" when a person struck it


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to know for longer than a session, with all that was said of it."""

    id: str
    text: str
    section: str
    kind: str  # of the item that says it best: rule, dec, learn, fail …
    scope: str = PROJECT
    project: str = ""
    language: str = ""
    by: str = "agent"  # whose words: user, person, agent, tool
    grade: str = ""
    seen: int = 1  # sessions that said it
    first: datetime | None = None
    last: datetime | None = None
    confidence: float = 0.5
    origins: tuple[Origin, ...] = ()  # the oldest first
    superseded: Ended | None = None
    stale: str = ""  # what the repository says against it
    branch: str = ""  # the branch it was learned on, when that is not where HEAD stands
    mark: str = ""
    accepted: bool = False  # a person vouches for it
    verbatim: str = ""  # a line of the person's own, as it stands in the page

    @property
    def kept(self) -> bool:
        """Never left out of the page for room."""
        return bool(self.mark) or self.accepted or self.by == "person"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A line of the page, taken apart."""

    text: str
    id: str = ""
    mark: str = ""
    struck: bool = False
    about: tuple[str, ...] = ()  # project:x, seen 3, 2026-02-12


def name(origin: Origin) -> str:
    """The id of what was said in one place: it tells nothing of the words."""
    place = "" if origin.pos is None else str(origin.pos)
    parts = "\0".join((origin.observation, origin.kind, place, origin.lead))
    return "m" + b32encode(sha256(parts.encode("utf-8", "surrogatepass")).digest()[:5]).decode().lower()


def line(fact: Fact, zone: tzinfo, *, projects: bool) -> str:
    """The fact as its line of the page; `projects` when the page holds more than one."""
    if fact.verbatim:
        return fact.verbatim
    about = list(_about(fact, zone, projects))
    words = escape.shorten(escape.inert(fact.text), LONGEST)
    return write(Parsed(words, fact.id, fact.mark, fact.superseded is not None, tuple(about)))


def write(parsed: Parsed) -> str:
    """A line of the page out of its parts."""
    mark = f"{parsed.mark} " if parsed.mark else ""
    text = f"~~{parsed.text}~~" if parsed.struck else parsed.text
    about = f" ({', '.join(parsed.about)})" if parsed.about else ""
    name = f" ^{parsed.id}" if parsed.id else ""
    return f"- {mark}{text}{about}{name}"


def parse(block: str) -> Parsed:
    """Take a line apart; what is none of ours is text."""
    match = _LINE.fullmatch(block) if "\n" not in block else None
    if match is None:
        return Parsed(block.strip())
    mark, text, inside, found = match.groups()
    about = tuple(part for part in (inside or "").split(", ") if part)
    if not all(_ABOUT.fullmatch(part) for part in about) or not about:
        text, about = text + (f" ({inside})" if inside is not None else ""), ()
    struck = _STRUCK.fullmatch(text)
    return Parsed((struck[1] if struck else text).strip(), found or "", mark or "", bool(struck), about)


def place(about: Iterable[str]) -> tuple[str, str, str]:
    """Where a person's line holds, as it says in its brackets: scope, project, language."""
    told = dict(part.split(":", 1) for part in about if part.startswith(("project:", "language:")))
    if project := told.get("project", ""):
        return PROJECT, project, ""
    language = told.get("language", "")
    return (LANGUAGE if language else UNIVERSAL), "", language


def named(facts: Iterable[Fact], query: str) -> tuple[Fact, ...]:
    """The facts that an id (its beginning will do), a line of the page or some of its words mean."""
    known = tuple(facts)
    wanted = parse(query)
    for word in (wanted.id, query.strip().removeprefix("^")):
        found = tuple(fact for fact in known if len(word) >= 4 and fact.id.startswith(word))
        if found:
            return found
    words = wanted.text.lower()
    return tuple(fact for fact in known if words and words in fact.text.lower())


def with_mark(fact: Fact, mark: str) -> Fact:
    return replace(fact, mark=mark if mark in MARKS else "")


def _about(fact: Fact, zone: tzinfo, projects: bool) -> Iterable[str]:
    if fact.scope == PROJECT and fact.project and projects:
        yield f"project:{_safe(fact.project)}"
    if fact.scope == LANGUAGE and fact.language:
        yield f"language:{_safe(fact.language)}"
    if fact.seen > 1:
        yield f"seen {fact.seen}"
    if fact.superseded is not None:
        yield f"until {_day(fact.superseded.at, zone)}: {_words(fact.superseded.why)}"
    elif fact.stale:
        yield f"stale: {_words(fact.stale)}"
    if fact.last is not None:
        yield _day(fact.last, zone)


def _day(at: datetime, zone: tzinfo) -> str:
    return at.astimezone(zone).date().isoformat()


def _safe(text: str) -> str:
    return _NOT_ABOUT.sub("-", escape.one_line(text)) or "-"


def _words(text: str) -> str:
    """A reason as it may stand between our brackets and commas."""
    plain = escape.one_line(text).replace(",", ";").replace("(", "[").replace(")", "]")
    return escape.shorten(plain, 100) or "-"
