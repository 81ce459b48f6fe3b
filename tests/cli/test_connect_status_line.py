"""`nanoctx connect claude-code --statusline`: a person's own status line stays, and comes back as it was."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest
from cli.conftest import Run
from clients.settings_files import HOOKS

AGENT = "claude-code"
OWN_LINES: dict[str, bytes] = {
    "a command": b'{\n  "statusLine": {"type": "command", "command": "~/bin/status", "padding": 0}\n}\n',
    "quotes": b'{"statusLine":{"type":"command","command":"jq -r \'\\"\\\\(.model.id)\\"\' | tr a-z A-Z"}}',
    "escapes": b'{\n\t"statusLine": {\n\t\t"command": "printf \\u00e9"\n\t}, // mine\n\t"env": {}\n}\n',
    "lines": b'{\r\n  "model": "opus",\r\n  "statusLine": {\r\n    "command": "a\\nb"\r\n  }\r\n}\r\n',
}
FILES = {**HOOKS.good, **OWN_LINES}
every_file = pytest.mark.parametrize("before", FILES.values(), ids=list(FILES))


@pytest.fixture
def settings() -> Path:
    return Path(os.environ["HOME"]) / ".claude" / "settings.json"


def put(file: Path, data: bytes | None) -> None:
    if data is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def line(settings: Path) -> list[str]:
    """The words of the command that is called; comments and such are for the client to read."""
    from nanoctx.core import json_text

    told = json_text.parse(settings.read_bytes().decode("utf-8", "surrogateescape")).value["statusLine"]
    return shlex.split(told["command"])


@every_file
def test_connected_twice_is_once_and_disconnected_is_as_before(
    run: Run, settings: Path, before: bytes | None
) -> None:
    put(settings, before)
    said = run("connect", AGENT, "--statusline", "--yes")
    assert said.code == 0, said.err
    once = settings.read_bytes()
    assert once.count(b"nanoctx-hook status-line") == 1 and once.count(b"nanoctx-hook session-start") == 1
    for more in (("--statusline",), ()):
        again = run("connect", AGENT, *more, "--yes")
        assert again.code == 0 and "already" in again.out
        assert settings.read_bytes() == once
    assert run("disconnect", AGENT, "--yes").code == 0
    assert (settings.read_bytes() if settings.exists() else None) == before


@every_file
def test_it_can_be_added_to_hooks_that_are_connected(run: Run, settings: Path, before: bytes | None) -> None:
    put(settings, before)
    run("connect", AGENT, "--yes")
    assert b"nanoctx-hook status-line" not in settings.read_bytes()
    assert run("connect", AGENT, "--statusline", "--yes").code == 0
    assert settings.read_bytes().count(b"nanoctx-hook status-line") == 1
    run("disconnect", AGENT, "--yes")
    assert (settings.read_bytes() if settings.exists() else None) == before


@pytest.mark.parametrize("before", OWN_LINES.values(), ids=list(OWN_LINES))
def test_a_line_of_their_own_is_called_by_ours_and_returns_without_a_record(
    run: Run, settings: Path, before: bytes
) -> None:
    from nanoctx.core import json_text

    put(settings, before)
    run("connect", AGENT, "--statusline", "--yes")
    own = json_text.parse(before.decode()).value
    assert line(settings)[1:] == ["status-line", "--then", own["statusLine"]["command"]]
    for file in Path(os.environ["HOME"]).joinpath(".local/state/nanoctx/connections").iterdir():
        file.unlink()
    run("disconnect", AGENT, "--yes")
    assert json_text.parse(settings.read_bytes().decode()).value == own


def test_a_status_line_of_a_nanoctx_that_stood_elsewhere_is_replaced(run: Run, settings: Path) -> None:
    put(settings, OWN_LINES["a command"])
    run("connect", AGENT, "--statusline", "--yes")
    told = json.loads(settings.read_bytes())
    words = line(settings)
    told["statusLine"]["command"] = shlex.join(["/gone/nanoctx-hook", *words[1:]])
    settings.write_text(json.dumps(told))
    assert run("connect", AGENT, "--yes").code == 0
    assert line(settings) == words


@pytest.mark.parametrize("kind", ['"off"', '{"type": "other", "command": "x"}', '{"command": 7}', "{}"])
def test_a_status_line_that_is_not_understood_is_left_alone(run: Run, settings: Path, kind: str) -> None:
    data = f'{{"statusLine": {kind}}}\n'.encode()
    put(settings, data)
    said = run("connect", AGENT, "--statusline", "--yes")
    assert said.code == 1 and "statusLine" in said.err and said.err.count("\n") == 1
    assert settings.read_bytes() == data
    assert run("connect", AGENT, "--yes").code == 0  # without it, nothing hinders


def test_only_claude_code_has_one_and_only_for_a_person(run: Run, repo: Path) -> None:
    assert run("connect", "gemini", "--statusline", "--yes").code == 2
    assert run("connect", AGENT, "--scope", "project", "--statusline", "--yes").code == 2


def test_the_doctor_finds_it_well(run: Run, repo: Path, settings: Path) -> None:
    run("init", cwd=repo)
    run("connect", AGENT, "--statusline", "--yes")
    signs = {sign["name"]: sign for sign in run("doctor", "--json").data["signs"]}
    assert signs[f"{AGENT} connection"]["ok"] and signs[f"{AGENT} hook"]["ok"]
