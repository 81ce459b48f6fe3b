"""
What a cycle costs after one new session, against a fold of everything: with 10,000 observations.

    python bench/fold.py [--observations N] [--most PERCENT]

It makes a workspace of generated sessions in a temporary folder, folds all of it, then adds a session, edits
one and takes one away, each followed by a cycle, reading of files included. Exits 1 if the dearest of these
costs more than 2 % of the full fold. Both are CPU time of this process, the best of three.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.remove(str(Path(__file__).resolve().parent))  # whose `secrets` is not the one of Python

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
VERBS = ("keep", "drop", "cache", "read", "write", "parse", "merge", "split", "store", "hash", "sort", "trim")
FIRST = (
    "tide",
    "moon",
    "gauge",
    "buoy",
    "chart",
    "harbour",
    "pilot",
    "anchor",
    "swell",
    "mast",
    "keel",
    "reef",
)
SECOND = (
    "reader",
    "cache",
    "table",
    "page",
    "queue",
    "index",
    "buffer",
    "clock",
    "sender",
    "filter",
    "mapper",
)
NOUNS = tuple(f"{first}{second}" for first in FIRST for second in SECOND)
ENDS = (
    "before each commit",
    "on the main branch",
    "in every test",
    "when the gauge restarts",
    "for the page",
)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--observations", type=int, default=10_000)
    options.add_argument("--most", type=float, default=2.0)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"XDG_CONFIG_HOME": f"{place}/config", "XDG_DATA_HOME": f"{place}/data", "HOME": place}
        full, news = measure(Path(place), given.observations)
    share = 100 * news / full
    print(f"{given.observations} observations: full fold {full:.2f} s, with news {1000 * news:.0f} ms")
    print(f"{share:.2f} % of the full fold (at most {given.most} %)")
    return int(share > given.most)


def measure(place: Path, count: int) -> tuple[float, float]:
    from nanoctx import reflector
    from nanoctx.disk import workspace

    rng = random.Random(20260212)
    ws = workspace.init(place / "ws", place, os.environ).workspace
    paths = [save(ws.root, rng, number) for number in range(count)]

    def cycle() -> float:
        start = time.process_time()
        reflector.reflect(ws, now=NOW, zone=UTC)
        return time.process_time() - start

    full = []
    for _ in range(2):
        (ws.state / "fold.json").unlink(missing_ok=True)
        full.append(cycle())
    cycle()
    dearest = 0.0
    for change in ("add", "edit", "remove"):
        costs = []
        for turn in range(3):
            if change == "add":
                paths.append(save(ws.root, rng, len(paths)))
            elif change == "edit":
                save(ws.root, rng, 10 + turn)
            else:
                paths[100 + turn].unlink()
            costs.append(cycle())
        print(f"  {change}: {1000 * min(costs):.0f} ms")
        dearest = max(dearest, min(costs))
    return min(full), dearest


def save(root: Path, rng: random.Random, number: int) -> Path:
    """One session as they are in life: mostly what is only to be recalled, a few lines to keep."""
    from nanoctx.core import identity, items
    from nanoctx.model import Evidence, Item, Observation

    at = NOW - timedelta(hours=number + 1)

    def words() -> str:
        return f"{rng.choice(VERBS)} the {rng.choice(NOUNS)} and the {rng.choice(NOUNS)} {rng.choice(ENDS)}"

    told = [
        Item("focus", f"{words()} number {number}", 3),
        *(
            Item("impl", f"{words()} in src/{rng.choice(NOUNS)}.py", 10 + n, "claimed", "agent")
            for n in range(12)
        ),
        *(Item("fact", f"Seen: {words()}; {words()}", 30 + n, "claimed", "agent") for n in range(16)),
        Item("rule", f"Always {words()}", 50, by="user"),
        Item("dec", f"The {rng.choice(NOUNS)} must only {words()}", 51, "claimed", "user"),
        Item("learn", f"{rng.choice(NOUNS)}_level() fails when you {words()}", 52, "verified", "agent"),
    ]
    evidence = tuple(Evidence(item.pos or 0, at, "user", item.text[:160]) for item in told)
    session = f"session-{number}"
    one = Observation(
        id=identity.observation_id("claude-code", session),
        agent="claude-code",
        session=session,
        project=f"project-{number % 20}",
        branch="main",
        started=at,
        last=at,
        ended=at,
        prompts=5,
        title=words(),
        summary=f"{words()}; {words()}.",
        files=tuple(f"src/{rng.choice(NOUNS)}.py" for _ in range(6)),
        items=tuple(told),
        evidence=evidence,
    )
    path = root / items.folder(one) / items.file_name(one)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(items.render(one), "utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
