"""The plugin for Claude Code says what the program does, and its hooks never bring the page twice."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from hook_scene import SCRIPT, Scene, looks, scene, wait_for

from nanoctx import __version__
from nanoctx.cli.main import COMMANDS, main
from nanoctx.clients import CLIENTS
from nanoctx.clients.json_hooks import JsonHooks
from nanoctx.mcp_server.tools import TOOLS

__all__ = ["scene"]

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "plugin"
CALL = PLUGIN / "hooks" / "call.sh"


def held(name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((PLUGIN / name).read_text())
    return found


def call(scene: Scene, event: str = "session-start", **env: str) -> str:
    """What the plugin's hook says; on a busy machine its deadline may come first: then it is called again."""
    given = {**os.environ, "PATH": f"{SCRIPT.parent}:/usr/bin:/bin", "CLAUDE_PROJECT_DIR": str(scene.repo)}
    for _ in range(5):
        done = subprocess.run(
            [CALL, event], input=json.dumps(scene.payload()), capture_output=True, text=True, timeout=8,
            env={**given, **env},
        )  # fmt: skip
        assert done.returncode == 0 and done.stderr == ""
        if done.stdout:
            break
    return done.stdout


def test_its_hooks_are_those_that_connect_sets() -> None:
    claude = CLIENTS["claude-code"]
    assert isinstance(claude, JsonHooks)
    hooks = held("hooks/hooks.json")["hooks"]
    assert isinstance(hooks, dict)
    found = {
        event: (group[0]["hooks"][0]["command"], group[0]["hooks"][0]["timeout"])
        for event, group in hooks.items()
    }
    script = '"${CLAUDE_PLUGIN_ROOT}/hooks/call.sh"'
    assert found == {event: (f"{script} {name}", seconds) for event, (name, seconds) in claude.events.items()}


def test_it_has_the_version_of_the_program_and_calls_commands_that_are_there() -> None:
    assert held(".claude-plugin/plugin.json")["version"] == __version__
    assert held(".mcp.json") == {"mcpServers": {"memory": {"command": "nanoctx", "args": ["mcp"]}}}
    assert "mcp" in COMMANDS and "recall" in COMMANDS


def test_the_skill_names_every_tool_and_no_other() -> None:
    skill = (PLUGIN / "skills" / "memory" / "SKILL.md").read_text()
    named = set(re.findall(r"`([a-z]+_?[a-z]+)`", skill)) - {"query", "category"}
    assert named == set(TOOLS)


def test_a_session_begins_with_the_page(scene: Scene) -> None:
    assert "UTC" in call(scene)


def test_at_the_end_of_a_session_a_look_is_started(scene: Scene) -> None:
    call(scene, "session-end")
    wait_for(lambda: not looks(scene.repo), "the look to end")
    assert (scene.workspace / ".state" / "endings").exists()


def test_without_the_program_nothing_is_said(scene: Scene) -> None:
    assert call(scene, PATH="/usr/bin:/bin") == ""


@pytest.mark.parametrize("scope", ["user", "project"])
def test_where_connect_was_run_the_plugin_is_silent(scene: Scene, scope: str) -> None:
    assert main(["connect", "claude-code", "--scope", scope, "--yes"]) == 0
    assert call(scene) == ""


@pytest.mark.parametrize("name", ["CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"])
def test_where_the_page_is_included_it_is_not_told_again(scene: Scene, name: str) -> None:
    (scene.repo / name).parent.mkdir(exist_ok=True)
    (scene.repo / name).write_text("Notes.\n\n@.nanoctx/CONTEXT.md\n")
    assert call(scene) == ""
