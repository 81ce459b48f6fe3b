"""stub"""

from nanoctx.recall import search
from nanoctx.recall.passages import Passage
from nanoctx.recall.store import Store, Unit


class Ours:
    def __init__(self, items):
        self.store = Store(":memory:")
        self.store.begin(writing=True)
        self.store.lay_out()
        groups = {}
        for i in items:
            groups.setdefault(i["group"], []).append(Passage(i["text"], "fact", i["id"]))
        self.store.change((), [Unit(str(g), "x", p) for g, p in groups.items()])
        self.store.end()

    def search(self, query, k):
        return [h.id for h in search.in_store(self.store, query, k=k)]


def make_index(items):
    return Ours(items)
