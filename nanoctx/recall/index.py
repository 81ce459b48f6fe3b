"""
The index of a workspace, `.state/recall/`: brought up to date from the files, rebuilt, or dropped.

It is a cache: whatever is wrong with it, it is deleted and made anew. One process changes it at a time;
others search what is there meanwhile. Nothing but a search, and who forgets something, waits for it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from nanoctx.disk import files, lock
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import Busy, DiskError
from nanoctx.recall import holdings, opening, passages
from nanoctx.recall.opening import DAMAGE, as_it_stands
from nanoctx.recall.store import Store, Unit

AT_ONCE = 8192  # items written in one piece: so many are held in memory, and so many are lost when killed
FIRST_WAIT = 30.0  # seconds for another process that makes the first index
LATELY = 1.0  # seconds: a folder of observations seen so shortly ago is not looked through again
Progress = Callable[[int, int], None]  # files read, of so many

_known: dict[Path, tuple[str, holdings.Stamps]] = {}  # of this process, by index


class Opened(NamedTuple):
    """An index to search, and what has to be said about it."""

    store: Store
    remarks: tuple[str, ...]


def refresh(
    workspace: Workspace, *, progress: Progress | None = None, wait: float = FIRST_WAIT
) -> tuple[str, ...]:
    """
    Make the index say what the files say, and nothing else; returns one sentence for each unreadable file.

    Whoever takes text out of files calls this next, and then it is in no file of the index either. Raise Busy
    if another process is at it for longer than `wait` seconds, DiskError if the index cannot be written.
    """
    with _turn(workspace, wait):
        try:
            return _refresh(workspace, progress)
        except DAMAGE as error:
            if _is_refusal(error):
                raise DiskError(f"{opening.path(workspace.state)} cannot be written: {error}.") from error
            _delete(workspace)
            return _refresh(workspace, progress)


def drop(workspace: Workspace, *, wait: float = FIRST_WAIT) -> None:
    """Delete the index; the next search makes it anew."""
    with _turn(workspace, wait):
        _delete(workspace)


@contextlib.contextmanager
def opened(workspace: Workspace, *, progress: Progress | None = None) -> Iterator[Opened]:
    """The index, as fresh as can be had without waiting long; in memory where none can be written."""
    store, remarks = _open_fresh(workspace, progress)
    try:
        yield Opened(store, remarks)
    finally:
        store.close()


def _open_fresh(workspace: Workspace, progress: Progress | None) -> tuple[Store, tuple[str, ...]]:
    remarks: tuple[str, ...] = ()
    store = as_it_stands(workspace.state)
    try:
        if store is None or holdings.scan(workspace, lately=LATELY) != _stamps(workspace, store):
            if store:
                store.close()
            remarks = refresh(workspace, progress=progress, wait=0.0 if store else FIRST_WAIT)
            store = as_it_stands(workspace.state)
    except Busy as busy:
        remarks = (f"The newest may be missing: {busy}",)
        store = as_it_stands(workspace.state)
    except (DiskError, OSError) as error:
        remarks = (f"The index is not kept: {error}",)
        store = as_it_stands(workspace.state)
    return store or _in_memory(workspace, progress), remarks


def _stamps(workspace: Workspace, store: Store) -> holdings.Stamps:
    """What the index knows of the files; not read again while the index is the same."""
    place = opening.path(workspace.state)
    as_it_is = holdings.stamp(place.stat())
    known = _known.get(place)
    if known is None or known[0] != as_it_is:
        known = _known[place] = (as_it_is, store.stamps())
    return known[1]


def _in_memory(workspace: Workspace, progress: Progress | None) -> Store:
    store = Store(":memory:")
    store.begin(writing=True)
    store.lay_out()
    store.end()
    _bring_up_to_date(workspace, store, progress)
    return store


def _refresh(workspace: Workspace, progress: Progress | None) -> tuple[str, ...]:
    files.make_folder(opening.path(workspace.state).parent, private=True)
    store = Store(str(opening.path(workspace.state)))
    try:
        store.begin(writing=True)
        current = store.is_current()
        if not current and store.is_empty():
            store.lay_out()
            current = True
        store.end()
        if not current:
            store.close()
            _delete(workspace)
            return _refresh(workspace, progress)
        return _bring_up_to_date(workspace, store, progress)
    finally:
        store.close()


def _differences(there: holdings.Stamps, known: holdings.Stamps) -> tuple[list[str], list[str]]:
    """The files that the index knows and that are gone, and those that are new or changed."""
    gone = [path for path in known if path not in there]
    return gone, sorted(path for path, stamp in there.items() if known.get(path) != stamp)


def _bring_up_to_date(workspace: Workspace, store: Store, progress: Progress | None) -> tuple[str, ...]:
    there, known = holdings.scan(workspace), store.stamps()
    gone, new = _differences(there, known)
    # Of two files that are one observation only one counts; which, is asked anew when one of them changes.
    for path in (*gone, *new):
        source = store.source(path) if path in known else ""
        if source:
            new += (copy.path for copy in store.copies(source) if copy.path in there and copy.path not in new)
    problems: list[str] = []
    done = 0
    for batch in _batches(_units(workspace, new, there, problems)):
        _write(store, gone, batch)
        gone = []
        done += len(batch)
        if progress:
            progress(done, len(new))
    if gone:
        _write(store, gone, [])
    return tuple(problems)


def _write(store: Store, gone: Iterable[str], batch: list[Unit]) -> None:
    store.begin(writing=True)
    try:
        batch = _settled(store, batch)
        store.change({*gone, *(unit.path for unit in batch)}, batch)
        store.end()
    except BaseException:
        store.undo()
        raise


def _settled(store: Store, batch: list[Unit]) -> list[Unit]:
    """Of files that are the same observation, only the one that tells it longest keeps its words."""
    mine = {unit.path for unit in batch}
    units = list(batch)
    for source in {unit.source for unit in batch if unit.source}:
        units += (copy for copy in store.copies(source) if copy.path not in mine)
    best: dict[str, Unit] = {}
    for unit in units:
        best[unit.source] = max(best.get(unit.source, unit), unit, key=_telling)
    return [
        unit if not unit.source or best[unit.source] is unit else unit._replace(passages=())
        for unit in units
        if unit.path in mine or best[unit.source] is not unit
    ]


def _telling(unit: Unit) -> tuple[float, str]:
    return unit.until, unit.path


def _units(
    workspace: Workspace, paths: Iterable[str], stamps: holdings.Stamps, problems: list[str]
) -> Iterator[Unit]:
    for path in paths:
        try:
            if holdings.is_observation(path):
                seen = holdings.observation(workspace, path)
                until = seen.last or seen.ended or seen.started
                found = tuple(passages.of_observation(seen))
                yield Unit(path, stamps[path], found, seen.id, until.timestamp() if until else 0.0)
            else:
                yield Unit(path, stamps[path], tuple(holdings.read(workspace, path)))
        except FileNotFoundError:
            continue  # taken away since we looked
        except (ValueError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            problems.append(f"{path} is not searched ({why}): mend it or move it away.")
            yield Unit(path, stamps[path], ())


def _batches(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    batch: list[Unit] = []
    size = 0
    for unit in units:
        batch.append(unit)
        size += len(unit.passages)
        if size >= AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _turn(workspace: Workspace, wait: float) -> contextlib.AbstractContextManager[None]:
    return lock.hold(workspace.state / "recall.lock", wait=wait, purpose="recall")


def _delete(workspace: Workspace) -> None:
    for ending in ("-journal", "-wal", "-shm", ""):
        files.remove(opening.path(workspace.state).with_name(opening.FILE + ending))


def _is_refusal(error: Exception) -> bool:
    """Whether the system or another process refused, rather than the index being damaged."""
    return isinstance(error, sqlite3.OperationalError) and "no such" not in str(error)
