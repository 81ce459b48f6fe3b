"""`nanoctx forget`: take a text out of everything that is kept, for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, counted, with_call

if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace
    from nanoctx.forgetting import Done, Plan

MOST = 12  # lines shown of one file
WIDTH = 100
_OURS = ("observation", "page", "conflict", "yours")


@click.command("forget", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="TEXT|ID", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_call
def command(call: Call, words: tuple[str, ...], yes: bool) -> int:
    """Take a text out of everything that is kept, for good.

    Give some words, a line of a page, the id of a fact, or the id of an observation to forget a session as
    a whole. It goes from observations, pages, their copies and the index, and does not come back, not even
    when the log is read again: a hash is kept to know it by, not the words. You see first what would go,
    and are asked. Nobody can bring the words back; `nanoctx undo` only lets them come again. The logs of
    your agents are theirs and stay as they are.

    \b
    Examples:
      nanoctx forget "the staging server is called bluebird"
      nanoctx forget m3f2a7c
      nanoctx forget --yes bluebird
    """
    from nanoctx import forgetting

    workspace, now = call.trusted_workspace(), call.now()
    zone = call.zone(workspace)
    found = forgetting.plan(workspace, " ".join(words), now=now, zone=zone)
    if not call.as_json:
        click.echo(_shown(workspace, found) + "\n")
    if not yes and not _agreed(call):
        if call.as_json:
            call.answer(_data(workspace, found, None), "")
        return 1
    done = forgetting.forget(workspace, found, now=now, zone=zone)
    call.answer(_data(workspace, found, done), _told(done))
    return 1 if done.left else 0


def _agreed(call: Call) -> bool:
    if not call.at_terminal or call.as_json:
        call.remark("nanoctx: nothing was forgotten, since nobody could be asked: add --yes to do it")
        return False
    if click.confirm("Forget it for good?", default=False):
        return True
    call.remark("Nothing was forgotten.")
    return False


def _shown(workspace: Workspace, found: Plan) -> str:
    lines = ["This goes, for good:"] if found.holdings else ["Nothing here holds it. It will be kept away."]
    for one in found.holdings:
        if one.kind in _OURS:
            lines.append(f"  {one.path.relative_to(workspace.root)}")
            lines += [f"    {line[:WIDTH]}" for line in one.lines[:MOST]]
            if len(one.lines) > MOST:
                lines.append(f"    and {len(one.lines) - MOST} more")
    rest = sum(one.kind not in _OURS for one in found.holdings)
    if rest:
        lines.append(f"  and {counted(rest, 'copy').replace('copys', 'copies')} of it")
    if found.stays:
        lines.append("This stays, as it is the name of a place: " + ", ".join(found.stays))
    return "\n".join(lines)


def _data(workspace: Workspace, found: Plan, done: Done | None) -> dict[str, object]:
    return {
        "workspace": str(workspace.root),
        "forgotten": done is not None,
        "tombstone": done.tombstone if done else None,
        "holdings": [
            {"file": str(one.path), "kind": one.kind, "lines": list(one.lines)} for one in found.holdings
        ],
        "stays": list(found.stays),
        "left": list(done.left) if done else [],
    }


def _told(done: Done) -> str:
    lines = [f"Forgotten: {counted(done.changed, 'file')} changed. It will not come back."]
    return "\n".join([*lines, *(f"But {one}." for one in done.left)])
