"""Claude Code: what its settings and its transcripts say of our hooks."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nanoctx.clients.base import OPENING, Cargo
from nanoctx.clients.claude_code import CLIENT

SCRIPT = Path("/opt/bin/nanoctx-hook")
SETTINGS = Path("/home/ann/.claude/settings.json")


def record(text: str, event: str = "SessionStart", kind: str = "hook_additional_context") -> dict[str, Any]:
    return {
        "type": "attachment",
        "attachment": {"type": kind, "content": [text], "hookEvent": event},
    }


def said(role: str, text: str) -> dict[str, Any]:
    return {"type": role, "message": {"role": role, "content": text}}


def log(path: Path, *records: dict[str, Any]) -> Path:
    lines = [json.dumps(one, separators=(",", ":")) for one in records]
    path.write_text("\n".join(lines) + "\n")
    return path


OURS = f"{OPENING}weather)\n\n## Now\n"


@pytest.mark.parametrize(
    ("records", "delivered"),
    [
        ([record(OURS), said("user", "Hello"), said("assistant", "Hello")], True),
        ([record("some other hook"), record(OURS), said("user", "Hello")], True),
        ([said("user", "Hello"), said("assistant", "Hello")], False),
        ([said("user", f"What is {OURS}?"), said("assistant", "Our page")], False),
        ([record(OURS, event="PostToolUse"), said("assistant", "Hello")], False),
        ([record(OURS, kind="hook_error"), said("assistant", "Hello")], False),
        ([said("user", "Hello"), said("assistant", "Hello"), record(OURS)], False),
        ([], False),
    ],
    ids=["given", "beside another", "none", "only spoken of", "another event", "failed", "later", "empty"],
)
def test_a_transcript_tells_if_the_text_arrived(
    records: list[dict[str, Any]], delivered: bool, tmp_path: Path
) -> None:
    assert CLIENT.beginning(log(tmp_path / "log.jsonl", *records)).given is delivered


def test_a_text_of_which_the_model_saw_the_beginning_only_arrived_cut(tmp_path: Path) -> None:
    stub = f"<persisted-output>\nOutput too large (12KB).\n\nPreview (first 2KB):\n{OURS}"
    found = CLIENT.beginning(log(tmp_path / "log.jsonl", record(stub), said("user", "Hello")))
    assert (found.given, found.cut) == (True, True)
    foreign = CLIENT.beginning(log(tmp_path / "other.jsonl", record("<persisted-output>\nelse")))
    assert not foreign.given and not foreign.cut


def test_a_session_began_at_its_first_time_whatever_stands_before_it(tmp_path: Path) -> None:
    times = [{"timestamp": f"2026-03-01T{hour}:00:00Z"} for hour in ("08", "09")]
    records = [{"type": "summary"}, *times]
    found = CLIENT.beginning(log(tmp_path / "log.jsonl", *records, record(OURS)))
    assert found == (datetime(2026, 3, 1, 8, tzinfo=UTC), True, False)


def test_hooks_of_others_in_a_group_with_ours_stay() -> None:
    ours = {"type": "command", "command": f"{SCRIPT} session-start"}
    theirs = {"type": "command", "command": "date"}
    text = json.dumps({"hooks": {"SessionStart": [{"hooks": [theirs, ours]}, {"hooks": [ours]}]}})
    assert json.loads(CLIENT.disconnected(text)) == {"hooks": {"SessionStart": [{"hooks": [theirs]}]}}


def test_the_end_of_a_session_gets_more_time_than_the_client_gives_by_itself() -> None:
    hooks = json.loads(CLIENT.connected("", Cargo(SCRIPT)))["hooks"]
    assert hooks["SessionEnd"][0]["hooks"] == [
        {"type": "command", "command": "/opt/bin/nanoctx-hook session-end", "timeout": 10}
    ]


def test_hooks_that_are_turned_off_are_a_hindrance() -> None:
    assert CLIENT.hindrance('{"disableAllHooks": true}', SETTINGS)
    assert not CLIENT.hindrance('{"disableAllHooks": false}', SETTINGS)
