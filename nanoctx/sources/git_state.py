"""What a repository is like right now: where HEAD stands, what was committed and changed since a session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from nanoctx.core import git_objects, git_safety
from nanoctx.model import Changed, Commit, Repository
from nanoctx.sources import git
from nanoctx.sources.git_runner import TIMEOUT, Ran, run

MOST_COMMITS = 100
MOST_LOOSE = 30
MOST_FILES = 500
_TAIL = 4096
_BARE = re.compile(rb"^\s*bare\s*=\s*(true|yes|on|1)\s*$", re.MULTILINE | re.IGNORECASE)
_ADDRESS = re.compile(rb"^\s*\[user\][^\[]*?^\s*email\s*=\s*([^\n#;]+)", re.MULTILINE | re.IGNORECASE)
_MOVED = re.compile(rb"> (\d{1,12}) [+-]\d{4}(?:\t.*)?$")
# In the order they are told: a rebase may stop in the middle of a merge.
_DOING = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


@dataclass(frozen=True, slots=True)
class Since:
    """What is known of the moment from which on everything is new."""

    at: datetime | None = None
    head: str = ""
    branch: str = ""


def state(folder: Path, since: Since | None, *, timeout: float = TIMEOUT) -> Repository | None:
    """The repository around a folder; None when there is none, or it belongs to somebody else."""
    places = git.places(folder)
    seen = git.head(folder)
    if places is None or seen is None:
        return None
    found = Repository(seen.branch, seen.sha, doing=_doing(places.own), bare=_is_bare(places))
    # Files and commits are asked for at once: somebody may be waiting, and git waits for the disk.
    from concurrent.futures import ThreadPoolExecutor  # most looks are not at a repository

    with ThreadPoolExecutor(max_workers=1) as pool:
        listing = pool.submit(_with_commits, found, places, since, timeout) if since is not None else None
        if not found.bare:
            filters = own_filters(places, timeout)
            told = None
            if filters is not None:
                told = run(places.top, git_safety.status(), filters=filters, timeout=timeout)
            if told is not None and told.refused:
                return None
            found = _with_status(found, told, places.top)
        if listing is None:
            return found
        listed = listing.result()
    unsure = found.unsure or listed.unsure
    return replace(found, commits=listed.commits, more_commits=listed.more_commits, unsure=unsure)


# -- files -------------------------------------------------------------------------------------------------


def own_filters(places: git.Places, timeout: float) -> list[str] | None:
    """Filters that the repository's own settings bring; None if that cannot be known."""
    settings = {places.shared / "config", places.shared / "config.worktree", places.own / "config.worktree"}
    if not git_safety.may_name_filters(git.read(file) for file in settings):
        return []
    listed = run(places.top, git_safety.filter_listing(), timeout=timeout)
    # 1 is "no such setting"; anything else means that we do not know, and then nothing is compared.
    return git_safety.filters_in(listed.out) if listed.whole and listed.code in (0, 1) else None


def _with_status(found: Repository, told: Ran | None, top: Path) -> Repository:
    if told is None or not told.good:
        return replace(found, unsure=True)
    records = told.out.decode("utf-8", "surrogateescape").split("\0")
    pairs = list(_changed(records))
    listed = tuple(Changed(path, _written(top / path), new) for path, new in pairs[:MOST_FILES])
    return replace(found, changed=listed, more_changed=len(pairs) - len(listed))


def _changed(records: list[str]) -> Iterator[tuple[str, bool]]:
    """Paths of changed and of untracked files. Only what we asked for is there: no renames, no ignored."""
    for record in records:
        if record.startswith("? "):
            yield record[2:], True
        elif record.startswith("1 "):
            yield record.split(" ", 8)[-1], False
        elif record.startswith("u "):
            yield record.split(" ", 10)[-1], False


def _written(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(os.lstat(path).st_mtime), UTC)
    except (OSError, ValueError, OverflowError):
        return None


# -- commits -----------------------------------------------------------------------------------------------


def _with_commits(found: Repository, places: git.Places, since: Since, timeout: float) -> Repository:
    if not found.head or _stands_where_it_stood(found.head, places.own, since):
        return found
    by_name, commits = True, _loose(found.head, since.head, places)
    if commits is None:
        by_name, listed = _listed(since, places, timeout)
        if listed is None or not listed.good:
            return replace(found, unsure=found.unsure or listed is not None)
        commits = _commits(listed.out)
    if (not by_name or since.branch not in ("", found.branch)) and since.at is not None:
        # Another branch has many commits that this one has not, and most of them are old.
        commits = [one for one in commits if one[1] is not None and one[1] > since.at]
    own = _identity(places, timeout) if commits else frozenset()
    told = tuple(_commit(one, own) for one in commits[:MOST_COMMITS])
    return replace(found, commits=told, more_commits=len(commits) > MOST_COMMITS)


def _listed(since: Since, places: git.Places, timeout: float) -> tuple[bool, Ran | None]:
    """What git lists beyond the HEAD that is known, which is the surer way, or since a time."""
    listed = None
    if git_safety.is_commit_name(since.head):
        listed = run(places.top, git_safety.log(MOST_COMMITS + 1, beyond=since.head), timeout=timeout)
        if listed.good:
            return True, listed
    if since.at is not None:
        after = f"{since.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} +0000"
        listed = run(places.top, git_safety.log(MOST_COMMITS + 1, since=after), timeout=timeout)
    return False, listed


_Raw = tuple[str, datetime | None, str, str, str, bool]  # sha, time, author, address, subject, merge


def _commits(out: bytes) -> list[_Raw]:
    parts = (record.split(git_safety.FIELD, 5) for record in out.decode("utf-8", "replace").split("\0"))
    return [_raw(*six) for six in parts if len(six) == 6]


def _loose(head: str, base: str, places: git.Places) -> list[_Raw] | None:
    """The same without git, for as many as a person makes in a day; None if the files do not tell it all."""
    if not git_safety.is_commit_name(base):
        return None
    objects = places.shared / "objects"
    found = git_objects.between(
        base, head, MOST_LOOSE, lambda name: git.read(objects / name, git_objects.LARGEST) or None
    )
    return None if found is None else [_raw(*one) for one in found]


def _raw(sha: str, parents: str, seconds: str, author: str, address: str, subject: str) -> _Raw:
    return sha, _moment(seconds), author, address, subject, len(parents.split()) > 1


def _commit(raw: _Raw, own: frozenset[str]) -> Commit:
    sha, at, author, address, subject, merge = raw
    return Commit(sha, at, author, subject, merge, bool(own) and not own & {author, address.lower()})


def _identity(places: git.Places, timeout: float) -> frozenset[str]:
    """Name and address of whoever commits here; the last value of each is the one that counts."""
    # In the order in which git takes one word for the last: none of them costs a process.
    home = os.environ.get("HOME", "/")
    more = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    for settings in (places.shared / "config", Path(home, ".gitconfig"), Path(more, "git", "config")):
        text = git.read(settings)
        if written := _address_in(text):
            return frozenset((written,))
        if text is None or any(word in text.lower() for word in (b"include", b"worktreeconfig")):
            break
    listed = run(places.top, git_safety.identity(), timeout=timeout)
    pairs = (one.split("\n", 1) for one in listed.out.decode("utf-8", "replace").split("\0"))
    last = {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
    address, name = last.get("user.email", "").lower(), last.get("user.name", "")
    return frozenset(word for word in (address or name,) if word)


def _address_in(settings: bytes | None) -> str:
    """The address in the bytes of a `config` that draws in no other file; "" if it does not say."""
    if not settings or any(word in settings.lower() for word in (b"include", b"worktreeconfig")):
        return ""
    found = _ADDRESS.findall(settings)
    return found[-1].strip().strip(b'"').decode("utf-8", "replace").lower() if found else ""


def _stands_where_it_stood(head: str, own: Path, since: Since) -> bool:
    """Whether HEAD has not moved since, as far as files tell it: then there is nothing to list."""
    if git_safety.is_commit_name(since.head):
        return head.startswith(since.head)
    moved = _last_move(own / "logs" / "HEAD")
    return moved is not None and since.at is not None and moved < since.at.timestamp()


def _last_move(reflog: Path) -> int | None:
    try:
        if not reflog.is_file():
            return None
        with reflog.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            last = file.read(_TAIL).rstrip(b"\n").rpartition(b"\n")[2]
    except OSError:
        return None
    found = _MOVED.search(last)
    return int(found[1]) if found else None


def _moment(seconds: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (OSError, ValueError, OverflowError):
        return None


# -- what files tell ---------------------------------------------------------------------------------------


def _doing(own: Path) -> str:
    return next((name for sign, name in _DOING if os.path.lexists(own / sign)), "")


def _is_bare(places: git.Places) -> bool:
    """A repository without a checkout; worktrees of one have theirs."""
    return places.own == places.shared and bool(_BARE.search(git.read(places.own / "config") or b""))
