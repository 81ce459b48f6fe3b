"""A repository in which a session was observed, and the real script that agents call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from claude_log import ClaudeLog

from nanoctx.cli.main import main
from nanoctx.hook import DEADLINE

SCRIPT = Path(sys.executable).parent / "nanoctx-hook"
NOW = "2026-02-12T10:00:00Z"
GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")


@dataclass(frozen=True, slots=True)
class Fired:
    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """What the model is given; the answer must be Claude Code's form or nothing."""
        if not self.out:
            return ""
        answer = json.loads(self.out)
        assert list(answer) == ["hookSpecificOutput"]
        inner = answer["hookSpecificOutput"]
        assert set(inner) == {"hookEventName", "additionalContext"}
        assert inner["hookEventName"] == "SessionStart"
        assert isinstance(inner["additionalContext"], str)
        return str(inner["additionalContext"])

    def section(self, name: str) -> list[str]:
        _, _, rest = self.text.partition(f"\n## {name}\n")
        return rest.split("\n\n")[0].splitlines() if rest else []


@dataclass(frozen=True, slots=True)
class Scene:
    repo: Path
    log: ClaudeLog

    @property
    def workspace(self) -> Path:
        return self.repo / ".nanoctx"

    def payload(self, source: str = "startup", **more: Any) -> dict[str, Any]:
        return {
            "session_id": "a-new-session",
            "transcript_path": str(self.log.path.parent / "a-new-session.jsonl"),
            "cwd": str(self.repo),
            "hook_event_name": "SessionStart",
            "source": source,
            **more,
        }


Fire = Callable[..., Fired]


def fire(
    event: str,
    payload: object,
    env: Mapping[str, str] | None = None,
    client: str = "claude-code",
    **more: Any,
) -> Fired:
    """Call the script as a host does: JSON on its standard input, the answer on its output.

    On a machine busy with other tests the deadline may come before the answer: then it is called again.
    """
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    for _ in range(10):
        begun = time.monotonic()
        done = subprocess.run(
            [SCRIPT, event, "--client", client],
            input=data,
            capture_output=True,
            timeout=8,
            env={**os.environ, **(env or {})},
            check=False,
            **more,
        )
        if done.stdout or time.monotonic() - begun < DEADLINE:
            break
    return Fired(done.returncode, done.stdout, done.stderr)


def git(repo: Path, *words: str, at: str = "") -> str:
    """Run git as Ann; `at` is the date of the commit that is made."""
    env = {**os.environ, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else None
    done = subprocess.run([*GIT, *words], cwd=repo, check=True, capture_output=True, text=True, env=env)
    return done.stdout.strip()


def command(*words: object) -> None:
    assert main([str(word) for word in words]) == 0


def wait_for(claim: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 8
    while not claim():
        assert time.monotonic() < deadline, f"not in time: {what}"
        time.sleep(0.02)


def looks(folder: Path) -> list[str]:
    """The processes that were started with a path in this folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if any(word.startswith(os.fsencode(folder)) for word in words):
            found.append(entry.parent.name)
    return found


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setenv("NANOCTX_NOW", NOW)
    repo = (tmp_path / "tide").resolve()
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    git(repo, "commit", "-q", "--allow-empty", "-m", "Begin", at="2026-02-01T08:00:00Z")
    log = ClaudeLog(Path(os.environ["HOME"]), repo)
    log.prompt("Never use tabs in this project, always four spaces.").say("Understood.")
    log.prompt("Let the gauge reader accept times in UTC and fix the parser in gauge.py")
    log.edit("gauge.py").shell("pytest -q", "14 passed in 0.2s")
    log.say("Gauge times are read as UTC now and all 14 tests pass.")
    # Written when it says it was: a log newer than the answer starts a look.
    os.utime(log.path, (log.now.timestamp(), log.now.timestamp()))
    monkeypatch.chdir(repo)
    command("init")
    command("observe")
    return Scene(repo, log)
