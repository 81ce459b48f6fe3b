"""The order of what is found is that of the plain formula, however it is worked out."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.recall import postings, ranking
from nanoctx.recall.postings import Packed
from nanoctx.recall.ranking import Found, Place, Term, Weights

HOLDERS = st.dictionaries(
    st.integers(0, 60), st.tuples(st.integers(1, 4), st.integers(4, 40)), min_size=1, max_size=60
)
PLAIN = Weights(coverage=0, meaning=0, neighbour=0, session=0, together=0, recency=0)


def term(rarity: float, holders: dict[int, tuple[int, int]]) -> Term:
    places = sorted(holders)
    codes = array("H", (postings.code(*holders[one]) for one in places))
    return Term(rarity, ((0, Packed(array("H", places), codes)),))


@given(st.lists(st.tuples(st.floats(0.1, 5), HOLDERS), min_size=1, max_size=6))
def test_sums_are_those_of_bm25(terms: list[tuple[float, dict[int, tuple[int, int]]]]) -> None:
    expected: dict[int, float] = {}
    for rarity, holders in terms:
        for one, (times, length) in holders.items():
            worth = rarity * postings.weight(postings.code(times, length), 10.0)
            expected[one] = expected.get(one, 0.0) + worth
    found = ranking.by_words([term(*one) for one in terms], 10.0, 1.0, weights=PLAIN)
    assert {one: told.score for one, told in found.items()} == pytest.approx(expected, abs=1e-3)


def test_only_what_is_allowed_is_found() -> None:
    held = term(1.0, {1: (1, 5), 2: (1, 5)})
    assert set(ranking.by_words([held], 5.0, 1.0, {2, 3})) == {2}


def test_who_holds_a_rare_and_a_common_word_comes_first_among_thousands() -> None:
    common = dict.fromkeys(range(0, 60_000, 2), (1, 10))
    rare = dict.fromkeys(range(100, 3000), (1, 10))
    found = ranking.by_words([term(0.7, common), term(3.0, rare)], 10.0, 3.7)
    best = ranking.candidates(found)
    assert len(best) == ranking.CANDIDATES and all(one % 2 == 0 and one in rare for one in best)


def test_neighbours_and_sessions_raise_what_stands_with_them() -> None:
    found = {1: Found(1.0, 1.0), 9: Found(0.5, 0.5), 20: Found(0.5, 0.5)}
    places = {1: Place(1), 2: Place(1), 9: Place(2), 10: Place(2), 20: Place(1)}
    scores = ranking.with_company(ranking.fused(found, places), places, None)
    assert scores[1] > scores[2] > scores[10] and scores[20] > scores[9]


def test_a_file_that_holds_all_of_the_question_counts_more_than_one_that_holds_half() -> None:
    terms = [term(1.0, {1: (1, 5), 5: (1, 5)}), term(1.0, {2: (1, 5)})]
    places = {1: Place(1), 2: Place(1), 5: Place(2)}
    assert ranking.together(terms, places, 2.0) == {1: 1.0, 2: 0.5}


def test_what_is_new_counts_a_little_more() -> None:
    places = {1: Place(1, at=0.0), 2: Place(2, at=100 * 86400.0)}
    scores = ranking.with_company({1: 1.0, 2: 1.0}, places, 100 * 86400.0)
    assert scores[1] < scores[2] < 1.06 * scores[1]
