"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nanoctx.cli.main import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHELL = [text for kind, text in BLOCKS if kind == "sh"]
MAKE = [text for text in SHELL if text.startswith("make")]
OURS = [text for text in SHELL if not text.startswith("make")]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home with `nanoctx` on the path and a repository in which nothing happened yet."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "nanoctx"
    code = "import sys; from nanoctx.cli.main import main; sys.exit(main())"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n')
    program.chmod(0o755)
    repository = tmp_path / "your" / "repository"
    repository.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=repository, check=True)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def test_the_shell_blocks_run_one_after_the_other(home: Path) -> None:
    script = "set -eu\n" + "\n".join(OURS)
    done = subprocess.run(["sh", "-c", script], cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "# Context" in done.stdout and "[secret: " in done.stdout


def test_what_is_shown_of_the_example_is_what_it_prints(home: Path) -> None:
    (shown,) = [text for kind, text in BLOCKS if kind == "console"]
    folder, *steps = shown.removeprefix("$ ").split("\n$ ")
    cache = shutil.ignore_patterns(".state")
    shutil.copytree(ROOT / folder.removeprefix("cd "), home / "example", ignore=cache)
    counts = []
    for step in steps:
        command, _, output = step.partition("\n")
        done = subprocess.run(["sh", "-c", command], cwd=home / "example", capture_output=True, text=True)
        assert done.stdout == f"{output.rstrip()}\n", done.stderr
        counts.append(int(done.stdout.split()[0]))
    whole, lean, _ = counts
    assert whole > 6000 and lean <= 2000


@pytest.mark.parametrize("target", sorted(set(re.findall(r"^make (\w+)", "".join(MAKE), re.MULTILINE))))
def test_the_make_targets_exist(target: str) -> None:
    subprocess.run(["make", "-n", target], cwd=ROOT, check=True, capture_output=True)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_is_named(name: str) -> None:
    assert f"`nanoctx {name}" in README


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_line_to_include_is_the_one_init_names() -> None:
    assert ("text", "@.nanoctx/CONTEXT.md\n") in BLOCKS
