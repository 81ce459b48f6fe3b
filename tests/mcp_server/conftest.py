"""A repository whose session was observed and folded, and an agent's session in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from nanoctx.cli.call import Call
from nanoctx.cli.main import main
from nanoctx.disk import packaged
from nanoctx.mcp_server import tools
from nanoctx.mcp_server.session import Session

NOW = "2026-02-12T10:00:00Z"
RECORDED = packaged.folder("workspace-example") / "recorded" / "tidewatch.jsonl"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent at work in a repository, and what the tools answer it."""

    repo: Path
    session: Session

    @property
    def workspace(self) -> Path:
        return self.repo / ".nanoctx"

    def asks(self, tool: str, **arguments: object) -> str:
        return tools.call(self.session, tool, arguments)


@pytest.fixture
def agent(repo: Path) -> Agent:
    return Agent(repo, Session(Call(None, False, repo, dict(os.environ))))


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, observed: Path) -> Path:
    folder = tmp_path.resolve() / observed.name
    shutil.copytree(observed, folder)
    monkeypatch.setenv("NANOCTX_NOW", NOW)
    monkeypatch.chdir(folder)
    assert main(["init"]) == 0  # it is there, and becomes this home's
    return folder


@pytest.fixture(scope="session")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository that each test gets a copy of."""
    home = tmp_path_factory.mktemp("observed")
    folder = home / "tidewatch"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for name in ("CONFIG_HOME", "DATA_HOME", "STATE_HOME", "RUNTIME_DIR"):
            patch.delenv(f"XDG_{name}", raising=False)
        patch.setenv("NANOCTX_NOW", NOW)
        patch.chdir(folder)
        subprocess.run(["git", "init", "-q", "-b", "main"], check=True)
        for command in (["init"], ["observe", "--agent", "claude-code", "--log", str(RECORDED)], ["reflect"]):
            assert main(command) == 0
    return folder
