"""A background process that really runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_desk import Desk, running


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with running(tmp_path) as desk:
        yield desk
