"""`nanoctx mcp`: memory for any agent that speaks the Model Context Protocol."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from nanoctx.cli.call import Call, with_call


@click.command("mcp")
@with_call
def command(call: Call) -> None:
    """Serve memory to an agent by MCP, on standard input and output.

    Agents start this themselves; it ends when they do. It offers four tools (memory_context, get_context,
    remember, why) and the two pages as resources. docs/mcp.md says how to set it up.

    \b
    Example:
      claude mcp add nanoctx -- nanoctx mcp
    """
    from nanoctx import mcp_server

    folder = call.env.get("CLAUDE_PROJECT_DIR", "")
    mcp_server.serve(replace(call, cwd=Path(folder)) if folder.startswith("/") else call)
