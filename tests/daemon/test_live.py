"""What happens while the background process runs is on the page soon, without anybody asking."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from daemon_desk import NANOCTX, Desk

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SOON = 3.0
COMMIT = 5.0


def _page(desk: Desk, words: str, within: float = SOON) -> float:
    return desk.wait(lambda: words in desk.text(), f"the page says: {words}", within)


def test_a_topic_that_crosses_the_threshold_is_on_the_page(desk: Desk) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
    log.used = 120_000
    log.say("The parser reads gauges now.")
    desk.settle()
    log.prompt("Now another thing: the moon phase calculator is needed")
    time.sleep(SOON)
    assert "moon phase" not in desk.text()  # a turn alone is no reason
    log.used = 165_000
    log.say("I begin with the moon phase.")
    _page(desk, "moon phase")
    log.prompt("No wait, do the harbour list first: it lists all harbours")
    _page(desk, "harbour list")  # with a window that full, each prompt is one


def test_the_threshold_is_a_setting(desk: Desk) -> None:
    (desk.root / "nanoctx.toml").write_text("[observe]\nthreshold = 0.5\n")
    log = desk.session()
    log.prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
    log.prompt("Now another thing: the moon phase calculator is needed")
    log.used = 105_000
    log.say("I begin with the moon phase.")
    _page(desk, "moon phase")


@pytest.mark.parametrize("word", ["/exit", "/quit"])
def test_leaving_ends_the_session(desk: Desk, word: str) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser").say("It reads gauges now. Decided: use UTC everywhere.")
    _page(desk, "tide gauge parser")
    log.slash(word)
    desk.wait(lambda: "ended_by: exit" in desk.observation(log), "ended by exit", SOON)
    desk.wait((desk.root / "MEMORY.md").exists, "a cycle", SOON)
    log.prompt("One more thing: the moon phase calculator")  # resumed
    _page(desk, "moon phase")
    assert "ended_by" not in desk.observation(log)


def test_clearing_ends_the_session_and_starts_clean(desk: Desk) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser").say("It reads gauges now.")
    _page(desk, "Focus: Build the tide gauge parser")
    desk.session().clear()
    desk.wait(lambda: "ended_by: clear" in desk.observation(log), "ended by clear", SOON)
    desk.wait(lambda: "Focus: Build the tide gauge" not in desk.text(), "no old focus", SOON)
    assert "tide gauge parser" in desk.text().partition("## Recent")[2]


def test_compacting_is_a_reason(desk: Desk) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
    log.prompt("Now another thing: the moon phase calculator is needed")
    log.compact("The tide gauge parser is done; the moon phase calculator is next.")
    _page(desk, "moon phase")


def test_a_session_without_a_sign_of_life_ends_by_itself(desk: Desk) -> None:
    (desk.root / "nanoctx.toml").write_text("[observe]\nidle_minutes = 1\n")
    log = desk.session(ago=timedelta(seconds=55))
    log.prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
    assert "ended_by" not in desk.observation(log)
    desk.wait(lambda: "ended_by: idle" in desk.observation(log), "ended by idle", 10.0)


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="only time tells here")
def test_a_session_whose_terminal_was_closed_has_ended(desk: Desk) -> None:
    program = desk.top / "claude"
    program.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    program.chmod(0o755)
    with subprocess.Popen([program], cwd=desk.repo) as agent:
        try:
            log = desk.session()
            log.prompt("Please build the tide gauge parser")
            _page(desk, "tide gauge parser")
            time.sleep(2.0)  # it was seen at work
            assert "ended_by" not in desk.observation(log)
        finally:
            agent.kill()
    desk.wait(lambda: "ended_by: exit" in desk.observation(log), "ended with its program", 6.0)


def test_a_commit_outside_is_told(desk: Desk) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser").say("It reads gauges now.").leave()
    desk.wait(lambda: "ended_by: exit" in desk.observation(log), "ended", SOON)
    desk.git("commit", "-q", "--allow-empty", "-m", "Repair the harbour light")
    _page(desk, "Repair the harbour light", COMMIT)
    desk.git("checkout", "-q", "-b", "lamp")
    _page(desk, "lamp", COMMIT)


def _by_rename(page: Path, text: str) -> None:
    beside = page.with_name("4913")
    beside.write_text(text)
    beside.replace(page)


def _in_place(page: Path, text: str) -> None:
    with page.open("w") as file:
        file.write(text[:50])
        file.flush()
        time.sleep(0.05)
        file.write(text[50:])


def _by_appending(page: Path, text: str) -> None:
    with page.open("a") as file:
        file.write(text.splitlines()[-1] + "\n")


def _by_vim(page: Path, text: str) -> None:
    """The editor itself, as it comes: it writes another file and gives that the name."""
    mine = text.splitlines()[-1]
    command = ["vim", "-N", "-u", "NONE", "-es", "-c", f"$put ='{mine}'", "-c", "wq", str(page)]
    subprocess.run(command, check=True, timeout=20, env=os.environ | {"TERM": "dumb"})


@pytest.mark.parametrize(
    "save",
    [
        _by_rename,
        _in_place,
        _by_appending,
        pytest.param(
            _by_vim, marks=pytest.mark.skipif(shutil.which("vim") is None, reason="there is no vim")
        ),
    ],
)
def test_a_saved_page_is_merged_and_not_fought_over(desk: Desk, save: object) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
    desk.settle()
    mine = "- Ask Ines about the old gauge"
    save(desk.page, f"{desk.text()}{mine}\n")  # type: ignore[operator]
    desk.wait(
        lambda: any(mine[2:] in path.read_text() for path in desk.root.glob("observations/*/*/*.md")),
        "what was saved is kept as an observation", SOON,
    )  # fmt: skip
    desk.settle()
    seen = desk.page.stat()
    assert mine in desk.text()
    time.sleep(1.5)
    again = desk.page.stat()
    assert (again.st_ino, again.st_mtime_ns) == (seen.st_ino, seen.st_mtime_ns)  # left alone from here on
    log.leave()
    desk.wait(lambda: "ended_by: exit" in desk.observation(log), "ended", SOON)
    desk.settle()
    assert mine in desk.text()


def test_a_line_taken_out_stays_out(desk: Desk) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser").say("Decided: we use UTC everywhere.").leave()
    desk.wait(lambda: "ended_by: exit" in desk.observation(log), "ended", SOON)
    desk.settle()
    before = desk.text()
    gone = next(line for line in before.splitlines() if line.startswith("- ") and "gauge parser" in line)
    _by_rename(desk.page, before.replace(f"{gone}\n", ""))
    desk.wait(
        lambda: any("retract" in path.read_text() for path in desk.root.glob("observations/*/*/*.md")),
        "what was taken out is kept as an observation", SOON,
    )  # fmt: skip
    desk.git("commit", "-q", "--allow-empty", "-m", "Repair the harbour light")
    _page(desk, "Repair the harbour light", COMMIT)
    assert gone not in desk.text()


def test_it_goes_at_once_and_leaves_nothing(desk: Desk) -> None:
    log = desk.session()
    log.prompt("Please build the tide gauge parser")
    assert desk.process is not None
    group = desk.process.pid
    assert desk.end() < 2.0
    assert subprocess.run(["pgrep", "-P", str(group)], capture_output=True).stdout == b""
    assert not (Path(desk.env["XDG_RUNTIME_DIR"]) / "nanoctx" / "daemon.pid").exists()
    assert desk.told() == {}
    assert desk.run("observe").returncode == 0  # nothing needs it


def test_status_and_watch_say_what_it_does(desk: Desk) -> None:
    watching = subprocess.Popen(
        [*NANOCTX, "--json", "watch", "--seconds", "6"], cwd=desk.top, env=desk.env, stdout=subprocess.PIPE
    )
    log = desk.session()
    log.prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
    (desk.root / "nanoctx.toml").write_text("[page]\nbudget = 'much'\n")
    desk.wait(lambda: desk.ask()["workspaces"][0]["errors"], "settings that cannot be read are told", 8.0)
    (desk.root / "nanoctx.toml").write_text("")
    out, _ = watching.communicate(timeout=30)
    news = [json.loads(line) for line in out.splitlines()]
    assert watching.returncode == 0 and [one["number"] for one in news] == sorted(
        {one["number"] for one in news}
    )
    wrote = next(
        one for one in news if "wrote CONTEXT.md" in one["text"] and "session started" in one["text"]
    )
    assert wrote["workspace"] == str(desk.root) and "1 observation, " in wrote["text"]
    assert any(one["error"] and "nanoctx.toml" in one["text"] for one in news)
    desk.wait(lambda: not desk.ask()["workspaces"][0]["wants"], "mended", 8.0)
    said = desk.run("status").stdout
    assert desk.process is not None
    process, keeps = (
        next(line for line in said.splitlines() if line.startswith(word)) for word in ("Proc", "Keeps")
    )
    assert str(desk.process.pid) in process and " MB," in process and " watches," in process
    assert str(desk.root) in keeps and " s after there was a reason to" in keeps
    assert "Logs:      claude-code (1 of 1 logs growing)" in said and "Error:" in said
    told = desk.ask()
    source = next(one for one in told["sources"] if one["agent"] == "claude-code")
    assert source["folders"] == [str(desk.home / ".claude" / "projects")]
    assert 0 < told["watches"] < 50 and told["rss_mb"] < 150
    assert told["workspaces"][0]["last_look"] and told["workspaces"][0]["lag"] < SOON


def test_a_second_one_says_that_one_runs(desk: Desk) -> None:
    said = desk.run("run")
    assert (said.returncode, said.stdout.count("runs already")) == (0, 1)


def test_one_that_was_killed_is_followed_by_another(desk: Desk) -> None:
    assert desk.process is not None
    desk.process.send_signal(signal.SIGKILL)
    desk.process.wait()
    desk.start()
    desk.session().prompt("Please build the tide gauge parser")
    _page(desk, "tide gauge parser")
