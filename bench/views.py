"""
How long the view of a session's start takes to build on 5,000 observations, and the scoring of 100 facts.

    python bench/views.py [--observations N]

It makes a workspace of generated sessions in a temporary folder, folds it and lets a first search make the
index. Then `startup` is built again and again, each time from nothing but files, as a command would: the best
of these counts, so that other work on the machine does not. Exits 1 if it takes 200 ms or more, or if scoring
100 facts takes 100 ms or more.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random
from types import ModuleType

sys.path.remove(str(Path(__file__).resolve().parent))  # whose `secrets` is not the one of Python

from nanoctx import knowledge, reflector, views
from nanoctx.core import relevance
from nanoctx.disk import observations, workspace
from nanoctx.recall import search
from nanoctx.views.desk import Desk

HERE = Path(__file__).resolve().parent
ROUNDS = 7
FACTS = 100
MOST_STARTUP, MOST_SCORING = 200.0, 100.0  # milliseconds


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--observations", type=int, default=5000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"XDG_CONFIG_HOME": f"{place}/config", "XDG_DATA_HOME": f"{place}/data", "HOME": place}
        first, startup, scoring = measured(Path(place), given.observations)
    print(f"startup on {given.observations} observations: first {first:.0f} ms, then {startup:.0f} ms")
    print(f"scoring {FACTS} facts: {scoring:.2f} ms")
    return int(startup >= MOST_STARTUP or scoring >= MOST_SCORING)


def measured(place: Path, count: int) -> tuple[float, float, float]:
    sessions = bench("fold")
    rng = Random(20260212)
    ws = workspace.init(place / "ws", place, os.environ).workspace
    for number in range(count):
        sessions.save(ws.root, rng, number)
    now = sessions.NOW
    observations.load_all(ws.root, remember=True)  # as every look does
    reflector.reflect(ws, now=now, zone=now.tzinfo)
    search.search(ws, "reader", now=now)

    def startup() -> None:
        built = views.build("startup", Desk(ws, now=now, zone=now.tzinfo))
        assert built.text and not built.failed

    first = milliseconds(startup)
    again = min(milliseconds(startup) for _ in range(ROUNDS))
    known = knowledge.memory_of(ws, now=now + timedelta(days=1), zone=now.tzinfo).facts[:FACTS]
    assert len(known) == FACTS
    scoring = min(
        milliseconds(lambda: [relevance.score(fact, now=now, task="coding") for fact in known])
        for _ in range(ROUNDS)
    )
    return first, again, scoring


def bench(name: str) -> ModuleType:
    """Another bench, whose sessions are the same here."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(HERE))  # it takes it out again
    spec.loader.exec_module(module)
    return module


def milliseconds(done: Callable[[], object]) -> float:
    begun = time.perf_counter()
    done()
    return 1000 * (time.perf_counter() - begun)


if __name__ == "__main__":
    sys.exit(main())
