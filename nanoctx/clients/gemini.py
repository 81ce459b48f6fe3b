"""Gemini CLI: hooks in settings.json."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from nanoctx.clients.base import Desk, Hindrance, Scope
from nanoctx.clients.json_hooks import Events, JsonHooks, json_object


class Gemini(JsonHooks):
    name = "gemini"
    title = "Gemini CLI"
    carrier = "three hooks in its settings"
    # Its PreCompress comes before every request to the model, compressing or not: it says nothing.
    events: ClassVar[Events] = {
        "SessionStart": ("session-start", 5000),
        "BeforeAgent": ("user-prompt-submit", 5000),
        "SessionEnd": ("session-end", 10000),
    }

    def settings(self, scope: Scope, desk: Desk) -> Path:
        return _home(desk) / "settings.json"

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        return (desk.project / ".gemini" / "settings.json",)

    def instructions(self, desk: Desk) -> tuple[Path, ...]:
        return _home(desk) / "GEMINI.md", desk.project / "GEMINI.md"

    def hindrance(self, text: str, settings: Path) -> Hindrance | None:
        hooks = json_object(text).value.get("hooksConfig")
        if not isinstance(hooks, dict) or hooks.get("enabled") is not False:
            return None
        told = f'"enabled" of "hooksConfig" is false in {settings}'
        return Hindrance(told, "take that out: no hook is called")


CLIENT = Gemini()


def _home(desk: Desk) -> Path:
    elsewhere = desk.env.get("GEMINI_CLI_HOME", "")
    return (Path(elsewhere) if elsewhere else desk.home) / ".gemini"
