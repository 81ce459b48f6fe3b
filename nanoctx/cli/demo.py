"""`nanoctx demo`: the whole story on a recorded session, in a scratch folder."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.disk import files, packaged, workspace

if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace

RECORDING = "recorded/tidewatch.jsonl"
WIDTH = 90
PAUSE = 0.35  # seconds between two lines at a terminal
AFTERWARDS = timedelta(minutes=3)

NEXT = """\
That page is what the next session starts with. Every line of it can be traced: `nanoctx why LINE`.

For a repository of yours:
  cd your/repository
  nanoctx init         # makes .nanoctx/ there, hidden from git
  nanoctx observe      # reads what your agents did there
  cat .nanoctx/CONTEXT.md
  nanoctx connect claude-code     # its sessions then begin with the page"""


@click.command("demo")
@click.option("--keep", is_flag=True, help="Leave the scratch folder there, to look around in it.")
@with_call
def command(call: Call, keep: bool) -> None:
    """See it work: a recorded session is played in a scratch folder, and the page follows it.

    Nothing of yours is read or changed. At a terminal it takes half a minute; else it does not pause.

    \b
    Example:
      nanoctx demo
    """
    live = call.at_terminal and not call.as_json
    if keep:
        _play(call, Path(tempfile.mkdtemp(prefix="nanoctx-demo-")), live=live, kept=True)
    else:
        with tempfile.TemporaryDirectory(prefix="nanoctx-demo-") as scratch:
            _play(call, Path(scratch), live=live, kept=False)


def _play(call: Call, scratch: Path, *, live: bool, kept: bool) -> None:
    from nanoctx import observer

    made = _workspace_in(scratch, call)
    log = scratch / "session.jsonl"
    zone = call.zone(made)
    now, before, looks = call.now(), "", 0
    for line, now in _recorded():
        files.append(log, line)
        said = _said(line)
        if not said:
            continue
        report = observer.observe(made, now=now, zone=zone, agent="claude-code", log=log)
        looks += report.page_changed
        page = files.read(made.context_page).text
        if live:
            _redraw(page, said)
        elif page != before and not call.as_json:
            click.echo(said)
        before = page
    observer.observe(made, now=now + AFTERWARDS, zone=zone, agent="claude-code", log=log)
    page = files.read(made.context_page).text
    data = {"workspace": str(made.root) if kept else None, "rewritten": looks, "page": page}
    where = f"\nThe scratch folder is {scratch}.\n" if kept else ""
    if live:
        click.clear()
    call.answer(
        data, f"\nCONTEXT.md, rewritten {looks} times while the session ran:\n\n{page}\n{NEXT}{where}"
    )


def _workspace_in(scratch: Path, call: Call) -> Workspace:
    source = packaged.folder("workspace-example")
    root = scratch / "workspace"
    for file in sorted(source.rglob("*")):
        place = root / file.relative_to(source)
        # The page is made anew, and the recording is what happens there.
        if file.is_file() and file.name != "CONTEXT.md" and file.parent.name != "recorded":
            files.make_folder(place.parent)
            files.write(place, file.read_text(encoding="utf-8"), durable=False)
    return workspace.open_at(root, call.env)


def _recorded() -> Iterator[tuple[str, datetime]]:
    """The lines of the recording, each with the time at which it was written."""
    now: datetime | None = None
    for line in (packaged.folder("workspace-example") / RECORDING).read_text(encoding="utf-8").splitlines():
        stamp = json.loads(line).get("timestamp")
        now = datetime.fromisoformat(stamp) if stamp else now
        if now:
            yield line, now


def _said(line: str) -> str:
    """What a person watching the session would see of a line, in a few words."""
    record = json.loads(line)
    content = record.get("message", {}).get("content", "")
    if isinstance(content, str):
        return f"you    {_short(content)}" if record["type"] == "user" else ""
    block = content[0]
    if block["type"] == "text":
        return f"agent  {_short(block['text'])}"
    if block["type"] == "tool_use":
        given = block["input"]
        what = (
            given.get("command") or given.get("file_path") or given.get("subject") or given.get("status", "")
        )
        return f"agent  {block['name']}: {_short(what.removeprefix(record['cwd'] + '/'))}"
    return ""


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 1].rstrip() + "…"


def _redraw(page: str, said: str) -> None:
    click.clear()
    click.echo(f"{page}\n{'-' * 60}\n{said}")
    sys.stdout.flush()
    time.sleep(PAUSE)
