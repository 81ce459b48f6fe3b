"""Writes session logs as Codex and Pi do, with the same calls as `claude_log.ClaudeLog`."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, Self
from uuid import NAMESPACE_URL, uuid5

from claude_log import START, ClaudeLog


class SessionLog(Protocol):
    """One session of any agent. Each call appends what happened, a minute after what happened before."""

    now: datetime
    path: Path
    session: str

    def prompt(self, text: str) -> Self: ...
    def say(self, text: str) -> Self: ...
    def edit(self, path: str, text: str = "x = 1") -> Self: ...
    def shell(self, command: str, output: str = "", ok: bool = True) -> Self: ...
    def compact(self, summary: str) -> Self: ...


class CodexLog:
    def __init__(
        self, home: Path, project: Path, name: str = "one", start: datetime = START, source: str = "cli"
    ) -> None:
        self.session = str(uuid5(NAMESPACE_URL, name))
        folder = home / ".codex" / "sessions" / start.strftime("%Y/%m/%d")
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"rollout-{start:%Y-%m-%dT%H-%M-%S}-{self.session}.jsonl"
        self.project, self.now, self.calls = project, start, 0
        head = {"id": self.session, "cwd": str(project), "originator": "codex-tui", "source": source}
        self._write("session_meta", {**head, "cli_version": "0.142.5", "git": {"branch": "main"}})

    def prompt(self, text: str) -> Self:
        return self._write("event_msg", {"type": "user_message", "message": text, "images": []})

    def say(self, text: str) -> Self:
        return self._write("event_msg", {"type": "agent_message", "message": text})

    def edit(self, path: str, text: str = "x = 1") -> Self:
        added = "".join(f"+{line}\n" for line in text.splitlines())
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n{added}*** End Patch"
        self.calls += 1
        call = {"call_id": f"c{self.calls}", "name": "apply_patch", "input": patch}
        self._write("response_item", {"type": "custom_tool_call", "status": "completed", **call})
        return self._output("custom_tool_call_output", f"Exit code: 0\nOutput:\nSuccess.\nM {path}\n")

    def shell(self, command: str, output: str = "", ok: bool = True) -> Self:
        self.calls += 1
        given = json.dumps({"cmd": command, "workdir": str(self.project)})
        call = {"name": "exec_command", "arguments": given, "call_id": f"c{self.calls}"}
        self._write("response_item", {"type": "function_call", **call})
        ended = f"Wall time: 0.4 seconds\nProcess exited with code {int(not ok)}\nOutput:\n{output}\n"
        return self._output("function_call_output", ended)

    def compact(self, summary: str) -> Self:
        frame = "Another language model started to solve this problem and produced a summary. Use it:\n"
        return self._write("compacted", {"message": frame + summary, "replacement_history": []})

    def _output(self, kind: str, text: str) -> Self:
        return self._write("response_item", {"type": kind, "call_id": f"c{self.calls}", "output": text})

    def _write(self, kind: str, payload: dict[str, Any]) -> Self:
        self.now += timedelta(minutes=1)
        _append(self.path, {"timestamp": _stamp(self.now), "type": kind, "payload": payload})
        return self


class PiLog:
    def __init__(self, home: Path, project: Path, name: str = "one", start: datetime = START) -> None:
        self.session = str(uuid5(NAMESPACE_URL, name))
        folder = home / ".pi" / "agent" / "sessions" / f"--{str(project).strip('/').replace('/', '-')}--"
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{start:%Y-%m-%dT%H-%M-%S}-000Z_{self.session}.jsonl"
        self.project, self.now, self.calls, self.count = project, start, 0, 0
        head = {"type": "session", "version": 3, "id": self.session, "cwd": str(project)}
        _append(self.path, {**head, "timestamp": _stamp(start)})

    def prompt(self, text: str) -> Self:
        return self._message({"role": "user", "content": [{"type": "text", "text": text}]})

    def say(self, text: str) -> Self:
        return self._assistant({"type": "text", "text": text}, "stop")

    def edit(self, path: str, text: str = "x = 1") -> Self:
        return self._call(
            "edit", {"path": path, "edits": [{"oldText": "", "newText": text}]}, "Edited.", True
        )

    def shell(self, command: str, output: str = "", ok: bool = True) -> Self:
        told = output if ok else f"{output}\n\nCommand exited with code 1"
        return self._call("bash", {"command": command}, told, ok)

    def compact(self, summary: str) -> Self:
        return self._write({"type": "compaction", "summary": summary, "tokensBefore": 90000})

    def _call(self, name: str, given: dict[str, Any], output: str, ok: bool) -> Self:
        self.calls += 1
        id = f"c{self.calls}"
        self._assistant({"type": "toolCall", "id": id, "name": name, "arguments": given}, "toolUse")
        content = [{"type": "text", "text": output}]
        result = {"role": "toolResult", "toolCallId": id, "toolName": name, "content": content}
        return self._message({**result, "details": {}, "isError": not ok})

    def _assistant(self, block: dict[str, Any], stop: str) -> Self:
        usage = {"input": 900, "output": 100, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1000}
        return self._message({"role": "assistant", "content": [block], "usage": usage, "stopReason": stop})

    def _message(self, message: dict[str, Any]) -> Self:
        return self._write({"type": "message", "message": message})

    def _write(self, entry: dict[str, Any]) -> Self:
        self.now += timedelta(minutes=1)
        parent = f"a{self.count:07x}" if self.count else None
        self.count += 1
        chain = {"id": f"a{self.count:07x}", "parentId": parent, "timestamp": _stamp(self.now)}
        _append(self.path, {**entry, **chain})
        return self


AGENTS: dict[str, Callable[..., SessionLog]] = {"claude-code": ClaudeLog, "codex": CodexLog, "pi": PiLog}


def _stamp(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _append(path: Path, record: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
