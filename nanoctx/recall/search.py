"""
Search a workspace: `search(workspace, query, now=…)` gives `Hits`, best first.

For views, the socket and MCP, as for the command. It refreshes the index first, so what was just written is
found; if another process is at that or the disk refuses, it answers from what is there and says so in
`Hits.remarks`. An answer can be empty: what shares too little with the query is no hit.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from nanoctx.errors import UsageError
from nanoctx.recall import embeddings, opening, ranking, words
from nanoctx.recall.passages import Passage
from nanoctx.recall.ranking import Place, Term
from nanoctx.recall.store import Row, Store, month

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace
    from nanoctx.recall.index import Progress

MOST = 200  # hits of one search
LONGEST_QUERY = 4000  # characters that are looked at
MOST_TERMS = 48  # of a query, the rarest
LEAST_SHARE = 0.12  # of the query that the best hit must hold
LEAST_SCORE = 0.1  # of the best hit's score
ALIKE = 0.8  # share of their words from which two hits are the same said twice
PAGES = ("user", "project")  # kinds of lines that people wrote one by one
STEPS = (-2, -1, 1, 2)
COMPANIONS = 60  # candidates whose neighbours are looked at although these share no word with the query


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found."""

    id: str  # observation@place, ^id of a fact, or file:line
    text: str
    kind: str  # as in an observation, or session, document, project, user
    source: str  # file below the workspace
    observation: str  # its id, or ""
    pos: int | None  # place in the session's log, or line of the file
    project: str
    scope: str
    at: datetime | None
    grade: str
    by: str
    score: float  # from 0 to 1
    also: tuple[str, ...] = ()  # ids of hits that say the same


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found, and what has to be said about it."""

    hits: tuple[Hit, ...]
    searched: int  # items in the index
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """Which items may be hits. Empty means any."""

    kinds: tuple[str, ...] = ()
    scope: str = ""
    project: str = ""  # that project's, and what belongs to no project
    since: datetime | None = None


EVERYTHING = Filters()


def search(
    workspace: Workspace,
    query: str,
    *,
    now: datetime,
    k: int = 10,
    filters: Filters = EVERYTHING,
    progress: Progress | None = None,
) -> Hits:
    """The at most `k` best hits; raise UsageError for a query without a word in it."""
    from nanoctx.recall import index  # who only looks into one needs nothing of what makes it

    if not words.asked(query[:LONGEST_QUERY]):
        raise UsageError("there is no word to search for: give at least one word or name")
    for attempt in (1, 2):
        with index.opened(workspace, progress=progress) as opened:
            try:
                opened.store.begin()
                hits = in_store(opened.store, query, k=k, filters=filters, now=now)
                return Hits(hits, opened.store.counts().items, opened.remarks)
            except opening.DAMAGE:
                if attempt == 2:
                    raise
        index.drop(workspace)
    raise AssertionError


def as_it_stands(
    workspace: Workspace, query: str, *, now: datetime, k: int = 10, filters: Filters = EVERYTHING
) -> tuple[Hit, ...]:
    """The best hits of the index as it stands, for who has no time to refresh it; none without an index."""
    store = opening.as_it_stands(workspace.state) if words.asked(query[:LONGEST_QUERY]) else None
    if store is None:
        return ()
    try:
        store.begin()
        return in_store(store, query, k=k, filters=filters, now=now)
    except opening.DAMAGE:
        return ()  # the next search makes it anew
    finally:
        store.close()


def in_store(
    store: Store,
    query: str,
    *,
    k: int,
    filters: Filters = EVERYTHING,
    now: datetime | None = None,
    weights: ranking.Weights = ranking.WEIGHTS,
) -> tuple[Hit, ...]:
    """The best hits in one open index."""
    terms, asked = _terms(store, words.asked(query[:LONGEST_QUERY]))
    allowed = _allowed(store, filters)
    found = ranking.by_words(terms, store.counts().average, asked, allowed, weights)
    best = ranking.candidates(found)
    if not best or max(found[one].share for one in best) < LEAST_SHARE:
        return ()
    direction = embeddings.vector(query[:LONGEST_QUERY]) if weights.meaning else None
    places = _places(store, best, direction, allowed, filters)
    if not places:
        return ()
    scores = ranking.fused(found, places, weights)
    held = {one: places[one] for one in best if one in places}
    shares = ranking.together(terms, held, asked) if weights.together else None
    scores = ranking.with_company(scores, places, now.timestamp() if now else None, weights, shares)
    ranked = sorted(scores, key=lambda one: (-scores[one], one))
    highest = max(found[one].share for one in best if one in places)
    top = scores[ranked[0]]
    told = [(one, highest * scores[one] / top) for one in ranked if scores[one] >= LEAST_SCORE * top]
    return _hits(store, told, min(k, MOST), found)


def _terms(store: Store, asked: Iterable[str]) -> tuple[list[Term], float]:
    """The query's terms that anything holds, rarest first, and how rare all of them are together."""
    items = store.counts().items
    known = sorted((holders, term, number) for term in asked for number, holders in (store.term(term),))
    whole = sum(ranking.rarity(holders, items) for holders, _, _ in known[:MOST_TERMS])
    held = [
        Term(ranking.rarity(holders, items), tuple(store.holders(number)))
        for holders, _, number in known[:MOST_TERMS]
        if number
    ]
    return held, whole


def _allowed(store: Store, filters: Filters) -> set[int] | None:
    sets = []
    if filters.kinds:
        sets.append(store.tagged("kind", filters.kinds))
    if filters.scope:
        sets.append(store.tagged("scope", (filters.scope,)))
    if filters.project:
        sets.append(store.tagged("project", (filters.project, "")))
    if filters.since:
        sets.append(store.since(month(filters.since.timestamp())))
    return set.intersection(*sets) if sets else None


def _places(
    store: Store,
    best: Sequence[int],
    direction: Sequence[float] | None,
    allowed: set[int] | None,
    filters: Filters,
) -> dict[int, Place]:
    """Where the candidates stand, and what stands beside the best of them."""
    since = filters.since.timestamp() if filters.since else None
    places: dict[int, Place] = {}

    def add(numbers: Sequence[int], direction: Sequence[float] | None) -> None:
        for one, unit, at, vector in store.places(numbers):
            if since is None or (at is not None and at >= since):
                alike = embeddings.likeness(direction, vector) if direction and vector else None
                places[one] = Place(unit, at, alike)

    add(best, direction)
    beside = {one + step for one in best[:COMPANIONS] for step in STEPS} - places.keys()
    add(sorted(beside if allowed is None else beside & allowed), None)
    return places


def _hits(
    store: Store, told: Sequence[tuple[int, float]], k: int, found: Container[int]
) -> tuple[Hit, ...]:
    """The first `k` that say something the ones before do not; on a page, only what was `found` by words."""
    kept: list[tuple[Row, float, frozenset[str], list[str]]] = []
    for row, score in _read(store, told, 2 * k):
        if row.passage.kind in PAGES and row.id not in found:
            continue  # what stands below each other there has little to do with each other
        said = frozenset(words.terms(row.passage.text))
        same = next((one for one in kept if words.likeness(one[2], said) >= ALIKE), None)
        if same:
            same[3].append(row.passage.key)
        elif len(kept) < k:
            kept.append((row, score, said, []))
        else:
            break
    paths = store.paths(row.unit for row, *_ in kept)
    return tuple(
        _hit(row.passage, paths[row.unit], score, also) for row, score, _, also in kept if row.unit in paths
    )


def _read(store: Store, told: Sequence[tuple[int, float]], at_once: int) -> Iterator[tuple[Row, float]]:
    for start in range(0, len(told), at_once):
        part = told[start : start + at_once]
        rows = store.rows([one for one, _ in part])
        yield from ((rows[one], score) for one, score in part if one in rows)


def _hit(passage: Passage, file: tuple[str, str], score: float, also: Collection[str]) -> Hit:
    at = datetime.fromtimestamp(passage.at, UTC) if passage.at is not None else None
    source, observation = file
    return Hit(
        passage.key, passage.text, passage.kind, source, observation, passage.pos, passage.project,
        passage.scope, at, passage.grade, passage.by, round(score, 4), tuple(also),
    )  # fmt: skip


def told(hit: Hit, now: datetime) -> dict[str, object]:
    """A hit for programs."""
    return {
        "id": hit.id,
        "text": hit.text,
        "kind": hit.kind,
        "source": hit.source,
        "observation": hit.observation or None,
        "pos": hit.pos,
        "project": hit.project or None,
        "scope": hit.scope or None,
        "at": hit.at.isoformat().replace("+00:00", "Z") if hit.at else None,
        "age_seconds": int((now - hit.at).total_seconds()) if hit.at else None,
        "grade": hit.grade or None,
        "by": hit.by or None,
        "score": hit.score,
        "also": list(hit.also),
    }
