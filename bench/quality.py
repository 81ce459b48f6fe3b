"""
How good the page is on real sessions: what the gold says of each, against what is distilled from its log.

    python bench/quality.py [--gold DIR --logs DIR] [--tools score_context.py] [--only ID ...] [--verbose]
    python bench/quality.py --ablate      # each rule switched off in turn: what it is worth
    python bench/quality.py --bounds      # what selection costs: all candidates, and the best lines of them

Scores are those of `score_context.py`, taken in this process: means over all sessions, per agent, and over
each agent's sessions left out. The gold and the logs are other people's text and are not part of the project;
without them there is nothing to measure, and that is said.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nanoctx.core import candidates, context, focus, items, ranking, topics, traces
from nanoctx.core.deeds import deeds
from nanoctx.core.distill import distill
from nanoctx.core.external import NO_REPOSITORY
from nanoctx.core.people import Standing
from nanoctx.core.turns import Story, grow
from nanoctx.model import Cursor, Observation
from nanoctx.sources import SOURCES

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
KEYS = ("now", "now_hit", "recall", "context", "noise", "wrong", "files", "prompts", "over")
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gold", type=Path, default=SHARED / "gold" / "dev")
    options.add_argument("--logs", type=Path, default=SHARED / "logs" / "dev")
    options.add_argument("--tools", type=Path, default=SHARED / "tools" / "score_context.py")
    options.add_argument("--only", nargs="*", default=[])
    options.add_argument("--verbose", action="store_true")
    options.add_argument("--ablate", action="store_true")
    options.add_argument("--bounds", action="store_true")
    given = options.parse_args()
    if not given.tools.is_file() or not given.gold.is_dir():
        print("no gold at hand: nothing to measure (--gold, --logs, --tools)")
        return 0
    bench = Bench(given.tools, given.gold, given.logs, given.only)
    if given.ablate:
        bench.ablate()
    elif given.bounds:
        bench.bounds()
    else:
        bench.table(verbose=given.verbose)
    return 0


class Bench:
    """Logs are read once; distilling and scoring are done as often as asked."""

    def __init__(self, tools: Path, gold: Path, logs: Path, only: list[str]) -> None:
        self.scorer = _module(tools)
        self.golds: list[dict[str, Any]] = []
        self.stories: dict[str, Story] = {}
        for path in sorted(gold.glob("*.json")):
            known = json.loads(path.read_text("utf-8"))
            if known["agent"] in SOURCES and (not only or known["id"] in only):
                self.golds.append(known)
                self.stories[known["id"]] = read(known["agent"], logs / known["file"], known.get("cut_line"))

    def table(self, *, verbose: bool) -> None:
        rows = []
        for gold in self.golds:
            row, detail = self.score(gold)
            rows.append(row)
            if verbose:
                print(detail, "\n")
        print("session    agent      ", *(key.rjust(7) for key in KEYS))
        for row in rows:
            print(f"{row['id']:<10} {row['agent']:<12}", *(_cell(row[key]) for key in KEYS))
        agents = sorted({row["agent"] for row in rows})
        for agent in agents:
            self._mean(f"mean {agent}", [row for row in rows if row["agent"] == agent])
        for agent in agents:
            self._mean(f"without {agent}", [row for row in rows if row["agent"] != agent])
        self._mean(f"all {len(rows)}", rows)

    def ablate(self) -> None:
        self._mean("all rules", [self.score(gold)[0] for gold in self.golds])
        for name, off in ABLATIONS.items():
            with off():
                self._mean(f"- {name}", [self.score(gold)[0] for gold in self.golds])

    def bounds(self) -> None:
        """Shares of the weight that any candidate states, that a kept item states, that the page states."""
        print("session    agent        said   kept   page | vital: said   kept   page   (candidates)")
        sums = [0.0] * 6
        for gold in self.golds:
            story = self.stories[gold["id"]]
            found = candidates.candidates(deeds(story.turns), story.cwd)
            seen, page = self.page(gold)
            lines = [f"- x: {one.text}" for one in found]
            kept = [items.render_item(item)[:240] for item in seen.items]
            body = [line[:200] for line in page.splitlines() if line.strip()]
            every = self.scorer.gold_items(gold)
            vital = [one for one in every if one.get("weight", 1) >= 3]
            row = [
                self._stated(chosen, text)
                for chosen in (every, vital)
                for text in (lines + kept, kept + body, body)
            ]
            sums = [total + value for total, value in zip(sums, row, strict=True)]
            cells = "  ".join(f"{value:.2f} " for value in row)
            print(f"{gold['id']:<10} {gold['agent']:<12} {cells} ({len(found)})")
        print("mean".ljust(24), "  ".join(f"{value / len(self.golds):.3f}" for value in sums))

    def score(self, gold: dict[str, Any]) -> tuple[dict[str, Any], str]:
        seen, page = self.page(gold)
        return self.scored(gold, page, items.render(seen))

    def page(self, gold: dict[str, Any]) -> tuple[Observation, str]:
        seen = distill(self.stories[gold["id"]], id="0" * 12, agent=gold["agent"], now=NOW, idle_minutes=15)
        scene = context.Scene((seen,), Standing(), (NO_REPOSITORY,), NOW, UTC)
        return seen, context.page(context.compose(scene))

    def scored(self, gold: dict[str, Any], page: str, notes: str) -> tuple[dict[str, Any], str]:
        """The scorer runs the program and reads two files: here they are handed to it."""
        original = self.scorer.run
        workspace = {"CONTEXT.md": page, "observations/one.md": notes}

        def run(command: list[str], home: str) -> None:
            if "observe" in command:
                folder = Path(command[command.index("--workspace") + 1])
                for name, text in workspace.items():
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_text(text, "utf-8")

        self.scorer.run = run
        try:
            row, detail = self.scorer.score(gold, Path(gold["file"]), ["nanoctx"])
        finally:
            self.scorer.run = original
        return row, detail

    def _stated(self, chosen: list[dict[str, Any]], lines: list[str]) -> float:
        total = sum(one.get("weight", 1) for one in chosen)
        said = sum(
            one.get("weight", 1)
            for one in chosen
            if any(self.scorer.share_of_keys(one["keys"], line) >= 0.6 for line in lines)
        )
        return said / total if total else 1.0

    def _mean(self, name: str, rows: list[dict[str, Any]]) -> None:
        print(f"{name:<23}", *(_cell(self.scorer.mean(rows, key)) for key in KEYS))


def read(agent: str, log: Path, until: int | None) -> Story:
    """The session of a log that was last at work: what the page would be about."""
    source = SOURCES[agent]
    cursor, told = Cursor(), dict[str, Story]()
    while True:
        batch = source.read(log, cursor, until)
        for session in dict.fromkeys(event.session for event in batch.events):
            events = [event for event in batch.events if event.session == session]
            told[session] = grow(told.get(session) or Story(session), events, batch.skipped)
        if batch.cursor == cursor or until is not None:
            break
        cursor = batch.cursor
    return max(told.values(), key=lambda story: (story.prompts > 0, story.last or 0.0))


# -- rules that can be switched off ------------------------------------------------------------------------


@contextmanager
def _replaced(module: Any, name: str, by: Any) -> Iterator[None]:
    old = getattr(module, name)
    setattr(module, name, by)
    try:
        yield
    finally:
        setattr(module, name, old)


ABLATIONS: dict[str, Callable[[], Any]] = {
    "things in Focus": lambda: _replaced(focus, "_with_things", lambda phrase, *_: phrase),
    "commit subject in Focus": lambda: _replaced(focus, "_commit_subject", lambda *_: ""),
    "approvals resolved": lambda: _replaced(topics, "approved", lambda *_: None),
    "side questions passed over": lambda: _replaced(topics, "is_side_question", lambda *_: False),
    "short asks anchored": lambda: _replaced(focus, "_anchored", lambda phrase, *_: phrase),
    "commit lines": lambda: _replaced(traces, "from_commits", lambda *_: iter(())),
    "reports": lambda: _replaced(candidates, "_from_report", lambda *_, **__: iter(())),
    "failures": lambda: _replaced(traces, "from_failures", lambda *_: iter(())),
    "edits and checks": lambda: _replaced(traces, "from_story", lambda *_: iter(())),
    "the person's words": lambda: _replaced(candidates, "_from_person", lambda *_: iter(())),
    "rules": lambda: _replaced(candidates, "is_rule", lambda *_: False),
    "priors": lambda: _replaced(ranking, "PRIOR", {}),
    "near-repeats left out": lambda: _replaced(ranking, "_repeats", lambda *_: False),
}


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("score_context", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _cell(value: float | None) -> str:
    return ("-" if value is None else f"{value:.3f}").rjust(7)


if __name__ == "__main__":
    sys.exit(main())
