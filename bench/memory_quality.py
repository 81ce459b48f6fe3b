"""
What MEMORY.md is like on real sessions: all logs of a folder, taken as one person's history.

    python bench/memory_quality.py [FOLDER] [--dropped] [--keep DIR]

Each log is observed into one scratch workspace (its agent is told by its name, as in `05-codex.jsonl`), all
is folded as of a day after the last session, and the page is printed to be judged line by line, then what
stood in it earlier and has faded since. With `--dropped` follows what was not kept, by kind; with `--keep`
the workspace stays in DIR. The logs are other people's text and are not part of the project; without any
there is nothing to judge, and that is said.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.remove(str(Path(__file__).resolve().parent))  # whose `secrets` is not the one of Python

LOGS = Path(__file__).resolve().parent.parent.parent / "shared" / "logs" / "dev"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("logs", nargs="?", type=Path, default=LOGS)
    options.add_argument("--dropped", action="store_true")
    options.add_argument("--keep", type=Path)
    given = options.parse_args()
    logs = sorted(path for path in given.logs.glob("*") if path.is_file() and agent_of(path))
    if not logs:
        print(f"no logs in {given.logs}: nothing to judge")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        place = given.keep or Path(scratch)
        os.environ |= {
            "XDG_CONFIG_HOME": f"{place}/config",
            "XDG_DATA_HOME": f"{place}/data",
            "HOME": str(place),
        }
        show(place, logs, dropped=given.dropped)
    return 0


def agent_of(log: Path) -> str:
    """The agent whose name is a word of the file's."""
    from nanoctx.sources import SOURCES

    words = re.split(r"[^a-z]+", log.name.lower())
    return next((agent for agent in SOURCES if agent.partition("-")[0] in words), "")


def show(place: Path, logs: list[Path], *, dropped: bool) -> None:
    from nanoctx import knowledge, observer, reflector
    from nanoctx.core import weighing
    from nanoctx.disk import observations, workspace

    now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    ws = workspace.init(place / "ws", place, os.environ).workspace
    for log in logs:
        report = observer.observe(ws, now=now, zone=UTC, agent=agent_of(log), log=log)
        for problem in report.problems:
            print(f"{log.name}: {problem}")
    known = observations.load_all(ws.root).observations
    last = max(one.last or one.started or now for one in known)
    after = last + timedelta(days=1)
    done = reflector.reflect(ws, now=after, zone=UTC)
    print(ws.memory_page.read_text("utf-8"))
    for fact in knowledge.memory_of(ws, now=after, zone=UTC).facts:
        if fact.confidence < weighing.LEAST:
            print(f"faded: {fact.text} ({fact.section}, {fact.last:%Y-%m-%d})")
    print(
        f"{len(logs)} logs, {len(known)} sessions, {sum(len(one.items) for one in known)} items:"
        f" {done.facts} facts, {done.shown} shown, {done.left_out} without room, {done.faded} faded,"
        f" {done.superseded} superseded, {done.questions} questions"
    )
    if dropped:
        show_dropped(known)


def show_dropped(known: tuple[object, ...]) -> None:
    from nanoctx.core import claims, keeping
    from nanoctx.model import Observation

    counts: Counter[str] = Counter()
    for one in known:
        assert isinstance(one, Observation)
        headless = bool(one.more.get("headless"))
        for item in one.items:
            if item.kind in claims.KINDS:
                kept = keeping.kept(item, headless=headless)
                state = "weak" if kept and kept.weak else "kept" if kept else "dropped"
                counts[f"{item.kind} {state}"] += 1
                if state != "kept":
                    print(f"{state:7} {item.kind:5} {item.by:6} {item.grade:9} {item.text}")
    print(dict(sorted(counts.items())))


if __name__ == "__main__":
    sys.exit(main())
