from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from nanoctx.core import ranking
from nanoctx.core.candidates import Candidate

BASE = Candidate("impl", "impl", "", 1, 0, "agent", "agent", "quote", None)
COMMIT = replace(
    BASE,
    sort="commit",
    text="Committed 1a2b3c4 Print the moon in `moon_column` of src/almanac.py, pushed to main",
    pos=9,
    by="tool",
    grade="verified",
    weight=2.9,
)


def saying(text: str, **more: object) -> Candidate:
    return replace(BASE, text=text, **more)  # type: ignore[arg-type]


def test_outcomes_come_before_chatter() -> None:
    chatter = saying(
        "A harbour has two gauges and one of them is old", kind="fact", sort="fact", pos=2, weight=0.5
    )
    assert ranking.keep([chatter, COMMIT], 1)[0] is COMMIT


def test_near_repeats_are_left_out() -> None:
    first = saying("Added the moon column to the printed almanac", pos=1, weight=2.0)
    again = saying("The moon column was added to the printed almanac", pos=2, weight=1.0)
    assert ranking.keep([again, first], 1) == [first]


def test_a_rule_stands_for_the_words_it_was_said_in() -> None:
    said = saying("Never print tide tables without their harbour", kind="dec", sort="said", by="user")
    rule = replace(said, kind="rule", sort="rule")
    assert ranking.keep([said, rule], 1) == [rule]


def test_what_was_refuted_is_kept_but_not_for_the_page() -> None:
    refuted = [
        saying(
            f"The tides of harbour{number} are late because of zone{number}",
            grade="refuted",
            pos=number,
            weight=9.0,
        )
        for number in range(1, 5)
    ]
    kept = ranking.keep([*refuted, COMMIT], 1)
    assert kept[0] is COMMIT
    assert set(refuted) <= set(kept)


def test_not_even_when_little_else_is_known() -> None:
    refuted = replace(COMMIT, grade="refuted")
    plain = saying(
        "The harbour of Oban has gauges beside its northern pier", kind="fact", sort="fact", weight=0.5
    )
    assert ranking.keep([refuted, plain], 1) == [plain, refuted]


def test_late_turns_count_more_than_early_ones() -> None:
    old = saying("Added the moon column to `moon_table` for the spring tides of Oban", turn=0, pos=1)
    new = saying("Added the wind column to `wind_table` for the neap tides of Ullapool", turn=30, pos=2)
    assert ranking.keep([old, new], 31)[0] is new


def test_a_rule_of_the_person_does_not_fade() -> None:
    rule = saying(
        "Always print depths in metres, never in fathoms", kind="rule", sort="rule", by="user", weight=2.5
    )
    talk = [
        saying(
            f"Harbour{number} has gauge{number} near pier{number}",
            kind="fact",
            sort="fact",
            turn=40,
            pos=number,
        )
        for number in range(2, 2 + ranking.KEPT)
    ]
    assert rule in ranking.keep([*talk, rule], 41)


def test_no_more_are_kept_than_an_observation_holds() -> None:
    many = [saying(f"Printed harbour{number} with gauge{number}", pos=number) for number in range(1, 300)]
    assert len(ranking.keep(many, 1)) == ranking.KEPT


WORDS = st.text("abcdefg ", min_size=1, max_size=60)
CANDIDATES = st.builds(
    Candidate,
    kind=st.sampled_from(["impl", "fact", "dec", "rule", "fail", "next", "learn"]),
    sort=st.sampled_from([*ranking.PRIOR, "unheard of"]),
    text=WORDS,
    pos=st.integers(1, 500),
    turn=st.integers(0, 9),
    by=st.sampled_from(["user", "agent", "tool"]),
    who=st.just("agent"),
    quote=WORDS,
    at=st.none(),
    grade=st.sampled_from(["claimed", "verified", "hypothesis", "refuted"]),
    weight=st.floats(0, 5),
)


@given(st.lists(CANDIDATES, max_size=30, unique_by=lambda one: one.pos), st.randoms())
def test_the_order_in_which_candidates_were_found_does_not_matter(
    found: list[Candidate], random: object
) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    kept = ranking.keep(found, 10)
    assert ranking.keep(shuffled, 10) == kept
    assert len(kept) == len(set(kept)) and set(kept) <= set(found)


def test_each_commit_is_one_more_whatever_its_subject() -> None:
    text = "Committed {} docs: describe the moon column of the printed almanac"
    one, two = (
        replace(COMMIT, text=text.format(sha), pos=pos) for sha, pos in (("1a2b3c4", 3), ("5d6e7f8", 9))
    )
    assert set(ranking.keep([one, two], 1)) == {one, two}
    assert ranking.keep([one, two], 1)[0] is two


def test_no_two_lines_of_the_page_begin_alike() -> None:
    short = saying(
        "Recommendation: read the tides as a stream, as the parser does already", pos=1, weight=6.0
    )
    long = saying(f"{short.text}; the tables of Oban and Mallaig come in at once then", pos=2, weight=2.9)
    other = saying("The gauges of the harbour tell the time in UTC", pos=3, weight=0.5)
    page = ranking.keep([short, long, other], 1)
    assert page.index(other) < max(page.index(short), page.index(long))
