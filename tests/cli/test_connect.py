"""`nanoctx connect` and `disconnect`: shown, asked, done once, and undone without a trace."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.conftest import Run
from clients.settings_files import HOOKS

AGENT = "claude-code"
every_settings = pytest.mark.parametrize("before", HOOKS.good.values(), ids=list(HOOKS.good))


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def settings(home: Path) -> Path:
    return home / ".claude" / "settings.json"


def put(file: Path, data: bytes | None) -> None:
    if data is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def content(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


@every_settings
def test_connect_and_disconnect_leave_the_same_bytes(run: Run, settings: Path, before: bytes | None) -> None:
    put(settings, before)
    said = run("connect", AGENT, "--yes")
    assert said.code == 0, said.err
    assert b"nanoctx-hook session-start" in settings.read_bytes()
    assert run("disconnect", AGENT, "--yes").code == 0
    assert content(settings) == before
    assert settings.parent.exists() == (before is not None)


@every_settings
def test_connected_twice_is_connected_once(run: Run, settings: Path, before: bytes | None) -> None:
    put(settings, before)
    run("connect", AGENT, "--yes")
    once = settings.read_bytes()
    again = run("connect", AGENT, "--yes")
    assert again.code == 0 and "already" in again.out
    assert settings.read_bytes() == once and once.count(b"nanoctx-hook session-start") == 1


@pytest.mark.parametrize(("data", "words"), HOOKS.broken.values(), ids=list(HOOKS.broken))
def test_settings_that_cannot_be_read_are_left_alone(
    run: Run, settings: Path, data: bytes, words: str
) -> None:
    put(settings, data)
    for command in ("connect", "disconnect"):
        said = run(command, AGENT, "--yes")
        assert said.code == 1 and words in said.err and said.err.count("\n") == 1
        assert str(settings) in said.err
    assert settings.read_bytes() == data


def test_without_yes_and_without_a_terminal_the_change_is_shown_and_not_made(
    run: Run, settings: Path
) -> None:
    put(settings, b'{\n  "model": "opus"\n}\n')
    said = run("connect", AGENT)
    assert said.code == 1 and "--yes" in said.err
    assert '+  "hooks": {' in said.out and '   "model": "opus"' not in said.out.splitlines()[0]
    assert settings.read_bytes() == b'{\n  "model": "opus"\n}\n'


def test_at_a_terminal_the_person_is_asked(run: Run, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nanoctx.cli.call import Call

    monkeypatch.setattr(Call, "at_terminal", True)
    assert run("connect", AGENT, stdin=b"n\n").code == 1
    assert not settings.exists()
    assert run("connect", AGENT, stdin=b"y\n").code == 0
    assert settings.exists()


def test_a_link_stays_a_link_and_its_file_is_edited(run: Run, settings: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    put(real, b'{"model": "opus"}\n')
    settings.parent.mkdir()
    settings.symlink_to(real)
    run("connect", AGENT, "--yes")
    assert settings.is_symlink() and b"nanoctx-hook" in real.read_bytes()
    run("disconnect", AGENT, "--yes")
    assert settings.is_symlink() and real.read_bytes() == b'{"model": "opus"}\n'


def test_rights_stay_and_a_protected_file_is_left_alone(run: Run, settings: Path) -> None:
    put(settings, b"{}\n")
    settings.chmod(0o600)
    run("connect", AGENT, "--yes")
    assert settings.stat().st_mode & 0o777 == 0o600
    connected = settings.read_bytes()
    settings.chmod(0o444)
    said = run("disconnect", AGENT, "--yes")
    assert said.code == 1 and "write-protected" in said.err
    assert settings.read_bytes() == connected


def test_what_a_person_changed_since_stays_when_our_hooks_go(run: Run, settings: Path) -> None:
    put(settings, b'{\n  "model": "opus"\n}\n')
    run("connect", AGENT, "--yes")
    settings.write_bytes(settings.read_bytes().replace(b"opus", b"sonnet"))
    assert run("disconnect", AGENT, "--yes").code == 0
    assert settings.read_bytes() == b'{\n  "model": "sonnet"\n}\n'


def test_hooks_of_a_nanoctx_that_stood_elsewhere_are_replaced(run: Run, settings: Path) -> None:
    put(settings, b'{\n  "model": "opus"\n}\n')
    run("connect", AGENT, "--yes")
    moved = json.loads(settings.read_bytes())
    moved["hooks"]["SessionStart"][0]["hooks"][0]["command"] = "/gone/bin/nanoctx-hook session-start"
    settings.write_text(json.dumps(moved))
    assert run("connect", AGENT, "--yes").code == 0
    assert b"/gone/" not in settings.read_bytes()
    assert settings.read_bytes().count(b"nanoctx-hook session-start") == 1


def test_the_copy_and_its_record_are_for_this_user_only_and_go_with_the_connection(
    run: Run, settings: Path, home: Path
) -> None:
    put(settings, b'{"env": {"KEY": "a secret"}}\n')
    run("connect", AGENT, "--yes")
    kept = home / ".local" / "state" / "nanoctx" / "connections"
    assert kept.stat().st_mode & 0o077 == 0
    assert any(file.read_bytes() == b'{"env": {"KEY": "a secret"}}\n' for file in kept.iterdir())
    run("disconnect", AGENT, "--yes")
    assert not list(kept.iterdir())


def test_disconnect_works_without_the_record(run: Run, settings: Path, home: Path) -> None:
    put(settings, b'{\n  "model": "opus"\n}\n')
    run("connect", AGENT, "--yes")
    for file in (home / ".local" / "state" / "nanoctx" / "connections").iterdir():
        file.unlink()
    assert run("disconnect", AGENT, "--yes").code == 0
    assert settings.read_bytes() == b'{\n  "model": "opus"\n}\n'


def test_one_project_alone_can_be_connected(run: Run, repo: Path, settings: Path) -> None:
    local = repo / ".claude" / "settings.local.json"
    (repo / "src").mkdir()
    assert run("connect", AGENT, "--scope", "project", "--yes", cwd=repo / "src").code == 0
    assert b"nanoctx-hook" in local.read_bytes() and not settings.exists()
    said = run("connect", AGENT, "--yes")
    assert said.code == 1 and "--scope project" in said.err, "the page would come twice"
    assert run("disconnect", AGENT, "--yes").code == 0
    assert not local.parent.exists()


@pytest.mark.parametrize("line", ["@.nanoctx/CONTEXT.md", "Read @./.nanoctx/CONTEXT.md first."])
def test_a_page_that_is_included_by_hand_is_not_given_twice(run: Run, repo: Path, line: str) -> None:
    run("init", cwd=repo)
    (repo / "CLAUDE.md").write_text(f"# Greeter\n\n{line}\n")
    said = run("connect", AGENT, "--yes", cwd=repo.parent)
    assert said.code == 1 and str(repo / "CLAUDE.md") in said.err and "line 3" in said.err
    (repo / "CLAUDE.md").write_text("# Greeter\n\nSee CONTEXT.md, and @docs/CONTEXT.md.\n")
    assert run("connect", AGENT, "--yes").code == 0


def test_other_settings_folder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert run("connect", AGENT, "--yes").code == 0
    assert (tmp_path / "elsewhere" / "settings.json").is_file()


def test_a_list_says_what_is_connected(run: Run, settings: Path) -> None:
    assert "claude-code: not connected\n" in run("connect", "--list").out
    run("connect", AGENT, "--yes")
    assert run("connect", "--list", "--json").data["agents"][0]["settings"] == [str(settings)]
    settings.write_text("{")
    assert run("connect", "--list").code == 0


def test_the_answer_for_programs_has_the_same_keys_always(run: Run) -> None:
    answers = [
        run("connect", AGENT, "--json"), run("connect", AGENT, "--yes", "--json"),
        run("connect", AGENT, "--yes", "--json"), run("disconnect", AGENT, "--json"),
        run("disconnect", AGENT, "--yes", "--json"), run("disconnect", AGENT, "--json"),
    ]  # fmt: skip
    keys = {"agent", "scope", "settings", "connected", "changed", "diff"}
    assert all(set(answer.data) == keys for answer in answers)
    assert [answer.code for answer in answers] == [1, 0, 0, 1, 0, 0]
    assert [answer.data["connected"] for answer in answers] == [False, True, True, True, False, False]


@pytest.mark.parametrize("arguments", [(), ("emacs",), (AGENT, "--scope", "galaxy")])
def test_what_it_cannot_do_is_said_in_one_sentence(run: Run, arguments: tuple[str, ...]) -> None:
    for command in ("connect", "disconnect"):
        said = run(command, *arguments)
        assert said.code == 2 and said.err.count("\n") == 1


def test_not_connected_is_no_error(run: Run, settings: Path) -> None:
    said = run("disconnect", AGENT)
    assert said.code == 0 and "not connected" in said.out
    assert not settings.parent.exists()


def test_git_sees_nothing_of_init_observe_and_connect(run: Run, repo: Path) -> None:
    for command in (["init"], ["observe"], ["connect", AGENT, "--yes"]):
        run(*command, cwd=repo)
        status = subprocess.run(["git", "status", "--porcelain"], cwd=repo, capture_output=True, check=True)
        assert status.stdout == b"", command


def sign(run: Run, name: str) -> dict[str, object]:
    signs = run("doctor", "--json").data["signs"]
    return next((one for one in signs if one["name"] == name), {})


def test_the_doctor_says_how_the_connection_is(run: Run, repo: Path, settings: Path) -> None:
    name = f"{AGENT} connection"
    run("init", cwd=repo)
    assert AGENT in str(sign(run, "connections")["text"]) and sign(run, "connections")["ok"]
    run("connect", AGENT, "--yes")
    assert sign(run, name)["ok"] and str(settings) in str(sign(run, name)["text"])
    connected = settings.read_bytes()
    for change, words in (
        (connected.replace(b"/nanoctx-hook session-end", b"/gone/nanoctx-hook session-end"), "not there"),
        (connected.replace(b'"SessionEnd"', b'"SessionFoo"'), "not at every event"),
        (connected.replace(b'{\n  "hooks"', b'{\n  "disableAllHooks": true,\n  "hooks"'), "disableAllHooks"),
        (b"{", "line 1"),
    ):
        assert change != connected
        settings.write_bytes(change)
        found = sign(run, name)
        assert not found["ok"] and words in str(found["text"]) and found["cure"], found
    settings.write_bytes(connected)
    own = repo / ".claude" / "settings.local.json"
    shared = own.with_name("settings.json")
    own.parent.mkdir()
    for file, change, words in (
        (own, connected, "connected twice"),
        (shared, connected, "calls it, too"),
        (shared, b'{"disableAllHooks": true}', "disableAllHooks"),
    ):
        file.write_bytes(change)
        found = sign(run, name)
        assert not found["ok"] and words in str(found["text"]) and found["cure"], found
        file.unlink()
    (repo / "CLAUDE.md").write_text("@.nanoctx/CONTEXT.md\n")
    assert not sign(run, name)["ok"]


def test_the_doctor_tries_the_hook_and_changes_nothing(
    run: Run, repo: Path, settings: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{AGENT} hook"
    run("init", cwd=repo)
    assert not sign(run, name)
    run("connect", AGENT, "--yes")
    assert sign(run, name)["ok"] and "nothing to say" in str(sign(run, name)["text"])
    session(home, repo, "first", "2026-02-12T09:01:00Z", given=True, said="Let the gauge reader accept UTC")
    run("observe")
    answer = repo / ".nanoctx" / ".state" / "answers" / "project.json"
    long_ago = json.loads(answer.read_text()) | {"made": 0.0}
    answer.write_text(json.dumps(long_ago))  # a session would start a look now
    assert sign(run, name)["ok"] and "characters" in str(sign(run, name)["text"])
    assert json.loads(answer.read_text()) == long_ago
    monkeypatch.setenv("NANOCTX_OFF", "1")
    assert not sign(run, name)["ok"] and "unset" in str(sign(run, name)["cure"])


@pytest.mark.parametrize(
    ("program", "words"),
    [("exit 3", "exit 3"), ("echo hi", "cannot read"), ("echo {}", "cannot read"), ("", "cannot be started")],
)
def test_the_doctor_sees_a_hook_that_does_not_answer(
    run: Run, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, words: str
) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "nanoctx-hook"
    script.write_text(f"#!/bin/sh\n{program}\n" if program else "#!/gone/python\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script.with_name("python")))
    run("init", cwd=repo)
    run("connect", AGENT, "--yes")
    found = sign(run, f"{AGENT} hook")
    assert not found["ok"] and words in str(found["text"]) and found["cure"]


def test_the_doctor_counts_the_sessions_that_were_given_the_text(run: Run, repo: Path, home: Path) -> None:
    name = f"{AGENT} delivery"
    run("init", cwd=repo)
    assert not sign(run, name)
    run("connect", AGENT, "--yes")
    assert "no session" in str(sign(run, name)["text"])
    session(home, repo, "before", "2026-02-12T09:59:00Z", given=False)
    session(home, repo, "first", "2026-02-12T10:01:00Z", given=False)
    assert not sign(run, name)["ok"]
    session(home, repo, "second", "2026-02-12T10:02:00Z", given=True)
    assert sign(run, name)["ok"] and "in 1 of 2 sessions" in str(sign(run, name)["text"])
    session(home, repo, "third", "2026-02-12T10:03:00Z", given=True, stub="<persisted-output>\nPreview:\n")
    found = sign(run, name)
    assert not found["ok"] and "in 2 of 3" in str(found["text"]) and "beginning" in str(found["text"])


def session(
    home: Path, repo: Path, name: str, at: str, *, given: bool, stub: str = "", said: str = ""
) -> None:
    slug = re.sub("[^A-Za-z0-9]", "-", str(repo))
    log = home / ".claude" / "projects" / slug / f"{name}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    text = stub + ("# Context (nanoctx, tidewatch)" if given else "some other text")
    about = {"type": "hook_additional_context", "content": [text], "hookEvent": "SessionStart"}
    base = {"cwd": str(repo), "timestamp": at, "sessionId": name}
    records: list[dict[str, object]] = [{"type": "attachment", **base, "attachment": about}]
    if said:
        records.append({"type": "user", **base, "message": {"role": "user", "content": said}})
    log.write_text("".join(json.dumps(one) + "\n" for one in records))
