"""What a session is told beside the page: what a person had remembered, and the layers of `startup`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from claude_log import ClaudeLog
from hook_scene import Scene, command, fire, git

from nanoctx.core import tokens

RULE = "Never round a tide to whole hours"


def heading(text: str, name: str) -> list[str]:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip().splitlines() if found else []


def test_a_rule_that_a_person_had_remembered_is_told(scene: Scene) -> None:
    command("remember", RULE)
    command("observe")
    assert fire("session-start", scene.payload()).section("Rules").count(f"- Rule: {RULE}") == 1
    assert f"- Rule: {RULE}" in fire("session-start", scene.payload("compact")).section("Rules")


def test_it_is_told_where_no_session_was_yet(tmp_path: Path, scene: Scene) -> None:
    repo = tmp_path / "new"
    repo.mkdir()
    git(repo, "init", "-q")
    os.chdir(repo)
    command("init")
    command("remember", RULE)
    command("observe")
    assert f"- Rule: {RULE}" in fire("session-start", scene.payload(cwd=str(repo))).section("Rules")


def test_a_rule_that_was_said_and_is_known_is_told_once(scene: Scene) -> None:
    command("reflect")
    command("observe")
    rules = fire("session-start", scene.payload()).section("Rules")
    assert sum("tabs" in line for line in rules) == 1, rules


def _another_session(scene: Scene) -> None:
    log = ClaudeLog(Path(os.environ["HOME"]), scene.repo, "earlier", scene.log.now)
    log.prompt("Draw the flood chart of the estuary in chart.py").edit("chart.py")
    log.say("The flood chart is drawn with its legend.").leave()
    os.utime(log.path, (log.now.timestamp(), log.now.timestamp()))
    command("remember", "--kind", "fact", "The mast antenna freezes below minus nine degrees")
    command("observe")


def test_what_startup_has_beside_the_page_is_told_once_within_its_budget(scene: Scene) -> None:
    _another_session(scene)
    text = fire("session-start", scene.payload()).text
    assert heading(text, "Learned") == ["- The mast antenna freezes below minus nine degrees"]
    assert tokens.count(text) <= 2000
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(lines) == len(set(lines))
    assert "\x1f" not in text


def test_after_compaction_it_is_left_out_and_with_page_alone_too(scene: Scene) -> None:
    _another_session(scene)
    assert not heading(fire("session-start", scene.payload("compact")).text, "Learned")
    assert heading(fire("session-start", scene.payload("clear")).text, "Learned")
    (scene.workspace / "nanoctx.toml").write_text('[hook]\nstart = "page"\n')
    command("observe")
    assert not heading(fire("session-start", scene.payload()).text, "Learned")


def test_how_long_ago_a_session_was_is_told_at_the_moment(scene: Scene) -> None:
    file = scene.workspace / ".state" / "answers" / "project.json"
    answer = json.loads(file.read_text())
    at = answer["made"] - 7200
    answer["more"] = [["Last sessions", [["- [\x1f] The chart", [at], at]]]]
    file.write_text(json.dumps(answer))
    text = fire("session-start", scene.payload()).text
    assert heading(text, "Last sessions") == ["- [2 hours ago] The chart"]
