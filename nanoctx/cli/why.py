"""`nanoctx why`: where a line came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.errors import NanoctxError

if TYPE_CHECKING:
    from nanoctx.core.facts import Fact
    from nanoctx.whence import Explanation


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
    from nanoctx import whence

    workspace, now = call.trusted_workspace(), call.now()
    zone = call.zone(workspace)
    query = " ".join(words)
    found = whence.explain(workspace, query=query, now=now, zone=zone)
    if not found:
        raise NanoctxError(
            f"nothing here says `{query[:80]}`: copy a line of {workspace.context_page} or"
            f" {workspace.memory_page.name}"
        )
    data = {"query": query, "explanations": [_data(one) for one in found]}
    call.answer(data, "\n".join(whence.told(found, zone)))


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
    data: dict[str, object] = {"line": explanation.line, "items": items}
    return data if explanation.fact is None else {**data, "fact": _fact(explanation.fact)}


def _fact(fact: Fact) -> dict[str, object]:
    ended = fact.superseded
    return {
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

