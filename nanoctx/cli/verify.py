"""`nanoctx verify`: check memory against the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, counted, with_call

if TYPE_CHECKING:
    from nanoctx.core.facts import Fact
    from nanoctx.reflector import Verified


@click.command("verify")
@with_call
def command(call: Call) -> int:
    """Check memory against the repository: which facts name what is gone.

    Files, folders, symbols, commits and branches that a fact names are looked up as they were when it was
    said, and as they are now. Nothing is changed; `nanoctx reflect` marks the same lines of MEMORY.md as
    stale. It ends with 1 when there is something to look at.

    \b
    Examples:
      nanoctx verify
      nanoctx --json verify
    """
    from nanoctx import reflector

    workspace = call.trusted_workspace()
    found = reflector.verify(workspace, now=call.now(), zone=call.zone(workspace))
    call.answer(_data(found), _told(found))
    return 1 if found.stale else 0


def _data(found: Verified) -> dict[str, object]:
    return {
        "repository": str(found.repository) if found.repository else None,
        "facts": found.facts,
        "named": found.named,
        "stale": [_fact(fact) | {"reason": fact.stale} for fact in found.stale],
        "elsewhere": [_fact(fact) | {"branch": fact.branch} for fact in found.elsewhere],
    }


def _fact(fact: Fact) -> dict[str, object]:
    return {"id": fact.id, "text": fact.text, "section": fact.section}


def _told(found: Verified) -> str:
    if found.repository is None:
        return (
            "No repository at hand: this workspace holds several projects, so run it in one that has its own."
        )
    lines = [f"{counted(found.facts, 'fact')}, {found.named} of them name something in {found.repository}."]
    for fact in found.stale:
        lines += [f"stale: {fact.text} ^{fact.id}", f"    {fact.stale}"]
    for fact in found.elsewhere:
        lines += [
            f"not here: {fact.text} ^{fact.id}",
            f"    learned on branch {fact.branch}, which is not merged",
        ]
    if not found.stale:
        lines.append("Nothing that they name is gone.")
    else:
        lines.append("Correct such a line in MEMORY.md, or take it out.")
    return "\n".join(lines)
