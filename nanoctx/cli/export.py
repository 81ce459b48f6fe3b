"""`nanoctx export`: a workspace as one archive."""

from __future__ import annotations

from pathlib import Path

import click

from nanoctx.cli.call import Call, counted, with_call


@click.command("export")
@click.argument("archive", metavar="[FILE]", type=click.Path(path_type=Path), required=False)
@with_call
def command(call: Call, archive: Path | None) -> None:
    """Put the workspace into one archive, FILE.tar.gz: settings, pages, observations, knowledge, conflicts.

    What can be made anew (.state) and links stay out. The same content gives the same bytes. Unpacked into
    an empty folder it is a workspace after `nanoctx init` there.

    \b
    Examples:
      nanoctx export
      nanoctx export ~/backup/tidewatch.tar.gz
    """
    from nanoctx import exporting

    ws = call.trusted_workspace()
    name = ws.project_root.name if ws.project_root is not None else ws.root.name
    default = f"nanoctx-{name}-{call.now().astimezone(call.zone(ws)):%Y-%m-%d}.tar.gz"
    done = exporting.export(ws, call.cwd / (archive or default))
    for left_out in done.left_out:
        call.remark(f"nanoctx: {left_out} is left out")
    for file in done.secrets:
        call.remark(
            f"nanoctx: {file} holds what looks like a secret, as you wrote it: think whom you give it"
        )
    data = {
        "archive": str(done.archive),
        "files": done.files,
        "bytes": done.size,
        "left_out": list(done.left_out),
        "secrets": list(done.secrets),
    }
    call.answer(data, f"{done.archive}: {counted(done.files, 'file')}, {done.size:,} bytes.")
