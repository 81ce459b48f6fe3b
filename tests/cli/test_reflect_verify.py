"""`nanoctx reflect` and `nanoctx verify` as they are called."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nanoctx.cli.main import main

EXAMPLE = Path(__file__).parents[2] / "workspace-example"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    place = tmp_path / "example"
    shutil.copytree(EXAMPLE, place)
    return place


def test_reflect_keeps_the_lines_of_the_example(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (example / "MEMORY.md").read_text()
    lines = [line for line in before.split("\n") if line.startswith("- ")]
    assert main(["--workspace", str(example), "reflect"]) == 0
    after = (example / "MEMORY.md").read_text()
    assert all(line in after.split("\n") for line in lines)
    assert "MEMORY.md" in capsys.readouterr().out
    assert not list((example / "conflicts").glob("*MEMORY*"))
    assert main(["--workspace", str(example), "--json", "reflect"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["page_changed"] is False and data["facts"] >= len(lines) and data["questions"] == 0


def test_verify_says_that_there_is_no_repository(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--workspace", str(example), "verify"]) == 0
    assert "No repository at hand" in capsys.readouterr().out
    assert main(["--workspace", str(example), "--json", "verify"]) == 0
    assert json.loads(capsys.readouterr().out)["repository"] is None
