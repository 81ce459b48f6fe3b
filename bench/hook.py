"""
How long a host waits for a hook, beside the bare start of the same Python, called in turn in one run.

    python bench/hook.py [--rounds 40] [--peers]

Exit 1 if the command that `nanoctx connect` writes takes more than 2.0 x `python -I -S -c pass` (goal 1.5)
at a session's start, or more than 3.0 x at a prompt while the background process runs. It is called with what
Claude Code says, in a project with fifty logs: soon after the last look, and an hour after it, when a look is
started behind the host's back. Also shown: a start after HEAD moved (git is asked, too), the same through
`nanoctx hook`, which no agent calls, and prompts without the background process. Looks are waited for before
the next call.

--peers gets others that keep memory for Claude Code (observational-memory from PyPI, claude-mem from npm):
their hooks are called in the same rounds. Those that cannot be had are named and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import peers

BOUNDS = {"session-start": 2.0, "user-prompt-submit": 3.0}
BARE = "python -I -S -c pass"
BIN = Path(sys.executable).parent
GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")
LOGS = 50
WARM_UP = 3  # rounds that do not count
PATIENCE = 60.0  # seconds for the looks behind our back to end
PEERS_EVERY = 4  # rounds: they take their time
ASKED = "How does the tide table compute harmonic constituents for the harbour gauge?"
NOTE = "# Harmonics\n\nThe tide table computes harmonic constituents for the harbour gauge from M2 and S2.\n"
ASIDE = "Rename the helper and run the linter again, please"

Words = Sequence[str | Path]


@dataclass(frozen=True)
class Call:
    """One way in which a host calls a hook; `commands` run beside each other."""

    name: str
    commands: tuple[Words, ...]
    repo: Path
    env: Mapping[str, str]
    event: str = "SessionStart"
    prompt: str = ""
    said: bytes = b""  # what must stand in the answer
    bound: float = 0.0
    is_peer: bool = False


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=40)
    options.add_argument("--peers", action="store_true", help="get others, to be called in the same rounds")
    given = options.parse_args()
    if given.peers:
        print("\n".join(peers.install()), end="", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        base = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        others = peers.found(folder / "others", base)
        try:
            with process(folder, base) as asked:
                calls = [*ours(folder, base), *prompts(asked), *theirs(others, folder)]
                waited = measured(calls, given.rounds)
        finally:
            wait_for_looks(folder)
            for other in others:
                if other.stop:
                    subprocess.run(other.stop, env=other.env, capture_output=True, timeout=PATIENCE)
    bare = waited[BARE]
    for call in calls:
        bound = f"  (at most {call.bound:.1f})" if call.bound else ""
        print(f"{call.name:<52} {1000 * waited[call.name]:7.1f} ms  {waited[call.name] / bare:6.2f} x{bound}")
    return int(any(call.bound and waited[call.name] > call.bound * bare for call in calls))


def ours(folder: Path, base: Mapping[str, str]) -> list[Call]:
    """A session's start, as it is now and then."""
    env = {**base, "HOME": str(folder / "home")}
    still, later, moved = (repository(folder, name, env) for name in ("still", "later", "moved"))
    start = (BIN / "nanoctx-hook", "session-start")
    most = BOUNDS["session-start"]
    return [
        Call(BARE, ((sys.executable, "-I", "-S", "-c", "pass"),), still, env),
        Call("nanoctx-hook session-start", (start,), still, env, said=b"gauge", bound=most),
        Call("the same an hour later", (start,), later, env, said=b"gauge", bound=most),
        Call("the same after HEAD moved", (start,), moved, env, said=b"gauge"),
        Call("nanoctx hook session-start", ((BIN / "nanoctx", "hook", "session-start"),), still, env),
    ]


def prompts(asked: tuple[Path, Mapping[str, str], Mapping[str, str]]) -> list[Call]:
    """Prompts, with the background process at work and without."""
    repo, env, alone = asked
    words = ((BIN / "nanoctx-hook", "user-prompt-submit"),)
    event, most = "UserPromptSubmit", BOUNDS["user-prompt-submit"]
    name = "nanoctx-hook user-prompt-submit"
    known = b"Relevant Memory"
    return [
        Call(f"{name}, told by the process", words, repo, env, event, ASKED, known, most),
        Call(f"{name}, nothing known", words, repo, env, event, ASIDE, b"", most),
        Call(f"{name}, without the process", words, repo, alone, event, ASKED),
    ]


def theirs(others: Sequence[peers.Peer], folder: Path) -> list[Call]:
    """What others have the host wait for at the same events, in the same repository."""
    return [
        Call(
            f"{other.name} {event}", tuple(("bash", "-c", words) for words in other.commands[event]),
            folder / "still", other.env, event, ASKED, is_peer=True,
        )
        for other in others
        for event in ("SessionStart", "UserPromptSubmit")
        if other.commands.get(event)
    ]  # fmt: skip


@contextmanager
def process(
    folder: Path, base: Mapping[str, str]
) -> Iterator[tuple[Path, Mapping[str, str], Mapping[str, str]]]:
    """A repository, with the environment in which the background process is at work, and without it."""
    env = {**base, "HOME": str(folder / "second"), "XDG_RUNTIME_DIR": str(folder / "r")}
    (folder / "r").mkdir()
    (folder / "none").mkdir()
    repo = repository(folder, "asked", env)
    (repo / ".nanoctx" / "knowledge").mkdir()
    (repo / ".nanoctx" / "knowledge" / "harmonics.md").write_text(NOTE)
    for words in (("observe",), ("recall", "harmonic")):
        subprocess.run([BIN / "nanoctx", *words], cwd=repo, env=env, check=True, stdout=subprocess.DEVNULL)
    running = subprocess.Popen([BIN / "nanoctx", "run", "--quiet"], env=env)
    try:
        until = time.monotonic() + PATIENCE
        while not (folder / "r" / "nanoctx" / "api.sock").exists():
            assert time.monotonic() < until and running.poll() is None, "the background process did not begin"
            time.sleep(0.05)
        time.sleep(2)  # its first look
        yield repo, env, {**env, "XDG_RUNTIME_DIR": str(folder / "none")}
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(PATIENCE)


def repository(folder: Path, name: str, env: Mapping[str, str]) -> Path:
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


def logs(repo: Path, env: Mapping[str, str]) -> Path:
    name = "".join(sign if sign.isalnum() else "-" for sign in str(repo))
    return Path(env["HOME"], ".claude", "projects", name)


def write_log(repo: Path, env: Mapping[str, str], session: str, at: float) -> None:
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


def measured(calls: Sequence[Call], rounds: int) -> dict[str, float]:
    """The median of each, called in turn, so that a busy moment falls on all of them."""
    waited: dict[str, list[float]] = {call.name: [] for call in calls}
    for number in range(WARM_UP + rounds):
        for call in calls:
            if call.is_peer and number >= WARM_UP and number % PEERS_EVERY:
                continue
            if call.repo.name == "moved":
                commit = [*GIT, "commit", "-q", "--allow-empty", "-m", f"News {number}"]
                subprocess.run(commit, cwd=call.repo, env=call.env, check=True)
            if call.repo.name == "later":
                make_older(call.repo / ".nanoctx" / ".state" / "answers" / "project.json")
            seconds, out = waited_for(call, number)
            assert call.said in out, f"{call.name} gave no answer"
            if call.repo.name == "moved":
                assert b"News" in out or b"HEAD moved" in out, f"{call.name} does not say so"
            waited[call.name].append(seconds)
            if call.repo.name in ("later", "moved"):
                wait_for_looks(call.repo)  # one at work would slow down what is measured next
    return {name: statistics.median(values[WARM_UP:]) for name, values in waited.items()}


def waited_for(call: Call, number: int) -> tuple[float, bytes]:
    """A new session each time: nothing is said twice in one."""
    payload = {
        "session_id": f"new-{number}",
        "transcript_path": str(logs(call.repo, call.env) / f"new-{number}.jsonl"),
        "cwd": str(call.repo), "hook_event_name": call.event, "source": "startup", "model": "some-model",
        "prompt": call.prompt,
    }  # fmt: skip
    given, pipe = json.dumps(payload).encode(), subprocess.PIPE
    begun = time.perf_counter()
    how = {"stdin": pipe, "stdout": pipe, "stderr": subprocess.DEVNULL, "env": call.env, "cwd": call.repo}
    running = [subprocess.Popen(words, **how) for words in call.commands]
    out = b"".join(one.communicate(given)[0] for one in running)
    return time.perf_counter() - begun, out


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
