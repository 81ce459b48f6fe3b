"""`nanoctx demo` and the example it plays."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest

from nanoctx.cli import demo
from nanoctx.cli.call import Call
from nanoctx.core import items
from nanoctx.disk import packaged

from .conftest import RECORDED, Run, tree

EXAMPLE = packaged.folder("workspace-example")


def test_the_demo_ends_by_itself_with_a_page_and_the_next_step(run: Run, tmp_path: Path) -> None:
    said = run("demo")
    assert said.code == 0, said.err
    for section in ("## Now", "## Time", "## Recent", "## External"):
        assert section in said.out
    assert "nanoctx init" in said.out and "alarm" in said.out


def test_the_demo_touches_nothing_of_the_person(run: Run, tmp_path: Path) -> None:
    before = tree(EXAMPLE)
    run("demo")
    assert tree(EXAMPLE) == before
    assert tree(Path(os.environ["HOME"])) == {} and list(tmp_path.iterdir()) == []


def test_the_demo_for_programs(run: Run) -> None:
    data = run("demo", "--json").data
    assert list(data) == ["workspace", "rewritten", "page"]
    assert data["workspace"] is None and data["rewritten"] >= 5


def test_at_a_terminal_the_page_is_drawn_again_and_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Call, "at_terminal", True)
    monkeypatch.setattr(demo, "PAUSE", 0)
    said = run("demo")
    assert said.code == 0 and said.out.count("# Context\n") > 30


def test_the_scratch_folder_can_be_kept_and_is_whole(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    data = run("demo", "--keep", "--json").data
    assert Path(data["workspace"]).is_relative_to(tmp_path)
    assert run("check", "--workspace", data["workspace"]).code == 0


def test_the_observations_of_the_example_are_as_we_write_them() -> None:
    files = sorted((EXAMPLE / "observations").rglob("*.md"))
    assert len(files) >= 2
    for file in files:
        observation = items.parse(file.read_text(encoding="utf-8"))
        assert items.render(observation) == file.read_text(encoding="utf-8")
        assert file.relative_to(EXAMPLE) == Path(items.folder(observation)) / items.file_name(observation)


def test_the_recording_is_a_chain_of_complete_records() -> None:
    raw = RECORDED.read_text(encoding="utf-8")
    assert raw.endswith("\n")
    parent = None
    for line in raw.splitlines():
        record = json.loads(line)
        assert record["parentUuid"] == parent
        parent = record["uuid"]
    assert 50 <= len(raw.splitlines()) <= 90


def test_every_file_of_the_example_and_the_templates_is_short_text() -> None:
    for folder in ("workspace-example", "templates"):
        for name, content in tree(packaged.folder(folder)).items():
            assert content.decode("utf-8").endswith("\n"), name
            assert len(content) < 60_000, name
