"""Claude Code: hooks in settings.json, JSON in which people also write comments."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from nanoctx.clients import session_logs, status_line
from nanoctx.clients.base import OPENING, Beginning, Cargo, Desk, Hindrance, Scope
from nanoctx.clients.json_hooks import Events, JsonHooks, json_object

_STUB = "<persisted-output>"  # what stands for an output of more than 10,000 characters


class ClaudeCode(JsonHooks):
    name = "claude-code"
    title = "Claude Code"
    carrier = "four hooks in its settings"
    silence = (
        "the last session got nothing: run `claude --debug hooks` once and see what it says of nanoctx-hook"
    )
    scopes = ("user", "project")
    has_status_line = True
    # At its end the client waits one second for hooks that name no time.
    events: ClassVar[Events] = {
        "SessionStart": ("session-start", 5),
        "UserPromptSubmit": ("user-prompt-submit", 5),
        "PreCompact": ("pre-compact", 5),
        "SessionEnd": ("session-end", 10),
    }

    def settings(self, scope: Scope, desk: Desk) -> Path:
        # The shared settings.json of a project would carry this machine's paths to everybody else.
        return (
            _home(desk) / "settings.json"
            if scope == "user"
            else desk.project / ".claude" / "settings.local.json"
        )

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        return (desk.project / ".claude" / "settings.json",)

    def instructions(self, desk: Desk) -> tuple[Path, ...]:
        project = desk.project
        return (
            _home(desk) / "CLAUDE.md",
            project / "CLAUDE.md",
            project / ".claude" / "CLAUDE.md",
            project / "CLAUDE.local.md",
            project / "AGENTS.md",
        )

    def ours(self, text: str) -> tuple[str, ...]:
        told = status_line.ours(json_object(text))
        return (*super().ours(text), *((told,) if told else ()))

    def complete(self, text: str, cargo: Cargo) -> bool:
        told = status_line.ours(json_object(text))
        right = status_line.calls(told, cargo.script) if told else not cargo.status_line
        return right and super().complete(text, cargo)

    def connected(self, text: str, cargo: Cargo) -> str:
        text = super().connected(text, cargo)
        return status_line.added(text, json_object(text), cargo.script) if cargo.status_line else text

    def disconnected(self, text: str) -> str:
        return super().disconnected(status_line.removed(text, json_object(text)))

    def calls_from_status_line(self, text: str) -> bool:
        return bool(status_line.ours(json_object(text)))

    def hindrance(self, text: str, settings: Path) -> Hindrance | None:
        if json_object(text).value.get("disableAllHooks") is not True:
            return None
        return Hindrance(f"disableAllHooks is true in {settings}", "take that out: no hook is called")

    def beginning(self, log: Path) -> Beginning:
        return session_logs.beginning(log, b'"type":"assistant"', _delivered)


CLIENT = ClaudeCode()


def _home(desk: Desk) -> Path:
    elsewhere = desk.env.get("CLAUDE_CONFIG_DIR", "")
    return Path(elsewhere) if elsewhere else desk.home / ".claude"


def _delivered(record: dict[str, Any]) -> str | None:
    """What of ours a session was given, maybe in the stub that stands for a long output; None if nothing."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "hook_additional_context":
        return None
    content = attachment.get("content")
    texts = content if isinstance(content, list) else [content]
    ours = (
        one for one in texts
        if isinstance(one, str) and (one.startswith(OPENING) or (one.startswith(_STUB) and OPENING in one))
    )  # fmt: skip
    return next(ours, None) if attachment.get("hookEvent") == "SessionStart" else None
