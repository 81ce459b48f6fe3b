"""What a person adds is kept once, what they take out stays out, what they set holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import items, people, verbatim
from nanoctx.model import Change, Item, Line, Observation, Origin

NOON = datetime(2026, 2, 12, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FOCUS = Origin("7f3a9c21d04e", 10, "focus")
OTHER_FOCUS = Origin("7f3a9c21d04e", 99, "focus")
DONE = Origin("7f3a9c21d04e", 20, "impl")
SHOWN = {
    "Now": (Line("- Focus: Parser", (FOCUS,), "Focus"), Line("- Task: Lexer", (), "Task")),
    "Time": (Line("- Hint: Continue naturally", (), "Hint"),),
    "Recent": (Line("- Numbers are read", (DONE,)),),
}


class Hand:
    """A person at work: each `does` is one save, an hour after the one before."""

    def __init__(self):
        self.observations: list[Observation] = []

    def does(self, section, added=(), removed=(), before=SHOWN):
        at = NOON + len(self.observations) * HOUR
        salt = f"salt {len(self.observations)}"
        done = people.record([Change(section, tuple(added), tuple(removed))], before, salt=salt)
        seen = people.observation(done, salt=salt, at=at)
        self.observations.append(items.parse(items.render(seen)))
        return self

    @property
    def standing(self):
        return people.standing(self.observations)

    def added(self, section):
        return [line.text for line in self.standing.added.get(section, ())]

    def value(self, key="Focus", now=NOON, origin=FOCUS, at=NOON - HOUR):
        line = self.standing.value(key, now=now, focus_origin=origin, focus_at=at)
        return line.text if line else None


@given(st.lists(st.text(max_size=700), max_size=3))
def test_a_text_of_any_kind_comes_back_as_it_was(texts):
    written = [item for text in texts for item in verbatim.write("edit", text, {"section": "Now"})]
    seen = items.parse(items.render(Observation("a", "person", items=tuple(written))))
    assert [text for text, _ in verbatim.read("edit", seen.items)] == texts
    assert all(len(item.text) <= items.TEXT_LIMIT for item in seen.items)


def test_a_plain_line_stands_in_the_file_as_it_is():
    (item,) = verbatim.write("edit", "- call Ana", {"section": "Now"})
    assert items.render_item(item) == "- edit: - call Ana  by=person section=Now"


def test_a_text_with_a_piece_missing_is_left_out():
    first, second, *_ = verbatim.write("edit", "words " * 100, {})
    whole = verbatim.write("edit", "a\nb", {})
    assert [text for text, _ in verbatim.read("edit", [first, *whole])] == ["a\nb"]
    assert list(verbatim.read("edit", [second])) == []
    assert list(verbatim.read("edit", [Item("edit", "no json", more={"as": "json", "part": "1/1"})])) == []


def test_an_added_line_stands_once_however_often_it_is_recorded():
    hand = Hand().does("Recent", ["- mine", "two\nlines"]).does("Recent", ["- mine"])
    assert hand.added("Recent") == ["- mine", "two\nlines"]


def test_a_line_of_their_own_can_be_taken_out_and_put_back():
    hand = Hand().does("Recent", ["- mine", "* mine"]).does("Recent", removed=["- mine"])
    assert hand.added("Recent") == ["* mine"]
    assert hand.does("Recent", ["- mine"]).added("Recent") == ["* mine", "- mine"]


def test_a_removed_line_is_gone_also_in_other_words():
    standing = Hand().does("Recent", removed=["- Numbers are read"]).standing
    assert standing.retracted("Recent", Line("*  Numbers  are read"))
    assert standing.retracted("Recent", Line("- Reads numbers now", (DONE,)))
    assert standing.retracted("Now", Line("- Reads numbers now", (Origin("x", 1, "fix"), DONE)))
    assert not standing.retracted("Recent", Line("- Words are read", (Origin("7f3a9c21d04e", 21, "impl"),)))
    assert not standing.retracted("Now", Line("- Numbers are read"))


def test_a_retraction_does_not_tell_what_it_retracts():
    (seen,) = Hand().does("Recent", removed=["- Numbers are read"]).observations
    assert "Numbers" not in items.render(seen)
    (other,) = people.record([Change("Recent", (), ("- Numbers are read",))], SHOWN, salt="other")
    assert other.text != seen.items[0].text


def test_adding_a_removed_line_again_takes_the_retraction_back_and_shows_it_once():
    hand = Hand().does("Recent", removed=["- Numbers are read"]).does("Recent", ["- Numbers are read"])
    assert hand.added("Recent") == ["- Numbers are read"]
    assert hand.standing.retractions == ()
    # The generated line gives way to theirs, which says the same.
    assert hand.standing.retracted("Recent", SHOWN["Recent"][0])


def test_a_line_about_time_is_taken_out_whatever_it_says_next():
    hand = Hand().does("Time", removed=["- Hint: Continue naturally"])
    assert hand.standing.retracted("Time", Line("- Hint: Brief", (), "Hint"))
    assert hand.standing.retracted("Time", Line("- Hint: Brief"))
    assert not hand.standing.retracted("Time", Line("- Pattern: Review", (), "Pattern"))


def test_a_line_about_time_is_known_by_its_words_when_nothing_else_is_known():
    hand = Hand().does("Time", removed=["- Last session: yesterday"], before={})
    assert hand.standing.retracted("Time", Line("- Last session: 2 days ago", (), "Last session"))


def test_undoing_the_removal_of_a_line_about_time_brings_back_the_live_one():
    hand = (
        Hand()
        .does("Time", removed=["- Hint: Continue naturally"])
        .does("Time", ["- Hint: Continue naturally"])
    )
    assert not hand.standing.retracted("Time", Line("- Hint: Brief", (), "Hint"))
    assert hand.added("Time") == []


def test_a_line_about_time_in_their_own_words_takes_the_place_of_ours():
    hand = Hand().does("Time", ["- Hint: Have a tea"], ["- Hint: Continue naturally"])
    assert hand.added("Time") == ["- Hint: Have a tea"]
    assert hand.standing.retracted("Time", Line("- Hint: Brief", (), "Hint"))


def test_a_changed_value_holds_for_a_day():
    hand = Hand().does("Now", ["- Focus: Printer"], ["- Focus: Parser"])
    assert hand.value() == "- Focus: Printer"
    assert hand.value(now=NOON + 23 * HOUR) == "- Focus: Printer"
    assert hand.value(now=NOON + 24 * HOUR) is None
    assert hand.value("Task") is None
    assert hand.added("Now") == []
    assert not hand.standing.retracted("Now", SHOWN["Now"][0])


def test_a_pinned_value_holds_for_ever():
    hand = Hand().does("Now", ["- Task: Printer 📌"], ["- Task: Lexer"])
    assert (
        hand.value("Task", now=NOON + 9000 * HOUR, origin=OTHER_FOCUS, at=NOON + HOUR) == "- Task: Printer 📌"
    )


@pytest.mark.parametrize("key", ["Focus", "Task"])
def test_a_later_prompt_on_another_topic_ends_a_value(key):
    old = "- Focus: Parser" if key == "Focus" else "- Task: Lexer"
    hand = Hand().does("Now", [f"- {key}: Printer"], [old])
    theirs = f"- {key}: Printer"
    assert hand.value(key, origin=OTHER_FOCUS, at=NOON + HOUR) is None
    assert hand.value(key, origin=FOCUS, at=NOON + HOUR) == theirs  # the same topic goes on
    assert hand.value(key, origin=OTHER_FOCUS, at=NOON - HOUR) == theirs  # it was there before them
    assert hand.value(key, origin=None, at=None) == theirs


def test_a_value_changed_twice_still_knows_the_topic_it_began_with():
    hand = Hand().does("Now", ["- Focus: Printer"], ["- Focus: Parser"])
    shown = {"Now": (hand.standing.values["Focus"].line,)}
    hand.does("Now", ["- Focus: Plotter"], ["- Focus: Printer"], before=shown)
    assert hand.value(now=NOON + HOUR, origin=FOCUS, at=NOON + 2 * HOUR) == "- Focus: Plotter"
    assert hand.value(now=NOON + HOUR, origin=OTHER_FOCUS, at=NOON + 2 * HOUR) is None


def test_a_value_taken_out_does_not_bring_the_old_one_back():
    hand = (
        Hand()
        .does("Now", ["- Focus: Printer"], ["- Focus: Parser"])
        .does("Now", removed=["- Focus: Printer"])
    )
    assert hand.value() is None
    assert hand.standing.retracted("Now", Line("- Focus: The parser", (FOCUS,), "Focus"))
    assert not hand.standing.retracted("Now", Line("- Focus: Docs", (OTHER_FOCUS,), "Focus"))


def test_an_old_focus_taken_out_stays_out_when_its_age_is_said_beside_it():
    hand = Hand().does("Now", removed=["- Focus: Parser"], before={})
    assert hand.standing.retracted("Now", Line("- Focus (left 2026-01-19): Parser", (), "Focus"))


def test_of_two_new_values_the_first_is_the_value_and_the_other_a_line():
    hand = Hand().does("Now", ["- Focus: One", "- Focus: Two"], ["- Focus: Parser"])
    assert hand.value() == "- Focus: One"
    assert hand.added("Now") == ["- Focus: Two"]


def test_a_line_of_ours_that_a_formatter_dressed_anew_is_no_edit():
    assert (
        people.record([Change("Recent", ("* Numbers are read",), ("- Numbers are read",))], SHOWN, salt="s")
        == ()
    )


def test_taking_out_one_of_two_lines_of_a_save_leaves_the_other_and_the_value():
    hand = Hand().does("Now", ["- Focus: Printer", "- one", "- two"], ["- Focus: Parser"])
    shown = {"Now": (*hand.standing.added["Now"], hand.standing.values["Focus"].line)}
    hand.does("Now", removed=["- one"], before=shown)
    assert hand.added("Now") == ["- two"]
    assert hand.value(now=NOON + HOUR) == "- Focus: Printer"
    assert not hand.standing.retracted("Now", hand.standing.values["Focus"].line)


def test_what_stands_does_not_depend_on_the_order_of_the_files():
    hand = (
        Hand()
        .does("Now", ["- a"])
        .does("Now", ["- b"], ["- a"])
        .does("Now", ["- a"])
        .does("Now", [], ["- b"])
    )
    expected = hand.standing
    for seed in range(5):
        Random(seed).shuffle(hand.observations)
        assert hand.standing == expected
    assert hand.added("Now") == ["- a"]


def test_what_is_done_at_once_is_in_order_and_after_what_a_faster_clock_wrote():
    seen = [Observation("a", "person", started=NOON), Observation("b", "codex", started=NOON + 9 * HOUR)]
    assert people.moment(seen, NOON - HOUR) == NOON + timedelta(microseconds=1)
    assert people.moment(seen, NOON) == NOON + timedelta(microseconds=1)
    assert people.moment(seen, NOON + HOUR) == NOON + HOUR
    assert people.moment([], NOON) == NOON


def test_sessions_of_agents_say_nothing_about_people():
    forged = Observation("a", "codex", started=NOON, items=(Item("edit", "- x", more={"section": "Now"}),))
    assert people.standing([forged]) == people.Standing()
