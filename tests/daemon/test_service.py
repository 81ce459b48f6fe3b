"""`up` has the system keep the process and says what it writes; `down` takes back exactly that."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from daemon_desk import NANOCTX

from nanoctx.daemon import service
from nanoctx.disk import runtime

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

# Does with a unit what systemd would: reads its file, starts and ends its program.
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/asked"
unit="$XDG_CONFIG_HOME/systemd/user/nanoctx.service"
case "$2" in
  restart)
    eval "set -- $(sed -n 's/^ExecStart=//p' "$unit")"
    setsid "$@" > /dev/null 2>&1 &
    echo $! > "$HOME/main-pid"
    while kill -0 $! && read -r _ _ _ _ _ session _ < /proc/$!/stat; do
      [ "$session" = "$!" ] && break  # it stands on its own: whoever called us may end what we started
    done ;;
  disable) kill "$(cat "$HOME/main-pid")" ;;
esac
"""
Said = Callable[..., tuple[int, str]]


@pytest.fixture
def say(tmp_path: Path) -> Iterator[Said]:
    def call(*words: str) -> tuple[int, str]:
        done = subprocess.run([*NANOCTX, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    yield call
    pid = service.running(os.environ)
    if pid is not None:
        os.kill(pid, 15)


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of its own, on which there is no service manager."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "sed", "cat", "git", "setsid"):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def systemd(bin_folder: Path) -> Path:
    program = bin_folder / "systemctl"
    program.write_text(SYSTEMCTL)
    program.chmod(0o755)
    return Path(os.environ["XDG_CONFIG_HOME"]) / "systemd" / "user" / "nanoctx.service"


def files() -> set[str]:
    """Every file of this user's, without what the process itself keeps."""
    home = Path(os.environ["HOME"])
    found = (path for path in home.rglob("*") if not path.is_dir())
    kept = (runtime.folder(os.environ), runtime.state_folder(os.environ))
    return {str(path) for path in found if not any(path.is_relative_to(folder) for folder in kept)}


def test_without_a_service_manager_it_is_a_process_of_its_own(bin_folder: Path, say: Said) -> None:
    before = files()
    code, said = say("up")
    pid = service.running(os.environ)
    assert code == 0 and pid is not None and f"process {pid}" in said and "No service manager" in said
    assert os.getsid(pid) == pid  # it outlives this terminal
    assert runtime.pid(os.environ).read_text() == f"{pid}\n"
    assert files() == before
    assert say("up") == (0, f"It runs already, as process {pid}.\n")
    assert say("run") == (0, "It runs already: `nanoctx status` says how it is.\n")
    assert say("down") == (0, "The background process has ended.\n")
    assert service.running(os.environ) is None and not runtime.pid(os.environ).exists()
    assert say("down") == (0, "No background process runs.\n")
    assert files() == before


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has another one")
def test_a_unit_of_systemd_is_shown_and_taken_back(systemd: Path, say: Said) -> None:
    home = Path(os.environ["HOME"])
    before = files()
    code, said = say("up")
    assert code == 0, said
    text = systemd.read_text()
    assert f"Wrote {systemd}:" in said
    assert all(line.strip() in said for line in text.splitlines())  # all of what it wrote
    assert files() - {str(home / "asked"), str(home / "main-pid")} == before | {str(systemd)}
    pid = service.running(os.environ)
    assert pid is not None and f"process {pid}" in said
    assert say("down") == (0, f"The background process has ended.\nRemoved {systemd}.\n")
    assert service.running(os.environ) is None
    assert files() - {str(home / "asked"), str(home / "main-pid")} == before
    asked = [line.split()[1] for line in (home / "asked").read_text().splitlines()]
    assert [word for word in asked if word != "show-environment"] == [
        *("daemon-reload", "enable", "restart"), *("disable", "daemon-reload"),
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has another one")
def test_a_unit_that_is_not_ours_stays(systemd: Path, say: Said) -> None:
    systemd.parent.mkdir(parents=True)
    systemd.write_text("[Service]\nExecStart=/usr/bin/true\n")
    code, said = say("down")
    assert code == 1 and "was not written by `nanoctx up`" in said
    assert systemd.read_text() == "[Service]\nExecStart=/usr/bin/true\n"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd judges the unit")
def test_systemd_finds_no_fault_with_the_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", "/tmp/with space and 100% $HOME")
    unit = tmp_path / "nanoctx.service"
    unit.write_text(service._systemd(os.environ).text)
    judged = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit)], capture_output=True, text=True, check=False
    )
    assert (judged.returncode, judged.stderr) == (0, "")


def test_the_agent_of_launchd_is_a_list_that_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", "/tmp/a & b")
    plan = service._launchd(os.environ)
    told = plistlib.loads(plan.text.encode())
    assert told["ProgramArguments"][-2:] == ["run", "--quiet"] and told["Label"] == service.LABEL
    assert told["EnvironmentVariables"]["CODEX_HOME"] == "/tmp/a & b"
    assert plan.file == Path(os.environ["HOME"]) / "Library" / "LaunchAgents" / service.AGENT
