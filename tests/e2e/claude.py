"""The real Claude Code: got from npm, run against a scripted model, with nobody's account and home."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PACKAGE = "@anthropic-ai/claude-code"
# Kept between runs and gone with `make clean`; npm has a cache of its own for the next clean clone.
CACHE = Path(__file__).parents[2] / ".venv" / "e2e" / "claude-code"
MODEL = "claude-sonnet-4-5"
KEY = "sk-ant-nobody-nothing-00000000000000"
_PATIENCE = 2.0  # seconds in which the client reacts to a key
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


def install() -> str | None:
    """Put the latest client into the cache. Answers what went wrong, if it did; one that is there stays."""
    if shutil.which("npm") is None:
        return "npm is not on the path"
    CACHE.mkdir(parents=True, exist_ok=True)
    quietly = ["--no-audit", "--no-fund", "--fetch-retries=1"]
    npm = ["npm", "install", *quietly, "--prefix", str(CACHE), f"{PACKAGE}@latest"]
    seconds = 60 if find() else 300
    try:
        done = subprocess.run(npm, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"npm took more than {seconds} s"
    return None if done.returncode == 0 else f"npm failed: {done.stderr.strip()[-300:]}"


def find() -> Path | None:
    """The program itself: it is native, so no Node is needed to run it."""
    programs = CACHE.glob("node_modules/@anthropic-ai/claude-code-*/claude")
    return next((program for program in sorted(programs) if os.access(program, os.X_OK)), None)


def until(what: str, found: Callable[[], T], seconds: float = 60) -> T:
    """Wait for something to be true, and say what was waited for if it never is."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.05)
    return value


@dataclass
class Screen:
    """A terminal with a person at it."""

    process: subprocess.Popen[bytes]
    _master: int
    _seen: bytearray = field(default_factory=bytearray)
    _entered: int = 0

    def __post_init__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError):
            while data := os.read(self._master, 65536):
                self._seen += data

    @property
    def text(self) -> str:
        """All that was drawn since the last line entered, without blanks: often only the cursor is moved."""
        drawn = _ESCAPES.sub(b"", bytes(self._seen[self._entered :]))
        return _without_blanks(drawn.decode(errors="replace"))

    def shows(self, words: str) -> None:
        wanted = _without_blanks(words)
        try:
            until(f"{words!r} on the screen", lambda: wanted in self.text)
        except AssertionError as error:
            error.add_note(f"It says: {self.text[-2000:]}")
            raise

    def enter(self, line: str) -> None:
        """Type a line, see it stand there, and press Enter."""
        self._entered = len(self._seen)
        os.write(self._master, line.encode())
        self.shows(line)
        self._entered = len(self._seen)
        os.write(self._master, b"\r")

    def command(self, line: str, what: str, done: Callable[[], bool]) -> None:
        """Enter a command of the client's own and wait until it is done.

        While its menu of commands is still being drawn, the client may take Enter for a choice in it: then
        the line still stands there, and Enter is pressed again. With no line there it does nothing.
        """
        self.enter(line)
        pressed = time.monotonic()

        def is_done() -> bool:
            nonlocal pressed
            if not done() and time.monotonic() > pressed + _PATIENCE:
                pressed = time.monotonic()
                with suppress(OSError):  # it may end at this moment
                    os.write(self._master, b"\r")
            return done()

        until(f"{line}: {what}", is_done)


def _without_blanks(text: str) -> str:
    return re.sub(r"\s", "", text)


@dataclass(frozen=True)
class Claude:
    program: Path
    url: str
    home: Path
    folder: Path

    def ask(self, prompt: str, *arguments: str, **environment: str) -> str:
        """One session with no person at it (`claude -p`); answers with what was printed."""
        command = [*self._command(), "-p", prompt, *arguments]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def command(self, *words: str, **environment: str) -> str:
        """A command of the program's own, such as `plugin list`; answers with what was printed."""
        done = subprocess.run(
            [str(self.program), *words],
            cwd=self.folder,
            env=self._environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def opened(self, **environment: str) -> Iterator[Screen]:
        """A session with a person at it, who leaves by `/exit` or is gone when the test is."""
        self._answer_first_questions()
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        process = subprocess.Popen(
            self._command(),
            cwd=self.folder,
            env=self._environment(environment),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        screen = Screen(process, master)
        try:
            screen.shows("❯")  # before it asks, what is typed is lost
            yield screen
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(master)

    def _command(self) -> list[str]:
        allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Write"]
        return [str(self.program), "--model", MODEL, *allowed]

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name.startswith("XDG_")}
        return {
            **kept,
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "xterm-256color",
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            **more,
        }

    def _answer_first_questions(self) -> None:
        """What the client asks a person once: its welcome, and whether folder and key are trusted."""
        settings = self.home / ".claude.json"
        known = json.loads(settings.read_text()) if settings.exists() else {}
        known |= {"hasCompletedOnboarding": True, "theme": "dark"}
        known["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        projects = known.setdefault("projects", {})
        projects[str(self.folder)] = {**projects.get(str(self.folder), {}), **trusted}
        settings.write_text(json.dumps(known))
