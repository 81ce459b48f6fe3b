"""`nanoctx up`: the background process as a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, with_call

if TYPE_CHECKING:
    from nanoctx.daemon.service import Plan


@click.command("up")
@with_call
def command(call: Call) -> None:
    """Start the background process, and have it started whenever you log in.

    With systemd or launchd it becomes a service of yours, and what is written for that is shown. Without
    one it is started now and runs until you end it or the machine is switched off.

    \b
    Example:
      nanoctx up
    """
    from nanoctx.daemon import service
    from nanoctx.disk import runtime

    wanted = service.plan(call.env)
    before = service.running(call.env)
    if before is not None and (wanted.file is None or not wanted.file.exists()):
        call.answer(_data(wanted, before, started=False), f"It runs already, as process {before}.")
        return
    service.up(wanted, call.env)
    pid = service.running(call.env)
    lines = []
    if wanted.file is not None:
        lines += [f"Wrote {wanted.file}:", "", *(f"    {line}" for line in wanted.text.splitlines()), ""]
    if wanted.manager == "launchd":
        lines.append("This was never tried on a Mac: if it does not work, `nanoctx run` does.")
    lines.append(f"The background process runs{f' as process {pid}' if pid else ''}.")
    if wanted.manager == "none":
        lines.append("No service manager answers here: after a restart of the machine, run this again.")
    lines += [
        f"Its log is {runtime.log(call.env)}.",
        "`nanoctx status` says how it is, `nanoctx down` ends it.",
    ]
    call.answer(_data(wanted, pid, started=True), "\n".join(lines))


def _data(wanted: Plan, pid: int | None, *, started: bool) -> dict[str, object]:
    file = str(wanted.file) if wanted.file is not None else None
    return {
        "running": pid is not None,
        "started": started,
        "pid": pid,
        "manager": wanted.manager,
        "file": file,
    }
