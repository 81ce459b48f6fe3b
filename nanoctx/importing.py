"""Memory of other programs taken over: as what they knew, which rules nothing until a person accepts it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from secrets import token_hex

from nanoctx import reflector, scenes
from nanoctx.core import foreign, memory, people
from nanoctx.core.claims import MACHINE
from nanoctx.core.foreign import Taken
from nanoctx.disk import files, lock, mirror, observations
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import DiskError
from nanoctx.model import Evidence, Item, Observation
from nanoctx.sources import claude_code, git, nanobot

FINDERS = {claude_code.NAME: claude_code.memories, nanobot.NAME: nanobot.memories}
MOST_FILES, MOST_LINES = 200, 2000  # of one import; the rest is said
LARGEST = 1 << 20  # bytes of a file
IN_ONE = 60  # lines that one observation holds
LOCK_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Source:
    """One file that another program remembers by, as far as it was understood."""

    file: Path
    project: str
    at: datetime  # when it was last written
    taken: tuple[Taken, ...]
    secrets: int


@dataclass(frozen=True, slots=True)
class Found:
    """What there is to take over."""

    sources: tuple[Source, ...]
    known: int  # lines that were taken over before
    problems: tuple[str, ...]

    @property
    def lines(self) -> int:
        return sum(len(one.taken) for one in self.sources)


def folders(ws: Workspace, agent: str, env: Mapping[str, str]) -> tuple[tuple[Path, str], ...]:
    """Where an agent keeps memory of the projects of a workspace, and of which."""
    home = Path(env.get("HOME") or Path.home())
    found: dict[Path, str] = {}
    for place, project in _projects(ws):
        for folder in FINDERS[agent](home, env, place):
            found.setdefault(folder, project)
    return tuple(found.items())


def project_of(ws: Workspace) -> str:
    """The project that a folder named by a person is taken to be about; "" for all."""
    return git.slug(ws.project_root) if ws.project_root is not None else ""


def find(ws: Workspace, agent: str, places: Sequence[tuple[Path, str]]) -> Found:
    """Read what an agent remembers, without what was taken over already."""
    known, _ = observations.load_all(ws.root)
    by = f"{MACHINE}{agent}"
    said = {item.text for one in known for item in one.items if item.by == by}
    sources: list[Source] = []
    problems: list[str] = []
    again, left = 0, MOST_LINES
    for folder, project in places:
        for file in _files(folder, problems):
            one = _read(file, project, problems)
            if one is None:
                continue
            first = {taken.text: taken for taken in reversed(one.taken)}
            new = tuple(taken for taken in one.taken if taken.text not in said and first[taken.text] is taken)
            again += len(one.taken) - len(new)
            said.update(taken.text for taken in new)
            if len(new) > left:
                problems.append(f"{file}: {len(new) - left} lines are over the {MOST_LINES} of one import")
            if new[:left]:
                sources.append(replace(one, taken=new[:left]))
            left -= len(new[:left])
    return Found(tuple(sources), again, tuple(problems))


def take_over(ws: Workspace, agent: str, found: Found, *, now: datetime, zone: tzinfo) -> reflector.Report:
    """Keep what was found, and fold it into memory."""
    files.make_folder(ws.state)
    with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="import"):
        mirror.restore(ws.root, os.environ)
        known, _ = observations.load_all(ws.root)
        at = people.moment(known, now)
        for one in found.sources:
            for begin in range(0, len(one.taken), IN_ONE):
                observations.save(ws.root, _observation(one, one.taken[begin : begin + IN_ONE], agent, at))
                at += timedelta(microseconds=1)
    return reflector.reflect(ws, now=now, zone=zone)


def _observation(source: Source, taken: Sequence[Taken], agent: str, at: datetime) -> Observation:
    by = f"{MACHINE}{agent}"
    done = [
        Item(
            one.kind, one.text, one.line, "claimed", by,
            {"page": foreign.RECALL_ONLY} if one.recall_only else {},
        )
        for one in taken
    ]  # fmt: skip
    quotes = {one.line: Evidence(one.line, source.at, by, one.text) for one in taken}
    made = people.observation(done, salt=token_hex(8), at=at, project=source.project, page=memory.PAGE)
    return replace(made, log=str(source.file), evidence=tuple(quotes.values()))


def _projects(ws: Workspace) -> Iterator[tuple[Path, str]]:
    """Folders of projects with their names: the repository's, else those watched or seen at work."""
    if ws.project_root is not None:
        yield ws.project_root, project_of(ws)
        return
    yield ws.root, ""
    for folder in ws.watched:
        yield folder, git.slug(folder)
    known, _ = observations.load_all(ws.root)
    named = set(scenes.projects(known))
    places = {one.cwd: one.project for one in known if one.cwd and one.project in named}
    yield from ((Path(cwd), project) for cwd, project in sorted(places.items()))


def _files(folder: Path, problems: list[str]) -> list[Path]:
    try:
        found = sorted(file for file in folder.iterdir() if file.suffix in (".md", ".jsonl"))
    except OSError as error:
        problems.append(f"{folder} cannot be read ({error.strerror})")
        return []
    if len(found) > MOST_FILES:
        problems.append(f"{folder}: {len(found) - MOST_FILES} files are over the {MOST_FILES} of one import")
    return found[:MOST_FILES]


def _read(file: Path, project: str, problems: list[str]) -> Source | None:
    try:
        status = file.stat()
        if status.st_size > LARGEST:
            problems.append(f"{file} is larger than {LARGEST >> 20} MB, so it is left out")
            return None
        text, secrets = foreign.without_secrets(files.read(file).text)
    except (DiskError, OSError) as error:
        problems.append(str(error))
        return None
    at = datetime.fromtimestamp(int(status.st_mtime), UTC)
    return Source(file, project, at, tuple(_said(file, text)), secrets)


def _said(file: Path, text: str) -> Iterator[Taken]:
    if file.suffix == ".jsonl" or file.name.upper().startswith("HISTORY"):
        return foreign.history(text, as_json=file.suffix == ".jsonl")
    beside = {one.name for one in file.parent.glob("*.md")}
    return foreign.notes(text, beside - {file.name})
