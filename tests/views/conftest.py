"""A workspace with sessions, facts and pages, and the desk of a caller in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nanoctx import reflector, views
from nanoctx.core import identity
from nanoctx.disk import observations, workspace
from nanoctx.model import Item, Observation
from nanoctx.views import Built
from nanoctx.views.desk import Desk

NOW = datetime(2026, 2, 12, 9, tzinfo=UTC)


class Place:
    def __init__(self, root: Path, env: dict[str, str]) -> None:
        self.ws = workspace.init(root, root.parent, env).workspace
        self.count = 0

    def session(self, *told: Item, age: timedelta = timedelta(hours=1), **more: Any) -> Observation:
        self.count += 1
        session = f"session-{self.count}"
        at = NOW - age
        given: dict[str, Any] = {
            "agent": "claude-code", "session": session, "project": "tides", "started": at, "last": at,
            "ended": at, "ended_by": "exit", "prompts": 3, "summary": f"Session {self.count} went well.",
        }  # fmt: skip
        given |= more
        id = identity.observation_id(str(given["agent"]), session)
        one = Observation(id=id, items=tuple(told), **given)
        observations.save(self.ws.root, one)
        return one

    def remember(self, *lines: str) -> None:
        """Lines that a person wrote into MEMORY.md, `section: line`."""
        reflector.reflect(self.ws, now=NOW, zone=UTC)
        page = self.ws.memory_page
        text = page.read_text()
        for line in lines:
            name, _, words = line.partition(": ")
            text = text.replace(f"## {name}\n", f"## {name}\n- {words}\n", 1)
        page.write_text(text)
        reflector.reflect(self.ws, now=NOW, zone=UTC)

    def desk(self, **more: Any) -> Desk:
        return Desk(self.ws, now=NOW, zone=UTC, **more)

    def show(self, view: str, *, budget: int | None = None, form: str = "", **more: Any) -> Built:
        return views.build(view, self.desk(**more), budget=budget, form=form)


@pytest.fixture(scope="session")
def make_place(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Place]:
    def make() -> Place:
        home = tmp_path_factory.mktemp("place")
        return Place(home / "w", {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")})

    return make


@pytest.fixture
def place(make_place: Callable[[], Place]) -> Place:
    return make_place()
