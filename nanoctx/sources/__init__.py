"""The agents whose session logs we can read."""

from __future__ import annotations

from nanoctx.sources import (
    aider,
    claude_code,
    codex,
    copilot,
    gemini,
    generic,
    nanobot,
    openclaw,
    opencode,
    pi,
    qwen,
)
from nanoctx.sources.base import Source

SOURCES: dict[str, Source] = {
    claude_code.NAME: claude_code,
    codex.NAME: codex,
    gemini.NAME: gemini,
    qwen.NAME: qwen,
    opencode.NAME: opencode,
    copilot.NAME: copilot,
    pi.NAME: pi,
    aider.NAME: aider,
    nanobot.NAME: nanobot,
    openclaw.NAME: openclaw,
    generic.NAME: generic,
}
