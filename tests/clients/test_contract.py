"""What holds for every agent that can be connected, whatever its settings look like."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from clients.settings_files import BROKEN, SETTINGS

from nanoctx.clients import CLIENTS
from nanoctx.clients.base import SCOPES, Client, Desk, NotUnderstood

SCRIPT = Path("/opt/a folder with 'quotes'/nanoctx-hook")
TEXTS = {name: data.decode("utf-8", "surrogateescape") for name, data in SETTINGS.items() if data is not None}
# Without a record nobody can tell these from what we made ourselves.
TAKEN_FOR_OURS = {
    "empty", "only a newline", "empty object with space", "empty lists of hooks", "empty hooks",
}  # fmt: skip

every_client = pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))


@every_client
def test_its_name_is_its_key(client: Client) -> None:
    assert CLIENTS[client.NAME] is client and client.TITLE


@every_client
def test_each_scope_has_a_file_of_its_own(client: Client, tmp_path: Path) -> None:
    desk = Desk(tmp_path / "home", {}, tmp_path / "project")
    user, project = (client.settings(scope, desk) for scope in SCOPES)
    assert user.is_relative_to(desk.home) and project.is_relative_to(desk.project)


@every_client
@every_text
def test_connected_settings_call_us_and_others_do_not(client: Client, text: str) -> None:
    assert not client.calls(text, SCRIPT) and not client.commands(text)
    connected = client.connected(text, SCRIPT)
    assert client.calls(connected, SCRIPT)
    assert not client.calls(connected, Path("/elsewhere/nanoctx-hook"))
    assert not client.commands(client.disconnected(connected))


@every_client
@pytest.mark.parametrize("name", [name for name in TEXTS if name not in TAKEN_FOR_OURS])
def test_disconnected_settings_are_what_they_were_even_without_a_record(client: Client, name: str) -> None:
    assert client.disconnected(client.connected(TEXTS[name], SCRIPT)) == TEXTS[name]


@every_client
@pytest.mark.parametrize(("data", "words"), BROKEN.values(), ids=list(BROKEN))
def test_what_is_not_understood_is_said(client: Client, data: bytes, words: str) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for call in (client.commands, client.disconnected, lambda text: client.connected(text, SCRIPT)):
        with pytest.raises(NotUnderstood) as refused:
            call(text)
        assert words in str(refused.value)


@every_client
def test_the_script_is_installed_beside_the_python_that_runs_this(client: Client) -> None:
    assert Path(sys.executable).with_name("nanoctx-hook").is_file()
