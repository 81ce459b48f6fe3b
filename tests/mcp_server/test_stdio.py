"""The server as agents start it, asked by the SDK's own client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from stopwatch import timed

from nanoctx.core import tokens

COMMAND = [sys.executable, "-m", "nanoctx", "mcp"]
READY = 1.5  # seconds
TOOL_LIST = 1500  # tokens


def talk(repo: Path, ask: Callable[[Client], Awaitable[Any]], mode: Any = "auto") -> Any:
    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=repo, env=dict(os.environ))

    async def session() -> Any:
        async with Client(server, mode=mode, read_timeout_seconds=8) as client:
            return await ask(client)

    return anyio.run(session)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_gets_tools_memory_pages_and_clear_errors(repo: Path, mode: str) -> None:
    async def ask(client: Client) -> dict[str, Any]:
        return {
            "tools": await client.list_tools(),
            "memory": await client.call_tool("memory_context", {"query": "time zone in tests"}),
            "wrong": await client.call_tool("memory_context", {"q": "time zone"}),
            "unknown": await client.call_tool("nonsense", {}),
            "resources": await client.list_resources(),
            "context": await client.read_resource("nanoctx://CONTEXT.md"),
            "known": await client.read_resource("nanoctx://MEMORY.md"),
        }

    said = talk(repo, ask, mode)
    offered = [one.model_dump(by_alias=True, exclude_none=True) for one in said["tools"].tools]
    assert [one["name"] for one in offered] == ["memory_context", "get_context", "remember", "why"]
    assert tokens.count(json.dumps(offered)) < TOOL_LIST
    assert not said["memory"].is_error and "time zone in tests" in said["memory"].content[0].text
    assert said["wrong"].is_error and "takes no `q`" in said["wrong"].content[0].text
    assert said["unknown"].is_error and "there is no tool nonsense" in said["unknown"].content[0].text
    assert [one.name for one in said["resources"].resources] == ["CONTEXT.md", "MEMORY.md"]
    assert said["context"].contents[0].text.startswith("# Context")
    assert said["known"].contents[0].text == (repo / ".nanoctx" / "MEMORY.md").read_text()


def test_it_is_ready_soon(repo: Path) -> None:
    hello = _message(1, "initialize", _hello()).encode()
    started = timed(COMMAND, hello)
    assert json.loads(started.out)["result"]["serverInfo"]["name"] == "nanoctx"
    assert started.own < READY, started


def test_it_survives_nonsense_and_ends_with_its_input(repo: Path) -> None:
    with subprocess.Popen(COMMAND, cwd=repo, stdin=-1, stdout=-1, stderr=-1, text=True) as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write(_message(1, "initialize", _hello()) + "this is no message\n")
        server.stdin.write(_message("a-2", "tools/call", {"name": "why", "arguments": {"id": "x" * 2**21}}))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        assert [one["id"] for one in answers] == [1, "a-2"]
        assert "send less" in answers[1]["result"]["content"][0]["text"]
        server.stdin.close()
        assert server.wait(8) == 0
        assert server.stderr.read() == ""


def _hello() -> dict[str, Any]:
    about = {"name": "test", "version": "1"}
    return {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}


def _message(number: int | str, method: str, params: dict[str, Any]) -> str:
    return json.dumps({"method": method, "params": params, "jsonrpc": "2.0", "id": number}) + "\n"
