"""OpenCode: a plugin, which adds the text to the system prompt."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from nanoctx.clients.base import Desk, Scope
from nanoctx.clients.extension import Extension


class OpenCode(Extension):
    name = "opencode"
    title = "OpenCode"
    carrier = "a plugin"
    includes: ClassVar[re.Pattern[str]] = re.compile(r'"([^"\n]*CONTEXT\.md)"')

    def settings(self, scope: Scope, desk: Desk) -> Path:
        return _home(desk) / "plugin" / "nanoctx.js"

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        return (desk.project / ".opencode" / "plugin" / "nanoctx.js",)

    def instructions(self, desk: Desk) -> tuple[Path, ...]:
        places = (_home(desk), desk.project, desk.project / ".opencode")
        return tuple(place / name for place in places for name in ("opencode.json", "opencode.jsonc"))

    def included_from(self, file: Path, desk: Desk) -> Path:
        return desk.project


CLIENT = OpenCode()


def _home(desk: Desk) -> Path:
    base = desk.env.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base.startswith("/") else desk.home / ".config") / "opencode"
