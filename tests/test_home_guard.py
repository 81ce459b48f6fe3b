"""The guard of conftest.py guards."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", [".claude/x.jsonl", ".codex/config.toml", ".config/nanoctx/workspaces.toml"])
def test_no_test_can_open_a_persons_own_files(name: str) -> None:
    file = Path(pwd.getpwuid(os.getuid()).pw_dir) / name
    with pytest.raises(AssertionError, match=str(file)) as caught:
        file.read_text()
    assert caught.type.__name__ == "YouForgotToKeepTheTestOutOfTheRealHome"


def test_no_test_can_list_a_persons_own_folders() -> None:
    with pytest.raises(AssertionError):
        list(Path(pwd.getpwuid(os.getuid()).pw_dir, ".local/share/nanoctx").iterdir())


def test_home_and_settings_are_the_tests_own() -> None:
    assert Path.home() != Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert os.environ["XDG_CONFIG_HOME"].startswith(str(Path.home()))
    assert not any(name.startswith(("NANOCTX_", "CLAUDE")) for name in os.environ)
