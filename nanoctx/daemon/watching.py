"""Which folders the system watches for us. Its events say only that something may have changed."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from stat import S_ISDIR
from typing import NamedTuple

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

# With all events, 7.1 keeps itself busy on trees of more than about 5,000 folders.
KINDS: list[type[FileSystemEvent]] = [
    *(FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent),
    *(DirCreatedEvent, DirModifiedEvent, DirMovedEvent, DirDeletedEvent),
]
_OVERFLOW = "watchdog"  # the logger that says so


class Mark(NamedTuple):
    """What may have changed: `kind` of thing, `owner` (an agent, a workspace), and perhaps which file."""

    kind: str
    owner: str
    path: str = ""


class Watched(NamedTuple):
    mark: Mark  # what its events mean; one without a path is marked as it is, else each file is
    below: bool


class Watching:
    """Keeps the watches on what is wanted, through folders that come, go, or become others."""

    def __init__(self, marked: Callable[[Mark], None], overflowed: Callable[[], None]) -> None:
        self._marked = marked
        self._observer: BaseObserver = Observer()
        self._standing: dict[Path, tuple[Watched, tuple[int, int], ObservedWatch]] = {}
        self._refused: set[Path] = set()
        self._told = _Overflow(overflowed)
        logging.getLogger(_OVERFLOW).addHandler(self._told)

    def start(self) -> None:
        self._observer.start()

    def stop(self) -> None:
        logging.getLogger(_OVERFLOW).removeHandler(self._told)
        self._observer.stop()

    def refresh(self, wanted: Mapping[Path, Watched]) -> tuple[list[Watched], list[str]]:
        """Watch these folders and no others; returns those that are new or back, and what went wrong."""
        fresh: list[Watched] = []
        problems: list[str] = []
        for path in [path for path in self._standing if path not in wanted]:
            self._drop(path)
        taken: set[tuple[int, int]] = set()
        failed = self._failed()
        for path, watched in wanted.items():
            seen = _identity(path)
            if seen in taken:
                continue  # another name of a folder that is watched
            taken |= {seen} if seen else set()
            standing = self._standing.get(path)
            if standing is not None and standing[:2] == (watched, seen) and standing[2] not in failed:
                continue
            if standing is not None:
                self._drop(path)
            if seen is None:
                self._refused.discard(path)
                continue
            try:
                self._standing[path] = (watched, seen, self._watch(path, watched))
                fresh.append(watched)
                self._refused.discard(path)
            except OSError as error:  # mostly: there is a limit to watches, and others have them
                if path not in self._refused:
                    problems.append(
                        f"{path} cannot be watched ({error.strerror}): it is looked at now and then"
                    )
                self._refused.add(path)
        return fresh, problems

    @property
    def refused(self) -> int:
        return len(self._refused)

    def count(self) -> int:
        """How many watches the system keeps for us, as far as it tells."""
        counted = 0
        with contextlib.suppress(OSError):
            for descriptor in Path("/proc/self/fdinfo").iterdir():
                with contextlib.suppress(OSError):
                    counted += descriptor.read_bytes().count(b"inotify wd:")
        return counted or len(self._standing)

    def _watch(self, path: Path, watched: Watched) -> ObservedWatch:
        real = os.path.realpath(path)
        handler = _Handler(self._marked, watched, str(path), real)
        return self._observer.schedule(handler, real, recursive=watched.below, event_filter=KINDS)

    def _failed(self) -> set[ObservedWatch]:
        """Watches whose threads have ended, though nobody told them to."""
        if not self._observer.is_alive():
            return set()
        return {one.watch for one in tuple(self._observer.emitters) if not one.is_alive()}

    def _drop(self, path: Path) -> None:
        _, _, watch = self._standing.pop(path)
        with contextlib.suppress(KeyError, OSError):
            self._observer.unschedule(watch)


class _Handler(FileSystemEventHandler):
    def __init__(self, marked: Callable[[Mark], None], watched: Watched, path: str, real: str) -> None:
        self._marked, self._watched, self._path, self._real = marked, watched, path, real

    def on_any_event(self, event: FileSystemEvent) -> None:
        mark = self._watched.mark
        if not mark.path:
            self._marked(mark)
            return
        for place in (event.src_path, event.dest_path):
            if place:
                name = os.fsdecode(place)
                if name.startswith(self._real):
                    name = self._path + name[len(self._real) :]
                self._marked(Mark(mark.kind, mark.owner, name))


class _Overflow(logging.Handler):
    """The watcher says in its log, and nowhere else, that the system dropped events."""

    def __init__(self, overflowed: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._overflowed = overflowed

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage().lower():
            self._overflowed()


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a folder from another one in its place; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if S_ISDIR(status.st_mode) else None
