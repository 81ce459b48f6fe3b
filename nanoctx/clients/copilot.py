"""Copilot CLI: a file of hooks in the user's own folder; those of a project need its folder to be trusted."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from nanoctx.clients.base import Desk, Scope, command, is_ours
from nanoctx.clients.own_file import MARK, OwnFile

# What is answered to its userPromptSubmitted does not reach the model.
_EVENTS = {"sessionStart": "session-start", "preCompact": "pre-compact", "sessionEnd": "session-end"}
_SECONDS = 5


class Copilot(OwnFile):
    name = "copilot"
    title = "Copilot CLI"
    carrier = "hooks in a file of their own"

    def settings(self, scope: Scope, desk: Desk) -> Path:
        elsewhere = desk.env.get("COPILOT_HOME", "")
        return (Path(elsewhere) if elsewhere else desk.home / ".copilot") / "hooks" / "nanoctx.json"

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        return (desk.project / ".github" / "hooks" / "nanoctx.json",)

    def instructions(self, desk: Desk) -> tuple[Path, ...]:
        return desk.project / "AGENTS.md", desk.project / ".github" / "copilot-instructions.md"

    def content(self, script: Path) -> str:
        hooks = {
            event: [{"type": "command", "bash": command(script, ours, self.name), "timeoutSec": _SECONDS}]
            for event, ours in _EVENTS.items()
        }
        told = f"{MARK}`nanoctx disconnect copilot` takes it away."
        return json.dumps({"version": 1, "description": told, "hooks": hooks}, indent=2) + "\n"

    def script(self, text: str) -> Path | None:
        try:
            started = json.loads(text)["hooks"]["sessionStart"][0]["bash"] if MARK in text else ""
        except (ValueError, LookupError, TypeError):
            return None
        return Path(shlex.split(started)[0]) if is_ours(started) else None


CLIENT = Copilot()
