"""Qwen Code: hooks in settings.json."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from nanoctx.clients.base import Desk, Hindrance, Scope
from nanoctx.clients.json_hooks import Events, JsonHooks, json_object


class Qwen(JsonHooks):
    name = "qwen"
    title = "Qwen Code"
    carrier = "three hooks in its settings"
    # It does not say when a session ends, so there is a look after each answer.
    events: ClassVar[Events] = {
        "SessionStart": ("session-start", 5000),
        "UserPromptSubmit": ("user-prompt-submit", 5000),
        "Stop": ("stop", 5000),
    }

    def settings(self, scope: Scope, desk: Desk) -> Path:
        return desk.home / ".qwen" / "settings.json"

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        return (desk.project / ".qwen" / "settings.json",)

    def instructions(self, desk: Desk) -> tuple[Path, ...]:
        return desk.home / ".qwen" / "QWEN.md", desk.project / "QWEN.md"

    def hindrance(self, text: str, settings: Path) -> Hindrance | None:
        if json_object(text).value.get("disableAllHooks") is not True:
            return None
        return Hindrance(f"disableAllHooks is true in {settings}", "take that out: no hook is called")


CLIENT = Qwen()
