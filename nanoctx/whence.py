"""Where a line came from: the words of the session, file or commit that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from nanoctx import reflector, scenes
from nanoctx.core import context, external, facts, people, rewording
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
    return found or tuple(_of_memory(ws, by_id, query, now, zone, project))


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
        yield Explanation(line.text, _evidence(by_id, line))


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
            who, words = _said(one, origin, line)
            found.append((one.id, origin.kind, origin.pos, one.started, who, words, one.log))
    return tuple(found)


def _said(one: Observation, origin: Origin, line: Line) -> tuple[str, str]:
    """Who said a line of which no words are kept beside it: a whole session, or somebody by hand."""
    if one.agent != people.AGENT:
        return one.agent, one.title or one.summary
    item = next((item for item in one.items if (item.pos, item.kind) == (origin.pos, origin.kind)), None)
    return (item.by, item.text) if item is not None else (one.agent, line.text)
