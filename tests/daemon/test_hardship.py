"""What a process meets that runs for months: stops, drives that go and come back, events that are dropped."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_desk import Desk

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SOON = 3.0
BACK = 10.0  # what went away is missed and found within a few turns
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")


def _page(desk: Desk, words: str, within: float = SOON) -> float:
    return desk.wait(lambda: words in desk.text(), f"the page says: {words}", within)


def _pause(desk: Desk) -> None:
    assert desk.process is not None
    desk.process.send_signal(signal.SIGSTOP)


def _go_on(desk: Desk) -> None:
    assert desk.process is not None
    desk.process.send_signal(signal.SIGCONT)


def _files(top: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file() and ".state" not in path.parts
    }


def _lives(pid: str) -> bool:
    """Not one that has ended, and only waits for somebody to take note of it."""
    with contextlib.suppress(OSError):
        return b") Z " not in Path("/proc", pid, "stat").read_bytes()
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell what lives")
def test_told_to_go_while_git_hangs(tmp_path: Path) -> None:
    git, hangs, pids = shutil.which("git"), tmp_path / "hangs", tmp_path / "pids"
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "git"
    fake.write_text(f'#!/bin/sh\nif [ -e {hangs} ]; then echo $$ >> {pids}; sleep 60; fi\nexec {git} "$@"\n')
    fake.chmod(0o755)
    desk = Desk(tmp_path, {**os.environ, "PATH": f"{fake.parent}:{os.environ['PATH']}"})
    desk.make_repo()
    try:
        desk.start()
        hangs.touch()
        desk.session().prompt("Please build the tide gauge parser")
        desk.wait(pids.exists, "a look waits for git", BACK)
        time.sleep(0.3)
        assert desk.end() < 2.0
        asked = pids.read_text().split()
        desk.wait(lambda: not any(map(_lives, asked)), "no child is left", 1.0)
    finally:
        desk.end()


@pytest.mark.parametrize("seconds", [2.0, 13.0])  # the second is long enough to count as a suspend
def test_stopped_and_continued(desk: Desk, seconds: float) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
    _pause(desk)
    log.say("It reads gauges now.").leave()
    other = desk.session()
    other.prompt("The moon phase calculator is next")
    desk.git("commit", "-q", "--allow-empty", "-m", "Repair the harbour light")
    time.sleep(seconds)
    _go_on(desk)
    _page(desk, "moon phase")
    desk.wait(lambda: "ended_by: exit" in desk.observation(log), "the first session has ended", SOON)
    desk.settle()
    told = desk.ask()
    assert told["jumps"] == (1 if seconds > 10 else 0)
    assert not told["workspaces"][0]["errors"]


def test_an_unmounted_folder_of_logs_takes_nothing_away(desk: Desk) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser").say("It reads gauges now.").leave()
    desk.wait(lambda: "ended_by: exit" in desk.observation(log), "ended", SOON)
    desk.settle()
    kept = _files(desk.root)
    logs, away = desk.home / ".claude" / "projects", desk.top / "away"
    logs.rename(away)
    logs.mkdir()  # the mount point
    time.sleep(3.0)
    desk.git("commit", "-q", "--allow-empty", "-m", "Repair the harbour light")  # there is a reason to look
    _page(desk, "Repair the harbour light", 5.0)
    desk.settle()
    now = _files(desk.root)
    assert {path: text for path, text in now.items() if "observations" in path} == {
        path: text for path, text in kept.items() if "observations" in path
    }
    assert "tide gauge parser" in desk.text()
    assert list(logs.iterdir()) == []
    logs.rmdir()
    away.rename(logs)
    desk.session().prompt("The moon phase calculator is next")
    _page(desk, "moon phase", BACK)


def test_nothing_is_made_in_the_place_of_an_unmounted_workspace(desk: Desk) -> None:
    drive = desk.top / "drive"
    drive.mkdir()
    assert desk.run("init", str(drive / "notes"), cwd=desk.top).returncode == 0
    page = drive / "notes" / "CONTEXT.md"
    desk.session().prompt("Please build the tide gauge parser")
    desk.wait(lambda: page.exists() and "tide gauge parser" in page.read_text(), "both pages", BACK)
    desk.settle()
    kept = _files(drive)
    away = desk.top / "away"
    drive.rename(away)
    drive.mkdir()  # the mount point
    desk.session().prompt("The moon phase calculator is next")
    _page(desk, "moon phase")  # the other workspace goes on
    desk.wait(lambda: any(not one["there"] for one in desk.ask()["workspaces"]), "it is missed", BACK)
    time.sleep(2.5)
    assert list(drive.iterdir()) == []
    assert _files(away) == {path.replace(str(drive), str(away), 1): text for path, text in kept.items()}
    drive.rmdir()
    away.rename(drive)
    desk.wait(lambda: "moon phase" in page.read_text(), "delivered when it is back", BACK)


def test_a_workspace_that_git_cleaned_away_comes_back(desk: Desk) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser").say("It reads gauges now.").leave()
    desk.wait(lambda: "ended_by: exit" in desk.observation(log), "ended", SOON)
    desk.settle()
    desk.git("clean", "-q", "-fdx")
    desk.wait(lambda: "tide gauge parser" in desk.text(), "it is back", 20.0)


@pytest.mark.skipif(not QUEUE.exists(), reason="Linux tells how many events it keeps")
def test_dropped_events_are_made_up_for(desk: Desk) -> None:
    most = int(QUEUE.read_text())
    if most > 50_000:
        pytest.skip("too many events to make")
    watches = desk.ask()["watches"]
    folder = desk.home / ".claude" / "projects" / "-elsewhere"
    folder.mkdir(parents=True)
    desk.session().prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser", BACK)
    # That of all logs and the two in it.
    desk.wait(lambda: desk.ask()["watches"] >= watches + 3, "the folder is watched", BACK)
    _pause(desk)
    for number in range(most // 2 + 500):  # made and written: two events each
        (folder / f"{number % 3000}-{number}.txt").write_text("x")
    log = desk.session()
    log.prompt("The moon phase calculator is next")
    _go_on(desk)
    _page(desk, "moon phase", 2 * BACK)
    assert desk.ask()["overflows"] >= 1


@pytest.fixture
def crowded(tmp_path: Path) -> Iterator[Desk]:
    """A home in which agents keep many folders, and a repository that has many."""
    desk = Desk(tmp_path, dict(os.environ))
    desk.make_repo()
    for number in range(5000):
        (desk.home / ".claude" / "projects" / f"-work-{number}").mkdir(parents=True)
        (desk.repo / "deep" / str(number // 100) / str(number)).mkdir(parents=True)
    try:
        desk.start()
        yield desk
    finally:
        desk.end()


def test_thousands_of_folders(crowded: Desk) -> None:
    desk = crowded
    told = desk.ask()
    assert told["watches"] + told["unwatched"] < 5100  # those of the logs: never the work tree
    desk.session().prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser", BACK)
    (desk.repo / "deep" / "0" / "0" / "a.txt").write_text("x")
    desk.git("commit", "-q", "--allow-empty", "-m", "Repair the harbour light")
    log = desk.session()
    log.prompt("The moon phase calculator is next").leave()
    _page(desk, "moon phase")
    desk.settle()
    before, begun = desk.ask()["cpu_seconds"], time.monotonic()
    time.sleep(6.0)
    share = (desk.ask()["cpu_seconds"] - before) / (time.monotonic() - begun)
    assert share < 0.02, f"{share:.1%} of a processor while nothing happens"


def test_settings_that_cannot_be_read_stop_one_workspace_until_they_are_mended(desk: Desk) -> None:
    other = desk.top / "other"
    other.mkdir()
    desk.git("init", "-q", repo=other)
    assert desk.run("init", cwd=other).returncode == 0
    desk.wait(lambda: len(desk.ask()["workspaces"]) == 2, "the new workspace is kept", BACK)
    desk.settle()
    (other / ".nanoctx" / "nanoctx.toml").write_text("[page]\nbudget = 'much'\n")
    desk.wait(lambda: any(one["errors"] for one in desk.ask()["workspaces"]), "it says what is wrong", BACK)
    desk.session().prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
    (other / ".nanoctx" / "nanoctx.toml").write_text("[page]\nbudget = 400\n")
    desk.wait(lambda: not any(one["wants"] for one in desk.ask()["workspaces"]), "mended", BACK)


def test_what_cannot_be_read_stops_nothing(desk: Desk) -> None:
    folder = desk.session().prompt("Please build the tide gauge parser").path.parent
    _page(desk, "tide gauge parser")
    (folder / "broken.jsonl").write_bytes(b"\xff\xfe{{{\n" * 100)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "folder.jsonl").mkdir()
    (desk.home / ".codex" / "sessions" / "2026" / "01" / "01").mkdir(parents=True)
    deep = "[" * 200_000
    (folder / "deep.jsonl").write_text(json.dumps({"cwd": str(desk.repo)}) + "\n" + deep + "\n")
    desk.session().prompt("The moon phase calculator is next")
    _page(desk, "moon phase")
