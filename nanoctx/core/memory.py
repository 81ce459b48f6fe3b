"""Facts into MEMORY.md: six sections, the most relevant lines within the budget, a person's always."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from nanoctx.core import facts, layers, relevance, tokens, weighing
from nanoctx.core.blocks import section
from nanoctx.core.escape import inert, shorten
from nanoctx.core.facts import Fact
from nanoctx.core.layers import Layer
from nanoctx.core.people import Standing
from nanoctx.core.weighing import Question, Weighed
from nanoctx.model import Line

PAGE = "MEMORY.md"
ENDED = 10  # superseded facts shown, the latest
_MARKED = {mark: rank for rank, mark in enumerate(facts.MARKS)}


@dataclass(frozen=True, slots=True)
class Composed:
    """The page's lines, and what of the facts it has no room for."""

    sections: Mapping[str, tuple[Line, ...]]
    shown: tuple[Fact, ...]
    left_out: int  # for want of room
    faded: int  # not sure enough any more
    told: int  # that the repository tells agents anyway


def compose(
    weighed: Weighed,
    standing: Standing,
    *,
    now: datetime,
    zone: tzinfo,
    budget: int,
    projects: bool,
    told: frozenset[str] = frozenset(),
) -> Composed:
    """Choose the lines; `projects` when the page holds several; `told` by AGENTS.md are ids."""
    own = {name: standing.added.get(name, ()) for name in facts.SECTIONS}
    ours = [fact for fact in weighed.facts if not fact.verbatim and not fact.branch]
    known = [fact for fact in ours if fact.superseded is None]
    live = [fact for fact in known if fact.kept or fact.id not in told]
    sure = [fact for fact in live if fact.kept or fact.confidence >= weighing.LEAST]
    ended = sorted((fact for fact in ours if fact.superseded is not None), key=_ended_at, reverse=True)
    score = {fact.id: relevance.score(fact, now=now) for fact in sure}
    ranked = sorted(sure, key=lambda fact: (not fact.kept, -score[fact.id], -_last(fact), fact.id))
    offered = [*ranked, *ended[:ENDED]]
    written = {fact.id: facts.line(fact, zone, projects=projects) for fact in offered}
    vital = sum(fact.kept for fact in ranked)
    asked = _questions(weighed.questions, {fact.id: fact for fact in weighed.facts}, standing)
    frame = "".join(section(name, [line.text for line in own[name]]) for name in facts.SECTIONS)
    room = max(0, budget - tokens.count(frame) - tokens.count("\n".join(line.text for line in asked)))
    fit = layers.fit([Layer("lines", [written[fact.id] for fact in offered], vital=vital)], room)
    count = max(vital, len(fit.kept.get("lines", ())))
    shown = offered[:count]
    placed: dict[str, list[Fact]] = {name: [] for name in facts.SECTIONS}
    for fact in shown:
        placed[facts.SUPERSEDED if fact.superseded else fact.section].append(fact)
    sections = {
        name: (
            *own[name],
            *(asked if name == facts.DECISIONS else ()),
            *(
                Line(written[fact.id], fact.origins, f"^{fact.id}")
                for fact in sorted(placed[name], key=_order)
            ),
        )
        for name in facts.SECTIONS
    }
    left_out = len(ranked) - min(count, len(ranked)) + weighed.more
    faded = len(live) - len(sure) + weighed.faded
    return Composed(sections, tuple(shown), left_out, faded, len(known) - len(live))


def render(composed: Composed) -> dict[str, str]:
    """Each section as it stands in the file."""
    return {name: section(name, [one.text for one in lines]) for name, lines in composed.sections.items()}


def _questions(
    questions: Sequence[Question], known: Mapping[str, Fact], standing: Standing
) -> tuple[Line, ...]:
    """What only the person can decide, as lines that go when they took one out or accepted one."""
    lines = []
    answered = {one.key for one in standing.retractions}
    for one in questions:
        key = f"^{one.id}"
        if key not in answered:
            old, new = (inert(shorten(known[id].text, 80)) for id in (one.one, one.other))
            text = f"- Which holds: “{old}” or “{new}”? Take out the other line, or this one. {key}"
            lines.append(Line(text, (), key))
    return tuple(lines)


def _ended_at(fact: Fact) -> tuple[float, str]:
    return (_last(fact), fact.id)


def _order(fact: Fact) -> tuple[int, float, str]:
    """How lines follow each other: marked ones first, then the latest."""
    return (_MARKED.get(fact.mark, len(_MARKED)), -_last(fact), fact.id)


def _last(fact: Fact) -> float:
    at = fact.superseded.at if fact.superseded else fact.last
    return at.timestamp() if at else 0.0
