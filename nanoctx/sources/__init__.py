"""The agents whose session logs we can read."""

from __future__ import annotations

from nanoctx.sources import claude_code, codex, copilot, openclaw, pi
from nanoctx.sources.base import Source

SOURCES: dict[str, Source] = {
    claude_code.NAME: claude_code,
    codex.NAME: codex,
    copilot.NAME: copilot,
    pi.NAME: pi,
    openclaw.NAME: openclaw,
}
