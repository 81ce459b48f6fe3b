"""
What an observation claims that may be worth keeping: the few of its items that stand by themselves.

A page of memory is read by every later session, so junk in it costs more than a line that is missing. What
was asked for once, what was going on, what points at something outside the line, and what nobody has checked
stays in the observation, where it can be recalled.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import msgspec

from nanoctx.core import context, facts, likeness, people
from nanoctx.core.likeness import Saying
from nanoctx.model import Item, Observation, Origin

KINDS = ("rule", "pref", "dec", "learn", "fact", "insight", "fail", "fix")
REFUTED = "refuted"
LONG_AGO = datetime.fromtimestamp(0, UTC)

_LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript",
    ".ts": "typescript", ".tsx": "typescript", ".go": "go", ".rs": "rust", ".java": "java", ".kt": "kotlin",
    ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++", ".cs": "c#", ".rb": "ruby",
    ".php": "php", ".swift": "swift", ".scala": "scala", ".ex": "elixir", ".lua": "lua", ".sh": "shell",
    ".sql": "sql", ".vue": "javascript", ".svelte": "javascript", ".zig": "zig",
}  # fmt: skip


class Claim(msgspec.Struct, frozen=True, gc=False):
    """One thing that was said once."""

    id: str
    origin: Origin
    kind: str
    section: str
    text: str
    by: str
    grade: str
    scope: str
    project: str
    language: str
    at: datetime
    branch: str
    head: str
    saying: Saying
    of: str = ""  # the claim that a person put this in the place of
    block: str = ""  # a line that a person added, as it stands in the page


def claims(one: Observation) -> tuple[Claim, ...]:
    """What of an observation may become a fact, each with what it takes to compare it."""
    if one.agent == people.AGENT:
        return ()
    language = main_language(one)
    return tuple(_claim(one, item, language) for item in one.items if _is_admitted(item))


def main_language(one: Observation) -> str:
    """The language of most files a session edited; "" when none leads."""
    known = Counter(
        language
        for file in one.files
        if (language := _LANGUAGES.get(f".{file.rpartition('.')[2].lower()}")) is not None
    )
    return min(known, key=lambda name: (-known[name], name), default="")


def by_hand(
    origin: Origin, section: str, text: str, project: str, at: datetime, *, of: str = "", block: str = ""
) -> Claim:
    """A line that a person wrote into the page, or put in the place of one of ours."""
    kind = _KIND_IN.get(section, "fact")
    return Claim(
        id=facts.name(origin),
        origin=origin,
        kind=kind,
        section=section,
        text=text,
        by="person",
        grade="",
        scope=facts.PROJECT if project else facts.UNIVERSAL,
        project=project,
        language="",
        at=at,
        branch="",
        head="",
        saying=likeness.saying(text, _REALMS.get(kind, "know"), project),
        of=of,
        block=block,
    )


def _claim(one: Observation, item: Item, language: str) -> Claim:
    origin = context.origin(one, item)
    text = _text(item)
    section = section_of(item)
    at = next((quote.at for quote in one.evidence if quote.pos == item.pos and quote.at), None)
    return Claim(
        id=facts.name(origin),
        origin=origin,
        kind=item.kind,
        section=section,
        text=text,
        by=item.by or "agent",
        grade=item.grade,
        scope=item.more.get("scope", ""),
        project=one.project,
        language=language,
        at=at or one.last or one.started or LONG_AGO,
        branch=one.branch,
        head=one.commits[-1] if one.commits else one.head,
        saying=likeness.saying(text, _REALMS.get(item.kind, "know"), one.project),
    )


_PLACES = {
    "rule": facts.RULES,
    "pref": facts.RULES,
    "dec": facts.DECISIONS,
    "fail": facts.FAILED,
    "learn": facts.CONVENTIONS,
    "fix": facts.CONVENTIONS,
    "fact": facts.KNOWN,
    "insight": facts.KNOWN,
}
_REALMS = {"rule": "rule", "pref": "rule", "dec": "dec", "fail": "fail"} | dict.fromkeys(
    ("learn", "fix", "fact", "insight"), "know"
)
_KIND_IN = {
    facts.RULES: "rule",
    facts.DECISIONS: "dec",
    facts.FAILED: "fail",
    facts.CONVENTIONS: "learn",
    facts.KNOWN: "fact",
}
_REFINED = {"avoid": facts.FAILED, "gotcha": facts.CONVENTIONS, "convention": facts.CONVENTIONS}


def section_of(item: Item) -> str:
    """Where on the page an item's fact belongs."""
    return _REFINED.get(item.more.get("kind", ""), _PLACES[item.kind])


def _text(item: Item) -> str:
    return item.text


def _is_admitted(item: Item) -> bool:
    if item.kind not in KINDS or item.more.get("page") == "no":
        return False
    if item.kind in ("rule", "pref"):
        return item.by in ("user", "person")
    if item.kind == "dec":
        return item.by == "user"
    return item.kind == "learn"
