"""Qwen Code's session logs: where they are and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from nanoctx.model import Batch, Cursor
from nanoctx.sources import folders, gemini
from nanoctx.sources.decoding import decoded
from nanoctx.sources.lines import LogLines

NAME = "qwen"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """Main sessions only. Early versions kept their logs where and as Gemini CLI does."""
    named = folders.given(home, env, "QWEN_RUNTIME_DIR") or folders.given(home, env, "QWEN_HOME")
    root = named or home / ".qwen"
    for place in ("projects", "tmp"):
        for folder in folders.entries(root / place):
            for log in folders.entries(folder / "chats"):
                if log.suffix == ".jsonl" and (
                    projects is None or folders.began_in(_head(log).cwd, projects)
                ):
                    yield log
    yield from (log for log in gemini.logs_below(root, projects) if log.suffix == ".json")


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    if log.suffix == ".json":
        return gemini.read(log, cursor, until_line)
    from nanoctx.sources.qwen_events import Events

    with LogLines(log, cursor, until_line) as lines:
        events = Events(log, lines, _head(log).sessionId or log.stem)
        for pos, line in lines:
            events.take(pos, line)
        return Batch(
            events=events.finish(),
            cursor=lines.cursor,
            skipped=events.skipped + lines.skipped,
            restarted=lines.restarted,
            at_end=lines.at_end,
        )


def _head(log: Path) -> _Head:
    return decoded(folders.first_line(log), _HEAD) or _Head()


class _Head(Struct, gc=False):
    sessionId: str = ""
    cwd: str = ""


_HEAD = Decoder(_Head)
