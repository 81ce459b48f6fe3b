"""Having the system start the background process and keep it: systemd, launchd, or a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from nanoctx import clock
from nanoctx.disk import children, files, lock, registry, runtime
from nanoctx.errors import Busy, DiskError, NanoctxError

UNIT = "nanoctx.service"
AGENT = "nanoctx.agent.plist"
LABEL = "nanoctx.agent"
PATIENCE = 10.0  # seconds for a service manager to answer, and for a process to come or go
_PAUSE = 0.05
_MARK = "Written by `nanoctx up`; `nanoctx down` removes it."
_MOST_SAID = 4096
# What decides where things are must be the same for the service as it is here.
_KEPT = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "TZ")


@dataclass(frozen=True, slots=True)
class Plan:
    """How the background process is started and ended on this system."""

    manager: str  # systemd, launchd or none
    file: Path | None = None
    text: str = ""
    start: tuple[tuple[str, ...], ...] = ()
    stop: tuple[tuple[str, ...], ...] = ()
    after: tuple[tuple[str, ...], ...] = ()  # once the file is gone


def plan(env: Mapping[str, str]) -> Plan:
    """The one that fits here. A service manager that does not answer counts as none."""
    if sys.platform == "darwin":
        return _launchd(env)
    if shutil.which("systemctl", path=env.get("PATH")) and _succeeds(_ctl("show-environment"), env):
        return _systemd(env)
    return Plan("none")


def running(env: Mapping[str, str]) -> int | None:
    """The pid of the background process; None if there is none. Its lock tells, whoever started it."""
    if not runtime.lock(env).exists():
        return None
    try:
        with lock.hold(runtime.lock(env), wait=0.0, purpose="asking"):
            return None
    except Busy:
        said = files.read(runtime.lock(env)).text.partition(" ")[0]
        return int(said) if said.isdigit() else None


def up(wanted: Plan, env: Mapping[str, str]) -> None:
    """Start it, and have it started from now on."""
    if wanted.file is not None:
        files.make_folder(wanted.file.parent)
        files.write(wanted.file, wanted.text)
        for command in wanted.start:
            _call(command, env)
    elif running(env) is None:
        children.detached(_command(), dict(env))
    if not _wait(lambda: running(env) is not None):
        raise NanoctxError(f"the background process did not start: {runtime.log(env)} may say why")


def down(wanted: Plan, env: Mapping[str, str]) -> tuple[bool, bool]:
    """End it and remove what `up` wrote; whether a process was ended, and a file removed."""
    was = running(env)
    removed = False
    if wanted.file is not None and wanted.file.exists():
        _require_ours(wanted.file)
        for command in wanted.stop:
            _succeeds(command, env)
        files.remove(wanted.file)
        removed = True
        for command in wanted.after:
            _succeeds(command, env)
    pid = running(env)
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        if not _wait(lambda: running(env) is None):
            raise NanoctxError(f"process {pid} does not end: `kill -9 {pid}` does it, and nothing is lost")
    return was is not None, removed


def _require_ours(file: Path) -> None:
    if _MARK not in files.read(file).text:
        raise DiskError(f"{file} was not written by `nanoctx up`: remove it yourself if it is to go")


def _systemd(env: Mapping[str, str]) -> Plan:
    config = env.get("XDG_CONFIG_HOME", "")
    base = Path(config) if config.startswith("/") else registry.home(env) / ".config"
    kept = "".join(f"Environment={_quoted(f'{name}={env[name]}')}\n" for name in _KEPT if env.get(name))
    text = (
        f"# {_MARK}\n[Unit]\nDescription=nanoctx keeps CONTEXT.md true\n\n[Service]\n"
        f"ExecStart={' '.join(map(_quoted, _command()))}\n{kept}"
        "Restart=on-failure\nRestartSec=5\nTimeoutStopSec=5\nNice=10\n\n[Install]\nWantedBy=default.target\n"
    )
    return Plan(
        "systemd",
        base / "systemd" / "user" / UNIT,
        text,
        start=(_ctl("daemon-reload"), _ctl("enable", UNIT), _ctl("restart", UNIT)),
        stop=(_ctl("disable", "--now", UNIT),),
        after=(_ctl("daemon-reload"),),
    )


def _launchd(env: Mapping[str, str]) -> Plan:
    """Written from its documentation; it was never tried on a Mac."""
    file = registry.home(env) / "Library" / "LaunchAgents" / AGENT
    words = "".join(f"    <string>{escape(word)}</string>\n" for word in _command())
    kept = "".join(
        f"    <key>{name}</key><string>{escape(env[name])}</string>\n" for name in _KEPT if env.get(name)
    )
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        f'<!-- {_MARK} -->\n<plist version="1.0">\n<dict>\n  <key>Label</key><string>{LABEL}</string>\n'
        f"  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n"
        f"  <key>EnvironmentVariables</key>\n  <dict>\n{kept}  </dict>\n"
        "  <key>RunAtLoad</key><true/>\n"
        "  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n</dict>\n</plist>\n"
    )
    domain = f"gui/{os.getuid()}"
    return Plan(
        "launchd",
        file,
        text,
        start=(("launchctl", "bootstrap", domain, str(file)),),
        stop=(("launchctl", "bootout", f"{domain}/{LABEL}"),),
    )


def _command() -> list[str]:
    # -P: Python would import what the folder it is called in holds.
    return [sys.executable, "-P", "-m", "nanoctx", "run", "--quiet"]


def _ctl(*words: str) -> tuple[str, ...]:
    return ("systemctl", "--user", *words)


def _quoted(word: str) -> str:
    """As systemd reads it: `%` and `$` have a meaning of their own there."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def _call(command: Sequence[str], env: Mapping[str, str]) -> None:
    done = children.run(command, given=b"", env=env, cwd=Path("/"), timeout=PATIENCE, limit=_MOST_SAID)
    if not done.good:
        said = " ".join((done.told or done.out).decode("utf-8", "replace").split())[:300]
        raise NanoctxError(f"`{' '.join(command)}` failed ({said}): `nanoctx run` works without it")


def _succeeds(command: Sequence[str], env: Mapping[str, str]) -> bool:
    try:
        return children.run(
            command, given=b"", env=env, cwd=Path("/"), timeout=PATIENCE, limit=_MOST_SAID
        ).good
    except OSError:
        return False


def _wait(is_so: Callable[[], bool]) -> bool:
    deadline = clock.elapsed() + PATIENCE
    while not is_so():
        if clock.elapsed() > deadline:
            return False
        time.sleep(_PAUSE)
    return True
