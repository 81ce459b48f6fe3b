"""
The only module that writes: whole files or nothing, and never over a change we have not read.

A file is written beside its place, flushed to the drive and renamed; then the folder is flushed. What stops
this half-way leaves the old file and at most a `….nanoctx-tmp`, which `clean_temporaries` removes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from nanoctx.disk import swap, temporaries
from nanoctx.disk.refusals import refusals
from nanoctx.disk.snapshots import Seen, Snapshot, encoded, held_still, look, read, snapshot, stamp, stamp_at
from nanoctx.errors import ChangedOnDisk, DiskError

__all__ = [
    "Snapshot",
    "append",
    "clean_temporaries",
    "exchange",
    "make_folder",
    "note",
    "open_lock",
    "put",
    "read",
    "remove",
    "remove_if_empty",
    "rotate",
    "strays",
    "write",
]

# How often a person may save between two exchanges of ours until we let both versions stay as they are.
_ROUNDS = 50
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def write(
    path: Path, text: str, *, expect: Snapshot | None = None, durable: bool = True, private: bool = False
) -> Snapshot:
    """
    Make `text` the content of `path`, whose folder must exist.

    Given `expect`, raise ChangedOnDisk if the file is another by now. Without `durable` a power cut may take
    the change back or cut it short. `private` files are for this user's eyes only.
    """
    return put(path, encoded(text), expect=expect, durable=durable, private=private)


def put(
    path: Path, data: bytes, *, expect: Snapshot | None = None, durable: bool = True, private: bool = False
) -> Snapshot:
    """The same for what is no text."""
    with refusals(path, "written"), _opened(path.parent) as folder:
        before = look(folder, path)
        _require(expect, before, path)
        if before and before.data == data and not (private and before.status.st_mode & 0o077):
            if durable:
                _flush(folder, path.name)
            return snapshot(data)
        temporary = temporaries.new_name(path.name)
        try:
            _fill(folder, temporary, data, before, durable=durable, private=private)
            if expect is None:
                _rename(folder, temporary, path.name)
            else:
                _require(expect, look(folder, path), path)  # flushing took its time
                _move(folder, temporary, path, over=bool(expect.stamp))
        finally:
            _unlink(folder, temporary)
        if durable:
            _sync(folder)
    return snapshot(data)


def exchange(path: Path, text: str, expect: Snapshot) -> Snapshot:
    """
    Make `text` the content of a page that people save, too, and lose nothing of theirs.

    The new version changes places with the old one, which is then compared with `expect`. If a person was
    there first, theirs is put back and ChangedOnDisk raised; a version of theirs that could not be put back,
    because they saved yet again, is `ChangedOnDisk.found`, in the file `ChangedOnDisk.kept`.
    """
    data = encoded(text)
    fresh = stamp(data)
    if not expect.stamp or fresh == expect.stamp:
        return write(path, text, expect=expect)
    with refusals(path, "written"), _opened(path.parent) as folder:
        before = look(folder, path)
        _require(expect, before, path)
        # A spare never holds half a text of ours, which would look like a person's to whoever finds it.
        temporary = temporaries.new_name(path.name)
        spare = temporaries.new_swap_name(path.name, expect.stamp, fresh)
        try:
            _fill(folder, temporary, data, before, durable=True, private=False)
            _rename(folder, temporary, spare)
            try:
                swap.exchange(folder, spare, path.name)
            except FileNotFoundError:
                raise _changed(path) from None
            except swap.Unsupported:
                _replace(folder, spare, path, expect, fresh)
            else:
                _settle(folder, spare, path, expect.stamp, fresh)
        finally:
            _unlink(folder, temporary)
            _drop_if_known(folder, spare)
    return snapshot(data)


def append(path: Path, line: str) -> None:
    """Add one line to a log in one piece, also when several processes do so at once."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    data = encoded(re.sub(r"[\r\n]+", " ", line.rstrip("\r\n")) + "\n")
    with refusals(path, "written"):
        descriptor = os.open(path, flags, 0o644)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise DiskError(f"{path} is not a plain file, so move it out of the way.")
            # A full drive may have cut the line before this one.
            if status.st_size and os.pread(descriptor, 1, status.st_size - 1) != b"\n":
                data = b"\n" + data
            if os.write(descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(descriptor)


def rotate(path: Path, keep: int) -> None:
    """Put a log aside as `….1` and let those before it move on; only `keep` of them stay."""
    with refusals(path, "put aside"):
        for number in range(keep, 0, -1):
            older = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
            with contextlib.suppress(FileNotFoundError):
                older.replace(path.with_name(f"{path.name}.{number}"))


def remove(path: Path, *, expect: Snapshot | None = None) -> None:
    """Delete a file for good; one that is not there is fine. Given `expect`, only that version of it."""
    with refusals(path, "removed"), contextlib.suppress(FileNotFoundError), _opened(path.parent) as folder:
        if expect is not None:
            _require(expect, look(folder, path), path)
        os.unlink(path.name, dir_fd=folder)
        _sync(folder)


def make_folder(path: Path, private: bool = False) -> None:
    """Make a folder and those above it, safe from a power cut; a private one is for this user only."""
    with refusals(path, "made"):
        if not path.is_dir():
            make_folder(path.parent)
            with _opened(path.parent) as folder:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(path.name, 0o700 if private else 0o777, dir_fd=folder)
                _sync(folder)
            if not path.is_dir():
                raise DiskError(f"{path} is needed as a folder, so move the file of that name away.")
        if private:
            _close_to_others(path)


def remove_if_empty(folder: Path) -> None:
    """Delete a folder that holds nothing; any other stays."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def clean_temporaries(folder: Path, older_than: float, now: float) -> int:
    """
    Remove what killed writers left in a folder `older_than` seconds before `now`; return how many.

    What a killed exchange left is removed only if we know the text; a person's is for `strays` to name.
    """
    removed = 0
    for path in temporaries.left_in(folder):
        with refusals(path, "removed"), contextlib.suppress(FileNotFoundError), _opened(folder) as opened:
            # A rename renews ctime, not mtime: a page that changed places keeps the time of its last save.
            age = now - os.stat(path.name, dir_fd=opened, follow_symlinks=False).st_ctime
            removed += age >= older_than and _drop_if_known(opened, path.name)
    return removed


def strays(folder: Path) -> tuple[Path, ...]:
    """Name the files in which a killed exchange left a person's text: a conflict to keep, then to remove."""
    found = []
    for path in temporaries.left_in(folder):
        with refusals(path, "read"), _opened(folder) as opened:
            text_stamp = stamp_at(opened, path.name)
            if text_stamp and not temporaries.is_known(path.name, text_stamp):
                found.append(path)
    return tuple(found)


def open_lock(path: Path) -> int:
    """Open a lock file, made if need be; its descriptor is not inherited by other programs."""
    with refusals(path, "opened"):
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def note(descriptor: int, text: str) -> None:
    """Replace what an open lock file says. It serves messages only, so a full drive is no reason to stop."""
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, encoded(text), 0)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """Work through a folder's descriptor, so that a folder renamed meanwhile stays the same folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _require(expect: Snapshot | None, seen: Seen | None, path: Path) -> None:
    if expect is not None and expect.stamp != (stamp(seen.data) if seen else ""):
        raise _changed(path)


def _changed(path: Path) -> ChangedOnDisk:
    return ChangedOnDisk(f"{path} was changed by somebody else meanwhile, so try again.")


def _fill(folder: int, name: str, data: bytes, before: Seen | None, *, durable: bool, private: bool) -> None:
    """Write a new file, with the rights of the one it will replace."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o600 if private or before else 0o644, dir_fd=folder)
    try:
        if before:
            if (before.status.st_uid, before.status.st_gid) != (os.geteuid(), os.getegid()):
                with contextlib.suppress(OSError):  # only root can give a file away
                    os.fchown(descriptor, before.status.st_uid, before.status.st_gid)
            os.fchmod(descriptor, 0o600 if private else stat.S_IMODE(before.status.st_mode) & 0o777)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if durable:
            _sync(descriptor)
    finally:
        os.close(descriptor)


def _settle(folder: int, spare: str, path: Path, expected: str, fresh: str) -> None:
    """After an exchange: be done if what came out is what we had read, else put theirs back and raise."""
    came_out = stamp_at(folder, spare)
    if came_out == expected:
        _sync(folder)
        # Asked once more, for a person who had opened the old version to write just before we took it.
        if _drop_if_known(folder, spare):
            return
        came_out = stamp_at(folder, spare)
    placed: str | None = fresh
    for _ in range(_ROUNDS):
        # The spare is the newest of theirs, so it belongs at the path. If that brings out anything but what
        # we had placed there ourselves, they have saved once more, and that one is the newest.
        try:
            swap.exchange(folder, spare, path.name)
        except FileNotFoundError:  # they deleted the page while ours stood there
            with contextlib.suppress(ChangedOnDisk):
                _move(folder, spare, path, over=False)
                break
            continue
        went_in, came_out = came_out, stamp_at(folder, spare)
        if came_out is not None and came_out == placed:
            break
        placed = went_in
    _sync(folder)
    raise _overtaken(folder, spare, path)


def _replace(folder: int, spare: str, path: Path, expect: Snapshot, fresh: str) -> None:
    """Where files cannot change places: keep a second name for the old version, compare, then rename."""
    kept = temporaries.new_kept_name(path.name, expect.stamp, fresh)
    try:
        linked = _link(folder, path.name, kept)
        _require(expect, look(folder, path), path)
        # Asked last, since it takes the least time: a save by rename after it would be overwritten unread.
        if linked and not _are_same(folder, kept, path.name):
            raise _changed(path)
        _rename(folder, spare, path.name)
        _sync(folder)
        if linked and not _drop_if_known(folder, kept):
            raise _overtaken(folder, kept, path)
    except FileNotFoundError:
        raise _changed(path) from None
    finally:
        _unlink(folder, spare)
        if _are_same(folder, kept, path.name):
            _unlink(folder, kept)
        else:
            _drop_if_known(folder, kept)


def _overtaken(folder: int, spare: str, path: Path) -> ChangedOnDisk:
    error = _changed(path)
    kept = path.with_name(spare)
    seen = look(folder, kept)
    if seen and not temporaries.is_known(spare, stamp(seen.data)):
        error.found, error.kept = snapshot(seen.data).text, kept
    return error


def _move(folder: int, name: str, path: Path, *, over: bool) -> None:
    """Give a file its name; unless `over`, only if nobody has taken that name meanwhile."""
    if over:
        _rename(folder, name, path.name)
        return
    try:
        try:
            swap.move_to_free_name(folder, name, path.name)
        except swap.Unsupported:
            if _link(folder, name, path.name):
                _unlink(folder, name)
            else:
                _require(Snapshot("", ""), look(folder, path), path)
                _rename(folder, name, path.name)
    except FileExistsError:
        raise _changed(path) from None


def _rename(folder: int, name: str, target: str) -> None:
    os.rename(name, target, src_dir_fd=folder, dst_dir_fd=folder)


def _link(folder: int, name: str, target: str) -> bool:
    """Give a file a second name; False where the file system knows no such thing."""
    try:
        os.link(name, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in _NO_LINKS:
            return False
        raise
    return True


def _unlink(folder: int, name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _drop_if_known(folder: int, name: str) -> bool:
    """Remove one of our temporaries, unless it holds a text that we have neither read nor written."""
    with held_still(folder, name) as text_stamp:
        if text_stamp is None or not temporaries.is_known(name, text_stamp):
            return False
        _unlink(folder, name)
        return True


def _are_same(folder: int, one: str, other: str) -> bool:
    try:
        first, second = (os.stat(name, dir_fd=folder, follow_symlinks=False) for name in (one, other))
    except FileNotFoundError:
        return False
    return os.path.samestat(first, second)


def _close_to_others(path: Path) -> None:
    status = path.stat()
    if status.st_uid != os.geteuid():
        raise DiskError(f"{path} belongs to another user, so remove it or choose another place.")
    if status.st_mode & 0o077:
        path.chmod(0o700)


def _flush(folder: int, name: str) -> None:
    """Flush what stands there already: the write that made it may have been stopped before it was safe."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)
    _sync(folder)


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        # Not tested on macOS: its fsync leaves data in the drive's cache, this does not.
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)
