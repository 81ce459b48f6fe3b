"""
What bears on a text nobody asked about: `bearing(state, text, …)`, best first, mostly nothing.

A search may show a weak hit, since somebody looks at it. Here nobody asked, so a hit has to share words both
ways: enough of the text's rare words, and enough of its own. It reads the index as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from nanoctx.recall import ranking, search, words
from nanoctx.recall.opening import DAMAGE, as_it_stands
from nanoctx.recall.search import Filters, Hit
from nanoctx.recall.store import Store

BY_WORDS = ranking.WEIGHTS._replace(meaning=0.0)  # loading what words mean takes too long for a hook
LOOKED_AT = 600  # characters of a text: what follows is mostly pasted
LEAST_TERMS = 2  # shared
# Chosen on the prompts of some agents, tried on those of others: nine of ten hits are of the same project.
LEAST_RARITY = 1.5  # of all that is shared, in units of a word that nothing else holds
LEAST_OF_TEXT, LEAST_OF_HIT = 0.25, 0.15  # of their words, weighed by rarity


def bearing(
    state: Path, text: str, *, now: datetime, k: int, filters: Filters = search.EVERYTHING
) -> tuple[Hit, ...]:
    """The at most `k` things in memory that are about the same as a text; none without an index."""
    store = as_it_stands(state)
    if store is None:
        return ()
    try:
        store.begin()
        return in_store(store, text[:LOOKED_AT], k=k, filters=filters, now=now)
    except DAMAGE:
        return ()  # the next search makes it anew
    finally:
        store.close()


def in_store(
    store: Store, text: str, *, k: int, filters: Filters = search.EVERYTHING, now: datetime | None = None
) -> tuple[Hit, ...]:
    asked = frozenset(words.asked(text))
    if len(asked) < LEAST_TERMS:
        return ()
    items = store.counts().items
    weigh = _Weights(store, items)
    whole, least = weigh(asked), LEAST_RARITY * math.log1p(items)
    if whole < least:
        return ()
    found = []
    for hit in search.in_store(store, text, k=4 * k, filters=filters, now=now, weights=BY_WORDS):
        own = frozenset(words.terms(hit.text)) - words.STOP
        shared = own & asked
        weight = weigh(shared)
        if (
            len(shared) >= LEAST_TERMS
            and weight >= max(least, LEAST_OF_TEXT * whole)
            and weight >= LEAST_OF_HIT * weigh(own)
        ):
            found.append(hit)
    return tuple(found[:k])


class _Weights:
    """How rare some terms are together; each is asked of the index once."""

    def __init__(self, store: Store, items: int) -> None:
        self._store, self._items = store, items
        self._known: dict[str, float] = {}

    def __call__(self, terms: Iterable[str]) -> float:
        return sum(self._rarity(term) for term in sorted(terms))

    def _rarity(self, term: str) -> float:
        if term not in self._known:
            _, holders = self._store.term(term)
            self._known[term] = ranking.rarity(holders, self._items)
        return self._known[term]
