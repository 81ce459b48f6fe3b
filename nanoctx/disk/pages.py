"""
A page that we generate and people edit: read, merge with what they did, write.

Beside the page we keep a copy of what we last wrote, so that the difference is theirs. What they did is
recorded before the page is touched, and a copy is saved before the page it is a copy of; so a crash at any
moment leaves either the difference or its record, and copies of all that may stand in the page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from nanoctx.core import document
from nanoctx.disk import files, versions
from nanoctx.disk.versions import Versions
from nanoctx.errors import ChangedOnDisk
from nanoctx.model import Change

ATTEMPTS = 5  # then somebody is saving without a pause, and the next look will see it
PAUSE = 0.05  # seconds between two looks at a page that somebody has just saved
_LONGEST, _CALM, _CALM_IF_ODD = 40, 1, 10  # pauses: at most, without a change, and for what seems half a page
_OLDER = 12  # pages kept to recognise what an editor saves that had not seen our latest


@dataclass(frozen=True, slots=True)
class Form:
    """What kind of page it is."""

    ours: tuple[str, ...]  # the sections we write
    title: str
    assume: Callable[[str], str] | None = None  # what we wrote of a page whose copy is lost, if it shows
    words: Callable[[str], str] | None = None  # what of a line stays when only its dates change
    clean: Callable[[str], str] | None = None  # a page without what is forgotten


CONTEXT = Form(document.OURS, "Context")


@dataclass(frozen=True, slots=True)
class Rewritten:
    text: str  # what the page says now
    changed: bool
    conflict: Path | None  # where a text went that had no place in the page


def rewrite(
    path: Path,
    state: Path,
    conflicts: Path,
    *,
    record: Callable[[tuple[Change, ...]], None],
    render: Callable[[], Mapping[str, str]],
    now: datetime,
    adopt: bool = False,
    form: Form = CONTEXT,
) -> Rewritten:
    """
    Bring our sections of a page up to date and keep all that people did.

    `record` keeps what a person changed, `render` gives our sections with that taken into account; both may
    be called more than once. With `adopt`, a page we have never written is the person's, line by line.
    """
    page = _Page(path, state / "written" / path.name, conflicts, record, render, now, adopt, form)
    files.make_folder(page.folder)
    page.rescue()
    for _ in range(ATTEMPTS):
        try:
            return page.attempt()
        except ChangedOnDisk as error:
            if error.found is not None and error.kept is not None:
                page.keep(error.found)
                files.remove(error.kept)
    return Rewritten(files.read(path).text, False, page.conflict)


def stands_as_written(path: Path, state: Path) -> bool:
    """Whether a page is as we last wrote it, so that there is nothing to merge."""
    found = files.read(path)
    copies = (state / "written" / path.name).glob("*.md")
    return any(files.read(copy) == found for copy in copies if copy.name != "pending.md")


class _Page:
    """One page while it is being rewritten."""

    def __init__(
        self,
        path: Path,
        folder: Path,
        conflicts: Path,
        record: Callable[[tuple[Change, ...]], None],
        render: Callable[[], Mapping[str, str]],
        now: datetime,
        adopt: bool,
        form: Form,
    ) -> None:
        self.path, self.folder, self.conflicts = path, folder, conflicts
        self.record, self.render, self.now, self.adopt = record, render, now, adopt
        self.pending, self.older = folder / "pending.md", folder / "older"
        self.form = form
        self.versions = Versions(folder.parent.parent, path.name)
        self.conflict: Path | None = None

    def attempt(self) -> Rewritten:
        interrupted = files.read(self.pending)
        if interrupted.stamp:
            self._take(self._clean(interrupted.text))
        shown = _settled(self.path, self._written())
        found = files.Snapshot(self._clean(shown.text), shown.stamp)
        before = self._written()[-1:]
        is_known = bool(self._written())
        if document.changes(self._base(found.text), found.text, self.form.ours):
            files.write(self.pending, found.text)
            self._take(found.text)
        written = self._written()
        # An emptied page is given back what it had; only that which we know to be unwanted stays away.
        ground = found.text if found.text.strip("\ufeff \t\r\n") or not written else written[-1]
        text = self._clean(document.replace(ground, self.render(), self.form.title))
        if not is_known and not self.adopt:
            if self._has_lost(found.text, text):
                self.keep(found.text)
            self._save_copy(found.text)  # so that no later look takes its lines for new ones
        self._save_copy(text)
        if text != shown.text:
            self._exchange(text, found, written)
        if before:
            self.versions.add(before[0], found.text, versions.YOU, self.now)
        self.versions.add(found.text, text, versions.OURS, self.now)
        self._drop_copies_but(text)
        return Rewritten(text, text != shown.text, self.conflict)

    def rescue(self) -> None:
        """Bring back a person's text that a killed exchange left beside the page."""
        for stray in files.strays(self.path.parent):
            if stray.name.startswith(f".{self.path.name}."):
                text, shown = self._clean(files.read(stray).text), files.read(self.path)
                try:
                    if shown.text in self._written():
                        files.exchange(self.path, text, shown)
                    else:
                        self.keep(text)
                except ChangedOnDisk:
                    self.keep(text)
                files.remove(stray)

    def keep(self, text: str) -> None:
        """Put a text into conflicts/, once."""
        text = self._clean(text)
        name = f"{self.path.stem}-{_digest(text)}.md"
        kept = next(self.conflicts.glob(f"*-{name}"), None)
        if kept is None:
            kept = self.conflicts / f"{self.now:%Y%m%dT%H%M%S}-{name}"
            files.make_folder(self.conflicts)
            files.write(kept, text)
        self.conflict = kept

    def _clean(self, text: str) -> str:
        return self.form.clean(text) if self.form.clean is not None else text

    def _exchange(self, text: str, found: files.Snapshot, written: Sequence[str]) -> None:
        try:
            files.exchange(self.path, text, found)
        except ChangedOnDisk as error:
            if error.found is None and text not in written:
                files.remove(self._copy_of(text))  # it never came to stand in the page
            raise

    def _take(self, text: str) -> None:
        """
        Record what a person changed, and let their page be what the next difference is taken from.

        Until that is done, their page stands in `pending`: a look that was stopped half-way is finished by
        the next one, before it reads what the person has done since.
        """
        base = self._base(text)
        changes = document.changes(base, text, self.form.ours)
        if changes:
            self.record(changes)
        taken = document.separated(text, base, self.form.ours)
        self._save_copy(taken)
        self._drop_copies_but(taken)
        files.remove(self.pending)

    def _base(self, found: str) -> Sequence[str]:
        """Give the texts from which a person's page may have come."""
        written = self._written()
        if not written or found in written:
            unknown = [self.form.assume(found)] if self.form.assume and found.strip() else []
            return written or ([""] if self.adopt else unknown)
        older = [files.read(copy).text for copy in self._copies(self.older)]
        outdated = document.outdated(written, found, older)
        return written if outdated is None else [outdated]

    def _has_lost(self, found: str, text: str) -> bool:
        """Whether a page whose copy is lost says what the new one does not, or not in these words."""
        changes = document.changes([text], found, self.form.ours)
        if self.form.words is None:
            return bool(changes)
        known = {self.form.words(line) for line in text.split("\n")}
        return any(self.form.words(block) not in known for change in changes for block in change.added)

    def _written(self) -> list[str]:
        """All texts of ours that may stand in the page, the latest last."""
        return [files.read(copy).text for copy in self._copies()]

    def _copies(self, folder: Path | None = None) -> list[Path]:
        found = (folder or self.folder).glob("*.md")
        copies = [copy for copy in found if copy != self.pending and copy.name[0] != "."]
        return sorted(copies, key=lambda copy: (copy.stat().st_mtime_ns, copy.name))

    def _copy_of(self, text: str) -> Path:
        return self.folder / f"{_digest(text)}.md"

    def _save_copy(self, text: str) -> None:
        if not self._copy_of(text).exists():
            files.make_folder(self.folder)
            files.write(self._copy_of(text), text)

    def _drop_copies_but(self, text: str) -> None:
        """Let one copy be what may stand in the page; the others may still stand in somebody's editor."""
        for copy in self._copies():
            if copy != self._copy_of(text):
                files.make_folder(self.older)
                files.remove(self.older / copy.name)  # written anew, it is the latest of them
                files.write(self.older / copy.name, files.read(copy).text, durable=False)
                files.remove(copy)
        for copy in self._copies(self.older)[:-_OLDER]:
            files.remove(copy)


def _settled(path: Path, written: Sequence[str]) -> files.Snapshot:
    """Read a page, and if somebody has changed it, wait until they are done with it."""
    found = files.read(path)
    calm = 0
    for _ in range(_LONGEST):
        known = found.text in written or not (found.stamp or written)
        if known or calm >= (_CALM_IF_ODD if _seems_half_saved(found, written) else _CALM):
            break
        time.sleep(PAUSE)
        again = files.read(path)
        calm = calm + 1 if again == found else 0
        found = again
    return found


def _seems_half_saved(found: files.Snapshot, written: Sequence[str]) -> bool:
    """Tell a page that is missing, empty or cut off: some editors take it away before they write it."""
    return any(text.startswith(found.text) for text in written) or bool(found.stamp and not found.text)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
