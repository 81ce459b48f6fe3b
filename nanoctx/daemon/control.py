"""The socket on which the background process says how it is: one JSON object for each connection."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nanoctx.disk import files, runtime

PATIENCE = 1.0  # seconds
_LONGEST = 100  # bytes of a path that a socket may have
_PIECE = 1 << 16


class Control:
    """Answers whoever connects. Only this user can: the folder is closed to others, and so is the socket."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listening: socket.socket | None = None
        if len(os.fsencode(path)) <= _LONGEST:
            files.remove(path)
            mask = os.umask(0o177)
            try:
                self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                self._listening.bind(str(path))
                self._listening.listen(8)
                self._listening.setblocking(False)
            finally:
                os.umask(mask)

    def fileno(self) -> int | None:
        return self._listening.fileno() if self._listening else None

    def answer(self, told: Mapping[str, Any]) -> None:
        if self._listening is None:
            return
        with contextlib.suppress(OSError):
            connection, _ = self._listening.accept()
            with connection:
                connection.settimeout(PATIENCE)
                connection.sendall(json.dumps(told).encode())

    def close(self) -> None:
        if self._listening is not None:
            self._listening.close()
            files.remove(self._path)


class Bell:
    """Wakes a thread that waits; signals and all other threads can ring it."""

    def __init__(self) -> None:
        self._heard, self._rung = socket.socketpair()
        self._heard.setblocking(False)
        self._rung.setblocking(False)

    def ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it rings already
            self._rung.send(b"!")

    def silence(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._heard.recv(_PIECE)

    def fileno(self) -> int:
        return self._heard.fileno()

    def cord(self) -> int:
        """What a signal may pull."""
        return self._rung.fileno()


def ask(env: Mapping[str, str]) -> dict[str, Any] | None:
    """What the background process says of itself; None if there is none, or it does not answer."""
    gathered = b""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(runtime.socket(env)))
            while piece := connection.recv(_PIECE):
                gathered += piece
        told = json.loads(gathered)
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) else None
