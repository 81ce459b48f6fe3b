"""The agents that can be given the page, by name; a new one needs its module and one line here."""

from __future__ import annotations

from nanoctx.clients import claude_code, codex, copilot, gemini, opencode, pi, qwen
from nanoctx.clients.base import Client

CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        claude_code.CLIENT,
        codex.CLIENT,
        gemini.CLIENT,
        qwen.CLIENT,
        opencode.CLIENT,
        copilot.CLIENT,
        pi.CLIENT,
    )
}
