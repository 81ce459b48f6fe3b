"""OpenClaw: a section in the AGENTS.md of its workspace, which it reads at each session's start."""

from __future__ import annotations

from pathlib import Path

from nanoctx.clients.base import Desk
from nanoctx.clients.section import Section
from nanoctx.core import json_text


class OpenClaw(Section):
    name = "openclaw"
    title = "OpenClaw"

    def page_of(self, desk: Desk) -> Path:
        elsewhere = desk.env.get("OPENCLAW_STATE_DIR", "")
        state = Path(elsewhere) if elsewhere else desk.home / ".openclaw"
        named = _configured(state)
        return desk.home / named.removeprefix("~/") if named else state / "workspace"


CLIENT = OpenClaw()


def _configured(state: Path) -> str:
    try:
        settings = json_text.parse((state / "openclaw.json").read_text("utf-8")).value
        named = settings["agents"]["defaults"]["workspace"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return named if isinstance(named, str) else ""
