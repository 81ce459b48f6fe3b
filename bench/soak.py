"""A long day of the background process: sessions, commits and saves at once, and what is left of it.

`bench/soak.py` takes less than ten minutes: 200 sessions over 20 projects, 100,000 lines, 500 commits, 300
saves of pages. `--small` takes about 40 seconds. Exit code 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

ROOT = Path(__file__).parents[1]
NANOCTX = [sys.executable, "-P", "-m", "nanoctx"]
WORDS = """
    tide gauge parser moon phase calculator harbour report export retry budget reader socket cache index
    schema migration login session upload thumbnail invoice currency rounding calendar reminder search
""".split()  # noqa: SIM905


@dataclass(frozen=True)
class Size:
    projects: int
    sessions: int
    lines: int
    commits: int
    saves: int
    seconds: float  # over which all of it is spread
    idle: float


FULL = Size(20, 200, 100_000, 500, 300, 330.0, 30.0)
SMALL = Size(4, 16, 3_200, 32, 24, 16.0, 6.0)


@dataclass
class Session:
    """One session of Claude Code, written line by line."""

    home: Path
    project: Path
    number: int
    lines: int
    rng: random.Random
    prompts: int = 0
    used: int = 5_000
    id: str = ""
    parent: str | None = None
    written: int = 0
    topic: str = ""

    def __post_init__(self) -> None:
        self.id = str(uuid5(NAMESPACE_URL, f"soak-{self.number}"))
        name = "".join(c if c.isalnum() else "-" for c in str(self.project))
        folder = self.home / ".claude" / "projects" / name
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{self.id}.jsonl"
        self.topic = " ".join(self.rng.sample(WORDS, 3))

    def steps(self) -> Iterator[None]:
        """Each step appends one line; the last one leaves."""
        self._user(f"Please build the {self.topic} number {self.number} for the harbour team")
        yield
        while self.written < self.lines - 2:
            if self.rng.random() < 0.02:
                self._user(f"And make the {self.rng.choice(WORDS)} of number {self.number} faster, too")
            elif self.rng.random() < 0.4:
                self._say(f"Looking at {self._prose(30)}.")
            else:
                name = f"src/{self.rng.choice(WORDS)}.py"
                call = {"type": "tool_use", "id": f"toolu_{self.written}", "name": "Read"}
                self._assistant([{**call, "input": {"file_path": str(self.project / name)}}])
                yield
                told = {"tool_use_id": f"toolu_{self.written - 1}", "type": "tool_result"}
                content = "\n".join(self._prose(8) for _ in range(self.rng.randrange(20)))
                self._write("user", [{**told, "content": content}])
            yield
        self._say(f"The {self.topic} number {self.number} is finished.")
        yield
        self._write("user", "<command-name>/exit</command-name>\n<command-args></command-args>")
        yield

    def _user(self, text: str) -> None:
        self.prompts += 1
        self._write("user", text)

    def _say(self, text: str) -> None:
        self._assistant([{"type": "text", "text": text}])

    def _prose(self, words: int) -> str:
        return " ".join(self.rng.choices(WORDS, k=words))

    def _assistant(self, content: list[dict[str, Any]]) -> None:
        self.used += self.rng.randrange(700)
        self._write("assistant", content)

    def _write(self, kind: str, content: object) -> None:
        message: dict[str, object] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"model": "claude-test", "usage": {"input_tokens": self.used, "output_tokens": 5}}
        uid = f"{self.id[:8]}-{self.written}"
        line = {
            "parentUuid": self.parent, "isSidechain": False, "cwd": str(self.project), "sessionId": self.id,
            "version": "2.1.326", "gitBranch": "main", "type": kind, "message": message, "uuid": uid,
            "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        }  # fmt: skip
        self.parent = uid
        self.written += 1
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


@dataclass
class Scene:
    """A home of its own with repositories, each a workspace."""

    top: Path
    size: Size
    rng: random.Random
    projects: list[Path] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    saved: dict[Path, list[str]] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)

    def lay_out(self) -> None:
        home = self.top / "home"
        runtime = self.top / "run"
        for folder in (home / ".claude" / "projects", runtime):
            folder.mkdir(parents=True, mode=0o700)
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org", "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        for number in range(self.size.projects):
            project = self.top / "code" / f"project-{number:02}"
            project.mkdir(parents=True)
            self.git(project, "init", "-q", "-b", "main")
            self.git(project, "commit", "-q", "--allow-empty", "-m", "Begin")
            subprocess.run([*NANOCTX, "init"], cwd=project, env=self.env, check=True, capture_output=True)
            self.projects.append(project)
            # Each project had a session before, so that what is watched is there from the beginning.
            for _ in self.begin(project, 20).steps():
                pass

    def git(self, project: Path, *words: str) -> None:
        subprocess.run(["git", *words], cwd=project, env=self.env, check=True)

    def commit(self, number: int) -> None:
        project = self.rng.choice(self.projects)
        self.git(project, "commit", "-q", "--allow-empty", "-m", f"Change {number}")

    def begin(self, project: Path, lines: int) -> Session:
        session = Session(self.top / "home", project, len(self.sessions), lines, self.rng)
        self.sessions.append(session)
        return session

    def save(self, number: int) -> None:
        """A person adds a line to a page, as one of three editors saves it."""
        project = self.rng.choice(self.projects)
        page = project / ".nanoctx" / "CONTEXT.md"
        line = f"- Keep {number} in mind"
        text = page.read_text()
        if not text:
            return
        self.saved.setdefault(project, []).append(line)
        changed = text.replace("## Time\n", f"{line}\n\n## Time\n", 1).replace("\n\n- Keep", "\n- Keep")
        style = self.rng.choice(("rename", "truncate", "append"))
        if style == "rename":
            beside = page.with_name("4913")
            beside.write_text(changed)
            beside.replace(page)
        elif style == "truncate":
            with page.open("w") as file:
                file.write(changed[:40])
                file.flush()
                time.sleep(0.02)
                file.write(changed[40:])
        else:
            with page.open("a") as file:
                file.write(f"{line}\n")

    def snapshot(self) -> dict[str, tuple[int, int]]:
        """Every file that is there, and when it was last written."""
        workspaces = (project / ".nanoctx" for project in self.projects)
        return {
            str(path): (status.st_ino, status.st_mtime_ns)
            for top in (self.top / "home", self.top / "run", *workspaces)
            for path in top.rglob("*")
            if path.is_file() and (status := path.stat())
        }


class Daemon:
    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.process = subprocess.Popen([*NANOCTX, "run", "--quiet"], env=env)
        self.samples: list[dict[str, Any]] = []

    def told(self) -> dict[str, Any] | None:
        from nanoctx.daemon import control

        return control.ask(self.env)

    def sample(self) -> None:
        told = self.told()
        if told is not None:
            self.samples.append(told)

    def settle(self, patience: float) -> bool:
        """Wait until nothing is wanted for two seconds."""
        calm, until = 0, time.monotonic() + patience
        while time.monotonic() < until:
            told = self.told()
            busy = told is None or any(one["wants"] or one["working"] for one in told["workspaces"])
            busy = busy or any(one["last_look"] is None for one in told["workspaces"] if told)
            calm = 0 if busy else calm + 1
            if calm >= 8:
                return True
            time.sleep(0.25)
        return False

    def end(self) -> float:
        begun = time.monotonic()
        self.process.terminate()
        self.process.wait(10)
        return time.monotonic() - begun


def work(scene: Scene, daemon: Daemon) -> float:
    """Let everything happen, spread over the time given; returns how long it took."""
    size, rng = scene.size, scene.rng
    each = size.lines // size.sessions
    waiting = [scene.projects[number % size.projects] for number in range(size.sessions)]
    total = size.lines + size.commits + size.saves
    others: list[Callable[[], None]] = [partial(scene.commit, number) for number in range(size.commits)]
    others += [partial(scene.save, number) for number in range(size.saves)]
    rng.shuffle(others)
    when = sorted(rng.randrange(total // 50, total) for _ in others)
    running: list[Iterator[None]] = []
    done = 0
    begun = sampled = time.monotonic()
    while running or waiting or others:
        while waiting and len(running) < size.projects:
            running.append(scene.begin(waiting.pop(0), each).steps())
        if others and (done >= when[0] or not (running or waiting)):
            when.pop(0)
            others.pop()()
        elif running:
            one = rng.choice(running)
            if next(one, "over") == "over":
                running.remove(one)
                continue
        done += 1
        ahead = begun + size.seconds * done / total - time.monotonic()
        if ahead > 0.01:
            time.sleep(ahead)
        if time.monotonic() - sampled > 2.0:
            sampled = time.monotonic()
            daemon.sample()
    return time.monotonic() - begun


def lost(scene: Scene) -> list[str]:
    """Sessions without an observation that counts all of their prompts."""
    from nanoctx.disk import observations

    found = []
    for project in scene.projects:
        known = {one.session: one for one in observations.load_all(project / ".nanoctx").observations}
        for session in scene.sessions:
            if session.project == project:
                one = known.get(session.id)
                if one is None or one.prompts != session.prompts or one.ended_by != "exit":
                    found.append(session.id)
    return found


def wrong(scene: Scene) -> list[str]:
    """Pages that a look would still change, or that lack what they must say."""
    found = []
    for project in scene.projects:
        page = project / ".nanoctx" / "CONTEXT.md"
        text = page.read_text()
        env = scene.env | {"NANOCTX_NOW": datetime.fromtimestamp(page.stat().st_mtime, UTC).isoformat()}
        done = subprocess.run(
            [*NANOCTX, "--json", "observe"], cwd=project, env=env, capture_output=True, text=True, check=False
        )
        told = json.loads(done.stdout)
        if told["page_changed"] or told["changed"]:
            found.append(f"{project.name}: a look still changed something")
        latest = [one for one in scene.sessions if one.project == project][-1]
        if f"number {latest.number}" not in text:
            found.append(f"{project.name}: the last session is not on the page")
    return found


def missing(scene: Scene) -> list[str]:
    """Lines that a person saved and that are nowhere."""
    found = []
    for project, lines in scene.saved.items():
        root = project / ".nanoctx"
        texts = "\n".join(path.read_text() for path in (root / "CONTEXT.md", *(root / "conflicts").glob("*")))
        found += [f"{project.name}: {line}" for line in lines if line not in texts]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a short form, for tests")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder")
    given = parser.parse_args()
    size = SMALL if given.small else FULL
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}; {size}")
    sys.path.insert(0, str(ROOT))
    top = Path(tempfile.mkdtemp(prefix="soak-"))
    scene = Scene(top, size, random.Random(seed))
    os.environ["HOME"] = str(top / "home")
    try:
        scene.lay_out()
        return _soak(scene)
    finally:
        if given.keep:
            print(f"kept {top}")
        else:
            shutil.rmtree(top, ignore_errors=True)


def _soak(scene: Scene) -> int:
    size = scene.size
    daemon = Daemon(scene.env)
    try:
        settled = daemon.settle(60)
        daemon.sample()
        took = work(scene, daemon)
        settled = daemon.settle(60) and settled
        before, first = scene.snapshot(), daemon.told()
        begun = time.monotonic()
        time.sleep(size.idle)
        idle = time.monotonic() - begun
        last = daemon.told()
        assert first is not None and last is not None, "the background process has ended"
        after = scene.snapshot()
        daemon.samples.append(last)
        ended = daemon.end()
    finally:
        daemon.process.kill()
    written = sum(session.written for session in scene.sessions)
    words = f"{len(scene.sessions)} sessions, {written} lines, {size.commits} commits, "
    words += f"{sum(map(len, scene.saved.values()))} saves in {took:.0f} s over {size.projects} projects"
    print(words)
    return _judge(scene, daemon, first, last, idle, ended, settled, before, after)


def _judge(
    scene: Scene,
    daemon: Daemon,
    first: dict[str, Any],
    last: dict[str, Any],
    idle: float,
    ended: float,
    settled: bool,
    before: dict[str, tuple[int, int]],
    after: dict[str, tuple[int, int]],
) -> int:
    samples = daemon.samples
    resting, most = samples[0], max(one["descriptors"] for one in samples)
    warm = samples[len(samples) // 4 :]
    rss = [one["rss_mb"] for one in warm]
    third = max(1, len(rss) // 3)
    growth = sum(rss[-third:]) / third - sum(rss[:third]) / third
    cpu = 100 * (last["cpu_seconds"] - first["cpu_seconds"]) / idle
    rewritten = [path for path in after.keys() | before.keys() if after.get(path) != before.get(path)]
    lags = sorted(float(one["lag"]) for sample in samples for one in sample["workspaces"])
    errors = [error for one in last["workspaces"] for error in one["errors"]]

    def at_rest(name: str) -> tuple[str, str, str, bool]:
        before, after = resting[name], last[name]
        return (
            f"{name} at rest, before and after",
            f"{before} → {after}",
            "the same",
            abs(after - before) <= 2,
        )

    gone, bad, unsaved = lost(scene), wrong(scene), missing(scene)
    rows: list[tuple[str, str, str, bool]] = [
        ("sessions lost", str(len(gone)), "0", not gone),
        ("pages that are wrong at the end", str(len(bad)), "0", not bad),
        ("saved lines that are nowhere", str(len(unsaved)), "0", not unsaved),
        ("memory, most (MB)", f"{max(one['rss_mb'] for one in samples):.1f}", "< 150",
         max(one["rss_mb"] for one in samples) < 150),
        ("memory, growth from the first to the last third (MB)", f"{growth:+.1f}", "< 10", growth < 10),
        *map(at_rest, ("descriptors", "threads", "watches")),
        ("descriptors, most while at work", str(most), "< 64", most < 64),
        ("processor while idle (%)", f"{cpu:.2f}", "< 0.5", cpu < 0.5),
        (f"files written in {idle:.0f} s without a change", str(len(rewritten)), "0", not rewritten),
        ("came to rest after the work", "yes" if settled else "no", "yes", settled),
        ("told to go, gone after (s)", f"{ended:.2f}", "< 2", ended < 2),
        ("errors told", str(len(errors)), "0", not errors),
    ]  # fmt: skip
    print(f"| {'what':52} | {'seen':>12} | {'goal':>12} |    |\n|{'-' * 54}|{'-' * 14}|{'-' * 14}|----|")
    for name, seen, goal, good in rows:
        print(f"| {name:52} | {seen:>12} | {goal:>12} | {'ok' if good else '!!'} |")
    busy = last["cpu_seconds"]
    median, late = lags[len(lags) // 2], lags[int(len(lags) * 0.95)]
    print(f"lag of a look: median {median:.2f} s, 95 % {late:.2f} s;", end=" ")
    print(f"looks {sum(one['looks'] for one in last['workspaces'])}, processor in all {busy:.0f} s")
    for line in (*gone[:5], *bad[:5], *unsaved[:5], *rewritten[:5], *errors[:5]):
        print(f"  {line}")
    return 0 if all(good for *_, good in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
