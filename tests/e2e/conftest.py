"""A desk for each test: home, repository, the real client, and a model that follows a script."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.claude import Claude, find
from e2e.desk import Desk
from e2e.scripted_model import ScriptedModel


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    program = find()
    if program is None:
        pytest.skip("Claude Code is not here: `make e2e` gets it with npm, which needs the network once.")
    home = Path(os.environ["HOME"])
    (home / "tmp").mkdir()
    repository = tmp_path / "greeter"
    repository.mkdir()
    with ScriptedModel() as model:
        desk = Desk(home, repository, model, Claude(program, model.url, home, repository))
        desk.git("init", "-q", "-b", "main")
        (repository / "README.md").write_text("# Greeter\n")
        desk.git("add", ".")
        desk.git("commit", "-q", "-m", "Begin the greeter")
        yield desk
        desk.quiet()
