"""Tools by name, and one schema at a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

PLAIN = {"title": "tide_level", "description": "The level now. More of it.", "properties": {"gauge": {}}}
RING = {"name": "ring", "description": "Rings the bell.", "parameters": {}}
OPENAI = {"type": "function", "function": RING}
MCP = {"tools": [{"name": "warn", "description": "Warns the village.", "inputSchema": {}}]}


@pytest.fixture
def tools(workspace: Path) -> Path:
    folder = workspace / "tools"
    folder.mkdir(exist_ok=True)
    for number, told in enumerate((PLAIN, OPENAI, MCP)):
        (folder / f"{number}.json").write_text(json.dumps(told))
    return folder


def test_tools_of_every_form_are_listed_with_their_purpose(run: Run, workspace: Path, tools: Path) -> None:
    said = run("tools", "list", "--workspace", workspace)
    assert said.code == 0
    listed = ["ring: Rings the bell", "tide_level: The level now", "warn: Warns the village"]
    assert said.out.splitlines() == listed
    assert "- warn: Warns the village" in run("show", "prompt", "--workspace", workspace).out


def test_one_schema_is_shown_as_it_stands_in_its_file(run: Run, workspace: Path, tools: Path) -> None:
    said = run("tools", "show", "ring", "--workspace", workspace)
    assert said.code == 0 and json.loads(said.out) == OPENAI
    assert run("tools", "show", "warn", "--json", "--workspace", workspace).data["schema"] == MCP["tools"][0]


def test_a_tool_that_is_not_there_is_one_sentence(run: Run, workspace: Path, tools: Path) -> None:
    said = run("tools", "show", "sink", "--workspace", workspace)
    assert said.code == 2 and "choose one of ring, tide_level, warn" in said.err and said.err.count("\n") == 1


def test_broken_files_are_named_and_stop_nothing(run: Run, workspace: Path, tools: Path) -> None:
    (tools / "9.json").write_text("{")
    (tools / "8.json").write_text("[1, {}]")
    said = run("tools", "list", "--workspace", workspace)
    assert said.code == 1 and "ring" in said.out
    assert "9.json is not JSON" in said.err and "8.json describes no tool" in said.err


def test_without_tools_it_says_where_they_would_be(run: Run, workspace: Path) -> None:
    said = run("tools", "--workspace", workspace)
    assert said.code == 0 and "No tool is described in" in said.out
