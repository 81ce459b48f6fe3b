"""A workspace that can be searched."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nanoctx.core import identity
from nanoctx.disk import observations, workspace
from nanoctx.model import Item, Observation
from nanoctx.recall import search
from nanoctx.recall.search import Hits

NOW = datetime(2026, 2, 12, 9, tzinfo=UTC)


class Shelf:
    def __init__(self, root: Path) -> None:
        self.ws = workspace.init(root, root.parent, os.environ).workspace
        self.count = 0

    def note(self, path: str, text: str) -> Path:
        file = self.ws.root / "knowledge" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def session(self, *told: Item, age: timedelta = timedelta(hours=1), project: str = "tides") -> Path:
        self.count += 1
        at = NOW - age
        session = f"session-{self.count}"
        one = Observation(
            id=identity.observation_id("claude-code", session), agent="claude-code", session=session,
            project=project, started=at, last=at, ended=at, prompts=1, items=told,
        )  # fmt: skip
        return observations.save(self.ws.root, one) or self.ws.root

    def search(self, query: str, k: int = 10, **filters: Any) -> Hits:
        return search.search(self.ws, query, now=NOW, k=k, filters=search.Filters(**filters))

    def texts(self, query: str, **filters: Any) -> list[str]:
        return [hit.text for hit in self.search(query, **filters).hits]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "w")
