"""Where what is not of one workspace stands while nanoctx runs: lock, pid, socket; and the log it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from nanoctx.disk import registry


def folder(env: Mapping[str, str]) -> Path:
    """The user's runtime folder for us; where the system has none, the state folder."""
    runtime = env.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and Path(runtime).is_dir():
        return Path(runtime) / "nanoctx"
    return state_folder(env)


def state_folder(env: Mapping[str, str]) -> Path:
    """What may be deleted at any moment and yet outlives a restart of the machine."""
    state = env.get("XDG_STATE_HOME", "")
    base = Path(state) if state.startswith("/") else registry.home(env) / ".local" / "state"
    return base / "nanoctx"


def lock(env: Mapping[str, str]) -> Path:
    return folder(env) / "daemon.lock"


def pid(env: Mapping[str, str]) -> Path:
    return folder(env) / "daemon.pid"


def socket(env: Mapping[str, str]) -> Path:
    return folder(env) / "daemon.sock"


def log(env: Mapping[str, str]) -> Path:
    return state_folder(env) / "daemon.log"
