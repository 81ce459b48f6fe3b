"""Files as they are at one moment: their text, and a stamp that tells one version from another."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from nanoctx.disk import swap, temporaries
from nanoctx.disk.refusals import refusals
from nanoctx.errors import DiskError

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe in place of a file must not hang us


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file as it was when we looked; `stamp` is "" when there was none."""

    text: str
    stamp: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A file's bytes, and its rights and owner."""

    data: bytes
    status: os.stat_result


def read(path: Path) -> Snapshot:
    """Read a file, through a link too; one that is not there gives an empty stamp."""
    with refusals(path, "read"):
        try:
            descriptor = os.open(path, _READ)
        except FileNotFoundError:
            return Snapshot("", "")
        return snapshot(_seen(descriptor, path).data)


def look(folder: int, path: Path) -> Seen | None:
    """See what has the name of `path` in an open folder, following no link."""
    try:
        descriptor = os.open(path.name, _READ | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        return None
    return _seen(descriptor, path)


@contextlib.contextmanager
def held_still(folder: int, name: str) -> Iterator[str | None]:
    """
    Hold one of our temporaries and give its stamp; None if it is not there, or no plain file.

    One that changed places with a page is None, too, while a program has it open for writing, and nobody
    can begin to. Others are not asked: network drives, which cannot exchange files, answer at random.
    """
    try:
        descriptor = os.open(name, _READ | os.O_NOFOLLOW, dir_fd=folder)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ELOOP):
            raise
        yield None
        return
    try:
        is_written = swap.is_being_written if temporaries.was_swapped(name) else _never
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or is_written(descriptor):
            yield None
            return
        found = stamp(_content(descriptor))
        # A program that came while we were reading waits for us, and is about to write.
        yield None if is_written(descriptor) else found
    finally:
        os.close(descriptor)


def stamp_at(folder: int, name: str) -> str | None:
    """The stamp of one of our temporaries, None as above."""
    with held_still(folder, name) as found:
        return found


def snapshot(data: bytes) -> Snapshot:
    return Snapshot(data.decode("utf-8", "surrogateescape"), stamp(data))


def encoded(text: str) -> bytes:
    """The bytes of a text, also of one that `read` made from bytes that are not UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half of a surrogate pair, as a cut JSON escape leaves it, is no character in any file.
        return re.sub("[\ud800-\udc7f\udd00-\udfff]", "\ufffd", text).encode("utf-8", "surrogateescape")


def stamp(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _seen(descriptor: int, path: Path) -> Seen:
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise DiskError(f"{path} is not a plain file, so move it out of the way.")
        return Seen(_content(descriptor), status)
    finally:
        os.close(descriptor)


def _never(_: int) -> bool:
    return False


def _content(descriptor: int) -> bytes:
    pieces = []
    while piece := os.read(descriptor, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)
