"""Every agent, with its settings as people have them: connected and disconnected by the command."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.conftest import Run
from clients.settings_files import FILES

from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Client, Desk

every_client = pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
CASES = [(client, name) for client in CLIENTS.values() for name in FILES[client.name].good]
every_case = pytest.mark.parametrize(
    ("client", "name"), CASES, ids=[f"{client.name}: {name}" for client, name in CASES]
)
BROKEN = [(client, name) for client in CLIENTS.values() for name in FILES[client.name].broken]
every_broken = pytest.mark.parametrize(
    ("client", "name"), BROKEN, ids=[f"{client.name}: {name}" for client, name in BROKEN]
)
Place = Callable[[Client], Path]


@pytest.fixture
def place(run: Run, repo: Path) -> Place:
    """Lay out what an agent needs before it can be connected; where its settings are."""

    def lay_out(client: Client) -> Path:
        desk = Desk(Path(os.environ["HOME"]), os.environ, repo)
        own = client.page_of(desk)
        if own is not None and own != repo:
            assert run("init", own).code == 0
        assert run("init", cwd=repo).code == 0
        return client.settings(client.scopes[0], desk)

    return lay_out


def put(file: Path, data: bytes | None) -> None:
    if data is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def content(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def connected(run: Run, client: Client) -> bool:
    rows = run("connect", "--list", "--json").data["agents"]
    return next(bool(row["connected"]) for row in rows if row["agent"] == client.name)


@every_case
def test_connected_twice_is_once_and_disconnected_leaves_the_same_bytes(
    run: Run, place: Place, client: Client, name: str
) -> None:
    before = FILES[client.name].good[name]
    settings = place(client)
    put(settings, before)
    had_folder = settings.parent.exists()
    said = run("connect", client.name, "--yes")
    assert said.code == 0, said.err
    once = settings.read_bytes()
    assert once != before and connected(run, client)
    again = run("connect", client.name, "--yes")
    assert again.code == 0 and "already" in again.out
    assert settings.read_bytes() == once
    assert run("disconnect", client.name, "--yes").code == 0
    assert content(settings) == before and not connected(run, client)
    assert settings.parent.exists() == had_folder


@every_broken
def test_settings_that_are_not_understood_are_left_alone_with_one_sentence(
    run: Run, place: Place, client: Client, name: str
) -> None:
    data, words = FILES[client.name].broken[name]
    settings = place(client)
    put(settings, data)
    for command in ("connect", "disconnect"):
        said = run(command, client.name, "--yes")
        assert said.code == 1 and words in said.err and said.err.count("\n") == 1, said.err
        assert str(settings) in said.err
    assert settings.read_bytes() == data


@every_client
def test_a_link_stays_a_link(run: Run, place: Place, client: Client, tmp_path: Path) -> None:
    settings = place(client)
    before = next(data for data in FILES[client.name].good.values() if data is not None)
    real = tmp_path / "dotfiles" / settings.name
    put(real, before)
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.symlink_to(real)
    run("connect", client.name, "--yes")
    assert settings.is_symlink() and b"nanoctx" in real.read_bytes()
    run("disconnect", client.name, "--yes")
    assert settings.is_symlink() and real.read_bytes() == before


@every_client
def test_the_change_is_shown_and_not_made_without_a_yes(run: Run, place: Place, client: Client) -> None:
    settings = place(client)
    said = run("connect", client.name)
    assert said.code == 1 and "--yes" in said.err and str(settings) in said.out
    assert not settings.exists()


@every_client
def test_the_doctor_finds_it_well(run: Run, place: Place, client: Client) -> None:
    place(client)
    run("connect", client.name, "--yes")
    signs = {sign["name"]: sign for sign in run("doctor", "--json").data["signs"]}
    told = signs[f"{client.name} connection"]
    assert told["ok"] or "reviewed" in told["text"], told


@every_client
def test_an_agent_that_takes_a_page_needs_a_workspace_of_its_own(
    run: Run, repo: Path, client: Client, tmp_path: Path
) -> None:
    run("init", tmp_path / "elsewhere")  # the default: its page is about other projects
    said = run("connect", client.name, "--yes", cwd=repo)
    if client.page_of(Desk(Path(os.environ["HOME"]), os.environ, repo)) is None:
        assert said.code == 0
    else:
        assert said.code == 1 and "nanoctx init" in said.err and said.err.count("\n") == 1


def test_aider_is_told_of_the_page_by_its_whole_path_and_leaves_a_person_s_line(
    run: Run, place: Place, repo: Path
) -> None:
    settings = place(CLIENTS["aider"])
    run("connect", "aider", "--yes")
    assert settings.read_text() == f"read: {repo}/.nanoctx/CONTEXT.md\n"
    run("disconnect", "aider", "--yes")
    settings.write_text("read: .nanoctx/CONTEXT.md\n")
    assert "already" in run("connect", "aider", "--yes").out
    assert settings.read_text() == "read: .nanoctx/CONTEXT.md\n"


def test_the_section_follows_the_page_and_goes_without_a_trace(run: Run, place: Place) -> None:
    agents = place(CLIENTS["nanobot"])
    agents.write_bytes(b"# Agents\r\n\r\nBe brief.")
    run("connect", "nanobot", "--yes")
    page = agents.with_name("CONTEXT.md")
    page.write_text(page.read_text().replace("- Focus: None", "- Focus: The gauge reader"))
    run("observe", "--workspace", agents.parent)
    assert "- Focus: The gauge reader\r\n" in agents.read_bytes().decode()
    run("disconnect", "nanobot", "--yes")
    assert agents.read_bytes() == b"# Agents\r\n\r\nBe brief."
    run("observe", "--workspace", agents.parent)
    assert agents.read_bytes() == b"# Agents\r\n\r\nBe brief."


def test_a_section_that_nobody_connected_is_not_touched(run: Run, repo: Path) -> None:
    agents = repo / "AGENTS.md"
    came = b"<!-- nanoctx: begin -->\nOf somebody else\n<!-- nanoctx: end -->\n"
    agents.write_bytes(came)
    run("init", cwd=repo)
    run("observe")
    assert agents.read_bytes() == came


def test_what_the_section_says_is_not_taken_for_instructions_of_the_repository(repo: Path) -> None:
    from nanoctx.core import section
    from nanoctx.sources import git_names

    (repo / "AGENTS.md").write_text(section.added("Be brief.\n", "- Rule: Never use tabs\n"))
    assert git_names.instructions(repo) == ("Be brief.",)


def test_codex_is_not_called_before_a_person_reviewed_the_hooks(run: Run, place: Place) -> None:
    hooks = place(CLIENTS["codex"])
    told = run("connect", "codex", "--yes").out
    assert "reviewed" in told and not hooks.with_name("config.toml").exists()

    def sign() -> dict[str, object]:
        signs = run("doctor", "--json").data["signs"]
        return next(one for one in signs if one["name"] == "codex connection")

    assert not sign()["ok"] and "trust" in str(sign()["cure"])
    key = json.dumps(f"{hooks}:session_start:0:0")
    hooks.with_name("config.toml").write_text(f'[hooks.state.{key}]\ntrusted_hash = "sha256:0"\n')
    assert sign()["ok"]
    hooks.with_name("config.toml").write_text("[features]\nhooks = false\n")
    assert "false" in str(sign()["text"])
