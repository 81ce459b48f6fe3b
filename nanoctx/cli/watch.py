"""`nanoctx watch`: see live what the background process does."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import click

from nanoctx.cli.call import Call, counted, with_call
from nanoctx.errors import NanoctxError

PAUSE = 0.5


@click.command("watch")
@click.option("--seconds", metavar="N", type=click.FloatRange(min=0), help="Stop after so long; else at ^C.")
@with_call
def command(call: Call, seconds: float | None) -> int:
    """Show what the background process does, while it does it, for all workspaces.

    With --json each line is an object.

    \b
    Examples:
      nanoctx watch
      nanoctx watch --seconds 60
    """
    from nanoctx import clock
    from nanoctx.daemon import control

    told = control.ask(call.env)
    if told is None:
        raise NanoctxError("no background process runs: `nanoctx up` starts one, `nanoctx status` needs none")
    if not call.as_json:
        call.remark(
            f"Process {told['pid']} keeps {counted(len(told['workspaces']), 'workspace')}; ^C to stop."
        )
    zone, shown = call.zone(), 0
    until = clock.elapsed() + seconds if seconds is not None else None
    while told is not None:
        for one in told["news"]:
            if one["number"] > shown:
                call.tell(one, _line(one, zone))
                shown = one["number"]
        if until is not None and clock.elapsed() >= until:
            return 0
        time.sleep(PAUSE)
        told = control.ask(call.env)
    call.remark("nanoctx: the background process has ended")
    return 0


def _line(one: Mapping[str, Any], zone: Any) -> str:
    at = datetime.fromisoformat(one["at"]).astimezone(zone)
    place = f"{one['workspace']}: " if one["workspace"] else ""
    return f"{at:%H:%M:%S} {'! ' if one['error'] else ''}{place}{one['text']}"
