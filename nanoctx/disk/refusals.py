"""What the system refused to do, said in one sentence with what to do about it."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from nanoctx.errors import DiskError

_CURES = {
    errno.ENOSPC: "free some space on its drive",
    errno.EDQUOT: "free some space in your quota",
    errno.EFBIG: "raise the limit on file sizes",
    errno.EIO: "check the drive",
    errno.EROFS: "make its drive writable, or use a workspace elsewhere",
    errno.EACCES: "check who may use it",
    errno.EPERM: "check who may use it",
    errno.ENOENT: "check that its folder is there and its drive is mounted",
    errno.ENOTDIR: "check the path, a part of it is not a folder",
    errno.ELOOP: "put a plain file in place of the symbolic link, nothing is written through links",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EMFILE: "close some programs, too many files are open",
    errno.ENFILE: "close some programs, too many files are open",
}


@contextlib.contextmanager
def refusals(path: Path, done: str) -> Iterator[None]:
    """Turn the system's errors into DiskError: `path` was not `done`."""
    try:
        yield
    except OSError as error:
        cure = _CURES.get(error.errno or 0, "run `nanoctx doctor`")
        reason = (error.strerror or str(error)).lower()
        raise DiskError(f"{path} was not {done} ({reason}): {cure}.") from error
