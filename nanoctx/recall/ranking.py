"""From what items share with a query to their order: words, then meaning, then company. Pure."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from nanoctx.recall.postings import Packed, weight

CANDIDATES = 128  # by words: meaning and company are asked of these only
WANTED = 2 * CANDIDATES  # by BM25 alone
GUESSED = 4 * WANTED  # items whose sums tell roughly from which sum on one is wanted
COMMON = 4096  # items with a word from which it only adds to what rarer words found, if these found enough
MANY_TIMES = 4  # more items hold a word than are asked for: looking each of these up is quicker
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
    session: float = 0.2  # of the mean of the best items of the same file
    together: float = 0.4  # of the share of the query that the items of the same file hold together
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
        if floor > rest or (len(sums) >= GUESSED and _size(one) > COMMON):
            # Who holds none of the words so far cannot come among the best by those that are left, or hardly.
            sums = {item: value for item, value in sums.items() if value + rest >= floor}
            _add_to_known(sums, one)
        else:
            sums = _with(sums, one, allowed)
        if len(rarest) < GUESSED:
            rarest = list(islice(sums, GUESSED))
        rest -= one.most
    whole = asked * _RARITY_UNIT or 1.0
    found = {}
    for item, value in _best(sums, _floor(sums, rarest)):
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


def together(terms: Iterable[Term], places: Mapping[int, Place], asked: float) -> dict[int, float]:
    """The share of the query that the candidates of each file hold together."""
    shares: dict[int, float] = {}
    for term in terms:
        if weighed := term.rarity / asked if asked else 0.0:
            for unit in {places[one].unit for one in _holding(term, places)}:
                shares[unit] = shares.get(unit, 0.0) + weighed
    return shares


def with_company(
    scores: Mapping[int, float],
    places: Mapping[int, Place],
    now: float | None,
    weights: Weights = WEIGHTS,
    shares: Mapping[int, float] | None = None,
) -> dict[int, float]:
    """Each score raised by what stands beside the item, the rest of its file, and a little if new."""
    units = {one: places[one].unit for one in scores}
    by_unit: dict[int, list[float]] = {}
    for one, score in scores.items():
        by_unit.setdefault(units[one], []).append(score)
    of_unit = {
        unit: weights.session * sum(heapq.nlargest(BEST_OF, held)) / BEST_OF
        + weights.together * (shares.get(unit, 0.0) if shares else 0.0)
        for unit, held in by_unit.items()
    }
    raised = {}
    for one, score in scores.items():
        unit, at = units[one], places[one].at
        beside = 0.0
        for step, factor in ((-2, weights.further), (-1, 1.0), (1, 1.0), (2, weights.further)):
            if units.get(one + step) == unit and (other := factor * scores[one + step]) > beside:
                beside = other
        raised[one] = score + weights.neighbour * beside + of_unit[unit]
        if now is not None and at is not None:
            raised[one] *= 1 + weights.recency * 0.5 ** (max(0.0, now - at) / HALF_LIFE)
    return raised


def _holding(term: Term, some: Iterable[int]) -> Iterator[int]:
    for base, packed in term.holders:
        places, size = packed.places, len(packed.places)
        for one in some:
            at = bisect_left(places, one - base)
            if at < size and places[at] == one - base:
                yield one


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
        size = len(places)
        if size < MANY_TIMES * len(sums):
            for one in sums.keys() & set(map(base.__add__, places)):
                sums[one] += worth[codes[bisect_left(places, one - base)]]
            continue
        for one in sums:
            at = bisect_left(places, one - base)
            if at < size and places[at] == one - base:
                sums[one] += worth[codes[at]]


def _floor(sums: Mapping[int, int], some: Sequence[int]) -> int:
    """What the last of the best has at least, judged by some of the items; 0 if these are too few."""
    values = sorted(sums[one] for one in some if one in sums)
    return values[-WANTED] if len(values) >= WANTED else 0


def _best(sums: Mapping[int, int], floor: int) -> list[tuple[int, int]]:
    """The items with the highest sums, best first; `floor` is known to be below all of them."""
    values = sorted(value for value in sums.values() if value >= floor)
    least = values[-WANTED] if len(values) > WANTED else floor
    return sorted([pair for pair in sums.items() if pair[1] >= least], key=_by_sum)[:WANTED]


def _size(term: Term | _Weighed) -> int:
    return sum(len(packed.places) for _, packed in term.holders)


def _by_sum(pair: tuple[int, int]) -> tuple[int, int]:
    return -pair[1], pair[0]
