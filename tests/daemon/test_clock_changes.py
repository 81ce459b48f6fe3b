"""Whatever becomes of the clock, the page says what it says now, and all that is due is due in time."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from claude_log import ClaudeLog
from daemon.desk_clock import Clock, kept

from nanoctx.disk import workspace
from nanoctx.disk.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
SetClock = Callable[[datetime], Clock]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "tidewatch"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    return folder.resolve()


@pytest.fixture
def ws(repo: Path) -> Workspace:
    return workspace.init(None, repo, os.environ).workspace


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    return lambda begin: Clock(begin, monkeypatch)


def session(repo: Path, last: datetime) -> ClaudeLog:
    """A session that was left at this moment."""
    log = ClaudeLog(Path(os.environ["HOME"]), repo, start=last - 3 * MINUTE)
    log.prompt("Please build the tide gauge parser").say("The parser reads all gauges now.").leave()
    os.utime(log.path, (last.timestamp(), last.timestamp()))
    return log


def said(ws: Workspace) -> str:
    """What the page says of the last session's age."""
    lines = ws.context_page.read_text().split("\n")
    return next(line for line in lines if line.startswith("- Last session:")).rpartition(", ")[2]


@pytest.mark.parametrize("by", [DAY, -DAY])
def test_a_clock_that_is_set_by_a_day(repo: Path, ws: Workspace, set_clock: SetClock, by: timedelta) -> None:
    begin = datetime(2026, 2, 12, 9, tzinfo=UTC)
    session(repo, begin - 3 * DAY)
    clock = set_clock(begin)
    with kept(clock) as held:
        assert said(ws) == "3 days ago"
        seen = {path: path.read_bytes() for path in ws.observation_files()}
        for jump, words in ((by, f"{3 + by.days} days ago"), (-by, "3 days ago")):
            clock.jump(jump)
            held.until(lambda words=words: said(ws) == words, words)  # type: ignore[misc]
            held.settle()
            told = held.one()
            ahead = datetime.fromisoformat(told["next_cycle"]) - clock.now()
            assert timedelta(hours=1, minutes=55) < ahead <= timedelta(hours=2)
            at = datetime.fromisoformat(told["page_true_until"])
            assert timedelta() < at - clock.now() <= DAY
            assert abs(datetime.fromisoformat(told["last_cycle"]) - clock.now()) < MINUTE  # made up for
            assert not told["errors"]
        assert held.told()["jumps"] == 2
        assert {path: path.read_bytes() for path in ws.observation_files()} == seen


def test_many_hours_of_sleep_are_one_cycle(repo: Path, ws: Workspace, set_clock: SetClock) -> None:
    begin = datetime(2026, 2, 12, 9, tzinfo=UTC)
    session(repo, begin - MINUTE)
    clock = set_clock(begin)
    with kept(clock) as held:
        before = held.told()["news"]
        clock.jump(timedelta(hours=20))  # ten before were missed, and one boundary each hour
        held.until(lambda: held.told()["jumps"], "the sleep was noticed")
        held.settle()
        held.go_on(1.0)
        assert [one["text"] for one in held.told()["news"][len(before) :] if "looking at" in one["text"]] == [
            "looking at everything: 72000 s went by at once"
        ]
        assert held.one()["looks"] <= 4  # at the beginning, for the sleep, and no more than a late mark each
        assert said(ws) == "yesterday"


@pytest.mark.parametrize(
    ("boundary", "last", "before", "after"),
    [
        # The hour that is left out: an hour after half past one it is half past three.
        ("2026-03-29T01:00:00Z", "2026-03-29T00:30:00Z", "29 min ago", "30 min ago"),
        # Local midnight after the day of 23 hours: an hour earlier in UTC.
        ("2026-03-29T22:00:00Z", "2026-03-29T10:00:00Z", "11 hours ago", "yesterday"),
        # The hour that comes twice: after half past two it is half past two again, an hour later.
        ("2026-10-25T01:00:00Z", "2026-10-25T00:00:00Z", "59 min ago", "1 h ago"),
        # Local midnight after the day of 25 hours.
        ("2026-10-25T23:00:00Z", "2026-10-25T09:00:00Z", "13 hours ago", "yesterday"),
    ],
)
def test_a_boundary_on_a_day_on_which_clocks_change(
    repo: Path,
    ws: Workspace,
    set_clock: SetClock,
    monkeypatch: pytest.MonkeyPatch,
    boundary: str,
    last: str,
    before: str,
    after: str,
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    session(repo, datetime.fromisoformat(last))
    moment = datetime.fromisoformat(boundary)
    clock = set_clock(moment - timedelta(seconds=3))
    with kept(clock) as held:
        assert said(ws) == before and clock.now() < moment, "the machine was too slow to begin in time"
        held.until(lambda: said(ws) == after, after)
        assert moment <= clock.now() < moment + timedelta(seconds=3)
        assert held.told()["jumps"] == 0 and not held.one()["errors"]


def test_the_words_about_time_wait_while_somebody_edits(
    repo: Path, ws: Workspace, set_clock: SetClock
) -> None:
    begin = datetime(2026, 2, 12, 9, 29, 57, tzinfo=UTC)
    session(repo, begin.replace(minute=0, second=0))
    with kept(set_clock(begin)) as held:
        assert said(ws) == "29 min ago"
        swap = ws.root / f".{ws.context_page.name}.swp"  # vim has the page open
        swap.write_bytes(b"")
        before = ws.context_page.stat()
        held.go_on(4.0)
        after = ws.context_page.stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
        waits = datetime.fromisoformat(held.told()["workspaces"][0]["page_true_until"])
        assert waits == begin.replace(minute=30, second=0)  # it knows
