"""
Takes what is forgotten out of every file that is ours: observations, pages, copies, what is remembered.

Of a workspace that holds a person's whole folder, only our own places are looked into.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from nanoctx.core import identity, items
from nanoctx.core.forgotten import Forgotten
from nanoctx.disk import files, mirror, observations
from nanoctx.disk.settings import AGENTS
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import ChangedOnDisk, DiskError

ATTEMPTS = 50  # to change a page that somebody saves again and again
MOST_LINES = 200  # named of one file
_PAGES = ("CONTEXT.md", "MEMORY.md", "SOUL.md", "USER.md", "TOOLS.md")
_FOLDERS = ("observations", "projects", "conflicts", "tools", "knowledge", ".state")
_OWN = ("lock", "lock.next", "recall.lock", "cursors.json", "swept.json")  # that hold no words
_EARLIER = frozenset(("older", "history"))  # folders of pages that do not stand any more
_SNIFFED = 8192


@dataclass(frozen=True, slots=True)
class Holding:
    """A file that holds what is to be forgotten, and the lines it stands in."""

    path: Path
    kind: str  # observation | page | conflict | yours | cache | copy
    lines: tuple[str, ...] = ()


def holdings(ws: Workspace, gone: Forgotten, env: Mapping[str, str]) -> Iterator[Holding]:
    """The files that hold it; nothing is changed."""
    for path, kind in _places(ws, env):
        text = _read(path)
        if text is None:
            continue
        if path.suffix == ".md" and _is_observation(path) and _is_of(text, gone):
            yield Holding(path, kind, ("the whole session",))
        elif kind == "cache" and path.suffix in (".json", ".jsonl"):
            if _cleaned(path, text, gone) != text:
                yield Holding(path, kind)
        elif lines := tuple(_lines(text, gone)):
            yield Holding(path, kind, lines[:MOST_LINES])


def sweep(ws: Workspace, gone: Forgotten, env: Mapping[str, str]) -> int:
    """Take it out of every file; returns how many were changed."""
    changed = sum(_swept(path, gone) for path, _ in _places(ws, env))
    _note(ws, gone, observations.news(ws.root, {}).stamps, earlier=bool(gone.sessions))
    return changed


def drop_earlier(ws: Workspace) -> None:
    """Drop the earlier versions of pages: the lines of a session that is forgotten are known by nothing."""
    for path in _below(ws.state):
        if not _EARLIER.isdisjoint(path.parts):
            files.remove(path)


def keep_away(ws: Workspace, gone: Forgotten, env: Mapping[str, str]) -> bool:
    """
    Take it out of what came since: another machine's files, and whatever a killed `forget` left.

    Who holds the workspace's lock calls this before anything is made of the observations.
    """
    known = _noted(ws)
    if not gone:
        if known:
            files.remove(_path(ws))
        return False
    if known.get("name") != _name(gone):
        return sweep(ws, gone, env) > 0
    if known.get("earlier"):  # by now the pages are made anew
        drop_earlier(ws)
    found = observations.news(ws.root, known["stamps"])
    changed = sum(_swept(ws.observations / place, gone) for place in found.loaded)
    if (copies := mirror.folder(ws.root, env)) is not None:
        for place in found.loaded:
            with suppress(DiskError, OSError):
                _swept(copies / "observations" / place, gone)
    if found.stamps != known["stamps"] or known.get("earlier"):
        _note(ws, gone, found.stamps)
    return changed > 0


def _places(ws: Workspace, env: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Every file that may hold a word of a person's, and what it is."""
    for name in _PAGES:
        path = ws.root / name
        if path.is_file():
            yield path, "page" if name in _PAGES[:2] else "yours"
    for folder in _FOLDERS:
        for path in _below(ws.root / folder):
            yield path, _kind(path.relative_to(ws.root))
    copies = mirror.folder(ws.root, env)
    if copies is not None:
        for path in _below(copies):
            yield path, "copy"


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.name not in _OWN and "recall" not in path.parts:
            yield path


def _kind(path: Path) -> str:
    first = path.parts[0]
    if first == "projects":
        return "page" if path.name == "CONTEXT.md" else "yours"
    kinds = {"observations": "observation", "conflicts": "conflict", ".state": "cache"}
    return kinds.get(first, "yours")


def _swept(path: Path, gone: Forgotten) -> bool:
    for _ in range(ATTEMPTS):
        found = files.read(path)
        if not found.stamp or "\0" in found.text[:_SNIFFED]:
            return False
        text = _cleaned(path, found.text, gone)
        if text == found.text:
            return False
        with suppress(ChangedOnDisk):
            if text is None:
                files.remove(path, expect=found)
            elif ".state" in path.parts or _is_observation(path):
                files.write(path, text, expect=found)
            else:
                files.exchange(path, text, found)
            return True
    raise ChangedOnDisk(f"{path} is saved again and again: close it in your editor, then forget once more.")


def _cleaned(path: Path, text: str, gone: Forgotten) -> str | None:
    """The file without it; None if the file is to go."""
    if path.suffix == ".md" and _is_observation(path):
        return _cleaned_observation(text, gone)
    if path.suffix == ".json":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return gone.page(text)
        kept = _without_sessions(value, gone) if path.parent.name == "stories" else value
        clean = gone.value(kept)
        return text if clean == value else json.dumps(clean, separators=(",", ":"), ensure_ascii=False)
    if path.suffix == ".jsonl":
        return "".join(_cleaned_record(line, gone) for line in text.splitlines(keepends=True))
    is_old = ".state" in path.parts and not _EARLIER.isdisjoint(path.parts)
    return gone.old_page(text) if is_old else gone.page(text)


def _cleaned_observation(text: str, gone: Forgotten) -> str | None:
    try:
        seen = items.parse(text)
    except ValueError:
        return gone.page(text)
    clean = gone.observation(seen)
    if clean is None:
        return None
    return text if clean is seen else items.render(clean)


def _cleaned_record(line: str, gone: Forgotten) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return gone.page(line)
    clean = gone.value(value)
    return line if clean == value else json.dumps(clean, ensure_ascii=False) + "\n"


def _without_sessions(value: Any, gone: Forgotten) -> Any:
    """What is remembered of a log, without the sessions that are forgotten as a whole."""
    told = value.get("stories") if isinstance(value, dict) and gone.sessions else None
    if not isinstance(told, dict):
        return value
    ids = {session: {identity.observation_id(agent, session) for agent in AGENTS} for session in told}
    return {**value, "stories": {name: told[name] for name in told if not ids[name] & gone.sessions}}


def _lines(text: str, gone: Forgotten) -> Iterator[str]:
    yield from dict.fromkeys(line.strip() for line in gone.lines(text))


def _is_observation(path: Path) -> bool:
    return "observations" in path.parts[-4:-1]


def _is_of(text: str, gone: Forgotten) -> bool:
    try:
        return bool(gone.sessions) and items.parse(text).id in gone.sessions
    except ValueError:
        return False


def _read(path: Path) -> str | None:
    try:
        text = files.read(path).text
    except (DiskError, OSError):
        return None
    return None if "\0" in text[:_SNIFFED] else text


# -- what was swept ----------------------------------------------------------------------------------------


def _noted(ws: Workspace) -> dict[str, Any]:
    try:
        found = json.loads(files.read(_path(ws)).text)
    except (DiskError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("stamps"), dict) else {}


def _note(ws: Workspace, gone: Forgotten, stamps: Mapping[str, str], *, earlier: bool = False) -> None:
    files.make_folder(ws.state)
    noted = {"name": _name(gone), "stamps": stamps, "earlier": earlier}
    files.write(_path(ws), json.dumps(noted), durable=False)


def _name(gone: Forgotten) -> str:
    return sha256(gone.name.encode()).hexdigest()[:16]


def _path(ws: Workspace) -> Path:
    return ws.state / "swept.json"
