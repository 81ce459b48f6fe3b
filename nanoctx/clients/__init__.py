"""The agents that can be made to call nanoctx, by name; a new one needs its module and one line here."""

from __future__ import annotations

from nanoctx.clients import claude_code
from nanoctx.clients.base import Client

CLIENTS: dict[str, Client] = {claude_code.NAME: claude_code}
