"""From what items share with a query to their order: words, then meaning, then company. Pure."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nanoctx.recall.postings import Packed, weight

CANDIDATES = 400  # by words: meaning and company are asked of these only
COVERAGE = 0.5  # power of the share of the query that an item holds
MEANING = 0.3  # share of the likeness in meaning in a score
NEIGHBOUR, FURTHER = 0.3, 0.5  # of the best next item; how much the one after it counts
SESSION, BEST_OF = 0.4, 3  # of the mean of the best items of the same file
RECENCY, HALF_LIFE = 0.05, 30 * 86400.0  # what is new gets up to this much more

_SCORE_BITS = 20  # a sum holds the score above and the share of the query below: whole numbers, so that
_SCORE_UNIT, _RARITY_UNIT = 1 << 16, 1 << 8  # their order of arrival makes no difference
_LOW = (1 << _SCORE_BITS) - 1


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
    terms: Iterable[Term], average: float, asked: float, allowed: frozenset[int] | set[int] | None
) -> dict[int, Found]:
    """The best items by BM25, times how much of the query they hold; `asked` is the rarity of all of it."""
    sums: dict[int, int] = {}
    for term in sorted(terms, key=_size):
        for base, packed in term.holders:
            table = {
                code: round(term.rarity * weight(code, average) * _SCORE_UNIT) << _SCORE_BITS
                | round(term.rarity * _RARITY_UNIT)
                for code in set(packed.codes)
            }
            values = map(table.__getitem__, packed.codes)
            more = dict(zip(map(base.__add__, packed.places), values, strict=True))
            for one in sums.keys() & more.keys():
                more[one] += sums[one]
            sums.update(more)
    if allowed is not None:
        sums = {one: sums[one] for one in sums.keys() & allowed}
    best = heapq.nlargest(2 * CANDIDATES, sums.items(), key=_by_sum)
    whole = asked * _RARITY_UNIT or 1.0
    found = {}
    for one, value in best:
        share = min(1.0, (value & _LOW) / whole)
        found[one] = Found((value >> _SCORE_BITS) / _SCORE_UNIT * share**COVERAGE, share)
    return found


def candidates(found: Mapping[int, Found]) -> list[int]:
    return heapq.nsmallest(CANDIDATES, found, key=lambda one: (-found[one].score, one))


def fused(found: Mapping[int, Found], places: Mapping[int, Place]) -> dict[int, float]:
    """Words and meaning of each candidate as one number from 0 to 1."""
    top = max((found[one].score for one in places if one in found), default=0.0) or 1.0
    likenesses = [place.likeness for place in places.values() if place.likeness is not None]
    low, high = min(likenesses, default=0.0), max(likenesses, default=0.0)
    scores = {}
    for one, place in places.items():
        score = found[one].score / top if one in found else 0.0
        if likenesses and one in found:
            alike = place.likeness if place.likeness is not None else low
            score = (1 - MEANING) * score + MEANING * ((alike - low) / (high - low) if high > low else 0.0)
        scores[one] = score
    return scores


def with_company(
    scores: Mapping[int, float], places: Mapping[int, Place], now: float | None
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
            for step, factor in ((-2, FURTHER), (-1, 1.0), (1, 1.0), (2, FURTHER))
        )
        new = (
            0.5 ** (max(0.0, now - place.at) / HALF_LIFE) if now is not None and place.at is not None else 0.0
        )
        raised[one] = score + NEIGHBOUR * beside + SESSION * session[place.unit]
        raised[one] *= 1 + RECENCY * new
    return raised


def _size(term: Term) -> int:
    return sum(len(packed.places) for _, packed in term.holders)


def _by_sum(pair: tuple[int, int]) -> tuple[int, int]:
    return pair[1], -pair[0]
