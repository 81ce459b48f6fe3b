"""Where a line came from: the words of the session, file or commit that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from nanoctx import reflector, scenes
from nanoctx.core import context, external, facts, people, rewording, verbatim
from nanoctx.core.facts import Fact
from nanoctx.disk import observations
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Line, Observation, Origin

# observation, kind of item, position, time, who, words, log
Quoted = tuple[str, str, int | None, datetime | None, str, str, str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A line of a page and the words it rests on."""

    line: str
    items: tuple[Quoted, ...]
    fact: Fact | None = None  # the line is one of memory


def explain(
    ws: Workspace, *, query: str, now: datetime, zone: tzinfo, project: str | None = None
) -> tuple[Explanation, ...]:
    """Where the items of an observation, a fact, or a line came from; of a page, if named, for a project."""
    known, _ = observations.load_all(ws.root)
    by_id = {one.id: one for one in known}
    if query in by_id:
        return tuple(Explanation(line.text, _evidence(by_id, line)) for line in _items(by_id[query]))
    wanted = query.strip().removeprefix("- ").lower()
    scene = scenes.scene(ws, known, project, now, zone)
    sections = context.compose(scene)
    lines = [line for lines in sections.values() for line in lines if wanted and wanted in line.text.lower()]
    found = tuple(
        Explanation(line.text, _evidence(by_id, line) + external.evidence(scene.repository, line, now))
        for line in lines
    )
    return (*found, *_of_memory(ws, by_id, query, now, zone, project))


def told(found: Iterable[Explanation], zone: tzinfo) -> Iterator[str]:
    """The same for people, line by line."""
    for explanation in found:
        yield explanation.line
        for observation, kind, pos, at, who, quote, log in explanation.items:
            when = f"{at.astimezone(zone):%Y-%m-%d %H:%M}" if at else "at an unknown time"
            place = f", line {pos}" if pos is not None else ""
            yield f'    {who or "someone"}, {when}: "{quote}"'
            if observation == "git":
                yield f"    ({kind}, as the repository tells it now)"
            else:
                yield f"    ({kind}, observation {observation}{place}{f' of {log}' if log else ''})"
        if not explanation.items:
            yield "    written by hand, or told by the clock and the repository"
        if explanation.fact is not None:
            yield f"    {_weight(explanation.fact)}"


def _weight(fact: Fact) -> str:
    """How far it is trusted, and why it may not hold."""
    seen = "1 session" if fact.seen == 1 else f"{fact.seen} sessions"
    parts = [f"fact ^{fact.id}, {fact.section}: seen in {seen}, confidence {fact.confidence:.2f}"]
    parts += ["accepted by you"] if fact.accepted else []
    parts += [f"no longer: {fact.superseded.why}"] if fact.superseded else []
    parts += [f"stale: {fact.stale}"] if fact.stale else []
    parts += [f"learned on branch {fact.branch}, which is not merged"] if fact.branch else []
    return "; ".join(parts)


def _of_memory(
    ws: Workspace,
    by_id: Mapping[str, Observation],
    query: str,
    now: datetime,
    zone: tzinfo,
    project: str | None,
) -> Iterator[Explanation]:
    known = reflector.memory_of(ws, now=now, zone=zone).facts
    here = (fact for fact in known if project is None or fact.project in ("", project))
    for fact in facts.named(here, query):
        line = Line(facts.line(fact, zone, projects=ws.kind != "repo"), fact.origins)
        yield Explanation(line.text, _evidence(by_id, line), fact)


def _items(one: Observation) -> list[Line]:
    return [Line(f"- {item.kind}: {item.text}", (Origin(one.id, item.pos, item.kind),)) for item in one.items]


def _evidence(by_id: Mapping[str, Observation], line: Line) -> tuple[Quoted, ...]:
    found: list[Quoted] = []
    for origin in line.origins:
        one = by_id.get(origin.observation)
        if one is None:
            continue
        quotes = rewording.behind(one, origin, line.text)
        for quote in quotes:
            found.append((one.id, origin.kind, origin.pos, quote.at, quote.who, quote.quote, one.log))
        if not quotes:
            who, words = _by_hand(one, origin) or (one.agent, one.title or one.summary)
            place = origin.pos if one.log else None
            found.append((one.id, origin.kind, place, one.started, who, words, one.log))
    return tuple(found)


def _by_hand(one: Observation, origin: Origin) -> tuple[str, str] | None:
    """What a person wrote, or what an agent was asked to remember."""
    if one.agent != people.AGENT:
        return None
    if origin.kind == "edit":
        texts = [text for text, _ in verbatim.read("edit", one.items)]
        return one.agent, texts[origin.pos - 1] if origin.pos and origin.pos <= len(texts) else ""
    said = next((item for item in one.items if item.kind == origin.kind), None)
    return (said.by, said.text) if said is not None else None
