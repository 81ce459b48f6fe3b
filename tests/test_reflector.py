"""A cycle end to end: what sessions said, and what a person did to MEMORY.md."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanoctx import reflector
from nanoctx.core import items
from nanoctx.disk import observations, workspace
from nanoctx.model import Item, Observation

START = datetime(2026, 2, 12, 9, tzinfo=UTC)
DAY = timedelta(days=1)


class Place:
    """A workspace in which sessions are told and cycles are run."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        self.ws = workspace.init(root, root.parent, env).workspace
        self.now = START
        self.count = 0

    @property
    def page(self) -> Path:
        return self.ws.memory_page

    def session(
        self, *told: Item, project: str = "gauge", files: tuple[str, ...] = (), branch: str = "main"
    ) -> str:
        self.count += 1
        self.now += timedelta(hours=1)
        session = f"session-{self.count}"
        one = Observation(
            id=items.observation_id("claude-code", session),
            agent="claude-code",
            session=session,
            project=project,
            branch=branch,
            started=self.now,
            last=self.now,
            prompts=3,
            files=files,
            items=told,
        )
        observations.save(self.ws.root, one)
        return one.id

    def cycle(self, after: timedelta = DAY) -> reflector.Report:
        self.now += after
        return reflector.reflect(self.ws, now=self.now, zone=UTC)

    def lines(self, word: str = "") -> list[str]:
        return [line for line in self.page.read_text().split("\n") if line.startswith("- ") and word in line]

    def replace(self, old: str, new: str) -> None:
        text = self.page.read_text()
        assert old in text
        self.page.write_text(text.replace(old, new, 1))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return Place(tmp_path / "ws", env)


def rule(text: str, pos: int = 5) -> Item:
    return Item("rule", text, pos, by="user")


def dec(text: str, pos: int = 7, by: str = "user", grade: str = "claimed") -> Item:
    return Item("dec", text, pos, grade, by)


def test_the_same_rule_in_three_sessions_is_one_line(place: Place) -> None:
    place.session(rule("Never commit without running the linter"))
    place.session(rule("never commit without running the linter!"))
    place.session(rule("Please never commit without running the linter first"))
    place.cycle()
    (line,) = place.lines("linter")
    assert "seen 3" in line and re.search(r" \^m[a-z2-7]{8}$", line)


def test_a_changed_decision_supersedes(place: Place) -> None:
    place.session(dec("Use SQLite for the readings cache"))
    place.session(dec("Use Postgres for the readings cache"))
    place.cycle()
    old, new = (
        place.lines(f"Use {name} for the readings cache (") or place.lines(name)
        for name in ("SQLite", "Postgres")
    )
    assert "~~Use SQLite" in old[0] and "until 2026-02-12: now: Use Postgres" in old[0]
    assert any(line.startswith("- Use Postgres") for line in new)


def test_a_deleted_line_never_comes_back(place: Place) -> None:
    place.session(rule("Always write the tests before the code"))
    place.cycle()
    (line,) = place.lines("tests")
    place.replace(line + "\n", "")
    place.cycle()
    for number in range(50):
        if number % 10 == 3:
            place.session(rule("Please always write tests before the code"))
        if number == 25:
            shutil.rmtree(place.ws.state)
        place.cycle()
        assert not place.lines("tests")


def test_an_edited_line_is_changed_for_good(place: Place) -> None:
    place.session(rule("Always write the tests before the code"))
    place.cycle()
    place.replace("Always write the tests before the code", "Write tests where they pay")
    place.session(rule("Always write the tests before the code"))
    place.cycle()
    (line,) = place.lines("ests")
    assert line.startswith("- Write tests where they pay (") and "seen 2" in line
    shutil.rmtree(place.ws.state)
    place.cycle()
    assert place.lines("ests") == [line]


def test_an_added_line_stays_as_it_is(place: Place) -> None:
    place.replace("## Decisions\n", "## Decisions\n* call the *harbour* first\n")
    place.cycle()
    place.cycle()
    assert "## Decisions\n* call the *harbour* first\n" in place.page.read_text()
    (fact,) = reflector.memory_of(place.ws, now=place.now, zone=UTC).facts
    assert fact.by == "person" and fact.section == "Decisions"
    assert not list(place.ws.conflicts.glob("*"))


def test_a_mark_pins(place: Place) -> None:
    place.session(dec("Use SQLite for the readings cache"))
    place.cycle()
    place.replace("- Use SQLite", "- 📌 Use SQLite")
    place.cycle()
    (line,) = place.lines("SQLite")
    assert line.startswith("- 📌 Use SQLite")
    (fact,) = reflector.memory_of(place.ws, now=place.now, zone=UTC).facts
    assert fact.mark == "📌" and fact.by == "user"
