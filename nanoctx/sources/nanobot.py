"""nanobot's sessions: where they are and what they say. Its own memory/ folder is read by `import` only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from nanoctx.model import Batch, Cursor
from nanoctx.sources.decoding import decoded
from nanoctx.sources.folders import began_in, entries, first_line, given
from nanoctx.sources.lines import LogLines
from nanoctx.sources.nanobot_events import Events, Head, head_of, is_a_run_of_another

NAME = "nanobot"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """A session has no folder of its own: it belongs to the workspace, which is the project.

    It lies in one of four places, by the age of nanobot: `sessions/` of the data folder, `sessions/` of the
    workspace (named by the key in two ways), `sessions/<id of the workspace>/` of the data folder.
    """
    data = home / ".nanobot"
    usual = given(home, env, "NANOBOT_AGENTS__DEFAULTS__WORKSPACE") or _workspace(home, data)
    wanted = [place for place in dict.fromkeys((usual, *(projects or ()))) if began_in(str(place), projects)]
    folders = [place / "sessions" for place in wanted]
    if usual in wanted:
        folders.append(data / "sessions")
    ids = {_id(place) for place in wanted}
    folders += [one for one in entries(data / "sessions") if projects is None or one.name in ids]
    for log in dict.fromkeys(log for folder in folders for log in entries(folder)):
        if log.suffix == ".jsonl" and _is_session(log):
            yield log


def memories(home: Path, env: Mapping[str, str], project: Path) -> Iterator[Path]:
    """The folder in which it keeps its own memory, if its workspace is this one or holds it."""
    usual = given(home, env, "NANOBOT_AGENTS__DEFAULTS__WORKSPACE") or _workspace(home, home / ".nanobot")
    if began_in(str(usual), [project]) and (usual / "memory").is_dir():
        yield usual / "memory"


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    with LogLines(log, cursor, until_line) as lines:
        events = Events(_head(log))
        for pos, line in lines:
            events.take(pos, line)
        return Batch(
            events=events.finish(),
            cursor=lines.cursor,
            skipped=events.skipped + lines.skipped,
            restarted=lines.restarted,
            at_end=lines.at_end,
        )


def _head(log: Path) -> Head:
    """What the file says of its conversation, at its very beginning."""
    with LogLines(log, Cursor()) as lines:
        return head_of((line for _, line in lines), log.stem, _workspace_of(log))


def _workspace_of(log: Path) -> str:
    """The workspace whose sessions these are; empty if the place of the log does not tell."""
    sessions = log.absolute().parent
    if sessions.name == "sessions" and sessions.parent.name != ".nanobot":
        return str(sessions.parent)
    data = sessions.parent if sessions.name == "sessions" else sessions.parent.parent
    if data.name != ".nanobot":
        return ""
    usual = _workspace(data.parent, data)
    return str(usual) if sessions.name in ("sessions", _id(usual)) else ""


def _workspace(home: Path, data: Path) -> Path:
    try:
        config = decoded((data / "config.json").read_bytes(), _CONFIG)
    except OSError:
        config = None
    named = config.agents.defaults.workspace if config is not None else ""
    return home / named.removeprefix("~/") if named else data / "workspace"


def _id(workspace: Path) -> str:
    return first_line(workspace / ".nanobot" / "workspace-id").decode("ascii", "replace").strip()


def _is_session(log: Path) -> bool:
    """Other files may lie in a project's folder `sessions`, and runs of sub-agents repeat their session."""
    head = head_of([first_line(log)], log.stem, "")
    return head.is_nanobot and not is_a_run_of_another(head.key)


class _Defaults(Struct, frozen=True, gc=False):
    workspace: str = ""


class _Agents(Struct, frozen=True, gc=False):
    defaults: _Defaults = _Defaults()


class _Config(Struct, gc=False):
    agents: _Agents = _Agents()


_CONFIG = Decoder(_Config)
