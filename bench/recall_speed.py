"""
How long a search takes, beside SQLite's FTS5 on the same items and questions in the same run.

    python bench/recall_speed.py [--items N] [--questions N]

It makes two workspaces in a temporary folder: one of generated sessions with 100,000 items in all, whose
words are those of Python's own docstrings, and one of 1,000 notes. Exits 1 if something takes longer than
allowed. `warm` is a whole search in a running process, with the look whether a file changed; `cold` is the
command. FTS5 stems with porter and is asked for the same words, without the stop words, and for ten rows.
Each question is asked three times and the best counts, here and there: other work on the machine does not.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

sys.path.remove(str(Path(__file__).resolve().parent))  # whose `secrets` is not the one of Python

from nanoctx.core import items as form
from nanoctx.disk import workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Evidence, Item, Observation
from nanoctx.recall import embeddings, index, opening, search, words

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
BIN = Path(sys.executable).parent
SESSION = 40  # items of one session
KINDS = ("impl", "dec", "fail", "learn", "fix", "next", "fact")
NOTES = 1000
COLD_RUNS = 9
ROUNDS = 3
ASKED = ("why does", "how do we", "where is", "what about", "when did", "who wanted")


class Bound(NamedTuple):
    name: str
    measured: float
    most: float
    unit: str


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--items", type=int, default=100_000)
    options.add_argument("--questions", type=int, default=300)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"XDG_CONFIG_HOME": f"{place}/config", "XDG_DATA_HOME": f"{place}/data", "HOME": place}
        bounds = measured(Path(place), given.items, given.questions)
    late = [one for one in bounds if one.measured >= one.most]
    for one in bounds:
        mark = "  TOO MUCH" if one in late else ""
        print(f"{one.name:<34} {one.measured:9.1f} {one.unit:<3} (below {one.most:g}){mark}")
    return int(bool(late))


def measured(place: Path, count: int, asked: int) -> list[Bound]:
    rng = random.Random(20260212)
    said = sentences()
    ws = workspace.init(place / "sessions", place, os.environ).workspace
    for number in range(count // SESSION):
        save(ws, session(rng, said, number))
    notes = workspace.init(place / "notes", place, os.environ).workspace
    write_notes(notes, rng, said)
    questions = [question(rng, said) for _ in range(asked)]
    meaning = "with vectors" if embeddings.folder() else "without vectors"
    print(f"{count} items in {count // SESSION} sessions, {len(said)} sentences, {meaning}")

    rebuild = seconds(lambda: index.refresh(ws))
    size = sum(file.stat().st_size for file in (ws.state / "recall").iterdir())
    ours = latencies(lambda one: search.search(ws, one, now=NOW), questions)
    theirs = beside(ws, place / "fts5.sqlite", questions)
    added = [
        (save(ws, session(rng, said, count + number)), seconds(lambda: index.refresh(ws)))[1]
        for number in range(5)
    ]
    cold = [seconds(lambda one=one: command(ws, one)) for one in questions[:COLD_RUNS]]
    first = seconds(lambda: command(notes, questions[0]))
    small = [seconds(lambda one=one: command(notes, one)) for one in questions[:COLD_RUNS]]
    print(f"warm: p50 {at(ours, 0.5):.1f} ms, p95 {at(ours, 0.95):.1f} ms, p99 {at(ours, 0.99):.1f} ms")
    print(f"FTS5: p50 {at(theirs, 0.5):.1f} ms, p95 {at(theirs, 0.95):.1f} ms, p99 {at(theirs, 0.99):.1f} ms")
    print(f"{NOTES} notes, first search of all: {1000 * first:.0f} ms")
    return [
        Bound("warm search, p95", at(ours, 0.95), 20, "ms"),
        Bound("cold command", 1000 * statistics.median(cold), 400, "ms"),
        Bound("a session added", 1000 * statistics.median(added), 50, "ms"),
        Bound("index", size / 1e6, 150, "MB"),
        Bound("index made anew", rebuild, 60, "s"),
        Bound(f"cold command on {NOTES} notes", 1000 * statistics.median(small), 250, "ms"),
    ]


# -- what is searched --------------------------------------------------------------------------------------


def sentences() -> list[str]:
    """What the docstrings of Python's own modules say, sentence by sentence."""
    found: dict[str, None] = {}
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        for text in docstrings(path):
            for one in re.split(r"(?<=[.!?:])\s+|\n\s*\n", text):
                told = " ".join(one.split())
                if 20 <= len(told) <= 110 and told.isascii():
                    found[told] = None
    return list(found)


def docstrings(path: Path) -> Iterator[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield text


def session(rng: random.Random, said: Sequence[str], number: int) -> Observation:
    at = NOW - timedelta(hours=number + 1)
    name = f"session-{number}"
    told = tuple(
        Item(rng.choice(KINDS), two(rng, said), 10 * place, "claimed", "agent") for place in range(SESSION)
    )
    return Observation(
        id=form.observation_id("claude-code", name), agent="claude-code", session=name,
        project=f"project-{number % 20}", started=at, last=at, ended=at, prompts=5,
        summary=two(rng, said), items=told,
        evidence=tuple(Evidence(one.pos or 0, at, "user", rng.choice(said)) for one in told[::4]),
    )  # fmt: skip


def two(rng: random.Random, said: Sequence[str]) -> str:
    return f"{rng.choice(said).rstrip('.')}; {rng.choice(said)}"


def save(ws: Workspace, one: Observation) -> None:
    path = ws.root / form.folder(one) / form.file_name(one)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(form.render(one), "utf-8")


def write_notes(ws: Workspace, rng: random.Random, said: Sequence[str]) -> None:
    folder = ws.root / "knowledge"
    folder.mkdir(exist_ok=True)
    for number in range(NOTES):
        lines = [f"# {rng.choice(said)}", *(two(rng, said) for _ in range(6))]
        (folder / f"note-{number}.md").write_text("\n\n".join(lines) + "\n", "utf-8")


def question(rng: random.Random, said: Sequence[str]) -> str:
    told = rng.choice(said).split()
    begin = rng.randrange(max(1, len(told) - 6))
    return f"{rng.choice(ASKED)} {' '.join(told[begin : begin + rng.randint(3, 7)])}?"


# -- how long it takes -------------------------------------------------------------------------------------


def beside(ws: Workspace, file: Path, questions: Sequence[str]) -> list[float]:
    """The same with FTS5."""
    table = sqlite3.connect(file)
    table.execute("CREATE VIRTUAL TABLE held USING fts5(text, tokenize = 'porter unicode61')")
    ours = sqlite3.connect(f"file:{ws.state / 'recall' / opening.FILE}?mode=ro", uri=True)
    table.executemany(
        "INSERT INTO held (text) VALUES (?)", ours.execute("SELECT about || ' ' || text FROM items")
    )
    table.commit()
    ours.close()

    def ask(one: str) -> None:
        names = [name for name in re.findall(r"\w+", one.lower()) if name not in words.STOP]
        match = " OR ".join(f'"{name}"' for name in names)
        table.execute(
            "SELECT rowid FROM held WHERE held MATCH ? ORDER BY bm25(held) LIMIT 10", (match,)
        ).fetchall()

    return latencies(ask, [one for one in questions if set(re.findall(r"\w+", one.lower())) - words.STOP])


def latencies(ask: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    for one in questions[:5]:
        ask(one)
    rounds = [[seconds(lambda one=one: ask(one)) for one in questions] for _ in range(ROUNDS)]
    return sorted(map(min, zip(*rounds, strict=True)))


def at(times: Sequence[float], share: float) -> float:
    """Milliseconds within which this share of all is answered."""
    return 1000 * times[min(len(times) - 1, int(share * len(times)))]


def seconds(done: Callable[[], object]) -> float:
    begun = time.perf_counter()
    done()
    return time.perf_counter() - begun


def command(ws: Workspace, one: str) -> None:
    subprocess.run(
        [BIN / "nanoctx", "--workspace", ws.root, "recall", one], check=False, stdout=subprocess.DEVNULL
    )


if __name__ == "__main__":
    sys.exit(main())
