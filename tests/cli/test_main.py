"""The command line as a whole: help, shared options, and one sentence for every error."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from nanoctx import __version__
from nanoctx.cli import main as program
from nanoctx.errors import NanoctxError, UsageError, WorkspaceError

from .conftest import Run

ROOT = Path(__file__).parents[2]


def test_without_a_command_it_explains_itself(run: Run) -> None:
    said = run()
    assert said.code == 0
    assert "CONTEXT.md" in said.out and all(name in said.out for name in program.COMMANDS)
    assert run("--help").out == said.out


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").out == f"nanoctx {__version__}\n"


@pytest.mark.parametrize("name", list(program.COMMANDS))
def test_every_command_has_help_with_an_example(run: Run, name: str) -> None:
    said = run(name, "--help")
    assert said.code == 0
    assert "Example" in said.out and f"nanoctx {name}" in said.out
    assert "--workspace" in said.out and "--json" in said.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["--fly"],
        ["status", "--fly"],
        ["status", "extra"],
        ["show"],
        ["show", "moon"],
        ["observe", "--until-line", "x"],
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(run: Run, arguments: list[str]) -> None:
    said = run(*arguments)
    assert said.code == 2 and said.out == ""
    assert said.err.startswith("nanoctx: ") and said.err.count("\n") == 1 and "--help" in said.err


@pytest.mark.parametrize("name", ["observe", "status", "check", "show context", "why x", "tokens context"])
def test_without_a_workspace_each_command_says_what_to_do(run: Run, tmp_path: Path, name: str) -> None:
    said = run(*name.split())
    assert (said.code, said.out) == (3, "")
    assert "nanoctx init" in said.err and said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_shared_options_stand_before_or_after_the_command(run: Run, workspace: Path) -> None:
    answers = [
        run("--workspace", workspace, "--json", "status"),
        run("status", "--workspace", workspace, "--json"),
        run("--json", "status", "--workspace", workspace),
        run("--workspace", workspace / "nowhere", "status", "--json", "--workspace", workspace),
    ]
    assert {said.code for said in answers} == {0}
    assert {said.data["workspace"] for said in answers} == {str(workspace)}


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (NanoctxError("a is b: do c"), 1, "a is b: do c"),
        (UsageError("wrong"), 2, "wrong"),
        (WorkspaceError("broken"), 3, "broken"),
        (KeyboardInterrupt(), 130, "stopped"),
        (click.Abort(), 130, "stopped"),
        (OSError(errno.EACCES, "Permission denied", "/x"), 1, "/x: Permission denied"),
        (ZeroDivisionError("by zero"), 1, "this is a bug in nanoctx (ZeroDivisionError in test_main.py"),
        (RecursionError("deep"), 1, "this is a bug"),
    ],
)
def test_every_error_is_a_sentence_and_a_code(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, sentence: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(program.Commands, "invoke", fail)
    said = run("status")
    assert said.code == code and said.out == ""
    assert said.err.startswith(f"nanoctx: {sentence}") and said.err.count("\n") == 1
    monkeypatch.setenv("NANOCTX_DEBUG", "1")
    assert "Traceback" in run("status").err


def test_a_clock_set_to_nonsense_is_one_sentence(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOCTX_NOW", "soon")
    said = run("show", "context", "--workspace", workspace)
    assert said.code == 2 and "NANOCTX_NOW" in said.err


def test_broken_settings_stop_every_command_and_nothing_changes(run: Run, workspace: Path) -> None:
    (workspace / "nanoctx.toml").write_text("[page]\nbudget = 'many'\n")
    for command in (
        ["observe"],
        ["status"],
        ["check"],
        ["show", "context"],
        ["why", "x"],
        ["init", workspace],
    ):
        said = run(*command) if command[0] == "init" else run(*command, "--workspace", workspace)
        assert said.code == 3 and "page.budget" in said.err and said.err.count("\n") == 1


def _program(*arguments: str, **more: object) -> subprocess.Popen[bytes]:
    code = "import sys; from nanoctx.cli.main import main; sys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        **more,  # type: ignore[call-overload]
    )


def test_a_reader_that_leaves_early_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = _program("--help", stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=9)
    assert (process.returncode, err) == (0, b"")


def test_a_terminal_without_unicode_gets_what_it_can_show(workspace: Path) -> None:
    page = workspace / "CONTEXT.md"
    page.write_text(page.read_text() + "\n## Notes\n- 15k → 1.9k, größer\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    code = "import sys; from nanoctx.cli.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "show", "context", "--workspace", str(workspace)],
        env=environment,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
