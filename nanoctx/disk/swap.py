"""What the standard library lacks: two files that change places at once, and whether somebody is writing."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable
from functools import cache

# The two flags of Linux's renameat2(2). macOS spells them otherwise, see below.
_NOREPLACE, _EXCHANGE = 1, 2


class Unsupported(Exception):
    """This system or this file system cannot do it; there is a second best way."""


def exchange(folder: int, one: str, other: str) -> None:
    """Let two files of a folder change places: no moment without either, and none without both."""
    _rename(folder, one, other, _EXCHANGE)


def move_to_free_name(folder: int, source: str, target: str) -> None:
    """Rename, but raise FileExistsError where a plain rename would overwrite."""
    _rename(folder, source, target, _NOREPLACE)


def is_being_written(descriptor: int) -> bool:
    """
    Tell whether a program has this file open for writing, by asking for a read lease on it.

    While we hold the lease (until the descriptor is closed) an opener waits for us, and asking again tells
    of it. Where there are no leases (macOS, another user's file) the answer is no.
    """
    if sys.platform != "linux":
        return False
    try:
        # An opener makes the kernel signal us, and its usual choice, SIGIO, would end the process.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def _rename(folder: int, source: str, target: str, flag: int) -> None:
    function = _system_call()
    if function is None:
        raise Unsupported
    number = function(folder, os.fsencode(source), os.fsencode(target), flag)
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP):
        raise Unsupported
    if number:
        raise OSError(number, os.strerror(number), target)


@cache
def _system_call() -> Callable[[int, bytes, bytes, int], int] | None:
    import ctypes  # only a shared page needs it, and it takes longer to load than the rest

    library = ctypes.CDLL(None, use_errno=True)
    # Not tested on macOS: RENAME_SWAP is 2 and RENAME_EXCL is 4 there, in renameatx_np(2).
    name, flags = ("renameat2", {1: 1, 2: 2}) if sys.platform == "linux" else ("renameatx_np", {1: 4, 2: 2})
    function = getattr(library, name, None)
    if function is None:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def call(folder: int, source: bytes, target: bytes, flag: int) -> int:
        return ctypes.get_errno() if function(folder, source, folder, target, flags[flag]) else 0

    return call
