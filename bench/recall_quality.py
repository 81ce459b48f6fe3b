"""
How much of what answers a question is found: `make_index(items)` is the product's own engine.

    python bench/recall_quality.py TASKS.py [--sets locomo,locomo-obs,pydoc]

TASKS.py has `SETS`, a dict from a name to a function that gives `(items, queries)` for each conversation:
items with `id`, `text`, `group` and `covers`, queries with `q` and `rel`. None of it is in this repository.

Printed is the share of the evidence among the first 5 and 10 hits, with one thing after the other taken away,
for every second task, which the weights of `nanoctx/recall/ranking.py` were chosen on, and for the others.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

if str(Path(__file__).resolve().parent) in sys.path:
    sys.path.remove(str(Path(__file__).resolve().parent))  # whose `secrets` is not the one of Python

from nanoctx.recall import search, words
from nanoctx.recall.passages import Passage
from nanoctx.recall.ranking import WEIGHTS, Weights
from nanoctx.recall.store import Store, Unit

Items = Sequence[Mapping[str, Any]]
Score = tuple[float, float]

PLAIN = Weights(coverage=0, meaning=0, neighbour=0, session=0, together=0, recency=0)
ABLATION = {
    "all of it": WEIGHTS,
    "without meaning": WEIGHTS._replace(meaning=0),
    "and without neighbours": WEIGHTS._replace(meaning=0, neighbour=0),
    "and without sessions": WEIGHTS._replace(meaning=0, neighbour=0, session=0, together=0),
    "and without coverage: BM25": PLAIN,
}


class Index(Protocol):
    def search(self, query: str, k: int) -> list[str]:
        """The ids of the items found, best first."""


class Ours:
    """The engine over given items, in memory."""

    def __init__(self, items: Items, weights: Weights = WEIGHTS) -> None:
        self.weights = weights
        self.store = Store(":memory:")
        self.store.begin(writing=True)
        self.store.lay_out()
        groups: dict[str, list[Passage]] = {}
        for one in items:
            groups.setdefault(str(one["group"]), []).append(Passage(one["text"], "fact", one["id"]))
        self.store.change((), [Unit(group, "", told) for group, told in groups.items()])
        self.store.end()

    def search(self, query: str, k: int) -> list[str]:
        hits = search.in_store(self.store, query, k=k, weights=self.weights)
        # What says the same is folded into one hit; here each text counts.
        return [name for hit in hits for name in (hit.id, *hit.also)][:k]


class Fts5:
    """SQLite's own search: stems, and stop words taken out of the question."""

    def __init__(self, items: Items) -> None:
        self.table = sqlite3.connect(":memory:")
        self.table.execute("CREATE VIRTUAL TABLE held USING fts5(id UNINDEXED, text, tokenize = porter)")
        self.table.executemany("INSERT INTO held VALUES (?, ?)", [(one["id"], one["text"]) for one in items])

    def search(self, query: str, k: int) -> list[str]:
        names = [name for name in re.findall(r"\w+", query.lower()) if name not in words.STOP]
        match = " OR ".join(f'"{name}"' for name in names)
        asked = "SELECT id FROM held WHERE held MATCH ? ORDER BY bm25(held) LIMIT ?"
        return [row[0] for row in self.table.execute(asked, (match, k))] if names else []


def make_index(items: Items) -> Index:
    return Ours(items)


def make_index_by_words(items: Items) -> Index:
    """As without the extra `[semantic]`."""
    return Ours(items, WEIGHTS._replace(meaning=0))


def make_fts5(items: Items) -> Index:
    return Fts5(items)


class Task(NamedTuple):
    items: Items
    queries: Sequence[Mapping[str, Any]]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("tasks", type=Path)
    options.add_argument("--sets", default="locomo,locomo-obs,pydoc")
    given = options.parse_args()
    sets = load(given.tasks)
    for name in given.sets.split(","):
        tasks = [Task(*one) for one in sets[name]()]
        print(f"\n{name}: {len(tasks)} tasks       chosen on      held back      all    (R@5 R@10)")
        fts5 = [scores(task, Fts5(task.items)) for task in tasks]
        show("FTS5", fts5)
        made = [Ours(task.items) for task in tasks]
        for label, weights in ABLATION.items():
            for index in made:
                index.weights = weights
            show(label, [scores(task, index) for task, index in zip(tasks, made, strict=True)])
    return 0


def load(path: Path) -> Mapping[str, Callable[[], Iterable[tuple[Items, Sequence[Mapping[str, Any]]]]]]:
    spec = importlib.util.spec_from_file_location("tasks", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SETS


def scores(task: Task, index: Index) -> list[Score]:
    """For each question the share of its evidence among the first 5 and the first 10."""
    covers = {one["id"]: one["covers"] for one in task.items}
    found = []
    for query in task.queries:
        ids = index.search(query["q"], 10)
        five, ten = (set().union(*(covers[one] for one in ids[:n])) & query["rel"] for n in (5, 10))
        found.append((len(five) / len(query["rel"]), len(ten) / len(query["rel"])))
    return found


def show(label: str, tasks: Sequence[Sequence[Score]]) -> None:
    print(f"  {label:<28}{mean(tasks[::2])}   {mean(tasks[1::2])}   {mean(tasks)}", flush=True)


def mean(tasks: Sequence[Sequence[Score]]) -> str:
    all_of_it = [score for one in tasks for score in one]
    if not all_of_it:
        return "   –     –  "
    return " ".join(f"{sum(one[n] for one in all_of_it) / len(all_of_it):.4f}" for n in (0, 1))


if __name__ == "__main__":
    sys.exit(main())
