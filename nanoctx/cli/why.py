"""`nanoctx why`: where a line came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, counted, with_call
from nanoctx.errors import NanoctxError

if TYPE_CHECKING:
    from datetime import tzinfo

    from nanoctx.core.facts import Fact
    from nanoctx.observer import Explanation


# A line copied from the page begins with "- ", which is no option.
@click.command("why", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="LINE|ID", nargs=-1, required=True)
@with_call
def command(call: Call, words: tuple[str, ...]) -> None:
    """Show which words of which session a line came from.

    Give a line of CONTEXT.md or MEMORY.md, or some words of it, the id of a fact (its beginning will do), or
    the id of an observation. It answers from the observations, so the agent may have deleted its log long
    ago.

    \b
    Examples:
      nanoctx why "Focus"
      nanoctx why "- Decided: keep the cache in memory"
      nanoctx why m3f2a7c
      nanoctx why 7f3a9c21d04e
    """
    from nanoctx import observer, reflector
    from nanoctx.core import facts
    from nanoctx.model import Line

    workspace, now = call.trusted_workspace(), call.now()
    zone = call.zone(workspace)
    query = " ".join(words)
    known = facts.named(reflector.memory_of(workspace, now=now, zone=zone).facts, query)
    lines = [Line(facts.line(fact, zone, projects=workspace.kind != "repo"), fact.origins) for fact in known]
    by_facts = observer.behind(workspace, lines)
    found = observer.explain(workspace, query=query, now=now, zone=zone)
    if not found and not by_facts:
        raise NanoctxError(
            f"nothing here says `{query[:80]}`: copy a line of {workspace.context_page} or"
            f" {workspace.memory_page.name}"
        )
    explained = [*(_data(one) for one in found), *map(_with_fact, by_facts, known)]
    told = [_told(found, zone)] if found else []
    told += [f"{_told((one,), zone)}\n    {_weight(fact)}" for one, fact in zip(by_facts, known, strict=True)]
    call.answer({"query": query, "explanations": explained}, "\n".join(told))


def _with_fact(explanation: Explanation, fact: Fact) -> dict[str, object]:
    ended = fact.superseded
    about = {
        "id": fact.id,
        "section": fact.section,
        "scope": fact.scope,
        "project": fact.project or None,
        "by": fact.by,
        "seen": fact.seen,
        "confidence": fact.confidence,
        "first": fact.first.isoformat() if fact.first else None,
        "last": fact.last.isoformat() if fact.last else None,
        "accepted": fact.accepted,
        "mark": fact.mark or None,
        "stale": fact.stale or None,
        "superseded": {"at": ended.at.isoformat(), "why": ended.why} if ended else None,
    }
    return {**_data(explanation), "fact": about}


def _weight(fact: Fact) -> str:
    """How far it is trusted, and why it may not hold."""
    seen = counted(fact.seen, "session")
    parts = [f"fact ^{fact.id}, {fact.section}: seen in {seen}, confidence {fact.confidence:.2f}"]
    parts += ["accepted by you"] if fact.accepted else []
    parts += [f"no longer: {fact.superseded.why}"] if fact.superseded else []
    parts += [f"stale: {fact.stale}"] if fact.stale else []
    parts += [f"learned on branch {fact.branch}, which is not merged"] if fact.branch else []
    return "; ".join(parts)


def _data(explanation: Explanation) -> dict[str, object]:
    items = [
        {
            "observation": observation,
            "kind": kind,
            "pos": pos,
            "at": at.isoformat() if at else None,
            "who": who,
            "quote": quote,
            "log": log or None,
        }
        for observation, kind, pos, at, who, quote, log in explanation.items
    ]
    return {"line": explanation.line, "items": items}


def _told(found: tuple[Explanation, ...], zone: tzinfo) -> str:
    lines: list[str] = []
    for explanation in found:
        lines.append(explanation.line)
        for observation, kind, pos, at, who, quote, log in explanation.items:
            when = f"{at.astimezone(zone):%Y-%m-%d %H:%M}" if at else "at an unknown time"
            place = f", line {pos}" if pos is not None else ""
            lines.append(f'    {who or "someone"}, {when}: "{quote}"')
            if observation == "git":
                lines.append(f"    ({kind}, as the repository tells it now)")
                continue
            lines.append(f"    ({kind}, observation {observation}{place}{f' of {log}' if log else ''})")
        if not explanation.items:
            lines.append("    written by hand, or told by the clock and the repository")
    return "\n".join(lines)
