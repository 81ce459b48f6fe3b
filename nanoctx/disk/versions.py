"""Earlier versions of a page, and whose change each was. Under `.state`, bounded, deletable at any moment."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from nanoctx.core import document
from nanoctx.disk import files
from nanoctx.errors import DiskError

YOU, OURS = "you", "nanoctx"
MOST = 60  # changes of a page that are kept
FOLDER = "history"


class Version(msgspec.Struct, frozen=True):
    """One change of a page: which text took the place of which."""

    id: str
    at: datetime
    page: str
    by: str
    before: str  # names of the texts
    after: str


_DECODER = msgspec.json.Decoder(list[Version])


class Versions:
    """What is kept of one page."""

    def __init__(self, state: Path, page: str) -> None:
        self.folder, self.page = state / FOLDER / page, page

    def add(self, before: str, after: str, by: str, at: datetime) -> None:
        """Keep a change, unless only words for time changed; that it cannot be kept stops nothing."""
        if not before or _lasting(before) == _lasting(after):
            return
        with suppress(DiskError, OSError):
            files.make_folder(self.folder, private=True)
            names = [self._keep(text) for text in (before, after)]
            known = list(self.load())
            id = f"p{_digest(f'{at.isoformat()} {self.page} {by} {len(known)} {names}')[:7]}"
            kept = [*known, Version(id, at, self.page, by, *names)][-MOST:]
            files.write(self._log, msgspec.json.encode(kept).decode(), durable=False, private=True)
            self._drop_but(kept)

    def load(self) -> tuple[Version, ...]:
        """All changes, the oldest first; none if what is kept was damaged."""
        try:
            return tuple(_DECODER.decode(files.read(self._log).text.encode()))
        except (DiskError, ValueError, RecursionError):
            return ()

    def text(self, name: str) -> str | None:
        """One version; None if it is gone."""
        found = files.read(self.folder / f"{name}.md")
        return found.text if found.stamp else None

    @property
    def _log(self) -> Path:
        return self.folder / "log.json"

    def _keep(self, text: str) -> str:
        name = _digest(text)[:16]
        if not (self.folder / f"{name}.md").exists():
            files.write(self.folder / f"{name}.md", text, durable=False, private=True)
        return name

    def _drop_but(self, kept: Sequence[Version]) -> None:
        used = {name for one in kept for name in (one.before, one.after)}
        for path in self.folder.glob("*.md"):
            if path.stem not in used:
                files.remove(path)


def changed_lines(before: str, after: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that came and those that went, without those about time."""
    old, new = (_lines(text) for text in (before, after))
    return tuple(line for line in new if line not in old), tuple(line for line in old if line not in new)


def _lines(text: str) -> dict[str, None]:
    return dict.fromkeys(line.rstrip() for line in _lasting(text).split("\n") if line.strip())


def _lasting(text: str) -> str:
    """A page without what changes by itself."""
    return document.replace(text, {name: "" for name in (document.TIME,) if f"## {name}" in text})


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
