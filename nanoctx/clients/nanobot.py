"""nanobot: a section in the AGENTS.md of its workspace; it reads no CONTEXT.md and includes no file."""

from __future__ import annotations

import json
from pathlib import Path

from nanoctx.clients.base import Desk
from nanoctx.clients.section import Section


class Nanobot(Section):
    name = "nanobot"
    title = "nanobot"

    def page_of(self, desk: Desk) -> Path:
        named = desk.env.get("NANOBOT_AGENTS__DEFAULTS__WORKSPACE") or _configured(desk.home / ".nanobot")
        home = desk.home
        return home / named.removeprefix("~/") if named else home / ".nanobot" / "workspace"


CLIENT = Nanobot()


def _configured(data: Path) -> str:
    try:
        named = json.loads((data / "config.json").read_bytes())["agents"]["defaults"]["workspace"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return named if isinstance(named, str) else ""
