"""Which folders to watch for the logs of an agent. Where each log is, `find_logs` says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nanoctx.sources.folders import given

# Folders, and whether what is below them counts as well.
Roots = list[tuple[Path, bool]]
_Env = Mapping[str, str]


def roots(agent: str, home: Path, env: _Env, projects: Sequence[Path]) -> Roots:
    """None for agents whose logs may lie anywhere: for them somebody has to look from time to time."""
    find = _ROOTS.get(agent)
    return list(dict.fromkeys(find(home, env, projects))) if find else []


def _claude(home: Path, env: _Env, _: Sequence[Path]) -> Roots:
    named = env.get("CLAUDE_CONFIG_DIR", "").strip()
    names = [named] if Path(named).is_dir() else [name.strip() for name in named.split(",")]
    chosen = [home / name.removeprefix("~/") for name in names if name]
    return [(root / "projects", True) for root in chosen or (home / ".claude", home / ".config" / "claude")]


def _codex(home: Path, env: _Env, _: Sequence[Path]) -> Roots:
    root = given(home, env, "CODEX_HOME") or home / ".codex"
    return [(root / name, True) for name in ("sessions", "archived_sessions")]


def _gemini(home: Path, env: _Env, _: Sequence[Path]) -> Roots:
    return [((given(home, env, "GEMINI_CLI_HOME") or home) / ".gemini" / "tmp", True)]


def _qwen(home: Path, env: _Env, _: Sequence[Path]) -> Roots:
    named = given(home, env, "QWEN_RUNTIME_DIR") or given(home, env, "QWEN_HOME")
    return [((named or home / ".qwen") / name, True) for name in ("projects", "tmp")]


def _opencode(home: Path, env: _Env, _: Sequence[Path]) -> Roots:
    data = (given(home, env, "XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    named = given(data, env, "OPENCODE_DB")
    # Not all of it: beside its database it keeps snapshots of whole work trees.
    return [(named.parent if named else data, False), (data / "storage" / "session", True)]


def _copilot(home: Path, env: _Env, _: Sequence[Path]) -> Roots:
    chosen = given(home, env, "COPILOT_HOME")
    old = (given(home, env, "XDG_STATE_HOME"), given(home, env, "XDG_CONFIG_HOME"))
    found = [chosen] if chosen else [home / ".copilot", *(one / ".copilot" for one in old if one)]
    return [(root / "session-state", True) for root in found]


def _pi(home: Path, env: _Env, _: Sequence[Path]) -> Roots:
    agent = given(home, env, "PI_CODING_AGENT_DIR") or home / ".pi" / "agent"
    return [(given(home, env, "PI_CODING_AGENT_SESSION_DIR") or agent / "sessions", True)]


def _nanobot(home: Path, env: _Env, projects: Sequence[Path]) -> Roots:
    data = home / ".nanobot"
    usual = given(home, env, "NANOBOT_AGENTS__DEFAULTS__WORKSPACE") or data / "workspace"
    return [(place / "sessions", True) for place in (data, usual, *projects)]


def _openclaw(home: Path, env: _Env, _: Sequence[Path]) -> Roots:
    chosen = given(home, env, "OPENCLAW_STATE_DIR")
    found = [chosen] if chosen else [home / name for name in (".openclaw", ".clawdbot", ".moltbot")]
    return [(root / "agents", True) for root in found]


_ROOTS: Mapping[str, Callable[[Path, _Env, Sequence[Path]], Roots]] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "qwen": _qwen,
    "opencode": _opencode,
    "copilot": _copilot,
    "pi": _pi,
    "nanobot": _nanobot,
    "openclaw": _openclaw,
}
