"""
What a refresh of External costs beside the same hardened `git status`, called in turn in one run.

    python bench/external.py [--rounds 80] [--files 50000]

Exit 1 if a refresh of a small repository takes more than 1.5 x the status alone, or if a refresh of a
repository of very many files outlives its time limit. A refresh asks only for what may have moved: while HEAD
stands where the last session left it, that is the status. Also shown: a refresh after a commit was made
outside (the log is asked for as well).
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanoctx.core import git_safety
from nanoctx.sources import git, git_runner, git_state

BOUND = 1.5
BASE = "hardened git status"
LIMIT = 0.05  # seconds given to the refresh of the large repository: far too few
GRACE = 0.5  # seconds in which an ended git is gone, on a busy machine
GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=80)
    options.add_argument("--files", type=int, default=50_000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["HOME"] = scratch
        passed = [small(Path(scratch).resolve() / "small", given.rounds)]
        passed.append(large(Path(scratch).resolve() / "large", given.files))
    return 0 if all(passed) else 1


def small(repo: Path, rounds: int) -> bool:
    make(repo, 200)
    seen = git.head(repo)
    assert seen is not None
    still = git_state.Since(datetime.now(UTC), seen.sha, seen.branch)
    before = still.at or datetime.now(UTC)
    for number in range(3):
        run(repo, "commit", "-q", "--allow-empty", "-m", f"Outside {number}")
    moved = git.head(repo)
    assert moved is not None
    stands = git_state.Since(before, moved.sha, moved.branch)
    calls: dict[str, Callable[[], object]] = {
        BASE: lambda: git_runner.run(repo, git_safety.status()),
        "refresh, HEAD stands": lambda: git_state.state(repo, stands),
        "refresh, HEAD moved": lambda: git_state.state(repo, still),
    }
    passed = compared(calls, rounds)
    run(repo, "gc", "-q")
    compared({BASE: calls[BASE], "the same, packed": lambda: git_state.state(repo, still)}, rounds)
    return passed


def compared(calls: dict[str, Callable[[], object]], rounds: int) -> bool:
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begun)
    base = times[BASE]
    for name, values in times.items():
        middle = statistics.median(values) / statistics.median(base)
        ratio = min(values) / min(base)
        print(f"{name:<24} {1000 * min(values):6.1f} ms  {ratio:5.2f} x  (in the middle {middle:.2f} x)")
    return all(min(values) <= BOUND * min(base) for values in times.values())


def large(repo: Path, files: int) -> bool:
    make(repo, files)
    since = git_state.Since(datetime.now(UTC) - timedelta(hours=1))
    begun = time.perf_counter()
    whole = git_state.state(repo, since)
    took = time.perf_counter() - begun
    begun = time.perf_counter()
    cut = git_state.state(repo, since, timeout=LIMIT)
    bounded = time.perf_counter() - begun
    print(f"{files} files: whole in {1000 * took:.0f} ms (limit {git_runner.TIMEOUT:.0f} s)")
    print(f"  with {1000 * LIMIT:.0f} ms for each call of git: back after {1000 * bounded:.0f} ms")
    assert whole is not None and cut is not None
    return took < 3 * git_runner.TIMEOUT and bounded < 3 * (LIMIT + git_runner.GRACE) + GRACE


def make(repo: Path, files: int) -> None:
    for number in range(files):
        file = repo / f"part{number // 500}" / f"file{number}.txt"
        if number % 500 == 0:
            file.parent.mkdir(parents=True)
        file.write_text(f"{number}\n")
    run(repo, "init", "-q", "-b", "main")
    Path(os.environ["HOME"], ".gitconfig").write_text("[user]\n\temail = ann@example.org\n")
    run(repo, "add", ".")
    run(repo, "commit", "-q", "-m", "Begin")
    (repo / "part0" / "file0.txt").write_text("changed\n")
    (repo / "new.txt").write_text("new\n")


def run(repo: Path, *words: str) -> None:
    subprocess.run([*GIT, *words], cwd=repo, check=True)


if __name__ == "__main__":
    sys.exit(main())
