"""Copilot CLI: a file of hooks in the user's own folder; those of a project need its folder to be trusted."""

from __future__ import annotations

import json
from pathlib import Path

from nanoctx.clients.base import Desk, Scope, command
from nanoctx.clients.own_file import MARK, OwnFile

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


CLIENT = Copilot()
