"""What holds for every agent that can be connected, whatever its settings look like."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from clients.settings_files import FILES

from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Cargo, Client, Desk, NotUnderstood
from nanoctx.disk.settings import AGENTS

SCRIPT = Path("/opt/a folder with 'quotes'/nanoctx-hook")
PAGE = Path("/home/ann/a greeter/.nanoctx/CONTEXT.md")
CARGO = Cargo(SCRIPT, PAGE, "# Context\n\n## Now\n- Focus: The gauge\n")
OTHER = Cargo(Path("/elsewhere/nanoctx-hook"), Path("/elsewhere/CONTEXT.md"), "# Context\n")

every_client = pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))


def texts(client: Client) -> dict[str, str]:
    found = FILES[client.name].good.items()
    return {name: data.decode("utf-8", "surrogateescape") for name, data in found if data is not None}


every_text = pytest.mark.parametrize(
    ("client", "name", "text"),
    [(client, name, text) for client in CLIENTS.values() for name, text in texts(client).items()],
    ids=[f"{client.name}: {name}" for client in CLIENTS.values() for name in texts(client)],
)
every_broken = pytest.mark.parametrize(
    ("client", "data", "words"),
    [(client, *broken) for client in CLIENTS.values() for broken in FILES[client.name].broken.values()],
    ids=[f"{client.name}: {name}" for client in CLIENTS.values() for name in FILES[client.name].broken],
)


@every_client
def test_its_name_is_its_key_and_its_sessions_are_read(client: Client) -> None:
    assert CLIENTS[client.name] is client and client.title and client.carrier
    assert client.name in AGENTS


@every_client
def test_each_scope_has_a_file_of_its_own(client: Client, tmp_path: Path) -> None:
    desk = Desk(tmp_path / "home", {}, tmp_path / "project")
    for scope in client.scopes:
        place = desk.home if scope == "user" else desk.project
        assert client.settings(scope, desk).is_relative_to(place)


@every_text
def test_connected_settings_hold_what_is_ours_and_others_do_not(
    client: Client, name: str, text: str
) -> None:
    assert not client.complete(text, CARGO) and not client.ours(text)
    connected = client.connected(text, CARGO)
    assert client.ours(connected) and client.complete(connected, CARGO)
    assert not client.complete(connected, OTHER)
    assert not client.ours(client.disconnected(connected))


@every_text
def test_disconnected_settings_are_what_they_were_even_without_a_record(
    client: Client, name: str, text: str
) -> None:
    if name not in FILES[client.name].like_ours:
        assert client.disconnected(client.connected(text, CARGO)) == text


@every_text
def test_lines_end_as_all_others_do(client: Client, name: str, text: str) -> None:
    connected = client.connected(text, CARGO)
    if "\r\n" in text and not client.whole_file:
        assert connected.count("\n") == connected.count("\r\n")


@every_broken
def test_what_is_not_understood_is_said(client: Client, data: bytes, words: str) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for call in (client.ours, client.disconnected, lambda text: client.connected(text, CARGO)):
        with pytest.raises(NotUnderstood) as refused:
            call(text)
        assert words in str(refused.value)


def test_the_script_is_installed_beside_the_python_that_runs_this() -> None:
    assert Path(sys.executable).with_name("nanoctx-hook").is_file()
