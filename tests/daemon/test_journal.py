"""The log of the background process stays small, and stops nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from nanoctx.daemon import journal


def test_the_log_is_put_aside_when_it_has_grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "LARGEST", 2000)
    path = tmp_path / "state" / "nanoctx" / "daemon.log"
    with journal.kept(path, echo=False):
        for number in range(400):
            journal.log.info("looked at the workspace for the %d. time", number)
    found = sorted(file.name for file in path.parent.iterdir())
    assert found == ["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3"]
    assert all(file.stat().st_size < 2200 for file in path.parent.iterdir())
    numbers = [
        int(line.split()[-2].rstrip("."))
        for name in reversed(found)
        for line in (path.parent / name).read_text().splitlines()
    ]
    assert numbers == list(range(numbers[0], 400))  # the latest, in order, none lost between two files
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0  # nobody else's


def test_lines_of_a_trace_belong_to_what_they_are_of(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    with journal.kept(path, echo=False):
        journal.log.warning("it failed\nTraceback\n  why")
    first, *rest = path.read_text().splitlines()
    assert first.endswith("warning it failed") and first[:4].isdecimal()
    assert rest == ["    Traceback", "      why"]


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder would be")
    with journal.kept(tmp_path / "state" / "daemon.log", echo=False):
        journal.log.info("begun")
    assert (tmp_path / "state").read_text() == "a file where the folder would be"
