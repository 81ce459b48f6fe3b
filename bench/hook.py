"""
How long a host waits for a hook, beside the bare start of the same Python, called in turn in one run.

    python bench/hook.py [--rounds 40]

Exit 1 if the command that `nanoctx connect` writes takes more than 2.0 x `python -I -S -c pass` (goal 1.5).
It is called with what Claude Code says at a session's start, in a project with fifty logs: soon after the
last look, and an hour after it, when a look is started behind the host's back. Also shown: a start after HEAD
moved (git is asked, too), and the same through `nanoctx hook`, which no agent calls. Looks are waited for
before the next call.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOUND = 2.0
BARE, HOOK, LATER = "python -I -S -c pass", "nanoctx-hook session-start", "the same an hour later"
BIN = Path(sys.executable).parent
GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")
LOGS = 50
WARM_UP = 3  # rounds that do not count
PATIENCE = 60.0  # seconds for the looks behind our back to end


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=40)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        env = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        still, later, moved = (repository(folder, name, env) for name in ("still", "later", "moved"))
        calls = {
            BARE: ([sys.executable, "-I", "-S", "-c", "pass"], still),
            HOOK: ([BIN / "nanoctx-hook", "session-start"], still),
            LATER: ([BIN / "nanoctx-hook", "session-start"], later),
            "the same after HEAD moved": ([BIN / "nanoctx-hook", "session-start"], moved),
            "nanoctx hook session-start": ([BIN / "nanoctx", "hook", "session-start"], still),
        }
        try:
            medians = measured(calls, env, given.rounds)
        finally:
            wait_for_looks(folder)
    for name, seconds in medians.items():
        print(f"{name:<28} {1000 * seconds:6.1f} ms  {seconds / medians[BARE]:5.2f} x")
    return 0 if max(medians[HOOK], medians[LATER]) <= BOUND * medians[BARE] else 1


def repository(folder: Path, name: str, env: dict[str, str]) -> Path:
    """A repository with a workspace in which sessions were observed."""
    repo = folder / name
    repo.mkdir()
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "Begin")):
        subprocess.run([*GIT, *words], cwd=repo, env=env, check=True)
    logs(repo, env).mkdir(parents=True)
    for number in range(LOGS):
        write_log(repo, env, f"session-{number}", time.time() - 7200 * (LOGS - number))
    for words in (("init",), ("observe",)):
        subprocess.run([BIN / "nanoctx", *words], cwd=repo, env=env, check=True, stdout=subprocess.DEVNULL)
    return repo


def logs(repo: Path, env: dict[str, str]) -> Path:
    name = "".join(sign if sign.isalnum() else "-" for sign in str(repo))
    return Path(env["HOME"], ".claude", "projects", name)


def write_log(repo: Path, env: dict[str, str], session: str, at: float) -> None:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
    said = (
        ("user", "Never use tabs here. Let the gauge reader accept UTC times in gauge.py"),
        ("assistant", "Gauge times are read as UTC now and all 14 tests pass."),
    )
    lines = [
        {"type": kind, "cwd": str(repo), "sessionId": session, "timestamp": moment, "gitBranch": "main",
         "message": {"role": kind, "content": [{"type": "text", "text": words}]}}
        for kind, words in said
    ]  # fmt: skip
    file = logs(repo, env) / f"{session}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.utime(file, (at, at))


def measured(
    calls: dict[str, tuple[list[str | Path], Path]], env: dict[str, str], rounds: int
) -> dict[str, float]:
    """The median of each, called in turn, so that a busy moment falls on all of them."""
    waited: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(WARM_UP + rounds):
        for name, (command, repo) in calls.items():
            if repo.name == "moved":
                commit = [*GIT, "commit", "-q", "--allow-empty", "-m", f"News {number}"]
                subprocess.run(commit, cwd=repo, env=env, check=True)
            if repo.name == "later":
                make_older(repo / ".nanoctx" / ".state" / "answers" / "project.json")
            payload = {
                "session_id": "new", "transcript_path": str(logs(repo, env) / "new.jsonl"), "cwd": str(repo),
                "hook_event_name": "SessionStart", "source": "startup", "model": "some-model",
            }  # fmt: skip
            given = json.dumps(payload).encode()
            begun = time.perf_counter()
            done = subprocess.run(command, input=given, env=env, capture_output=True, check=True)
            waited[name].append(time.perf_counter() - begun)
            if name != BARE:
                assert b"gauge" in done.stdout, f"{name} gave no answer"
            if repo.name == "moved":
                assert b"News" in done.stdout or b"HEAD moved" in done.stdout, f"{name} does not say so"
            if repo.name != "still":
                wait_for_looks(repo)  # one at work would slow down what is measured next
    return {name: statistics.median(values[WARM_UP:]) for name, values in waited.items()}


def make_older(file: Path) -> None:
    answer = json.loads(file.read_text())
    file.write_text(json.dumps({**answer, "made": time.time() - 3600}))


def wait_for_looks(folder: Path) -> None:
    """Wait until no look at a workspace below a folder is at work: hooks start them and do not wait."""
    deadline = time.monotonic() + PATIENCE
    while any(" observe " in line and f"{folder}/" in line for line in processes()):
        assert time.monotonic() < deadline, f"a look in {folder} goes on for more than {PATIENCE} s"
        time.sleep(0.02)


def processes() -> list[str]:
    listed = subprocess.run(["ps", "-A", "-ww", "-o", "args="], capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
