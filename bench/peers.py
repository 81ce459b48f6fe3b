"""What others that keep memory for Claude Code have it wait for: their hooks, as they set them themselves."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PLACE = Path(__file__).parents[1] / ".venv" / "peers"
PATIENCE = 400
OM, CLAUDE_MEM = "observational-memory", "claude-mem"


@dataclass(frozen=True)
class Peer:
    """Commands by event that a host waits for: those of one event run beside each other."""

    name: str
    commands: Mapping[str, tuple[str, ...]]
    env: Mapping[str, str]
    stop: tuple[str, ...] = ()


def install() -> list[str]:
    """Get those that can be had; one sentence for each that cannot."""
    told = []
    for name, steps in ((OM, _om()), (CLAUDE_MEM, _claude_mem())):
        if not (PLACE / name / "whole").exists():
            (PLACE / name).mkdir(parents=True, exist_ok=True)
            problem = next((one for step in steps if (one := _failed(step, PLACE / name))), "")
            if problem:
                told.append(f"{name} could not be had ({problem}): it is left out.")
            else:
                (PLACE / name / "whole").touch()
    return told


def found(home: Path, env: Mapping[str, str]) -> list[Peer]:
    """Those that are here, set up in a home of their own."""
    peers = []
    if (PLACE / OM / "whole").exists():
        peers.append(_set_up_om(home, env))
    if (PLACE / CLAUDE_MEM / "whole").exists():
        peers.append(_set_up_claude_mem(home, env))
    return peers


def waited_for(hooks: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """The commands by event, but for those that nobody waits for."""
    told: dict[str, tuple[str, ...]] = {}
    for event, groups in hooks.items():
        each = [hook for group in groups for hook in group["hooks"]]  # type: ignore[attr-defined]
        told[event] = tuple(hook["command"] for hook in each if not hook.get("async"))
    return told


def _om() -> list[list[str]]:
    return [
        [sys.executable, "-m", "venv", "."],
        ["bin/pip", "install", "-q", "--disable-pip-version-check", OM],
    ]


def _claude_mem() -> list[list[str]]:
    """Its package asks for what not every registry has; what its hooks need comes with the plugin in it."""
    quietly = ["--no-audit", "--no-fund", "--fetch-retries=1"]
    plugin = ["--prefix", "package/plugin", "--ignore-scripts", "--legacy-peer-deps", "--omit=dev"]
    return [
        ["npm", "pack", CLAUDE_MEM, "--silent"],
        ["sh", "-c", f"tar xzf {CLAUDE_MEM}-*.tgz && echo '{{}}' > package.json"],
        ["npm", "install", *quietly, "--prefix", ".", "bun@latest"],
        ["npm", "install", *quietly, *plugin],
    ]


def _set_up_om(home: Path, env: Mapping[str, str]) -> Peer:
    programs = PLACE / OM / "bin"
    own = {**env, "HOME": str(home), "PATH": f"{programs}:{env['PATH']}", "ANTHROPIC_API_KEY": "nothing"}
    words = ["--claude", "--scheduler", "none", "--non-interactive", "--provider", "anthropic"]
    command = [programs / "om", "install", *words, "--llm-model", "none"]
    subprocess.run(command, env=own, check=True, capture_output=True, timeout=PATIENCE)
    hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]
    return Peer(OM, waited_for(hooks), own)


def _set_up_claude_mem(home: Path, env: Mapping[str, str]) -> Peer:
    place = PLACE / CLAUDE_MEM
    plugin = place / "package" / "plugin"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    own = {
        **env, "HOME": str(home), "PATH": f"{place / 'node_modules' / '.bin'}:{env['PATH']}",
        "CLAUDE_PLUGIN_ROOT": str(plugin), "CLAUDE_MEM_WORKER_PORT": port,
    }  # fmt: skip
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    stop = ("bun", str(plugin / "scripts" / "worker-service.cjs"), "stop")
    return Peer(CLAUDE_MEM, waited_for(hooks), own, stop)


def _failed(command: list[str], folder: Path) -> str:
    if shutil.which(command[0]) is None and not (folder / command[0]).exists():
        return f"{command[0]} is not on the path"
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, env=os.environ
        )
    except subprocess.TimeoutExpired:
        return f"{command[0]} took more than {PATIENCE} s"
    return "" if done.returncode == 0 else f"{command[0]} failed: {done.stderr.strip()[-200:]}"
