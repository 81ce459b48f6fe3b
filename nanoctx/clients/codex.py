"""Codex: hooks in hooks.json, which it calls only after a person has reviewed them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, ClassVar

from nanoctx.clients import session_logs
from nanoctx.clients.base import OPENING, Beginning, Desk, Hindrance, Scope
from nanoctx.clients.json_hooks import Events, JsonHooks

_CONFIG = "config.toml"


class Codex(JsonHooks):
    name = "codex"
    title = "Codex"
    carrier = "three hooks in hooks.json"
    advice = (
        "Codex calls no hook before you have reviewed it: start `codex` once, look at the three hooks it"
        " shows and trust them. `codex exec` leaves them out without a word until then."
    )
    silence = "the last session got nothing: start `codex` and see if it asks you to review the hooks"
    events: ClassVar[Events] = {  # whatever stands there, it waits no more than 3 s when a session ends
        "SessionStart": ("session-start", 5),
        "PreCompact": ("pre-compact", 5),
        "SessionEnd": ("session-end", 3),
    }

    def settings(self, scope: Scope, desk: Desk) -> Path:
        return home(desk) / "hooks.json"

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        return (desk.project / ".codex" / "hooks.json",)

    def hindrance(self, text: str, settings: Path) -> Hindrance | None:
        if not self.ours(text):
            return None
        config = _config(settings.with_name(_CONFIG))
        hooks, features = (config.get(name) for name in ("hooks", "features"))
        if isinstance(features, dict) and features.get("hooks") is False:
            cure = "take that out: no hook is called"
            return Hindrance(f"hooks is false in {settings.with_name(_CONFIG)}", cure)
        state = hooks.get("state") if isinstance(hooks, dict) else None
        if any(str(name).startswith(f"{settings}:") for name in (state if isinstance(state, dict) else ())):
            return None
        return Hindrance(
            f"the hooks in {settings} were not reviewed yet, and Codex does not call them",
            "start `codex` once, look at the hooks it shows and trust them",
        )

    def beginning(self, log: Path) -> Beginning:
        return session_logs.beginning(log, b'"role":"assistant"', _delivered)


CLIENT = Codex()


def home(desk: Desk) -> Path:
    elsewhere = desk.env.get("CODEX_HOME", "")
    return Path(elsewhere) if elsewhere else desk.home / ".codex"


def _delivered(record: dict[str, Any]) -> str | None:
    """What of ours a session was given: the host speaks for hooks as the developer."""
    message = record.get("payload")
    if not isinstance(message, dict) or message.get("role") != "developer":
        return None
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return next((text for text in texts if isinstance(text, str) and OPENING in text), None)


def _config(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
