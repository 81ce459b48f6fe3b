"""What changed outside since the last session: commits, files, branch. Only what is known is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, tzinfo

from nanoctx.core import prose, timeline
from nanoctx.core.escape import inert
from nanoctx.core.redact import redact
from nanoctx.model import Changed, Commit, Line, Observation, Origin, Repository

NO_REPOSITORY = Line("- No repository at hand", (), "Repository")
NO_CHANGES = Line("- No git changes since last session", (Origin("git", None, "status"),), "No changes")
GIT = "git"  # what such a line came from, in the place of an observation
MOMENT = "\x1f"  # stands for "20 min ago" in a line that is told later; no line holds it otherwise
MOST_LINES = 4
LINE = 200
_SUBJECTS, _NAMES = 3, 4
_OUTSIDE = "Changed outside"
# observation, kind of item, position, time, who, words, log
Quoted = tuple[str, str, int | None, datetime | None, str, str, str]
_SETTLING = timedelta(seconds=5)  # a log's last record and the files it speaks of are not of one second


def since(sessions: Sequence[Observation], current: Observation | None) -> Observation | None:
    """The session from whose end on things are new: the last that ended, while another goes on."""
    ended = [one for one in sessions if one.ended and one.prompts and _last(one)]
    if current is None or current.ended or not ended:
        return current
    return max(ended, key=lambda one: (_last(one) or one.started, one.id), default=current)


def external(
    seen: Repository, sessions: Sequence[Observation], base: Observation | None, now: datetime, zone: tzinfo
) -> tuple[Line, ...]:
    """The lines of External, most telling first."""
    lines = [line for line in _lines(seen, sessions, base, now, zone) if line.text]
    return tuple(lines[:MOST_LINES]) or (NO_CHANGES,)


def outside_commits(seen: Repository, sessions: Sequence[Observation]) -> tuple[Commit, ...]:
    """The commits that no session made."""
    made = tuple(sha for one in sessions for sha in one.commits if len(sha) >= 7)
    return tuple(one for one in seen.commits if not (made and one.sha.startswith(made)))


def timeless(seen: Repository | None, line: Line, now: datetime, zone: tzinfo) -> tuple[str, list[datetime]]:
    """A line with `MOMENT` for each word on how long ago a file was changed, and when that was."""
    changed = {one.path: one.at for one in seen.changed} if seen is not None else {}
    text, moments, told = line.text, [], 0
    for origin in line.origins if line.key == _OUTSIDE else ():
        at = changed.get(origin.lead)
        words = f"({timeline.gap(at, now, zone).words})"
        place = text.find(words, told) if at is not None else -1
        if at is not None and place >= 0:
            text = f"{text[:place]}({MOMENT}){text[place + len(words) :]}"
            told = place + len(MOMENT) + 2
            moments.append(at)
    return text, moments


def evidence(seen: Repository | None, line: Line, now: datetime) -> tuple[Quoted, ...]:
    """What git told that a line of External rests on."""
    found: list[Quoted] = []
    for origin in line.origins if seen is not None else ():
        if seen is None or origin.observation != GIT:
            continue
        if origin.kind == "commit":
            commits = (one for one in seen.commits if one.sha.startswith(origin.lead))
            found += [
                (GIT, f"commit {one.sha[:12]}", None, one.at, _safe(one.author), _safe(one.subject), "")
                for one in commits
            ]
        elif origin.kind == "file":
            files = (one for one in seen.changed if one.path == origin.lead)
            found += [(GIT, "git status", None, one.at, "git", _safe(one.path), "") for one in files]
        else:
            found.append((GIT, f"git {origin.kind}", None, now, "git", _standing(seen), ""))
    return tuple(found)


def _lines(
    seen: Repository, sessions: Sequence[Observation], base: Observation | None, now: datetime, zone: tzinfo
) -> Iterator[Line]:
    if seen.doing:
        yield _line(f"{seen.doing.capitalize()} in progress{_where(seen)}", "Doing", "status")
    if base is None:
        yield _line(_standing(seen), "Repository", "status")
    else:
        yield from _commits(seen, outside_commits(seen, sessions), base)
    yield from _files(seen, sessions, base, now, zone)
    if base is not None and not seen.head:
        yield _line(_standing(seen), "Repository", "status")
    if seen.unsure:
        yield _line("Git did not answer in time: there may be more", "Unsure", "status")


def _commits(seen: Repository, commits: Sequence[Commit], base: Observation) -> Iterator[Line]:
    if commits:
        count = f"{len(commits)}{'+' if seen.more_commits else ''}"
        told = [one for one in commits if not one.merge] or list(commits)
        words = [f'"{prose.cut(_safe(one.subject), 60)}"' for one in told[:_SUBJECTS]]
        rest = ", …" if len(told) > _SUBJECTS else ""
        others = sum(one.foreign for one in commits)
        merges = sum(one.merge for one in commits)
        beside = ", ".join(
            [f"{others} by others"] * bool(others) + [f"{merges} merge{'s' * (merges > 1)}"] * bool(merges)
        )
        plural = "s" if count != "1" else ""
        head = f"- {count} commit{plural} since last session: "
        tail = rest + (f" ({beside})" if beside else "")
        text = prose.cut(", ".join(words), LINE - len(head) - len(tail))
        origins = tuple(Origin(GIT, None, "commit", one.sha[:12]) for one in commits[:10])
        yield Line(f"{head}{text}{tail}", origins)
    elif not seen.commits and base.head and seen.head and not seen.head.startswith(base.head):
        told_switch = base.branch and seen.branch != base.branch
        if not told_switch:
            text = f"HEAD moved {base.head[:7]} → {seen.head[:7]} without a new commit"
            yield _line(text, "", "head", seen.head[:12])


def _files(
    seen: Repository, sessions: Sequence[Observation], base: Observation | None, now: datetime, zone: tzinfo
) -> Iterator[Line]:
    switch = _switch(seen, base)
    at = _last(base) if base is not None else None
    running = {name for one in sessions if not one.ended for name in _edited(one)}
    own = running | set(_edited(base) if base is not None else ())
    theirs: list[Changed] = []
    ours: list[Changed] = []
    rest: list[Changed] = []
    for file in seen.changed:
        later = at is not None and file.at is not None and file.at > at + _SETTLING
        if file.path in running or (file.path in own and not later):
            ours.append(file)
        else:
            (theirs if later else rest).append(file)
    theirs.sort(key=lambda file: (-(file.at.timestamp() if file.at else 0.0), file.path))
    if theirs:
        words = [f"{_safe(one.path)} ({timeline.gap(one.at, now, zone).words})" for one in theirs]
        yield _named(_OUTSIDE, words, theirs, seen.more_changed, switch)
    elif switch:
        yield _line(switch[0].upper() + switch[1:], "", "branch", seen.branch)
    if ours:
        label = "Uncommitted from the last session" if not running else "Uncommitted from sessions"
        yield _named(label, [_safe(one.path) for one in ours], ours, 0, "")
    if rest or (seen.more_changed and not theirs):
        more = 0 if theirs else seen.more_changed
        label = "Uncommitted besides" if theirs or ours else "Uncommitted"
        yield _named(label, [_safe(one.path) for one in rest], rest, more, "")


def _named(label: str, words: Sequence[str], files: Sequence[Changed], more: int, tail: str) -> Line:
    """Files by name as long as there is room, then only their number."""
    count = len(files) + more
    head = f"- {label}: " if count <= _NAMES else f"- {label}: {count} files: "
    end = f"; {tail}" if tail else ""
    kept: list[str] = []
    for word in words[:_NAMES]:
        word = prose.cut(word, 80)
        if len(head) + len(", ".join([*kept, word])) + len(", …") + len(end) > LINE:
            break
        kept.append(word)
    text = ", ".join(kept) + (", …" if len(kept) < count else "")
    origins = tuple(Origin(GIT, None, "file", one.path) for one in files[:10])
    return Line(f"{head}{text}{end}", origins, label)


def _switch(seen: Repository, base: Observation | None) -> str:
    if base is None or not base.branch or seen.doing == "rebase" or seen.branch == base.branch:
        return ""
    now_on = seen.branch or (f"detached HEAD at {seen.head[:7]}" if seen.head else "")
    old = base.branch
    if old == "HEAD":  # what agents call a detached one
        return f"now on branch {prose.cut(_safe(now_on), 60)}" if seen.branch else ""
    return f"branch {prose.cut(_safe(old), 60)} → {prose.cut(_safe(now_on), 60)}" if now_on else ""


def _standing(seen: Repository) -> str:
    name = f"On {_safe(seen.branch)}" if seen.branch else "On a detached HEAD"
    kind = "; a bare repository" if seen.bare else ""
    return (f"{name} at {seen.head[:7]}" if seen.head else f"{name}, no commit yet") + kind


def _where(seen: Repository) -> str:
    return f" at {seen.head[:7]}" if seen.head else ""


def _line(text: str, key: str, kind: str, lead: str = "") -> Line:
    return Line(f"- {prose.cut(text, LINE - 2)}", (Origin(GIT, None, kind, lead),), key)


def _safe(text: str) -> str:
    """Words of a repository: anybody may have written them."""
    return inert(redact(text.encode("utf-8", "replace").decode("utf-8"))) or "…"


def _edited(session: Observation) -> tuple[str, ...]:
    """The files that the session changed; the others it only read."""
    edited = session.more.get("edited")
    return session.files[:edited] if isinstance(edited, int) else session.files


def _last(session: Observation) -> datetime | None:
    return session.last or session.ended or session.started
