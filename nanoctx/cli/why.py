"""`nanoctx why`: where a line came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.errors import NanoctxError

if TYPE_CHECKING:
    from nanoctx.whence import Explanation


# A line copied from the page begins with "- ", which is no option.
@click.command("why", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="LINE|ID", nargs=-1, required=True)
@with_call
def command(call: Call, words: tuple[str, ...]) -> None:
    """Show which words of which session a line came from.

    Give a line of CONTEXT.md or MEMORY.md, or some words of it, or the id of a fact or an observation. It
    answers from the observations, so the agent may have deleted its log long ago.

    \b
    Examples:
      nanoctx why "Focus"
      nanoctx why "- Decided: keep the cache in memory"
      nanoctx why 7f3a9c21d04e
    """
    from nanoctx import whence

    workspace = call.trusted_workspace()
    zone = call.zone(workspace)
    query = " ".join(words)
    found = whence.explain(workspace, query=query, now=call.now(), zone=zone)
    if not found:
        raise NanoctxError(f"nothing here says `{query[:80]}`: copy a line of CONTEXT.md or MEMORY.md")
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
    return {"line": explanation.line, "items": items}

