"""What an observation claims: the items of it that are kept, each with what it takes to compare it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from nanoctx.core import context, facts, keeping, languages, likeness, people
from nanoctx.core.likeness import Saying
from nanoctx.model import Item, Observation, Origin

KINDS = ("rule", "pref", "dec", "learn", "fact", "insight", "fail", "fix")
MACHINE = "machine:"  # and a name: the words of another program
NEVER_ALONE = (keeping.REFUTED, "hypothesis")
LONG_AGO = datetime.fromtimestamp(0, UTC)


class Claim(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One thing that was said once. There are many, and each cycle loads them all: short on disk."""

    id: str
    observation: str
    pos: int | None
    said: str  # the item's kind
    lead: str
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
    key: str  # what is the same for equal sayings
    kin: str  # by these three it is told which claims are compared at all
    words: str
    frames: str
    alike: str  # claims that stand alone matter as much as all that have this; "" if it is no fact alone
    weak: bool = False  # only together with what another session said
    of: str = ""  # the claim that a person put this in the place of; the rule of a session that says the same
    block: str = ""  # a line that a person added, as it stands in the page

    @property
    def origin(self) -> Origin:
        return Origin(self.observation, self.pos, self.said, self.lead)

    @property
    def saying(self) -> Saying:
        return likeness.saying(self.text, _REALMS[self.kind], self.project)


def claims(one: Observation) -> tuple[Claim, ...]:
    """What of an observation may become a fact, each with what it takes to compare it."""
    if one.agent == people.AGENT:
        return tuple(_asked_for(one))
    language = main_language(one)
    headless = bool(one.more.get("headless"))
    judged = ((item, keeping.kept(item, headless=headless)) for item in one.items if item.kind in KINDS)
    made = tuple(_claim(one, item, found, language) for item, found in judged if found is not None)
    rules = [claim for claim in made if _REALMS[claim.kind] == "rule"]
    return tuple(_with_rule(claim, rules) if rules and claim.kind == "dec" else claim for claim in made)


def _with_rule(claim: Claim, rules: Sequence[Claim]) -> Claim:
    """The same words may be taken for a rule and for a decision: that is one thing to know."""
    said = _bare_saying(claim)
    rule = next((rule for rule in rules if likeness.same(said, _bare_saying(rule))), None)
    return msgspec.structs.replace(claim, of=rule.id) if rule is not None else claim


def _bare_saying(claim: Claim) -> Saying:
    return likeness.saying(claim.text, "", "")


def main_language(one: Observation) -> str:
    """The language of most files a session edited; "" when none leads."""
    known = Counter(found for file in one.files if (found := languages.language(file)))
    return min(known, key=lambda name: (-known[name], name), default="")


def by_hand(origin: Origin, section: str, line: str, at: datetime, *, of: str = "", block: str = "") -> Claim:
    """A line that a person wrote into the page, or put in the place of one of ours."""
    kind, parsed = _KIND_IN.get(section, "fact"), facts.parse(line)
    scope, project, language = facts.place(parsed.about)
    return _made(
        origin, kind, section, parsed.text, "person", "", scope, project, language, at, "", "", False, of,
        block,
    )  # fmt: skip


def _asked_for(one: Observation) -> Iterator[Claim]:
    """What an agent was asked to remember, or another program knew: its words, so no rule by themselves."""
    for item in one.items:
        taken_over = item.by.startswith(MACHINE) and item.more.get("page") != "no"
        asked = item.by == "agent" and _REALMS.get(item.kind) != "rule"
        if item.kind in KINDS and (asked or taken_over):
            yield _claim(one, item, keeping.Kept(item.text, item.kind), item.more.get("language", ""))


def _claim(one: Observation, item: Item, kept: keeping.Kept, language: str) -> Claim:
    at = next((quote.at for quote in one.evidence if quote.pos == item.pos and quote.at), None)
    return _made(
        context.origin(one, item),
        kept.kind,
        _section_of(item, kept.kind),
        kept.text,
        item.by or "agent",
        item.grade,
        item.more.get("scope", ""),
        one.project,
        language,
        at or one.last or one.started or LONG_AGO,
        one.branch,
        one.commits[-1] if one.commits else one.head,
        kept.weak,
    )


def _made(
    origin: Origin,
    kind: str,
    section: str,
    text: str,
    by: str,
    grade: str,
    scope: str,
    project: str,
    *more: Any,
) -> Claim:
    said = likeness.saying(text, _REALMS[kind], project)
    language, at, branch, head, weak, *rest = more
    alike = f"{by} {grade} {scope} {section == facts.RULES} {at.astimezone(UTC).date()}"
    return Claim(
        facts.name(origin), origin.observation, origin.pos, origin.kind, origin.lead, kind, section, text, by,
        grade, scope, project, language, at, branch, head, said.key, said.kin, said.words, said.frames,
        "" if weak or grade in NEVER_ALONE else alike, weak, *rest,
    )  # fmt: skip


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
_REALMS: dict[str, str] = {"rule": "rule", "pref": "rule", "dec": "dec", "fail": "fail"} | dict.fromkeys(
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


def _section_of(item: Item, kind: str) -> str:
    return _REFINED.get(item.more.get("kind", ""), _PLACES[kind])
