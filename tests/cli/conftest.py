"""Running a command as a person would, and reading what it said."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nanoctx.cli.main import main
from nanoctx.disk import packaged

NOW = "2026-02-12T10:00:00Z"
RECORDED = packaged.folder("workspace-example") / "recorded" / "tidewatch.jsonl"


@dataclass(frozen=True, slots=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in a folder; its answer comes back as values."""
    monkeypatch.setenv("NANOCTX_NOW", NOW)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> Said:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        if cwd:
            monkeypatch.chdir(cwd)
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return call


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "tidewatch"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    return folder.resolve()


@pytest.fixture
def workspace(run: Run, tmp_path: Path) -> Path:
    """A workspace in a folder of its own, with the recorded session observed."""
    root = tmp_path / "w"
    assert run("init", root).code == 0
    seen = run("observe", "--workspace", root, "--agent", "claude-code", "--log", RECORDED)
    assert seen.code == 0, seen.err
    return root.resolve()


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its bytes, to show that nothing changed."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}
