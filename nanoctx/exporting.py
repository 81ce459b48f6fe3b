"""A workspace as one archive: the same bytes for the same content, whoever packs it and when."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nanoctx.core import redact
from nanoctx.disk import files, lock, temporaries
from nanoctx.disk.workspace import PAGES, SETTINGS, TEMPLATES, Workspace
from nanoctx.errors import DiskError, UsageError

# What is ours of a folder in which other things may lie. `.state` can be made anew, so it stays out.
FILES = tuple(dict.fromkeys((SETTINGS, *PAGES, *TEMPLATES)))
FOLDERS = ("tools", "projects", "observations", "conflicts", "knowledge")
LARGEST = 512 << 20  # bytes in all
LARGEST_TEXT = 1 << 20  # bytes of a file that is looked through for secrets
LOCK_WAIT = 30.0
_MODE = 0o644


@dataclass(frozen=True, slots=True)
class Exported:
    """What an archive holds."""

    archive: Path
    files: int
    size: int
    secrets: tuple[str, ...]  # files that people wrote, with what looks like a secret
    left_out: tuple[str, ...]  # links and what could not be read


def export(ws: Workspace, archive: Path) -> Exported:
    """Write the archive, which must not be there yet."""
    if archive.exists():
        raise UsageError(f"{archive} is there already: name another file, or remove it")
    if not archive.parent.is_dir():
        raise UsageError(f"{archive.parent} is not a folder: make it, or name another place")
    files.make_folder(ws.state)
    left_out: list[str] = []
    with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="export"):
        held: dict[str, bytes] = {}
        size = 0
        for name, data in _content(ws.root, left_out):
            held[name] = data
            size += len(data)
            if size > LARGEST:
                raise DiskError(f"{ws.root} holds more than {LARGEST >> 20} MB: pack it with tar")
    packed = _packed(held)
    files.put(archive, packed, expect=files.Snapshot("", ""))
    secrets = tuple(name for name, data in held.items() if _shows_secrets(name, data))
    return Exported(archive, len(held), len(packed), secrets, tuple(left_out))


def _content(root: Path, left_out: list[str]) -> Iterator[tuple[str, bytes]]:
    """Every file by its name below the workspace, in order."""
    for name in sorted((*FILES, *_names(root))):
        path = root / name
        if path.is_symlink():
            left_out.append(f"{name} (a link)")
        elif path.is_file() and not path.name.endswith(temporaries.SUFFIX):
            try:
                yield name, path.read_bytes()
            except OSError as error:
                left_out.append(f"{name} ({error.strerror})")


def _names(root: Path) -> Iterator[str]:
    for folder in FOLDERS:
        if (root / folder).is_symlink():
            yield folder
            continue
        for place, inside, names in os.walk(root / folder):
            linked = [name for name in inside if (Path(place) / name).is_symlink()]
            yield from (str((Path(place) / name).relative_to(root)) for name in (*names, *linked))


def _packed(held: dict[str, bytes]) -> bytes:
    plain = io.BytesIO()
    with tarfile.TarFile(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in held.items():
            about = tarfile.TarInfo(name)
            about.size, about.mode = len(data), _MODE  # no owner and no time: they differ between machines
            tar.addfile(about, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=0)


def _shows_secrets(name: str, data: bytes) -> bool:
    """Whether a person wrote a secret there; what we wrote has none."""
    if name.startswith("observations/") or len(data) > LARGEST_TEXT:
        return False
    try:
        return bool(redact.findings(data.decode()))
    except UnicodeDecodeError:
        return False
