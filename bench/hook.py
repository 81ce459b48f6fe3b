"""
How long a host waits for a hook, beside the bare start of the same Python, called in turn in one run.

    python bench/hook.py [--rounds 60]

Exit 1 if the command that `nanoctx connect` writes takes more than 2.0 x `python -I -S -c pass` (goal 1.5).
The session is observed and nothing has happened since, as at most session starts. Also shown: a start after
HEAD moved (git is asked), and the same through `nanoctx hook`, which no agent calls.
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

ROOT = Path(__file__).resolve().parent.parent
BOUND = 2.0
BIN = Path(sys.executable).parent
GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=60)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        env = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        still, moved = repository(folder, "still", env), repository(folder, "moved", env)
        calls = {
            "python -I -S -c pass": ([sys.executable, "-I", "-S", "-c", "pass"], still),
            "nanoctx-hook session-start": ([BIN / "nanoctx-hook", "session-start"], still),
            "the same after HEAD moved": ([BIN / "nanoctx-hook", "session-start"], moved),
            "nanoctx hook session-start": ([BIN / "nanoctx", "hook", "session-start"], still),
        }
        medians = measured(calls, env, given.rounds)
    base = medians["python -I -S -c pass"]
    for name, seconds in medians.items():
        print(f"{name:<28} {1000 * seconds:6.1f} ms  {seconds / base:5.2f} x")
    return 0 if medians["nanoctx-hook session-start"] <= BOUND * base else 1


def repository(folder: Path, name: str, env: dict[str, str]) -> Path:
    """A repository with a workspace in which one session was observed."""
    repo = folder / name
    repo.mkdir()
    log = folder / "home" / ".claude" / "projects" / "".join(c if c.isalnum() else "-" for c in str(repo))
    log.mkdir(parents=True)
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "Begin")):
        subprocess.run([*GIT, *words], cwd=repo, env=env, check=True)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 7200))
    lines = [
        {"type": kind, "cwd": str(repo), "sessionId": name, "timestamp": moment, "gitBranch": "main",
         "message": {"role": kind, "content": [{"type": "text", "text": words}]}}
        for kind, words in (
            ("user", "Never use tabs here. Let the gauge reader accept UTC times in gauge.py"),
            ("assistant", "Gauge times are read as UTC now and all 14 tests pass."),
        )
    ]  # fmt: skip
    (log / "old.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for words in (("init",), ("observe",)):
        subprocess.run([BIN / "nanoctx", *words], cwd=repo, env=env, check=True, stdout=subprocess.DEVNULL)
    return repo


def measured(
    calls: dict[str, tuple[list[str | Path], Path]], env: dict[str, str], rounds: int
) -> dict[str, float]:
    """The median of each, called in turn, so that a busy moment falls on all of them."""
    waited: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 3):
        for name, (command, repo) in calls.items():
            if repo.name == "moved":
                commit = [*GIT, "commit", "-q", "--allow-empty", "-m", f"News {number}"]
                subprocess.run(commit, cwd=repo, env=env, check=True)
            payload = json.dumps({"cwd": str(repo), "source": "startup", "session_id": "new"}).encode()
            begun = time.perf_counter()
            done = subprocess.run(command, input=payload, env=env, capture_output=True, check=True)
            waited[name].append(time.perf_counter() - begun)
            if "hook" in name or "moved" in name:
                assert number < 3 or b"gauge" in done.stdout, f"{name} gave no answer"
    return {name: statistics.median(values[3:]) for name, values in waited.items()}


if __name__ == "__main__":
    sys.exit(main())
