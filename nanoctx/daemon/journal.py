"""The log of the background process: plain lines in one file, put aside when it has grown."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path

from nanoctx import clock
from nanoctx.disk import files
from nanoctx.errors import DiskError

LARGEST = 1 << 20
KEPT = 3
log = logging.getLogger("nanoctx.daemon")


class _File(logging.Handler):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        # A drive that is full or gone is no reason to stop: what is logged can be asked for by `status`.
        with contextlib.suppress(DiskError, OSError):
            files.make_folder(self._path.parent, private=True)
            if self._path.exists() and self._path.stat().st_size > LARGEST:
                files.rotate(self._path, KEPT)
            said = self.format(record).rstrip().replace("\n", "\n    ")
            for line in f"{clock.now():%Y-%m-%dT%H:%M:%SZ} {record.levelname.lower()} {said}".split("\n"):
                files.append(self._path, line)


@contextlib.contextmanager
def kept(path: Path, echo: bool) -> Iterator[None]:
    """Keep what is logged, and show it to whoever started us in a terminal."""
    handlers: list[logging.Handler] = [_File(path)]
    if echo:
        shown = logging.StreamHandler()
        shown.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        handlers.append(shown)
    log.setLevel(logging.INFO)
    log.propagate = False
    for handler in handlers:
        log.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            log.removeHandler(handler)
            handler.close()
