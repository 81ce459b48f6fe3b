"""With the real Claude Code: its status line tells how full the window is, and a person's own is shown."""

from __future__ import annotations

import json
import re

import pytest
from e2e.claude import until
from e2e.desk import Desk, leave, say
from e2e.scripted_model import Say

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

OWN = """sed 's/.*"used_percentage"://' | cut -c1-2 | sed 's/^/my own line: /' | tee -a told"""


def shares(desk: Desk) -> list[float]:
    found = desk.repository.glob(".nanoctx/observations/*/*/*-claude-code-*.md")
    texts = "".join(one.read_text() for one in found)
    return [float(share) for share in re.findall(r"^context_used: (\S+)$", texts, re.MULTILINE)]


def test_a_nearly_full_window_is_told_by_the_status_line_and_the_page_follows(desk: Desk) -> None:
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"statusLine": {"type": "command", "command": OWN}}))
    before = settings.read_bytes()
    desk.nanoctx("init")
    desk.nanoctx("connect", "claude-code", "--statusline", "--yes")
    with desk.claude.opened() as screen:
        desk.model.plays(Say("It waits for a name.", tokens=20_000), Say("Then it is ready.", tokens=170_000))
        say(screen, "Let the greeter ask for a name in hello.py", "It waits for a name.")
        told = desk.repository / "told"
        until("their own line to be asked for", lambda: told.exists() and ": 10" in told.read_text())
        say(screen, "And greet by it", "Then it is ready.")
        # No event of a session's end or of a compaction: only the status line can have told.
        until("the page to follow", lambda: desk.page().count("greeter ask for a name") > 0)
        until("the observation to tell the share", lambda: shares(desk) == [0.85])
        leave(screen)
    desk.quiet()
    assert "my own line: 85" in told.read_text()
    noted = (desk.repository / ".nanoctx" / ".state" / "fullness").read_text().splitlines()
    assert [line.split(" ")[1] for line in noted] == ["10", "85"], noted
    desk.nanoctx("disconnect", "claude-code", "--yes")
    assert settings.read_bytes() == before
