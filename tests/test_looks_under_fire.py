"""Looks killed at any moment, and people who save while a look writes: nothing torn, nothing lost."""

from __future__ import annotations

import os
import random
import re
import signal
import tempfile
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from claude_log import ClaudeLog

from nanoctx import observer
from nanoctx.core.context import SECTIONS
from nanoctx.disk import observations, workspace
from nanoctx.disk.workspace import Workspace

NOW = datetime(2026, 2, 12, 15, 0, tzinfo=UTC)


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return workspace.init(tmp_path / "ws", tmp_path, os.environ).workspace


@pytest.fixture
def log(tmp_path: Path) -> ClaudeLog:
    made = ClaudeLog(Path(os.environ["HOME"]), tmp_path / "tidewatch")
    return made.prompt("Show the heights in feet as well").edit("tide/table.py").say("It shows feet as well.")


def look(ws: Workspace, log: ClaudeLog, now: datetime = NOW) -> None:
    observer.observe(ws, now=now, zone=UTC, agent="claude-code", log=log.path)


def forked(work: object) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()  # type: ignore[operator]
        finally:
            os._exit(0)
    return child


def assert_whole(ws: Workspace, before: str) -> str:
    """Every file is the old or the new version."""
    assert not observations.load_all(ws.root).problems
    text = ws.context_page.read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert tuple(headings) == SECTIONS and text.endswith("\n"), text
    return text


def storm(ws: Workspace, log: ClaudeLog, kills: int, rng: random.Random) -> None:
    look(ws, log)
    took = time.monotonic()
    look(ws, log.say("One more."))
    took = time.monotonic() - took
    text = ""
    for number in range(kills):
        log.prompt(f"Change number {number} of the table").edit(f"tide/t{number % 7}.py").say(
            f"Changed number {number}."
        )
        child = forked(lambda: look(ws, log))
        time.sleep(rng.uniform(0, took * 1.2))  # the moment of the kill is what is tried out
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        text = assert_whole(ws, text)
    look(ws, log)
    assert f"Change number {kills - 1} of" in assert_whole(ws, text)
    (seen,) = observations.load_all(ws.root).observations
    assert seen.prompts == kills + 1
    observer.observe(
        ws, now=datetime.now(UTC) + timedelta(days=1), zone=UTC, agent="claude-code", log=log.path
    )
    assert not list(ws.root.rglob("*nanoctx-tmp*")), "temporary files are swept away"


def test_a_look_killed_at_any_moment_tears_nothing(ws: Workspace, log: ClaudeLog, rng: random.Random) -> None:
    storm(ws, log, 20, rng)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_five_hundred_kills_tear_nothing(ws: Workspace, log: ClaudeLog, rng: random.Random) -> None:
    storm(ws, log, 500, rng)


def save(path: Path, text: str, style: str) -> None:
    """As editors do it: by a new file in its place, or by truncating and writing."""
    if style == "rename":
        handle, name = tempfile.mkstemp(dir=path.parent.parent)
        os.write(handle, text.encode())
        os.close(handle)
        Path(name).replace(path)
    else:
        path.write_text(text, encoding="utf-8")


def saves_against_looks(ws: Workspace, log: ClaudeLog, saves: int, rng: random.Random) -> None:
    look(ws, log)

    def keep_looking() -> None:
        for number in range(100_000):
            log.say(f"Looked once more, number {number}.")
            look(ws, log, NOW + timedelta(seconds=number))

    child = forked(keep_looking)
    said: list[str] = []
    try:
        for number in range(saves):
            text = ws.context_page.read_text(encoding="utf-8")
            line = f"- the person's line {number}."
            section = rng.choice(("## Recent\n", "## External\n", "## Now\n"))
            if section in text:
                said.append(line)
                save(
                    ws.context_page,
                    text.replace(section, f"{section}{line}\n", 1),
                    rng.choice(("rename", "write")),
                )
            time.sleep(rng.uniform(0, 0.004))  # a person's pause; how long is what is tried out
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    look(ws, log, NOW + timedelta(days=2))
    kept = ws.context_page.read_text(encoding="utf-8")
    conflicts = "".join(path.read_text(encoding="utf-8") for path in ws.root.glob("conflicts/*"))
    lost = [line for line in said if line not in kept and line not in conflicts]
    assert len(said) > saves // 2 and not lost
    assert all(kept.count(f"{line}\n") <= 1 for line in said)


def test_a_person_who_saves_while_looks_go_on_loses_no_line(
    ws: Workspace, log: ClaudeLog, rng: random.Random
) -> None:
    saves_against_looks(ws, log, 40, rng)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_five_hundred_saves_against_looks_lose_no_line(
    ws: Workspace, log: ClaudeLog, rng: random.Random
) -> None:
    saves_against_looks(ws, log, 500, rng)
