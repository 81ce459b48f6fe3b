"""The list of workspaces this user made: `workspaces.toml` in the user's config folder."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nanoctx.disk import files, lock
from nanoctx.errors import ChangedOnDisk, SettingsError, UsageError

OPENING = "# The workspaces `nanoctx init` made for you. Remove an entry to make nanoctx forget it.\n"
ATTEMPTS = 5
LOCK_WAIT = 10.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One registered workspace."""

    path: Path
    default: bool = False


def path(env: Mapping[str, str]) -> Path:
    """Where the registry is, whether or not it exists yet."""
    return folder(env) / "workspaces.toml"


def folder(env: Mapping[str, str]) -> Path:
    """The user's own config folder."""
    base = env.get("XDG_CONFIG_HOME", "")
    # The XDG rule: a relative path there is to be ignored.
    config = Path(base) if base.startswith("/") else home(env) / ".config"
    return config / "nanoctx"


def home(env: Mapping[str, str]) -> Path:
    return Path(env["HOME"]) if env.get("HOME") else Path.home()


def expanded(name: str, env: Mapping[str, str]) -> Path:
    """A path a person wrote, with `~` for the home folder."""
    return home(env) / name[2:] if name == "~" or name.startswith("~/") else Path(name)


def load(env: Mapping[str, str]) -> tuple[Entry, ...]:
    """The registered workspaces, in the order they were made."""
    file = path(env)
    try:
        raw = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise SettingsError(f"{file} cannot be read ({error.strerror}): make it a readable file") from error
    return _parse(raw, file)


def add(root: Path, env: Mapping[str, str], *, may_be_default: bool) -> bool:
    """Register a workspace; False if it was there already. What people wrote in the file stays as it is."""
    files.make_folder(path(env).parent)
    turn = _lock_file(env)
    files.make_folder(turn.parent, private=True)
    with lock.hold(turn, wait=LOCK_WAIT, purpose="init"):
        for _ in range(ATTEMPTS):
            # First: whatever a person saves after it makes the write fail, not go wrong.
            before = files.read(path(env))
            known = load(env)
            if any(entry.path == root for entry in known):
                return False
            default = may_be_default and not any(entry.default for entry in known)
            try:
                _append(path(env), before, root, default)
            except ChangedOnDisk:
                continue
            return True
    raise ChangedOnDisk(f"{path(env)} keeps changing: run the command again")


def _lock_file(env: Mapping[str, str]) -> Path:
    """Where `init`s wait for each other."""
    from nanoctx.disk import runtime  # which asks us where the home is

    return runtime.folder(env) / "registry.lock"


def _append(file: Path, before: files.Snapshot, root: Path, default: bool) -> None:
    text = before.text or OPENING
    if not text.endswith("\n"):
        text += "\n"
    files.exchange(file, text + _entry(root, default), before)


def _entry(root: Path, default: bool) -> str:
    lines = ["", "[[workspace]]", f"path = {_quoted(root)}"]
    if default:
        lines.append("default = true  # used where no other workspace fits")
    return "\n".join(lines) + "\n"


def _quoted(root: Path) -> str:
    text = str(root)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"{text!r} is not a UTF-8 path: choose a folder with another name") from error
    # JSON's escapes are TOML's too, but for the one control character JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _parse(raw: bytes, file: Path) -> tuple[Entry, ...]:
    try:
        document = tomllib.loads(raw.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise SettingsError(f"{file} is not valid TOML ({reason}): mend it or remove the file") from error
    tables = document.get("workspace", [])
    if not isinstance(tables, list) or not all(_is_entry(table) for table in tables):
        raise SettingsError(f'{file}: a [[workspace]] needs path = "/absolute/path"; mend or remove it')
    return tuple(Entry(Path(table["path"]), table.get("default") is True) for table in tables)


def _is_entry(table: object) -> bool:
    return isinstance(table, dict) and isinstance(table.get("path"), str) and table["path"].startswith("/")
