"""Pi: an extension, which gives the text to the model as a message before the first prompt."""

from __future__ import annotations

from pathlib import Path

from nanoctx.clients.base import Desk, Scope
from nanoctx.clients.extension import Extension


class Pi(Extension):
    name = "pi"
    title = "Pi"
    carrier = "an extension"

    def settings(self, scope: Scope, desk: Desk) -> Path:
        elsewhere = desk.env.get("PI_CODING_AGENT_DIR", "")
        home = Path(elsewhere) if elsewhere else desk.home / ".pi" / "agent"
        return home / "extensions" / "nanoctx.ts"

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        return (desk.project / ".pi" / "extensions" / "nanoctx.ts",)


CLIENT = Pi()
