"""From what items share with a query to their order: words, then meaning, then company. Pure."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from nanoctx.recall.postings import Packed, weight

CANDIDATES = 200  # by words: meaning and company are asked of these only
WANTED = 2 * CANDIDATES  # by BM25 alone
GUESSED = 4 * WANTED  # items whose sums tell roughly from which sum on one is wanted
HALF_LIFE = 30 * 86400.0  # seconds in which what is new loses half of what it has for that
BEST_OF = 3  # items of a file that tell how much it has to do with the query

_SCORE_BITS = 20  # a sum holds the score above and the share of the query below: whole numbers, so that
_SCORE_UNIT, _RARITY_UNIT = 1 << 16, 1 << 8  # their order of arrival makes no difference
_LOW = (1 << _SCORE_BITS) - 1


class Weights(NamedTuple):
    """How much each thing counts, beside the words that an item shares with the query."""

    coverage: float = 0.6  # power of the share of the query that an item holds
    meaning: float = 0.2  # share of the likeness in meaning in a score
    neighbour: float = 0.35  # of the best next item
    further: float = 0.6  # how much the item after that counts, beside the next
    session: float = 0.4  # of the mean of the best items of the same file
    recency: float = 0.05  # what is new gets up to this much more


WEIGHTS = Weights()


class Term(NamedTuple):
    """A term of the query: how rare it is, and who holds it."""

    rarity: float
    holders: Sequence[tuple[int, Packed]]


class Found(NamedTuple):
    """What an item shares with the query."""

    score: float  # by words
    share: float  # of the query, weighed by rarity


class Place(NamedTuple):
    """Where an item stands: the number of its file, its time if known, its likeness in meaning if known."""

    unit: int
    at: float | None = None
    likeness: float | None = None


def rarity(holders: int, items: int) -> float:
    return math.log(1 + (items - holders + 0.5) / (holders + 0.5))


def by_words(
    terms: Iterable[Term],
    average: float,
    asked: float,
    allowed: frozenset[int] | set[int] | None = None,
    weights: Weights = WEIGHTS,
) -> dict[int, Found]:
    """The best items by BM25, times how much of the query they hold; `asked` is the rarity of all of it."""
    weighed = [_weighed(term, average) for term in sorted(terms, key=_size)]
    sums: dict[int, int] = {}
    rarest: list[int] = []  # items of the rarest terms: the best of them are a good guess at the best of all
    rest = sum(one.most for one in weighed)
    for one in weighed:
        floor = _floor(sums, rarest)
        if floor > rest:
            # Who holds none of the words so far cannot come among the best by those that are left.
            sums = {item: value for item, value in sums.items() if value + rest >= floor}
            _add_to_known(sums, one)
        else:
            sums = _with(sums, one, allowed)
        if len(rarest) < GUESSED:
            rarest = list(islice(sums, GUESSED))
        rest -= one.most
    whole = asked * _RARITY_UNIT or 1.0
    floor = _floor(sums, rarest)
    found = {}
    for item, value in sorted((pair for pair in sums.items() if pair[1] >= floor), key=_by_sum)[:WANTED]:
        share = min(1.0, (value & _LOW) / whole)
        found[item] = Found((value >> _SCORE_BITS) / _SCORE_UNIT * share**weights.coverage, share)
    return found


def candidates(found: Mapping[int, Found]) -> list[int]:
    return heapq.nsmallest(CANDIDATES, found, key=lambda one: (-found[one].score, one))


def fused(
    found: Mapping[int, Found], places: Mapping[int, Place], weights: Weights = WEIGHTS
) -> dict[int, float]:
    """Words and meaning of each candidate as one number from 0 to 1."""
    top = max((found[one].score for one in places if one in found), default=0.0) or 1.0
    likenesses = [place.likeness for place in places.values() if place.likeness is not None]
    low, high = min(likenesses, default=0.0), max(likenesses, default=0.0)
    scores = {}
    for one, place in places.items():
        score = found[one].score / top if one in found else 0.0
        if likenesses and one in found:
            alike = place.likeness if place.likeness is not None else low
            alike = (alike - low) / (high - low) if high > low else 0.0
            score += weights.meaning * (alike - score)
        scores[one] = score
    return scores


def with_company(
    scores: Mapping[int, float],
    places: Mapping[int, Place],
    now: float | None,
    weights: Weights = WEIGHTS,
) -> dict[int, float]:
    """Each score raised by what stands beside the item, the rest of its session, and a little if new."""
    by_unit: dict[int, list[float]] = {}
    for one, score in scores.items():
        by_unit.setdefault(places[one].unit, []).append(score)
    session = {unit: sum(heapq.nlargest(BEST_OF, held)) / BEST_OF for unit, held in by_unit.items()}
    raised = {}
    for one, score in scores.items():
        place = places[one]
        beside = max(
            factor * scores[other]
            if (other := one + step) in scores and places[other].unit == place.unit
            else 0.0
            for step, factor in ((-2, weights.further), (-1, 1.0), (1, 1.0), (2, weights.further))
        )
        new = (
            0.5 ** (max(0.0, now - place.at) / HALF_LIFE) if now is not None and place.at is not None else 0.0
        )
        raised[one] = score + weights.neighbour * beside + weights.session * session[place.unit]
        raised[one] *= 1 + weights.recency * new
    return raised


class _Weighed(NamedTuple):
    """A term with what its codes are worth in this index."""

    holders: Sequence[tuple[int, Packed]]
    worth: Sequence[Mapping[int, int]]  # for each of the holders' buckets
    most: int


def _weighed(term: Term, average: float) -> _Weighed:
    worth = [
        {
            code: round(term.rarity * weight(code, average) * _SCORE_UNIT) << _SCORE_BITS
            | round(term.rarity * _RARITY_UNIT)
            for code in set(packed.codes)
        }
        for _, packed in term.holders
    ]
    most = max((max(one.values()) for one in worth if one), default=0)
    return _Weighed(term.holders, worth, most)


def _with(sums: dict[int, int], term: _Weighed, allowed: frozenset[int] | set[int] | None) -> dict[int, int]:
    """The sums with a term's items among them. Takes as long as the term has items, so it does little."""
    for (base, packed), worth in zip(term.holders, term.worth, strict=True):
        items = map(base.__add__, packed.places) if base else packed.places
        more = dict(zip(items, map(worth.__getitem__, packed.codes), strict=True))
        if allowed is not None:
            more = {one: more[one] for one in more.keys() & allowed}
        if len(more) > len(sums):
            sums, more = more, sums
        for one in sums.keys() & more.keys():
            more[one] += sums[one]
        sums.update(more)
    return sums


def _add_to_known(sums: dict[int, int], term: _Weighed) -> None:
    for (base, packed), worth in zip(term.holders, term.worth, strict=True):
        places, codes = packed
        for one in sums.keys() & set(map(base.__add__, places)):
            sums[one] += worth[codes[bisect_left(places, one - base)]]


def _floor(sums: Mapping[int, int], some: Sequence[int]) -> int:
    """What the last of the best has at least, judged by some of the items; 0 if these are too few."""
    values = sorted(sums[one] for one in some if one in sums)
    return values[-WANTED] if len(values) >= WANTED else 0


def _size(term: Term) -> int:
    return sum(len(packed.places) for _, packed in term.holders)


def _by_sum(pair: tuple[int, int]) -> tuple[int, int]:
    return -pair[1], pair[0]
