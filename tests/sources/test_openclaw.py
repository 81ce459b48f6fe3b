"""Who speaks in a session of OpenClaw, and where its log lies; the rest is as in Pi's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nanoctx.model import Cursor
from nanoctx.sources import openclaw

SAMPLE = Path(__file__).parent / "fixtures" / "openclaw.jsonl"
SESSION = "5c0f3f52-8a1e-4b7c-9d2e-0f1e2d3c4b5a"
METADATA = 'Sender (untrusted metadata):\n```json\n{"name": "Ada"}\n```\n\n'


@pytest.mark.parametrize(
    "text",
    [
        "paint it",
        "[Telegram Ada id:12 +3m 2026-06-01 09:00 UTC] paint it\n[message_id: 77]",
        "[WhatsApp +491234 2026-06-01T09:00Z] paint it",
        "[Mon 2026-06-01 09:30 UTC] paint it",
        METADATA + METADATA.replace("Sender", "Conversation info") + "[Mon 2026-06-01 09:30 UTC] paint it",
        "System: [2026-06-01 09:00:00 UTC] Node connected\n\n[Slack Ada 2026-06-01 09:00 UTC] paint it",
        "[Chat messages since your last reply - for context]\nBen: no\n\n"
        "[Current message - respond to this]\n[Discord Ada 2026-06-01 09:00 UTC] paint it",
        "[Queued messages while agent was busy]\n\n---\nQueued #1\npaint it",
        "[media attached: /tmp/a.jpg (image/jpeg)]\nTo send an image back, prefer the tool.\npaint it",
    ],
)
def test_a_prompt_is_taken_out_of_its_envelope(text: str) -> None:
    assert openclaw.human(text) == "paint it"


@pytest.mark.parametrize(
    "text",
    [
        "[TODO] paint it",
        "[x] and [y]\n---\nboth",
        "why do you always say HEARTBEAT_OK?",
        "Sender (untrusted): me",
    ],
)
def test_a_persons_own_brackets_stay(text: str) -> None:
    assert openclaw.human(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
        "Look at the garden. If nothing needs attention, reply HEARTBEAT_OK.\nCurrent time: Monday",
        "[cron:1b2c water 2026-06-01 09:00] Water the garden.",
        "System: [2026-06-01 09:00:00 UTC] Exec completed",
        "[Subagent Context] You are a helper.",
        "A new session was started via /new or /reset. Greet the user.",
    ],
)
def test_what_is_scheduled_or_the_hosts_is_no_prompt(text: str) -> None:
    assert openclaw.human(text) == ""


def test_the_agent_speaks_without_marks_and_may_have_nothing_to_say() -> None:
    assert openclaw.prose("[[reply_to_current]] Green.") == "Green."
    assert openclaw.prose("HEARTBEAT_OK") == openclaw.prose(" NO_REPLY ") == ""


def test_a_session_holds_only_what_people_and_the_agent_said() -> None:
    events = openclaw.read(SAMPLE, Cursor()).events
    assert {event.session for event in events} == {SESSION}
    assert [event.text for event in events if event.kind == "prompt"] == [
        "note that the fence is painted 🌱",
        "which colour?",
    ]
    said = [event.text for event in events if event.kind == "say"]
    assert said == ["I note it.", "Noted; there was nothing to commit.", "Watered.", "Green."]
    assert [event.text for event in events if event.kind == "error"] == ["the model was asleep"]


def test_tools_and_results_of_its_own(tmp_path: Path) -> None:
    call = {
        "type": "toolCall",
        "id": "c1",
        "name": "exec",
        "arguments": {"command": "serve", "background": True},
    }
    texts = ["Command still running (session brave-pond, pid 7).", "no paint\n\n(Command exited with code 1)"]
    messages = [{"role": "assistant", "content": [call]}] + [
        {"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": text}]}
        for text in texts
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps({"type": "message", "message": one}) + "\n" for one in messages))
    tool, running, failed = openclaw.read(log, Cursor()).events
    assert (tool.name, tool.command, tool.facts["background"]) == ("shell", "serve", "1")
    assert (running.ok, running.facts["background"]) == (True, "1")
    assert (failed.ok, failed.text, failed.facts["exit"]) == (False, "no paint", "1")


# Where are the logs?


def fill(folder: Path) -> Path:
    sessions = folder / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    for name in (
        f"{SESSION}.jsonl",
        f"{SESSION}-topic-12.jsonl",
        f"{SESSION}.trajectory.jsonl",
        f"{SESSION}.jsonl.reset.2026-06-01",
        f"{SESSION}.jsonl.bak-7-7",
        "sessions.json",
        "notes.jsonl",
    ):
        (sessions / name).write_bytes(SAMPLE.read_bytes())
    return folder


def test_only_logs_of_the_very_name_are_found(tmp_path: Path) -> None:
    fill(tmp_path / ".openclaw")
    found = {log.name for log in openclaw.find_logs(tmp_path, {}, None)}
    assert found == {f"{SESSION}.jsonl", f"{SESSION}-topic-12.jsonl"}


def test_the_folder_of_a_session_is_its_agents_workspace(tmp_path: Path) -> None:
    fill(tmp_path / ".openclaw")
    assert len(list(openclaw.find_logs(tmp_path, {}, [Path("/w/helper")]))) == 2
    assert list(openclaw.find_logs(tmp_path, {}, [Path("/w/orchard")])) == []


@pytest.mark.parametrize("name", [".clawdbot", ".moltbot"])
def test_old_folders_are_read_and_a_link_to_the_new_one_not_twice(tmp_path: Path, name: str) -> None:
    fill(tmp_path / name)
    (tmp_path / ".openclaw").symlink_to(tmp_path / name)
    assert len(list(openclaw.find_logs(tmp_path, {}, None))) == 2


def test_the_host_may_keep_its_logs_elsewhere(tmp_path: Path) -> None:
    fill(tmp_path / "other")
    assert list(openclaw.find_logs(tmp_path, {}, None)) == []
    assert len(list(openclaw.find_logs(tmp_path, {"OPENCLAW_STATE_DIR": "~/other"}, None))) == 2
