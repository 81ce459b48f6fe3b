"""Logs of any other agent, in the plain form that docs/generic-log.md describes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.model import TOOL_NAMES, Batch, Cursor, Event, Step
from nanoctx.sources.base import clip, epoch
from nanoctx.sources.decoding import NOTHING, decoded
from nanoctx.sources.folders import LONGEST_HEAD, began_in, first_line
from nanoctx.sources.limits import (
    LONGEST_COMMAND,
    LONGEST_PROMPT,
    LONGEST_RESULT,
    LONGEST_SAY,
    LONGEST_SUMMARY,
    LONGEST_TEXT,
)
from nanoctx.sources.lines import LogLines
from nanoctx.sources.telling import At, Telling

NAME = "generic"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """What the patterns in NANOCTX_GENERIC_LOGS match; a relative one is sought in each project."""
    found: set[Path] = set()
    for pattern in env.get("NANOCTX_GENERIC_LOGS", "").split(os.pathsep):
        pattern = pattern.strip()
        bases = [home] if pattern.startswith("~/") else [Path("/")] if pattern[:1] == "/" else projects or ()
        for base in bases:
            # A pattern that cannot be read matches nothing.
            with contextlib.suppress(OSError, ValueError):
                found.update(base.glob(pattern.removeprefix("~").lstrip("/")))
    for log in sorted(found):
        if log.is_file() and began_in(_cwd(log) or str(log.parent), projects):
            yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    with LogLines(log, cursor, until_line) as lines:
        events = _Events(_session(log))
        for pos, line in lines:
            events.take(pos, line)
        return Batch(
            events=events.finish(),
            cursor=lines.cursor,
            skipped=events.skipped + lines.skipped,
            restarted=lines.restarted,
            at_end=lines.at_end,
        )


class _Events:
    """Collects the events of one read; one file may hold several sessions."""

    def __init__(self, session: str) -> None:
        self.skipped = 0
        self._session = session
        self._tellings: dict[str, Telling] = {}

    def take(self, pos: int, line: bytes) -> None:
        record = decoded(line, _RECORD)
        if record is None:
            self.skipped += not line.isspace()
            return
        session = record.session or self._session
        telling = self._tellings.setdefault(session, Telling(session))
        at = At(pos, epoch(record.time), record.id or "")
        telling.time(pos, at.time)
        text, call = record.text or "", record.call or ""
        match record.type:
            case "about":
                _about(telling, at, record)
            case "prompt":
                telling.add("prompt", at, text=clip(text, LONGEST_PROMPT))
            case "say":
                telling.add("say", at, text=clip(text, LONGEST_SAY))
            case "tool":
                name = record.tool if record.tool in TOOL_NAMES else "other"
                command, path = clip(record.command or "", LONGEST_COMMAND), record.path or ""
                facts = {"tool": record.tool or ""}
                telling.add(
                    "tool", at, name=name, call=call, command=command, path=path,
                    text=clip(text, LONGEST_TEXT), facts=facts,
                )  # fmt: skip
            case "result":
                facts = {} if record.exit is None else {"exit": str(record.exit)}
                ok = record.ok if record.ok is not None else None if record.exit is None else record.exit == 0
                telling.add("result", at, call=call, ok=ok, text=clip(text, LONGEST_RESULT), facts=facts)
            case "answer":
                facts = {"question": clip(record.question or "", LONGEST_PROMPT)}
                telling.add("answer", at, call=call, text=clip(text, LONGEST_PROMPT), facts=facts)
            case "reject" | "interrupt" | "error":
                telling.add(record.type, at, call=call, text=clip(text, LONGEST_RESULT))
            case "plan":
                telling.add("plan", at, name="replace", call=call, steps=_steps(record.steps))
            case "compact":
                telling.compact(at, "auto", 0, 0, 0, clip(text, LONGEST_SUMMARY))
            case "usage":
                telling.use(at, max(0, record.used or 0), max(0, record.window or 0))
            case "end":
                telling.add("end", at, name="exit")

    def finish(self) -> tuple[Event, ...]:
        told = [event for telling in self._tellings.values() for event in telling.finish()]
        return tuple(sorted(told, key=lambda event: event.pos))


def _about(telling: Telling, at: At, record: _Record) -> None:
    telling.about(
        at,
        cwd=record.cwd,
        branch=record.branch,
        model=record.model,
        version=record.version,
        title=record.title,
        title_by="agent" if record.title else "",
        headless="1" if record.headless else "",
    )


def _steps(raw: Raw) -> tuple[Step, ...]:
    given = [decoded(part, _STEP) for part in decoded(raw, _LIST) or ()]
    return tuple(
        Step(str(number), step.text or "", step.status if step.status in _STATUSES else "pending")
        for number, step in enumerate(given, 1)
        if step is not None
    )


def _session(log: Path) -> str:
    """Of lines that name none: the first line's, else the name of the file."""
    first = decoded(first_line(log), _RECORD)
    return first.session if first is not None and first.session else log.stem


def _cwd(log: Path) -> str:
    try:
        with open(log, "rb") as file:
            lines = file.read(LONGEST_HEAD).split(b"\n")
    except OSError:
        return ""  # whoever reads the log will say so
    records = (decoded(line, _RECORD) for line in lines if b'"cwd"' in line)
    return next((record.cwd for record in records if record is not None and record.cwd), "")


class _Record(Struct, gc=False):
    type: str
    session: str | None = None
    time: str | int | float | None = None
    id: str | None = None
    text: str | None = None
    call: str | None = None
    tool: str | None = None
    command: str | None = None
    path: str | None = None
    ok: bool | None = None
    exit: int | None = None
    question: str | None = None
    steps: Raw = NOTHING
    used: int | None = None
    window: int | None = None
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    version: str | None = None
    title: str | None = None
    headless: bool | None = None


class _Step(Struct, gc=False):
    text: str | None = None
    status: str | None = None


_RECORD = Decoder(_Record)
_STEP = Decoder(_Step)
_LIST = Decoder(list[Raw])
_STATUSES = ("pending", "in_progress", "completed")
