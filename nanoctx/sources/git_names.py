"""What a repository says of files, symbols, commits and branches that were named. Bounded, and harmless."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from nanoctx.core import freshness, git_safety, prose, section
from nanoctx.core.freshness import Answers, Names
from nanoctx.sources import git
from nanoctx.sources.git_runner import run

MOST_SYMBOLS = 200
MOST_COMMITS = 20
MOST_TREES = 6  # commits whose files are listed
MOST_PARSED = 40  # Python files read for one symbol
_TEXTS = (".md", ".txt", ".rst", ".adoc", ".html", ".lock", ".json", ".csv", ".log")
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")


@dataclass(frozen=True, slots=True)
class Asked:
    """One fact's names, and what is known of the session that said it."""

    names: Names
    head: str = ""  # the commit it was said at
    files: tuple[str, ...] = ()  # that the session had to do with
    commits: tuple[str, ...] = ()  # that the session made
    branch: str = ""


def elsewhere(folder: Path) -> frozenset[str]:
    """The branches of which HEAD does not have all, by their short names."""
    told = run(folder, git_safety.unmerged())
    if not told.good or not told.out:
        return frozenset()
    here, there = _short(told.out, "refs/heads/"), _short(told.out, "refs/remotes/")
    if not there:
        return here
    every = run(folder, git_safety.branches())
    # A branch that is here counts as it is here, whatever stands on a server.
    return here | (there - _short(every.out, "refs/heads/")) if every.good else here


def instructions(folder: Path) -> tuple[str, ...]:
    """What the repository tells agents anyway, line by line."""
    lines: list[str] = []
    for name in INSTRUCTIONS:
        text = _of_people((git.read(folder / name) or b"").decode("utf-8", "replace"))
        for block in prose.blocks(prose.spoken(text)):
            for part in block.parts:
                lines += prose.sentences(prose.plain(part.text))
    return tuple(lines)


def _of_people(text: str) -> str:
    """A text without the page, if `connect` put it there: it would be news to nobody for ever."""
    try:
        return section.removed(text)
    except section.BrokenSection:
        return text


def look(folder: Path, asked: Collection[Asked]) -> tuple[Answers, ...]:
    """What is there of what each fact names, in their order; nothing where git does not answer in full."""
    if not any(one.names for one in asked):
        return tuple(Answers() for _ in asked)
    listed = run(folder, git_safety.tracked())
    paths = frozenset(_parts(listed.out)) if listed.good else None
    symbols = sorted({symbol for one in asked for symbol in one.names.symbols})[:MOST_SYMBOLS]
    present = _present(folder, symbols)
    past = _Past(folder)
    branches = run(folder, git_safety.branches()) if any(one.names.branches for one in asked) else None
    known = _short(branches.out, "refs/") if branches is not None and branches.good else None
    found = []
    for one in asked:
        missing = [name for name in one.names.symbols if present is not None and name not in present]
        were = frozenset(one.files) | past.files(one.head if one.names.paths else "")
        here = frozenset(path for path in one.names.paths if _is_here(folder, path))
        found.append(
            Answers(
                paths=paths | here if paths is not None else were,
                were_paths=were,
                symbols=frozenset(one.names.symbols) - set(missing),
                were_symbols=past.symbols(one.head, missing),
                gone_commits=frozenset(past.gone(one)),
                gone_branches=frozenset(
                    name for name in one.names.branches if name == one.branch and known and name not in known
                ),
            )
        )
    return tuple(found)


class _Past:
    """What was there at a commit; each is asked about once, and only a few are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, frozenset[str]] = {}
        self._commits = 0

    def files(self, head: str) -> frozenset[str]:
        if not git_safety.is_commit_name(head):
            return frozenset()
        if head not in self._files and len(self._files) < MOST_TREES:
            told = run(self.folder, git_safety.tree(head))
            self._files[head] = frozenset(_parts(told.out)) if told.good else frozenset()
        return self._files.get(head, frozenset())

    def symbols(self, head: str, words: Collection[str]) -> frozenset[str]:
        if not words or not git_safety.is_commit_name(head):
            return frozenset()
        told = run(self.folder, git_safety.occurrences(words, head))
        return frozenset(_in_code(told.out, head)) if told.good else frozenset()

    def gone(self, one: Asked) -> Iterable[str]:
        """Commits that the session made, and that are not there any more."""
        for commit in one.names.commits:
            made = any(other.startswith(commit) or commit.startswith(other) for other in one.commits)
            if made and self._commits < MOST_COMMITS and git_safety.is_commit_name(commit):
                self._commits += 1
                told = run(self.folder, git_safety.holds(commit))
                if told.whole and told.code not in (0, 127):
                    yield commit


def _present(folder: Path, symbols: Collection[str]) -> frozenset[str] | None:
    """Which symbols stand in the code as it is now; None when that cannot be told."""
    if not symbols:
        return frozenset()
    told = run(folder, git_safety.occurrences(symbols))
    if not told.whole or told.code not in (0, 1):
        return None
    places: dict[str, set[str]] = {}
    for path, word in _pairs(told.out):
        places.setdefault(word, set()).add(path)
    return frozenset(word for word, files in places.items() if _is_used(folder, word, files))


def _is_used(folder: Path, word: str, files: Collection[str]) -> bool:
    code = sorted(path for path in files if not path.endswith(_TEXTS))
    if not all(path.endswith((".py", ".pyi")) for path in code):
        return True
    for path in code[:MOST_PARSED]:
        source = git.read(folder / path, freshness.LONGEST_SOURCE) if _is_here(folder, path) else None
        # What cannot be read or is not Python counts as it stands.
        if source is None or freshness.defines(source.decode("utf-8", "replace"), word) is not False:
            return True
    return len(code) > MOST_PARSED


def _is_here(folder: Path, path: str) -> bool:
    """Whether a file is below the folder, without following a link out of it."""
    if path.startswith("/") or ".." in path.split("/") or "\0" in path:
        return False
    try:
        real = os.path.realpath(folder / path)
        return os.path.lexists(real) and Path(real).is_relative_to(os.path.realpath(folder))
    except (OSError, ValueError):
        return False


def _in_code(out: bytes, head: str) -> Iterable[str]:
    return (word for path, word in _pairs(out) if not path.removeprefix(f"{head}:").endswith(_TEXTS))


def _pairs(out: bytes) -> Iterable[tuple[str, str]]:
    for line in out.decode("utf-8", "replace").split("\n"):
        path, _, word = line.partition("\0")
        if word:
            yield path, word


def _parts(out: bytes) -> list[str]:
    return [part for part in out.decode("utf-8", "surrogateescape").split("\0") if part]


def _short(out: bytes, below: str) -> frozenset[str]:
    """The short names of the branches below `refs/heads/`, `refs/remotes/` or both."""
    found = set()
    for ref in out.decode("utf-8", "replace").split("\n"):
        if ref.startswith(below) and ref.startswith("refs/heads/"):
            found.add(ref.removeprefix("refs/heads/"))
        elif ref.startswith(below) and ref.startswith("refs/remotes/"):
            found.add(ref.removeprefix("refs/remotes/").partition("/")[2])
    return frozenset(found - {"", "HEAD"})
