"""A home of its own with a workspace, a background process in it, and somebody who waits for what it does."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from claude_log import ClaudeLog

NANOCTX = (sys.executable, "-P", "-m", "nanoctx")
LONGEST = 25.0  # seconds: a machine that others use, too, may keep us waiting


class LiveLog(ClaudeLog):
    """A session of Claude Code that happens now."""

    used, ago = 1000, timedelta(0)

    def _write(self, kind: str, content: object) -> ClaudeLog:
        self.now = datetime.now(UTC) - timedelta(minutes=1) - self.ago
        with self.path.open("ab") as file:
            before = file.tell()
        super()._write(kind, content)
        if self.used != 1000 and kind == "assistant":
            with self.path.open("r+b") as file:
                file.seek(before)
                line = file.read()
                file.seek(before)
                file.write(line.replace(b'"input_tokens": 1000', b'"input_tokens": %d' % self.used))
        return self


class Desk:
    def __init__(self, top: Path, env: dict[str, str]) -> None:
        self.top, self.env = top, {**env, "PYTHONUNBUFFERED": "1"}
        self.home = Path(env["HOME"])
        self.repo = top / "tidewatch"
        self.process: subprocess.Popen[bytes] | None = None
        self.number = 0

    @property
    def root(self) -> Path:
        return self.repo / ".nanoctx"

    @property
    def page(self) -> Path:
        return self.root / "CONTEXT.md"

    def text(self) -> str:
        try:
            return self.page.read_text(encoding="utf-8")
        except OSError:
            return ""

    def git(self, *words: str, repo: Path | None = None) -> None:
        own = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org"}
        own |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org"}
        subprocess.run(["git", *words], cwd=repo or self.repo, env=self.env | own, check=True)

    def make_repo(self) -> None:
        self.repo.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("commit", "-q", "--allow-empty", "-m", "Begin")
        self.run("init")

    def run(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*NANOCTX, *words],
            cwd=cwd or self.repo,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self) -> None:
        self.process = subprocess.Popen([*NANOCTX, "run", "--quiet"], env=self.env)
        self.wait(lambda: bool(self.told()), "the process answers")
        self.settle()

    def told(self) -> dict[str, Any]:
        said = self.run("--json", "status")
        process = json.loads(said.stdout)["process"] if said.returncode == 0 else None
        return process or {}

    def ask(self) -> dict[str, Any]:
        from nanoctx.daemon import control

        return control.ask(self.env) or {}

    def settle(self) -> None:
        """Until all workspaces were looked at and want nothing."""

        def is_calm() -> bool:
            told = self.ask().get("workspaces", [])
            return bool(told) and all(
                (one["last_look"] or not one["there"])
                and not one["working"]
                and (not one["wants"] or not one["there"])
                for one in told
            )

        self.wait(is_calm, "the process comes to rest")

    def session(self, ago: timedelta = timedelta(0)) -> LiveLog:
        self.number += 1
        log = LiveLog(self.home, self.repo, f"{self.top}-{self.number}")
        log.ago = ago
        return log

    def observation(self, log: ClaudeLog) -> str:
        for path in self.root.glob("observations/*/*/*.md"):
            text = path.read_text(encoding="utf-8")
            if log.session in text:
                return text
        return ""

    def wait(self, is_so: Callable[[], object], what: str, longest: float = LONGEST) -> float:
        begun = time.monotonic()
        while not is_so():
            waited = time.monotonic() - begun
            assert waited < longest, f"not within {longest} s: {what}\n{self.text()}\n{self._log()}"
            time.sleep(0.02)
        return time.monotonic() - begun

    def end(self) -> float:
        """Tell it to go; returns how long that took."""
        if self.process is None:
            return 0.0
        begun = time.monotonic()
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(8)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None
        return time.monotonic() - begun

    def _log(self) -> str:
        log = Path(self.env["XDG_STATE_HOME"]) / "nanoctx" / "daemon.log"
        return log.read_text(encoding="utf-8") if log.exists() else "no log"


@contextlib.contextmanager
def running(top: Path) -> Iterator[Desk]:
    desk = Desk(top, dict(os.environ))
    desk.make_repo()
    try:
        desk.start()
        yield desk
    finally:
        desk.end()
