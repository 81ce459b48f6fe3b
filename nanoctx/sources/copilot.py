"""GitHub Copilot CLI's session logs: where they are and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from nanoctx.model import Batch, Cursor
from nanoctx.sources.copilot_records import Context
from nanoctx.sources.decoding import decoded
from nanoctx.sources.folders import began_in, entries, first_line, given
from nanoctx.sources.lines import LogLines

NAME = "copilot"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    for root in _roots(home, env):
        for entry in entries(root / "session-state"):
            # A session has a folder of its own; early versions wrote just a file.
            log = entry if entry.suffix == ".jsonl" else entry / "events.jsonl"
            if log.is_file() and began_in(_cwd(log), projects):
                yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    from nanoctx.sources.copilot_events import Events

    with LogLines(log, cursor, until_line) as lines:
        events = Events(log, lines, _session(log))
        for pos, line in lines:
            events.take(pos, line)
        return Batch(
            events=events.finish(),
            cursor=lines.cursor,
            skipped=events.skipped + lines.skipped,
            restarted=lines.restarted,
            at_end=lines.at_end,
        )


def _roots(home: Path, env: Mapping[str, str]) -> list[Path]:
    chosen = given(home, env, "COPILOT_HOME")
    if chosen is not None:
        return [chosen]
    old = (given(home, env, "XDG_STATE_HOME"), given(home, env, "XDG_CONFIG_HOME"))
    return list(dict.fromkeys([home / ".copilot", *(folder / ".copilot" for folder in old if folder)]))


def _session(log: Path) -> str:
    """The name of the log or of its folder; a log that was copied says inside what session it is."""
    for name in (log.parent.name if log.name == "events.jsonl" else "", log.stem):
        if _UUID.fullmatch(name):
            return name
    start = _start(log)
    return start.sessionId if start is not None and start.sessionId else log.stem


def _cwd(log: Path) -> str:
    start = _start(log)
    return (start.context.cwd or "") if start is not None and start.context is not None else ""


def _start(log: Path) -> _Start | None:
    head = decoded(first_line(log), _HEAD)
    return head.data if head is not None and head.type == "session.start" else None


class _Start(Struct, gc=False):
    sessionId: str | None = None
    context: Context | None = None


class _Head(Struct, gc=False):
    type: str = ""
    data: _Start | None = None


_HEAD = Decoder(_Head)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
