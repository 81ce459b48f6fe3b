"""A person's home and repository, and what they do there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from e2e.claude import Claude, Screen, until
from e2e.scripted_model import ScriptedModel

NANOCTX = Path(sys.executable).with_name("nanoctx")


@dataclass(frozen=True)
class Desk:
    """A person's home and repository, with the client and a model that follows a script."""

    home: Path
    repository: Path
    model: ScriptedModel
    claude: Claude

    def nanoctx(self, *arguments: str) -> str:
        return _run([str(NANOCTX), *arguments], self.repository)

    def git(self, *arguments: str, name: str = "Ann") -> str:
        who = ["-c", f"user.name={name}", "-c", f"user.email={name.lower()}@example.org"]
        return _run(["git", *who, *arguments], self.repository)

    def quiet(self) -> None:
        """Wait until nothing that was started from this home runs any more: the last look is done."""
        until("every process at this desk to end", lambda: not self.processes())

    def processes(self) -> list[str]:
        mark = f"HOME={self.home}".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append(
                        (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    )
            except OSError:
                continue  # it has just ended
        return found

    def page(self) -> str:
        return (self.repository / ".nanoctx" / "CONTEXT.md").read_text()


@contextmanager
def background(env: Mapping[str, str] = os.environ) -> Iterator[None]:
    """The background process at work for this user."""
    running = subprocess.Popen([str(NANOCTX), "run", "--quiet"], env=env)
    socket = Path(env["XDG_RUNTIME_DIR"], "nanoctx", "api.sock")
    try:
        until("the background process to listen", lambda: socket.exists() or running.poll() is not None)
        assert running.poll() is None
        yield
    finally:
        running.terminate()
        assert running.wait(20) == 0


def say(screen: Screen, prompt: str, answer: str) -> None:
    screen.enter(prompt)
    screen.shows(answer)


def compact(screen: Screen) -> None:
    screen.command("/compact", "the client says so", lambda: "Compacted" in screen.text)


def leave(screen: Screen) -> None:
    screen.command("/exit", "the client has ended", lambda: screen.process.poll() is not None)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout
