"""
How much CPU a look costs beside plain line iteration of the same logs, and what it holds in memory.

    python bench/ingest.py [--logs FOLDER] [--megabytes 300] [--long-line 100]

Three figures, each with its bound; exit 1 if one is missed:
1. CPU of a full look at many short logs, as a multiple of `for line in open(log, "rb")` (bound 10);
2. the same for one generated log with a very long line in it, and its peak memory (bound 120 MB);
3. CPU of a look after 1 kB was appended to that log, as a multiple of the same on a 1 MB log (bound 1.25:
   the same work, and room for the noise of a shared machine).

Then, for information, the first figure for each agent by itself. Beside lines of bytes stands what lines of
text cost, `for line in open(log)`: it is more, so the bound is of the former.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanoctx.sources.base import Source

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "logs" / "dev"
FIXTURES = ROOT / "tests" / "sources" / "fixtures"
ENOUGH = 4e6  # bytes: with less the clock is too coarse
# Where logs of real sessions are, below the folder of all logs.
REAL = {
    "claude-code": ("dev/*-claude.jsonl", "clients/claude-code-*/projects/*/*.jsonl"),
    "codex": ("dev/*-codex.jsonl", "clients/codex-*/sessions/*/*/*/*.jsonl"),
    "gemini": ("dev/*-gemini.jsonl", "clients/gemini-*/*/chats/*.jsonl"),
    "qwen": ("clients/qwen-*/projects/*/chats/*.jsonl",),
    "opencode": ("dev/*-opencode.json", "clients/opencode-*/export-*.json"),
    "copilot": ("dev/*-copilot.jsonl", "clients/copilot-*/session-state/*/events.jsonl"),
    "pi": ("dev/*-pi.jsonl", "clients/pi-*/sessions/*/*.jsonl"),
    "aider": ("dev/*-aider.md",),
    "nanobot": ("dev/*-nanobot.jsonl", "clients/nanobot-*/sessions/*/*.jsonl"),
}
PROGRAM = "import sys; from nanoctx.cli.main import main; sys.exit(main())"
ONLY = f"""
import json, sys
from pathlib import Path
from nanoctx.sources import SOURCES
given = json.load(sys.stdin)
for name, source in SOURCES.items():
    source.find_logs = lambda *_, found=[Path(log) for log in given.get(name, ())]: found
{PROGRAM}
"""
FULL, MEMORY, APPEND = 10.0, 120.0, 1.25
WORDS = (  # noqa: SIM905
    "parser reader cache token branch session window budget page lock file index query layer sync retry "
    "queue config socket merge patch error timeout module helper schema record stream buffer worker"
).split()


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--logs", type=Path, default=SHARED)
    options.add_argument("--megabytes", type=int, default=300)
    options.add_argument("--long-line", type=int, default=100)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        passed = [full_look(real_or_made(given.logs, folder, given.seed), folder)]
        big = folder / "big.jsonl"
        small = folder / "small.jsonl"
        make_log(big, given.megabytes << 20, given.seed, long_line=given.long_line << 20)
        make_log(small, 1 << 20, given.seed)
        passed += [one_long_log(big, folder), append(big, small, folder)]
        each_agent(given.logs.parent, folder)
    return 0 if all(passed) else 1


# -- the three figures -------------------------------------------------------------------------------------


def full_look(logs: list[Path], folder: Path) -> bool:
    """All logs as sessions of one home, looked at by one process; the program's own start is taken off."""
    home = folder / "home"
    place = home / ".claude" / "projects" / "-work-all"
    place.mkdir(parents=True)
    for number, log in enumerate(logs):
        (place / f"{number:08d}-0000-4000-8000-000000000000.jsonl").symlink_to(log)
    size = sum(log.stat().st_size for log in logs) / 1e6
    plain = min(cpu_of_iteration(logs) for _ in range(5))
    looks = []
    idle = nothing_to_see(folder)
    for number in range(3):
        workspace = folder / f"all{number}"
        nanoctx(home, "init", str(workspace))
        looks.append(nanoctx(home, "observe", "--workspace", str(workspace))[0])
    look = min(looks)
    ratio = (look - idle) / plain
    text = min(cpu_of_iteration(logs, text=True) for _ in range(5))
    print(f"full look: {len(logs)} logs, {size:.0f} MB: look {look:.3f} s CPU")
    print(f"  line iteration {plain:.3f} s, as text {text:.3f} s ({(look - idle) / text:.1f} x that)")
    print(f"  a look that finds no log: {idle:.3f} s; the look beyond that: {ratio:.1f} x (bound {FULL:.0f})")
    return ratio <= FULL


def nothing_to_see(folder: Path) -> float:
    """CPU of a look that finds no log: what starting the program costs."""
    home, workspace = folder / "empty-home", folder / "empty"
    home.mkdir(exist_ok=True)
    nanoctx(home, "init", str(workspace))
    return min(nanoctx(home, "observe", "--workspace", str(workspace))[0] for _ in range(3))


def one_long_log(big: Path, folder: Path) -> bool:
    home, workspace = folder / "home-big", folder / "big"
    home.mkdir()
    nanoctx(home, "init", str(workspace))
    cpu, peak = nanoctx(home, *observing(big, workspace))
    plain = min(cpu_of_iteration([big]) for _ in range(3))
    ratio = (cpu - nothing_to_see(folder)) / plain
    print(f"one long log: {big.stat().st_size / 1e6:.0f} MB: peak {peak:.0f} MB (bound {MEMORY:.0f})")
    print(f"  line iteration {plain:.3f} s CPU, the look {ratio:.1f} x (bound {FULL:.0f})")
    return peak < MEMORY and ratio <= FULL


def append(big: Path, small: Path, folder: Path) -> bool:
    home = folder / "home-big"
    workspaces = {log: folder / log.stem for log in (big, small)}
    nanoctx(home, "init", str(workspaces[small]))
    nanoctx(home, *observing(small, workspaces[small]))
    costs: dict[Path, list[float]] = {big: [], small: []}
    for number in range(9):
        for log in (big, small):
            with log.open("a") as file:
                file.write(record("user", f"append number {number} " + "x" * 700, datetime.now(UTC)))
            costs[log].append(nanoctx(home, *observing(log, workspaces[log]))[0])
    medians = {log: statistics.median(values) for log, values in costs.items()}
    ratio = medians[big] / medians[small]
    print(f"append 1 kB: {medians[big]:.3f} s on the long log, {medians[small]:.3f} s on one of 1 MB")
    print(f"  {ratio:.2f} x (bound {APPEND})")
    return ratio <= APPEND


# -- each agent by itself ----------------------------------------------------------------------------------


def each_agent(logs: Path, folder: Path) -> None:
    """A full look that finds the logs of one agent only, beside plain line iteration of the same bytes."""
    from nanoctx.sources import SOURCES  # not before memory was measured: a child's starts from ours

    idle = min(look_at("", [], folder)[0] for _ in range(3))
    print(f"each agent by itself, less {idle:.3f} s for a look that finds no log:")
    print(
        "agent        logs sessions    MB  lines ms/MB  as text  look ms/MB  ms/session  x text      x  of 10"
    )
    for name, source in SOURCES.items():
        real = [log for pattern in REAL.get(name, ()) for log in sorted(logs.glob(pattern))]
        found = enough(source, real or list(FIXTURES.glob(f"{name}.*")), folder / "agents" / name)
        size = sum(log.stat().st_size for log in found) / 1e6
        plain = min(cpu_of_iteration(found) for _ in range(5))
        text = min(cpu_of_iteration(found, text=True) for _ in range(5))
        looks = [look_at(name, found, folder) for _ in range(3)]
        look, sessions = min(cpu for cpu, _ in looks) - idle, looks[0][1]
        made = "" if found == real else ", repeated"
        print(
            f"{name:12} {len(found):4} {sessions:8} {size:5.1f} {plain / size * 1e3:12.2f}"
            f" {text / size * 1e3:8.2f} {look / size * 1e3:11.1f} {look / sessions * 1e3:11.1f}"
            f" {look / text:7.1f} {look / plain:6.1f}"
            f"  {'ok' if look <= FULL * plain else 'over'} ({'real' if real else 'fixture'}{made})"
        )


def look_at(name: str, logs: list[Path], folder: Path) -> tuple[float, int]:
    """CPU of one look in a new workspace, and how many sessions it saw."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        workspace = Path(scratch) / "all"
        nanoctx(Path(scratch), "init", str(workspace))
        listed = json.dumps({name: [str(log) for log in logs]})
        cpu = nanoctx(Path(scratch), "observe", "--workspace", str(workspace), program=ONLY, given=listed)[0]
        return cpu, len(list(workspace.glob("observations/*/*/*.md")))


def enough(source: Source, logs: list[Path], folder: Path) -> list[Path]:
    """These logs, or copies of them as other sessions if they are too small to be measured."""
    from nanoctx.model import Cursor

    size = sum(log.stat().st_size for log in logs)
    if size >= ENOUGH:
        return logs
    folder.mkdir(parents=True)
    made = []
    for place, log in enumerate(logs):
        text = log.read_bytes()
        # nanobot's are called by their key and the moment in which they began
        names = {event.session.partition("@")[0] for event in source.read(log, Cursor()).events}
        for number in range(int(ENOUGH / size) + 1):
            copy = text
            if source.NAME == "aider":  # a session is called by the moment in which it began
                copy = text.replace(b"started at 20", b"started at %02d" % (21 + number))
            for name in names:
                copy = copy.replace(name.encode(), f"{name[:-6]}{place:02}{number:04}".encode())
            made.append(folder / f"{place:02}-{number:04}{log.suffix}")
            made[-1].write_bytes(copy)
    return made


# -- how it is measured ------------------------------------------------------------------------------------


def cpu_of_iteration(logs: list[Path], *, text: bool = False) -> float:
    start = time.process_time()
    for log in logs:
        with open(log, errors="replace", encoding="utf-8") if text else open(log, "rb") as file:
            for _ in file:
                pass
    return time.process_time() - start


def observing(log: Path, workspace: Path) -> list[str]:
    return ["observe", "--workspace", str(workspace), "--agent", "claude-code", "--log", str(log)]


def nanoctx(home: Path, *arguments: str, program: str = PROGRAM, given: str = "") -> tuple[float, float]:
    """CPU seconds and peak megabytes of one command."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    command = [sys.executable, "-c", program, *arguments]
    with tempfile.TemporaryFile() as said:
        said.write(given.encode())
        said.seek(0)
        process = subprocess.Popen(command, env=env, cwd=ROOT, stdin=said, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def real_or_made(logs: Path, folder: Path, seed: int) -> list[Path]:
    found = sorted(logs.glob("*claude*.jsonl"))
    if found:
        return found
    print(f"no logs in {logs}: made ones are used")
    made = [folder / f"made{number}.jsonl" for number in range(17)]
    for number, log in enumerate(made):
        make_log(log, 3 << 19, seed + number)
    return made


# -- made logs ---------------------------------------------------------------------------------------------


def make_log(path: Path, size: int, seed: int, long_line: int = 0) -> None:
    """A session of prompts, prose, edits, commands and long outputs, in the shape Claude Code writes."""
    dice = random.Random(seed)
    at = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    written = 0
    with path.open("w") as file:
        if long_line:
            before, after = record("user", [result("toolu_long", "HERE")], at).split("HERE")
            file.write(before)
            for _ in range(long_line >> 20):  # in pieces: a child's peak memory starts from its parent's
                file.write("y" * (1 << 20))
            file.write(after)
            written = long_line
        for line in turns(dice, at):
            file.write(line)
            written += len(line)
            if written >= size:
                return


def turns(dice: random.Random, at: datetime) -> Iterator[str]:
    number = 0
    while True:
        at += timedelta(minutes=dice.randint(1, 4))
        yield record("user", f"Please fix the {said(dice, 6)} in {dice.choice(WORDS)}.py", at)
        for _ in range(dice.randint(4, 14)):
            number += 1
            at += timedelta(seconds=dice.randint(5, 40))
            call = f"toolu_{number}"
            yield record("assistant", [{"type": "text", "text": f"Now let me look at {said(dice, 12)}."}], at)
            yield record("assistant", [tool(dice, call)], at)
            yield record("user", [result(call, said(dice, dice.randint(50, 2500)))], at)
        yield record(
            "assistant",
            [{"type": "text", "text": f"Fixed the {said(dice, 8)}.\n\n- {said(dice, 9)}\n- {said(dice, 9)}"}],
            at,
        )


def tool(dice: random.Random, call: str) -> dict[str, object]:
    name, given = dice.choice(
        (
            ("Read", {"file_path": f"/work/all/{dice.choice(WORDS)}.py"}),
            (
                "Edit",
                {
                    "file_path": f"/work/all/{dice.choice(WORDS)}.py",
                    "old_string": "a",
                    "new_string": said(dice, 60),
                },
            ),
            (
                "Bash",
                {"command": f"pytest -q tests/test_{dice.choice(WORDS)}.py", "description": "Run tests"},
            ),
        )
    )
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def result(call: str, text: str) -> dict[str, object]:
    return {"tool_use_id": call, "type": "tool_result", "content": text, "is_error": False}


def said(dice: random.Random, number: int) -> str:
    return " ".join(dice.choices(WORDS, k=number))


def record(kind: str, content: object, at: datetime) -> str:
    envelope = {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/work/all",
        "sessionId": "made", "version": "2.1.81", "gitBranch": "main", "type": kind,
        "message": {"role": kind, "content": content}, "timestamp": at.isoformat().replace("+00:00", "Z"),
    }  # fmt: skip
    return json.dumps(envelope) + "\n"


if __name__ == "__main__":
    sys.exit(main())
