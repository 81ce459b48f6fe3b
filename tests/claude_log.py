"""Writes a session log line by line as Claude Code does, in words of our own."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

START = datetime(2026, 2, 12, 9, 0, tzinfo=UTC)


class ClaudeLog:
    """One session. Each call appends what happened, a minute after what happened before."""

    def __init__(self, home: Path, project: Path, name: str = "one", start: datetime = START) -> None:
        self.session = str(uuid5(NAMESPACE_URL, name))
        self.branch = "main"
        folder = home / ".claude" / "projects" / "".join(c if c.isalnum() else "-" for c in str(project))
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{self.session}.jsonl"
        self.project, self.now, self.calls = project, start, 0
        self.extra: dict[str, object] = {}

    def prompt(self, text: str) -> ClaudeLog:
        return self._write("user", text)

    def say(self, text: str) -> ClaudeLog:
        return self._write("assistant", [{"type": "text", "text": text}])

    def edit(self, path: str, text: str = "x = 1") -> ClaudeLog:
        self._call("Edit", {"file_path": str(self.project / path), "old_string": "", "new_string": text})
        return self._result("The file was updated.")

    def shell(self, command: str, output: str = "", ok: bool = True) -> ClaudeLog:
        self._call("Bash", {"command": command, "description": "run it"})
        return self._result(output if ok else f"Exit code 1\n{output}", ok)

    def plan(self, *steps: tuple[str, str]) -> ClaudeLog:
        todos = [{"content": text, "status": status, "activeForm": text} for text, status in steps]
        self._call("TodoWrite", {"todos": todos})
        return self._result("Todos have been modified successfully.")

    def clear(self) -> ClaudeLog:
        """What the new log begins with when the person cleared the conversation in the old one."""
        return self.slash("/clear")

    def leave(self) -> ClaudeLog:
        return self.slash("/exit")

    def slash(self, name: str) -> ClaudeLog:
        return self._write("user", f"<command-name>{name}</command-name>\n<command-args></command-args>")

    def compact(self, summary: str) -> ClaudeLog:
        """The host notes that it compacted, and writes the summary as if the person had said it."""
        happened = {"trigger": "auto", "preTokens": 167000}
        boundary = {"subtype": "compact_boundary", "compactMetadata": happened}
        frame = "This session is being continued from a previous conversation that ran out of context.\n"
        kept, self.extra = self.extra, {**self.extra, **boundary}
        self._write("system", "Conversation compacted")
        self.extra = {**kept, "isCompactSummary": True}
        self._write("user", f"{frame}Summary:\n{summary}")
        self.extra = kept
        return self

    def _call(self, name: str, given: dict[str, object]) -> None:
        self.calls += 1
        call = {"type": "tool_use", "id": f"toolu_{self.calls}", "name": name, "input": given}
        self._write("assistant", [call])

    def _result(self, text: str, ok: bool = True) -> ClaudeLog:
        told = {
            "tool_use_id": f"toolu_{self.calls}",
            "type": "tool_result",
            "content": text,
            "is_error": not ok,
        }
        return self._write("user", [told])

    def _write(self, kind: str, content: object) -> ClaudeLog:
        self.now += timedelta(minutes=1)
        message: dict[str, object] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"model": "claude-test", "usage": {"input_tokens": 1000, "output_tokens": 5}}
        line = {
            "isSidechain": False,
            "cwd": str(self.project),
            "sessionId": self.session,
            "version": "2.1.81",
            "gitBranch": self.branch,
            "type": kind,
            "message": message,
            "timestamp": self.now.isoformat().replace("+00:00", "Z"),
            **self.extra,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return self
