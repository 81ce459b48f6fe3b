"""What changed on the pages, when and by whom; and the way back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from nanoctx import byhand, overview, publishing, reflector
from nanoctx.core import document, facts, forgotten, memory, people, projects, undone, verbatim
from nanoctx.disk import files, observations, versions
from nanoctx.disk.versions import OURS, YOU, Version, Versions
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import ChangedOnDisk, NanoctxError
from nanoctx.model import Item, Observation

CONTEXT = "CONTEXT.md"
ATTEMPTS = 5
_TOGETHER = timedelta(seconds=1)  # what was done to a page in one go
_TOOK_BACK = "took back "
_BY_ITSELF = ("Time", "External")  # sections that no earlier version is right about


@dataclass(frozen=True, slots=True)
class Entry:
    """One change: of a page, or what a person did by a command."""

    id: str
    at: datetime
    by: str  # you | nanoctx
    page: str
    what: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    undone: bool = False
    version: str = ""  # the change of the page that goes with it


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back, and what must be said about it."""

    entry: Entry
    remark: str = ""


def entries(ws: Workspace) -> tuple[Entry, ...]:
    """All that is known to have changed, the latest first."""
    known = [one for one in observations.load_all(ws.root).observations if one.agent == people.AGENT]
    out = undone.left_out(known)
    done = [entry for one in known if (entry := _of_hand(one, one.id in out)) is not None]
    pages = []
    for state, page, one in _versions(ws):
        entry = _of_page(Versions(state, Path(page).name), page, one)
        beside = next((other for other in done if _are_one(other, entry)), None)
        if beside is None:
            pages.append(entry)
        else:
            shown = replace(beside, added=entry.added, removed=entry.removed, version=entry.id)
            done[done.index(beside)] = shown
    # Of what has the same time, the later one stands further down in its own list.
    oldest_first = sorted((*done, *pages), key=lambda one: (one.at, one.by == OURS))
    return tuple(oldest_first[::-1])


def undo(ws: Workspace, target: str, *, now: datetime, zone: tzinfo) -> Undone:
    """
    Take back the last thing done by hand, or the one that `target` names.

    Of a page, or of a change of one, the page comes back as it was before.
    """
    known = entries(ws)
    entry = _meant(known, target)
    if entry.undone:
        raise NanoctxError(f"{entry.id} is taken back already: `nanoctx history` shows what can be undone")
    if entry.id.startswith("p"):
        _bring_back(ws, entry.id, now, zone)
        return Undone(entry)
    theirs = next(one for one in observations.load_all(ws.root).observations if one.id == entry.id)
    byhand.keep(ws, [undone.item(entry.id)], str(theirs.more.get("page", CONTEXT)), theirs.project, now)
    if entry.version:  # parts of the page that are their own
        _bring_back(ws, entry.version, now, zone, own_only=True)
    return Undone(entry, _follow(ws, theirs, now, zone))


def _follow(ws: Workspace, theirs: Observation, now: datetime, zone: tzinfo) -> str:
    """Make anew what had been made of it."""
    remark = ""
    if theirs.more.get("page") == projects.PAGE:
        known, _ = observations.load_all(ws.root)
        told = projects.told(one for one in known if one.agent == people.AGENT)
        overview.put(ws, theirs.project, told.get(theirs.project, ""), now=now, zone=zone)
    elif forgotten.is_tombstone(theirs):
        remark = "The words are gone and nobody can bring them back; from now on they may come again."
    with byhand.turn(ws):
        known, _ = observations.load_all(ws.root, remember=True)
        publishing.publish(ws, known, known, now, zone)
    reflector.reflect(ws, now=now, zone=zone)
    return remark


def _meant(known: Sequence[Entry], target: str) -> Entry:
    open_ones = [one for one in known if not one.undone and not one.what.startswith(_TOOK_BACK)]
    if not target:
        found = [one for one in open_ones if one.by == YOU]
        if not found:
            raise NanoctxError("nothing was done by hand that could be undone: see `nanoctx history`")
        return found[0]
    if found := [one for one in open_ones if target in (one.page, Path(one.page).stem)]:
        return found[0]
    found = [one for one in known if len(target) >= 4 and one.id.startswith(target)]
    if len(found) == 1:
        return found[0]
    if target.upper().removesuffix(".MD") in ("CONTEXT", "MEMORY"):
        raise NanoctxError(f"no earlier version of {target} is kept: see `nanoctx history`")
    said = "may mean several changes" if found else "is no change that is known"
    raise NanoctxError(f"`{target[:80]}` {said}: `nanoctx history` names them")


def _are_one(done: Entry, change: Entry) -> bool:
    """Whether a page changed in the same go in which a person did something to it."""
    same_page = done.page.rpartition("/")[2] == change.page.rpartition("/")[2]
    return change.by == YOU and same_page and not done.version and abs(done.at - change.at) < _TOGETHER


# -- pages -------------------------------------------------------------------------------------------------


def _bring_back(ws: Workspace, id: str, now: datetime, zone: tzinfo, *, own_only: bool = False) -> None:
    """
    Put the version before a change in the place of the page; what differs counts as the person's edit.

    With `own_only`, what stands in our sections stays as it is now.
    """
    state, page, version = next(one for one in _versions(ws) if one[2].id == id)
    before = Versions(state, Path(page).name).text(version.before)
    if before is None:
        raise NanoctxError(f"that version of {page} is not kept any more: see `nanoctx history`")
    path = ws.root / page
    ours = facts.SECTIONS if path.name == memory.PAGE else document.OURS
    stays = ours if own_only else tuple(name for name in ours if name in _BY_ITSELF)
    with byhand.turn(ws):
        for _ in range(ATTEMPTS):
            found = files.read(path)
            current = {
                one.heading: one.text for one in document.split(found.text, ours) if one.is_one_of(stays)
            }
            try:
                files.exchange(path, document.replace(before, current), found)
                break
            except ChangedOnDisk:
                continue
        else:
            raise ChangedOnDisk(f"{path} is being written by somebody else: try again when they are done.")
        known, _ = observations.load_all(ws.root, remember=True)
        publishing.publish(ws, known, known, now, zone)
    reflector.reflect(ws, now=now, zone=zone)


def _versions(ws: Workspace) -> Iterator[tuple[Path, str, Version]]:
    """Every change of a page that is kept: where, the page below the workspace, the change."""
    places = [(ws.state, CONTEXT), (ws.state, memory.PAGE)]
    places += [(log.parents[2], CONTEXT) for log in ws.state.glob(f"projects/*/{versions.FOLDER}/*/log.json")]
    for state, name in places:
        page = name if state == ws.state else f"projects/{state.name}/{name}"
        yield from ((state, page, one) for one in Versions(state, name).load())


def _of_page(kept: Versions, page: str, one: Version) -> Entry:
    texts = [kept.text(name) for name in (one.before, one.after)]
    added, removed = versions.changed_lines(texts[0] or "", texts[1] or "") if None not in texts else ((), ())
    verb = "changed" if one.by == YOU else "rewrote"
    return Entry(one.id, one.at, one.by, page, f"{verb} {page}", added, removed)


# -- what was done by hand ---------------------------------------------------------------------------------


def _of_hand(one: Observation, is_out: bool) -> Entry | None:
    told = [*_told(one)]
    if one.started is None or not told:
        return None
    page = people.page_of(one)
    if one.more.get("page") == projects.PAGE:
        page = f"projects/{one.project}/{projects.PAGE}"
    return Entry(one.id, one.started, YOU, page, "; ".join(told), undone=is_out)


def _told(one: Observation) -> Iterator[str]:
    page, gone = people.page_of(one), [item for item in one.items if item.kind == "retract"]
    if page == forgotten.EVERYWHERE:
        if gone:
            yield "forgot something, for good"
    elif gone:
        yield f"took out {_counted(gone)} of {page}"
    for text, _ in verbatim.read("edit", one.items):
        if text and page == projects.PAGE:
            yield f"set {one.project} to {text if text != 'none' else 'what is seen'}"
        elif text:
            yield f"wrote in {page}: {facts.parse(text).text}"
        else:
            yield f"wrote in {page} what is forgotten"
    for item in one.items:
        if item.kind == "pin":
            yield _pinned(item)
        elif item.kind not in ("edit", "retract"):
            yield f"had remembered: {item.text}"


def _pinned(item: Item) -> str:
    key = item.more.get("key", "")
    if item.text == undone.UNDONE:
        return f"{_TOOK_BACK}{item.more.get('of', '')}"
    if item.text == people.ACCEPTED:
        return f"accepted {key}"
    return f"let go of {key}" if item.text == people.NO_MARK else f"marked {key} {item.text}"


def _counted(gone: Sequence[Item]) -> str:
    return "a line" if len(gone) == 1 else f"{len(gone)} lines"
