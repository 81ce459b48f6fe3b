"""The other agents: where they come from, and how each asks its model once, far from anybody's account."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

# Kept between runs and gone with `make clean`; npm and pip have caches of their own for the next clean clone.
CACHE = Path(__file__).parents[2] / ".venv" / "e2e"
NODE = "node@24"  # some want a newer one than many systems have
_NEWEST_NEEDED = 22
PATIENCE = 400  # seconds for one of them to come
MODEL = "scripted-1"
SESSION = "{session}"  # a new name for each: some go on with the last session otherwise


@dataclass(frozen=True)
class Seat:
    """Where an agent is run."""

    home: Path
    folder: Path
    url: str


Prepare = Callable[[Seat], Mapping[str, str]]


@dataclass(frozen=True)
class Agent:
    """`package` is of npm, or of PyPI if `python`; `prepare` sets it up and gives its environment."""

    name: str
    package: str
    program: str
    arguments: tuple[str, ...]  # the prompt comes last
    prepare: Prepare
    python: bool = False

    @property
    def place(self) -> Path:
        return CACHE / self.name

    def find(self) -> Path | None:
        folder = "bin" if self.python else "node_modules/.bin"
        program = self.place / folder / self.program
        return program if os.access(program, os.X_OK) else None

    def ask(self, seat: Seat, prompt: str) -> str:
        """One session with no person at it; answers with what was printed."""
        session = str(uuid4())
        arguments = [session if one == SESSION else one for one in self.arguments]
        done = subprocess.run(
            [str(self.find()), *arguments, prompt],
            cwd=seat.folder,
            env=_environment(seat, self.prepare(seat)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout


def install(agent: Agent) -> str | None:
    """Put an agent into the cache. Answers what went wrong, if it did; one that is there stays."""
    if agent.find():
        return None
    agent.place.mkdir(parents=True, exist_ok=True)
    if agent.python:
        pip = ["bin/pip", "install", "-q", "--no-compile", "--disable-pip-version-check"]
        steps = [[sys.executable, "-m", "venv", "."], [*pip, agent.package]]
    elif shutil.which("npm"):
        steps = [_npm(agent.package)]
        (agent.place / "package.json").write_text("{}")
    else:
        return "npm is not on the path"
    return next((problem for step in steps if (problem := _failed(step, agent.place))), None)


def install_node() -> str | None:
    """A Node that is new enough, unless the system has one."""
    if _node() is not None or shutil.which("npm") is None:
        return None
    place = CACHE / "node"
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text("{}")
    return _failed(_npm(NODE), place)


def _npm(package: str) -> list[str]:
    # The latest: npm by itself takes an older version, even an empty one, if Node is older than it likes.
    latest = package if "@" in package[1:] else f"{package}@latest"
    quietly = ["--no-audit", "--no-fund", "--fetch-retries=1", "--ignore-scripts=false"]
    return ["npm", "install", *quietly, "--prefix", ".", latest]


def _failed(command: list[str], folder: Path) -> str | None:
    env = {**os.environ, "PATH": _path()}  # what a package runs as it is installed may want the newer Node
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, env=env)
    except subprocess.TimeoutExpired:
        return f"{command[0]} took more than {PATIENCE} s"
    return None if done.returncode == 0 else f"{command[0]} failed: {done.stderr.strip()[-300:]}"


def _node() -> Path | None:
    """The folder of a Node that is new enough."""
    for program in (shutil.which("node"), CACHE / "node" / "node_modules" / "node" / "bin" / "node"):
        if program and os.access(program, os.X_OK):
            said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            if int(said.strip("v\n").partition(".")[0] or 0) >= _NEWEST_NEEDED:
                return Path(program).parent
    return None


def _path() -> str:
    node = _node()
    return f"{node}:{os.environ['PATH']}" if node else os.environ["PATH"]


def _environment(seat: Seat, more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name.startswith("XDG_")}
    (seat.home / "tmp").mkdir(exist_ok=True)
    return {
        **kept,
        "PATH": _path(),
        "HOME": str(seat.home),
        "TMPDIR": str(seat.home / "tmp"),
        "SHELL": "/bin/sh",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "xterm-256color",
        **more,
    }


def _put(file: Path, content: object) -> None:
    """Settings as a person would have them before anything is connected; what is there stays."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content, indent=2) + "\n")


def _codex(seat: Seat) -> Mapping[str, str]:
    lines = (
        'model = "gpt-5.5"', 'model_provider = "scripted"', "check_for_update_on_startup = false",
        'approval_policy = "never"', 'sandbox_mode = "read-only"', "[analytics]", "enabled = false",
        "[model_providers.scripted]", 'name = "scripted"', f'base_url = "{seat.url}/v1"',
        'wire_api = "responses"', 'env_key = "SCRIPTED_KEY"', "supports_websockets = false",
    )  # fmt: skip
    _put(seat.home / ".codex" / "config.toml", "\n".join(lines) + "\n")
    return {"SCRIPTED_KEY": "nothing"}


def _gemini(seat: Seat) -> Mapping[str, str]:
    chosen = {"auth": {"selectedType": "gemini-api-key"}}
    privacy = {"usageStatisticsEnabled": False}
    _put(seat.home / ".gemini" / "settings.json", {"security": chosen, "privacy": privacy})
    return {
        "GOOGLE_GEMINI_BASE_URL": seat.url,
        "GEMINI_API_KEY": "nothing",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _qwen(seat: Seat) -> Mapping[str, str]:
    chosen = {"auth": {"selectedType": "openai"}}
    privacy = {"usageStatisticsEnabled": False}
    _put(seat.home / ".qwen" / "settings.json", {"security": chosen, "privacy": privacy})
    return {"OPENAI_BASE_URL": f"{seat.url}/v1", "OPENAI_API_KEY": "nothing", "OPENAI_MODEL": MODEL}


def _opencode(seat: Seat) -> Mapping[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{seat.url}/v1", "apiKey": "nothing"},
        "models": {MODEL: {"name": "Scripted", "limit": {"context": 100000, "output": 8000}}},
    }
    config = {"provider": {"scripted": provider}, "model": f"scripted/{MODEL}"}
    _put(Path(os.environ["XDG_CONFIG_HOME"]) / "opencode" / "opencode.json", config)
    names = ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD")
    return {**dict.fromkeys(names, "1"), "npm_config_fetch_retries": "0"}


def _copilot(seat: Seat) -> Mapping[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{seat.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "nothing",
        "COPILOT_MODEL": MODEL,
        "COPILOT_OFFLINE": "true",
    }


def _pi(seat: Seat) -> Mapping[str, str]:
    free = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {
        "id": MODEL, "name": "Scripted", "reasoning": False, "input": ["text"], "contextWindow": 100000,
        "maxTokens": 8000, "cost": free,
    }  # fmt: skip
    api = {"baseUrl": f"{seat.url}/v1", "api": "openai-completions", "apiKey": "nothing", "models": [model]}
    _put(seat.home / ".pi" / "agent" / "models.json", {"providers": {"scripted": api}})
    return {"PI_OFFLINE": "1"}


def _aider(seat: Seat) -> Mapping[str, str]:
    return {"OPENAI_API_BASE": f"{seat.url}/v1", "OPENAI_API_KEY": "nothing"}


def _nanobot(seat: Seat) -> Mapping[str, str]:
    custom = {"apiBase": f"{seat.url}/v1", "apiKey": "nothing"}
    defaults = {"workspace": str(seat.folder), "model": MODEL, "provider": "custom"}
    config = {"providers": {"custom": custom}, "agents": {"defaults": defaults}}
    _put(seat.home / ".nanobot" / "config.json", config)
    return {}


def _openclaw(seat: Seat) -> Mapping[str, str]:
    model = {"id": MODEL, "name": "Scripted", "contextWindow": 100000, "maxTokens": 8000}
    api = {"baseUrl": f"{seat.url}/v1", "api": "openai-completions", "apiKey": "nothing", "models": [model]}
    primary = {"primary": f"scripted/{MODEL}"}
    defaults = {"workspace": str(seat.folder), "model": primary, "skipBootstrap": True}
    config = {"models": {"providers": {"scripted": api}}, "agents": {"defaults": defaults}}
    _put(seat.home / ".openclaw" / "openclaw.json", config)
    return {}


AGENTS = (
    Agent("codex", "@openai/codex", "codex", ("exec", "--dangerously-bypass-hook-trust"), _codex),
    Agent("gemini", "@google/gemini-cli", "gemini", ("-p",), _gemini),
    Agent("qwen", "@qwen-code/qwen-code", "qwen", ("-p",), _qwen),
    Agent("opencode", "opencode-ai", "opencode", ("run",), _opencode),
    Agent("copilot", "@github/copilot", "copilot", ("--allow-all-tools", "-p"), _copilot),
    Agent(
        "pi", "@mariozechner/pi-coding-agent", "pi",
        ("--provider", "scripted", "--model", MODEL, "-p"), _pi,
    ),
    Agent(
        "aider", "aider-chat", "aider",
        (
            "--model", f"openai/{MODEL}", "--no-check-update", "--analytics-disable", "--yes-always",
            "--no-show-model-warnings", "--no-gitignore", "--edit-format", "ask", "--message",
        ),
        _aider, python=True,
    ),
    Agent("nanobot", "nanobot-ai", "nanobot", ("agent", "-s", SESSION, "-m"), _nanobot, python=True),
    Agent(  # later ones keep their sessions in a database, which is not read
        "openclaw", "openclaw@2026.5.28", "openclaw",
        ("agent", "--local", "--session-id", SESSION, "--message"), _openclaw,
    ),
)  # fmt: skip
