"""Passages are found by their words, and by hashes that hold none of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import forgotten, passage
from nanoctx.core.forgotten import GONE
from nanoctx.core.passage import Hashes, Words, imprint

TEXTS = st.text(alphabet=st.sampled_from("aábBß ﬁ.,-_\n\u0301é漢字1…"), max_size=60)


def cut(words: str, text: str) -> str:
    return forgotten.by_words([words]).cut(text)


@pytest.mark.parametrize(
    ("words", "text", "left"),
    [
        ("Bluebird-42", "The host is BLUEBIRD 42, as told.", "The host is [forgotten], as told."),
        ("the host is", "see:\n  the  host\n  is here", "see:\n  [forgotten] here"),
        ("bluebird", "projectBluebirds are many", "project[forgotten]s are many"),
        ("Straße 12", "In der STRASSE 12 steht es", "In der [forgotten] steht es"),
        ("漢字的", "這是漢字的文", "這是[forgotten]文"),
        ("café noir", "un cafe\u0301 noir, merci", "un [forgotten], merci"),
        ("all of it", "All of it!", ""),
        ("the staging host is called bluebird", "Note that the staging host is…", "Note that [forgotten]"),
    ],
)
def test_a_passage_is_cut_out_however_it_is_written(words: str, text: str, left: str) -> None:
    assert cut(words, text) == left


@pytest.mark.parametrize("text", ["The host is blue.", "Note that the staging…", ""])
def test_what_does_not_hold_it_stays_the_same_object(text: str) -> None:
    assert cut("the staging host is called bluebird", text) is text


@given(TEXTS, TEXTS, TEXTS)
def test_hashes_find_what_words_find(before: str, words: str, after: str) -> None:
    if not passage.is_long_enough(words):
        return
    text = f"{before} {words} {after}"
    by_words, by_hash = Words([words]), Hashes([imprint(words, "salt")])
    assert by_hash.spans(text)
    if "…" not in text:
        assert by_words.spans(text) == by_hash.spans(text)


@given(TEXTS, TEXTS, TEXTS)
def test_nothing_is_left_of_it_and_cutting_twice_is_cutting_once(
    before: str, words: str, after: str
) -> None:
    if not passage.is_long_enough(words):
        return
    gone = forgotten.by_words([words])
    left = gone.cut(f"{before} {words} {after}")
    assert passage.plain(words) not in passage.plain(left.replace(GONE, "\n\n"))
    assert gone.cut(left) == left


@given(st.lists(st.sampled_from(["red", "blue", "green", "the", "host"]), min_size=1, max_size=30))
def test_of_many_passages_each_is_found(words: list[str]) -> None:
    text = " ".join(words)
    wanted = ["red blue", "green host", "blue blue green"]
    found = Hashes([imprint(one, f"salt {one}") for one in wanted]).spans(text)
    assert bool(found) == any(one in text for one in wanted)
    assert found == Words(wanted).spans(text)


@pytest.mark.parametrize("words", ["forgotten", "gotte", "FORGOTTEN place"])
def test_our_own_mark_is_not_forgotten(words: str) -> None:
    gone = forgotten.by_words([words])
    left = gone.cut("a forgotten place, and a forgotten [forgotten]")
    assert gone.cut(left) == left and left.count("[") < 5


def test_another_salt_gives_another_hash() -> None:
    assert imprint("the host", "one").digest != imprint("the host", "two").digest
