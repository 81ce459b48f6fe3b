"""A Claude Code log written record by record, as the host would write it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nanoctx.model import Batch, Cursor, Event
from nanoctx.sources import claude_code

Record = dict[str, Any]
SESSION = "5a6f0c52-1111-4222-8333-944445555666"


class ClaudeLog:
    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{SESSION}.jsonl"
        self.count = 0
        self.last: str | None = None
        self.clock = datetime(2026, 3, 1, 10, tzinfo=UTC)

    def add(self, record: Record | bytes | str) -> ClaudeLog:
        if isinstance(record, dict):
            record = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        if isinstance(record, str):
            record = record.encode()
        with self.path.open("ab") as file:
            file.write(record + b"\n")
        return self

    def enveloped(self, kind: str, body: Record, **more: Any) -> ClaudeLog:
        self.count += 1
        self.clock += timedelta(seconds=10)
        record: Record = {
            "parentUuid": self.last,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/w/garden",
            "sessionId": SESSION,
            "version": "2.1.81",
            "gitBranch": "main",
            "type": kind,
            **body,
            "uuid": f"u{self.count}",
            "timestamp": self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        } | more
        self.last = record["uuid"]
        return self.add(record)

    def user(self, content: Any, **more: Any) -> ClaudeLog:
        return self.enveloped("user", {"message": {"role": "user", "content": content}}, **more)

    def result(
        self, text: Any, returned: Any = None, error: bool = False, call: str = "c1", **more: Any
    ) -> ClaudeLog:
        block = {"tool_use_id": call, "type": "tool_result", "content": text}
        if error:
            block["is_error"] = True
        if returned is not None:
            more["toolUseResult"] = returned
        return self.user([block], **more)

    def says(self, text: str, **more: Any) -> ClaudeLog:
        return self.assistant({"type": "text", "text": text}, **more)

    def calls(self, name: str, call: str = "c1", **arguments: Any) -> ClaudeLog:
        return self.assistant({"type": "tool_use", "id": call, "name": name, "input": arguments})

    def assistant(
        self, *blocks: Record, tokens: int = 1000, model: str = "claude-opus-4-6", **more: Any
    ) -> ClaudeLog:
        usage = {"input_tokens": 3, "cache_read_input_tokens": tokens - 3, "output_tokens": 0}
        message = {
            "model": model,
            "id": f"m{self.count}",
            "role": "assistant",
            "content": list(blocks),
            "usage": usage,
        }
        return self.enveloped("assistant", {"message": message}, **more)

    def read(self, cursor: Cursor | None = None, until_line: int | None = None) -> Batch:
        return claude_code.read(self.path, cursor or Cursor(), until_line)

    def events(self, *kinds: str) -> list[Event]:
        return [event for event in self.read().events if not kinds or event.kind in kinds]

    def prompts(self) -> list[str]:
        return [event.text for event in self.events("prompt")]


@pytest.fixture
def log(tmp_path: Path) -> ClaudeLog:
    return ClaudeLog(tmp_path)


@pytest.fixture
def new_log() -> Callable[[Path], ClaudeLog]:
    return ClaudeLog
