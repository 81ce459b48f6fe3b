"""Settings of other programs as they were before we edited them, kept to be put back byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from nanoctx.disk import files, registry
from nanoctx.errors import DiskError


@dataclass(frozen=True, slots=True)
class Backup:
    """What an edit found and what it left; `before` is None where there was no file."""

    settings: Path
    before: str | None
    written: str  # stamp of what we wrote: a file with another one was changed since
    made_folder: bool
    at: datetime


def state_folder(env: Mapping[str, str]) -> Path:
    base = env.get("XDG_STATE_HOME", "")
    # The XDG rule: a relative path there is to be ignored.
    state = Path(base) if base.startswith("/") else registry.home(env) / ".local" / "state"
    return state / "nanoctx"


def copy_of(settings: Path, env: Mapping[str, str]) -> Path:
    """Where the copy of a settings file is, for people too; what we know of it stands beside it."""
    place = sha256(str(settings).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = re.sub(r"[^\w.-]+", "-", settings.name)
    return state_folder(env) / "connections" / f"{place}-{name}"


def save(backup: Backup, env: Mapping[str, str]) -> None:
    copy = copy_of(backup.settings, env)
    files.make_folder(copy.parent, private=True)  # settings hold keys at times
    files.write(copy, backup.before or "", private=True)
    record = {
        "v": 1,
        "settings": str(backup.settings),
        "existed": backup.before is not None,
        "written": backup.written,
        "made_folder": backup.made_folder,
        "at": backup.at.isoformat(),
    }
    files.write(_record(copy), json.dumps(record, indent=2) + "\n", private=True)


def load(settings: Path, env: Mapping[str, str]) -> Backup | None:
    """The backup of a file; None if there is none, or none that can be trusted."""
    copy = copy_of(settings, env)
    try:
        kept, text = files.read(copy), files.read(_record(copy)).text
        record = json.loads(text)
        existed = bool(record["existed"])
        at = datetime.fromisoformat(record["at"])
        if not kept.stamp or record["v"] != 1 or at.tzinfo is None:
            return None
        return Backup(
            settings, kept.text if existed else None, str(record["written"]), bool(record["made_folder"]), at
        )
    except (DiskError, ValueError, KeyError, TypeError):
        return None


def kept(env: Mapping[str, str]) -> tuple[Path, ...]:
    """The settings files of which something is kept: those that we edited."""
    found = []
    for record in sorted((state_folder(env) / "connections").glob("*.record")):
        with suppress(DiskError, ValueError, KeyError, TypeError):
            found.append(Path(json.loads(files.read(record).text)["settings"]))
    return tuple(found)


def drop(settings: Path, env: Mapping[str, str]) -> None:
    copy = copy_of(settings, env)
    if copy.parent.is_dir():
        files.remove(_record(copy))
        files.remove(copy)


def _record(copy: Path) -> Path:
    return copy.with_name(copy.name + ".record")
