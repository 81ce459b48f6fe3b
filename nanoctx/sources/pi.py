"""Pi's session logs: where they are and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from nanoctx.model import Batch, Cursor
from nanoctx.sources.decoding import decoded
from nanoctx.sources.folders import began_in, entries, first_line, given
from nanoctx.sources.lines import LogLines
from nanoctx.sources.pi_records import ENTRY, Entry

NAME = "pi"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    agent = given(home, env, "PI_CODING_AGENT_DIR") or home / ".pi" / "agent"
    sessions = given(home, env, "PI_CODING_AGENT_SESSION_DIR") or agent / "sessions"
    for entry in entries(sessions):
        for log in [entry] if entry.suffix == ".jsonl" else entries(entry):
            if log.suffix == ".jsonl" and log.is_file() and began_in(cwd_of(log), projects):
                yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    return read_with(log, cursor, until_line, str.strip, str.strip)


def read_with(
    log: Path,
    cursor: Cursor,
    until_line: int | None,
    human: Callable[[str], str],
    prose: Callable[[str], str],
) -> Batch:
    """Read a log in Pi's format, where `human` and `prose` say what a person and the agent really said."""
    from nanoctx.sources.pi_events import Events

    with LogLines(log, cursor, until_line) as lines:
        events = Events(log, lines, _session(log), human, prose)
        for pos, line in lines:
            events.take(pos, line)
        return Batch(
            events=events.finish(),
            cursor=lines.cursor,
            skipped=events.skipped + lines.skipped,
            restarted=lines.restarted,
            at_end=lines.at_end,
        )


def cwd_of(log: Path) -> str:
    cwd = _header(log).cwd
    return cwd if isinstance(cwd, str) else ""


def _session(log: Path) -> str:
    id = _header(log).id
    return id if isinstance(id, str) and id else log.stem.rpartition("_")[2]


def _header(log: Path) -> Entry:
    header = decoded(first_line(log), ENTRY)
    return header if header is not None and header.type == "session" else Entry()
