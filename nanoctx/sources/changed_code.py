"""The functions of a repository that changed since a moment: committed, in the checkout, or in new files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nanoctx.core import functions, git_safety
from nanoctx.model import Repository
from nanoctx.sources import git, git_state
from nanoctx.sources.git_runner import TIMEOUT, run

MOST_FILES = 40
MOST_COMMITS = 300
LARGEST = 300_000  # bytes of a file that is looked into
LONGEST = 10_000  # changed lines of one
MOST_OUTPUT = 6 * 1024 * 1024
_FILE = re.compile(r"^diff --git ", re.MULTILINE)
_PLACE = re.compile(r"^(?:---|\+\+\+) [ab]/(.*?)\t?$", re.MULTILINE)
_HUNK = re.compile(r"^@@ [^@]*@@ (.+)$", re.MULTILINE)
# Code without a grammar here: what git takes for the function around a change names it.
_OTHER_CODE = re.compile(
    r".*\.(?:rb|php|cs|kt|kts|swift|scala|lua|pl|pm|ex|exs|erl|hs|ml|dart|jl|r|sh|bash|zsh|m|mm|zig|nim|vb|fs|clj)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file and what changed in it."""

    path: str
    at: datetime | None
    functions: tuple[functions.Changed, ...]


def changed(
    folder: Path, since: datetime, seen: Repository, *, timeout: float = TIMEOUT
) -> tuple[ChangedFile, ...]:
    """What changed since a moment in the repository around a folder, last changed first."""
    places = git.places(folder)
    filters = git_state.own_filters(places, timeout) if places is not None else None
    if places is None or filters is None or seen.bare or not seen.head:
        return ()
    base = _base(places, since, seen.head, timeout)
    if not base:
        return ()
    listed = run(places.top, git_safety.sizes(base), filters=filters, timeout=timeout)
    when = _when(places.top, base, seen, timeout)
    tracked = [path for path in _worth(listed.out if listed.good else b"") if _is_small(places.top / path)]
    new = [path for path in _untracked(places.top, seen, timeout) if functions.is_known(path)]
    newest = sorted({*tracked, *new}, key=lambda path: (-_seconds(when.get(path)), path))[:MOST_FILES]
    chosen = [path for path in newest if path in set(tracked)]
    known = [path for path in chosen if functions.is_known(path)]
    others = [path for path in chosen if not functions.is_known(path)]
    told: dict[str, Sequence[functions.Changed]] = {}
    for path, text in _diffs(places.top, base, known, filters, timeout, whole=True):
        told[path] = functions.changed(path, *_versions(text))
    for path, text in _diffs(places.top, base, others, filters, timeout, whole=False):
        told[path] = _by_hunks(text)
    for path in newest:
        if path in set(new) and path not in told:
            told[path] = functions.changed(path, "", _text(places.top / path))
    return tuple(ChangedFile(path, when.get(path), tuple(told[path])) for path in newest if told.get(path))


def _base(places: git.Places, since: datetime, head: str, timeout: float) -> str:
    """The last commit before a moment; nothing at all stands for it where the first commit came later."""
    moment = f"{since.astimezone(UTC):%Y-%m-%d %H:%M:%S} +0000"
    told = run(places.top, git_safety.commit_before(moment), timeout=timeout)
    name = told.out.decode("ascii", "replace").strip() if told.good else ""
    if told.good and not name and not (places.shared / "shallow").exists():
        return git_safety.EMPTY_TREES.get(len(head), "")
    return name if git_safety.is_commit_name(name) else ""


def _worth(listed: bytes) -> Iterator[str]:
    """Paths of the code that changed, out of what `sizes` listed."""
    for record in listed.decode("utf-8", "surrogateescape").split("\0"):
        added, _, rest = record.partition("\t")
        removed, _, path = rest.partition("\t")
        is_text = added.isdecimal() and removed.isdecimal()  # of a binary file both are "-"
        if is_text and int(added) + int(removed) <= LONGEST and _is_code(path):
            yield path


def _is_code(path: str) -> bool:
    return functions.is_known(path) or bool(_OTHER_CODE.fullmatch(path))


def _when(top: Path, base: str, seen: Repository, timeout: float) -> dict[str, datetime]:
    """When each file was last changed: written, if that is not committed yet."""
    told = run(top, git_safety.times(base, MOST_COMMITS), timeout=timeout)
    found: dict[str, datetime] = {}
    at: datetime | None = None
    for word in told.out.decode("utf-8", "surrogateescape").split("\0") if told.good else ():
        if word.startswith(git_safety.FIELD):
            seconds = word[1:].partition("\n")[0]
            at = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else None
            word = word[1:].partition("\n")[2]
        if (path := word.strip("\n")) and at is not None:
            found.setdefault(path, at)
    return found | {one.path: one.at for one in seen.changed if one.at is not None}


def _untracked(top: Path, seen: Repository, timeout: float) -> Iterable[str]:
    if not any(one.untracked for one in seen.changed):
        return ()
    told = run(top, git_safety.untracked(), timeout=timeout)
    paths = told.out.decode("utf-8", "surrogateescape").split("\0") if told.good else []
    return (path for path in paths if path and _is_small(top / path))


def _is_small(path: Path) -> bool:
    """Small enough to be looked into; a file that is gone is."""
    try:
        status = os.lstat(path)
    except OSError:
        return True
    return status.st_size <= LARGEST and not path.is_symlink()


def _diffs(
    top: Path, base: str, paths: Sequence[str], filters: Sequence[str], timeout: float, *, whole: bool
) -> Iterator[tuple[str, str]]:
    """The difference of each file; names that git has to put into quotes are left out."""
    if not paths:
        return
    command = git_safety.diff(base, whole=whole, paths=paths)
    told = run(top, command, filters=filters, timeout=timeout, limit=MOST_OUTPUT)
    texts = _FILE.split(told.out.decode("utf-8", "replace"))[1:]
    for text in texts if told.whole else texts[:-1]:
        named = _PLACE.findall(text.partition("\n@@ ")[0])
        if named:
            yield named[-1], text


def _versions(diff: str) -> tuple[str, str]:
    """Both versions of a file, out of a difference that shows all of it."""
    old: list[str] = []
    new: list[str] = []
    for line in diff.partition("\n@@ ")[2].split("\n")[1:]:
        sign, text = line[:1], line[1:]
        if sign in ("-", " "):
            old.append(text)
        if sign in ("+", " "):
            new.append(text)
    return "\n".join(old), "\n".join(new)


def _by_hunks(diff: str) -> list[functions.Changed]:
    names = dict.fromkeys(name.strip()[: functions.SIGNATURE] for name in _HUNK.findall(diff))
    return [functions.Changed(name, functions.MODIFIED) for name in names if name]


def _text(path: Path) -> str:
    return (git.read(path, LARGEST) or b"").decode("utf-8", "replace")


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment is not None else 0.0
