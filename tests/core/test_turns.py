from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from story_builder import (
    Beat,
    about,
    answer,
    calls,
    compact,
    edit,
    end,
    plan,
    prompt,
    read,
    reject,
    run,
    say,
    shell,
    step,
    story,
    tell,
    usage,
)

from nanoctx.core import turns
from nanoctx.core.turns import Story, Turn, grow
from nanoctx.model import Event


def prompts_of(told: Story) -> list[str]:
    return [turn.prompt.text for turn in told.turns if turn.prompt is not None]


def grown(events: list[Event], *cuts: int) -> Story:
    """The story told in several looks, which end before the records at these positions."""
    told = Story("s1")
    for first, last in zip((0, *cuts), (*cuts, len(events) + 1), strict=True):
        told = grow(told, [event for event in events if first <= event.pos < last])
    return told


def test_a_prompt_begins_a_turn_and_what_follows_belongs_to_it() -> None:
    told = story(prompt("print the moon"), say("Done."), prompt("print the sun"), edit("src/sun.py"))
    # That an edit went well says nothing more than that it was made.
    assert [[event.kind for event in turn.events] for turn in told.turns] == [["say"], ["tool"]]
    assert [turn.number for turn in told.turns] == [0, 1]
    assert told.prompts == 2


def test_each_run_of_a_job_is_a_turn_that_nobody_asked_for() -> None:
    told = story(run(), say("Backed up 3 files."), run(), run(), say("Backed up 4 files."))
    assert [(turn.prompt, len(turn.events)) for turn in told.turns] == [(None, 1), (None, 1)]
    assert told.prompts == 0


def test_what_comes_before_any_prompt_is_kept_too() -> None:
    told = story(say("Resuming the work."), prompt("go on with the moon"))
    assert told.turns[0].prompt is None
    assert told.turns[0].events[0].text == "Resuming the work."


def test_work_is_counted() -> None:
    told = story(
        prompt("print the moon"),
        read("src/moon.py"),
        edit("src/moon.py"),
        shell("pytest", "1 failed", ok=False),
        edit("src/sun.py"),
        edit("src/moon.py"),
        shell("pytest", "3 passed"),
        shell("ls missing", "no such file", ok=False),
    )
    assert (told.edits, told.reads, told.commands, told.failures) == (3, 1, 3, 2)
    assert told.files == ("src/moon.py", "src/sun.py")


def test_long_silence_is_not_work() -> None:
    events = tell(prompt("print the moon"), say("Done."), prompt("and the sun"), say("Done."), every=60)
    late = [replace(event, at=(event.at or 0) + 7200) if event.pos > 2 else event for event in events]
    told = grow(Story("s1"), late)
    assert told.active == 120
    assert (told.last or 0) - (told.started or 0) == 7200 + 180


def test_the_session_is_known_by_where_it_began_and_what_was_last_said_of_it() -> None:
    told = story(
        about(cwd="/work/tides", branch="main"),
        about(cwd="/work/tides/src", branch="moon"),
        about(title="Named by the person", title_by="person"),
        about(title="Named by the agent", title_by="agent"),
    )
    assert told.cwd == "/work/tides"
    assert told.facts["branch"] == "moon"
    assert told.facts["title"] == "Named by the person"


def test_a_plan_is_replaced_or_changed_step_by_step() -> None:
    told = story(
        prompt("print the moon"),
        plan(("Read the phases", "in_progress"), ("Print them", "pending")),
        step("1", "completed"),
        step("2", "in_progress", "Print them in a column"),
        step("3", "pending", "Print the legend"),
    )
    assert [(one.text, one.status) for one in told.plan] == [
        ("Read the phases", "completed"),
        ("Print them in a column", "in_progress"),
        ("Print the legend", "pending"),
    ]
    assert story(plan(("Old", "pending")), plan(("New", "pending"))).plan[0].text == "New"


def test_how_full_the_window_is_starts_again_after_compaction() -> None:
    assert story(prompt("print it"), usage(150_000)).used == 150_000
    assert story(prompt("print it"), usage(150_000), compact("Summary")).used == 0


def test_a_prompt_after_the_end_opens_the_session_again() -> None:
    assert story(prompt("print it"), end("exit")).ended_by == "exit"
    assert story(prompt("print it"), end("exit"), prompt("print more of it")).ended_by == ""


def test_a_queued_prompt_that_was_then_sent_counts_once() -> None:
    told = story(
        prompt("print the moon"),
        say("Working."),
        prompt("use metres", queued=True),
        say("Still working."),
        prompt("use metres"),
        say("In metres now."),
    )
    assert told.prompts == 2
    assert prompts_of(told) == ["print the moon", "use metres"]
    assert [event.text for event in told.turns[0].events] == ["Working.", "Still working."]


def test_a_prompt_that_stands_only_in_the_queue_counts_too() -> None:
    told = story(
        prompt("print the moon"), say("Working."), prompt("use metres", queued=True), say("In metres.")
    )
    assert told.prompts == 2
    assert prompts_of(told) == ["print the moon", "use metres"]


def test_work_done_before_the_first_prompt_was_sent_is_not_lost() -> None:
    told = story(prompt("use metres", queued=True), say("Starting up."), prompt("use metres"), say("Done."))
    assert told.prompts == 1
    assert [event.text for turn in told.turns for event in turn.events] == ["Starting up.", "Done."]


def test_a_result_belongs_to_its_call_although_prompts_came_between() -> None:
    call, result = tell(shell("pytest -q", "3 passed"))
    events = tell(
        prompt("run the checks"),
        (call,),
        prompt("use metres", queued=True),
        prompt("and fathoms", queued=True),
        prompt("and feet", queued=True),
        (result,),
    )
    events = [replace(event, call="c" if event.call else "") for event in events]
    told = grow(Story("s1"), events)
    assert [[event.kind for event in turn.events] for turn in told.turns] == [["tool", "result"], [], [], []]
    assert told.turns[0].events[1].text == "3 passed"


def test_going_back_takes_back_what_followed() -> None:
    told = story(
        prompt("print the moon"),  # 1
        say("Which colour?"),  # 2
        prompt("print it in red"),  # 3
        say("Red it is."),  # 4
        prompt("print it in blue", after=2),
        say("Blue it is."),
    )
    assert prompts_of(told) == ["print the moon", "print it in blue"]
    assert "Red it is." not in [event.text for turn in told.turns for event in turn.events]


def test_records_that_a_resumed_log_repeats_count_once() -> None:
    events = tell(prompt("print the moon"), say("Done."), prompt("print the sun"))
    again = [replace(event, pos=event.pos + 3) for event in events]
    assert grow(Story("s1"), events + again).turns == grow(Story("s1"), events).turns
    told = grow(grow(Story("s1"), events), again)
    assert (told.prompts, len(told.turns)) == (2, 2)


def test_reading_the_same_records_again_changes_nothing() -> None:
    """A look that was killed before it could save its cursor reads them a second time."""
    events = tell(
        prompt("print the moon"), edit("src/moon.py"), shell("pytest", "1 failed", ok=False), say("Hm.")
    )
    told = grow(Story("s1"), events)
    assert grow(told, events) == told
    assert grow(told, events[2:]) == told
    more = tell(*[say("x")] * 4, say("Fixed."))[4:]
    assert grow(told, events + more) == grow(told, more)


def test_no_secret_and_no_code_gets_into_a_story() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    told = story(
        prompt(f"my token is {secret}"),
        edit("src/moon.py", "class MoonPhase:\n    def waxing(self): ...\n"),
        shell(f"curl -H 'Authorization: Bearer {secret}' https://example.org && make", f"token {secret}"),
        read("src/moon.py", "contents that nobody needs"),
        answer(f"Is {secret} right?", f"Yes, {secret}"),
        plan((f"Use {secret}", "pending")),
    )
    assert secret not in repr(told)
    assert "nobody needs" not in repr(told)
    assert told.turns[0].events[0].facts["symbols"] == "MoonPhase,waxing"


# -- long sessions -----------------------------------------------------------------------------------------


def test_an_old_turn_is_kept_by_what_it_came_to() -> None:
    old = (
        prompt("print the moon"),
        say("Let me look."),
        edit("src/moon.py"),
        reject("rm -rf build", "keep the build"),
        shell('git commit -m "Print the moon"', "[main 1a2b3c4] Print the moon"),
        shell("git reset --hard HEAD~1", "HEAD is now at 0badcaf"),
        say("Printed."),
    )
    later = [
        beat
        for number in range(7)
        for beat in (prompt(f"print port {number}"), *(say("More.") for _ in range(100)))
    ]
    told = story(*old, *later)
    assert told.turns[0].thin and not told.turns[1].thin
    assert [(event.kind, event.text or event.command) for event in told.turns[0].events] == [
        ("reject", "keep the build"),
        ("tool", 'git commit -m "Print the moon"'),
        ("result", "[main 1a2b3c4] Print the moon"),
        ("tool", "git reset --hard HEAD~1"),
        ("result", "HEAD is now at 0badcaf"),
        ("say", "Printed."),
    ]


def test_a_story_stays_small_however_long_the_session_is() -> None:
    beats: list[Beat] = []
    for number in range(400):
        beats += [
            prompt(f"print port {number}"),
            say("Now."),
            edit("src/moon.py"),
            say("Done."),
            say("Really."),
        ]
    events = tell(*beats)
    at_once = grow(Story("s1"), events)
    thin = [turn for turn in at_once.turns if turn.thin]
    assert len(thin) == turns.OLD_TURNS
    assert all(len(turn.events) <= turns.OLD_EVENTS for turn in thin)
    assert sum(1 + len(turn.events) for turn in at_once.turns if not turn.thin) < turns.WHOLE_EVENTS + 6
    assert (at_once.prompts, at_once.turns_begun) == (400, 400)
    assert grown(events, 7, 500, 501, 1200) == at_once


def test_of_a_very_long_turn_its_beginning_and_end_are_kept() -> None:
    events = tell(prompt("print every port"), *(say(f"Port {number}.") for number in range(900)))
    at_once = grow(Story("s1"), events)
    kept = [event.text for event in at_once.turns[0].events]
    assert len(kept) == turns.EVENTS_AT_START + turns.EVENTS_AT_END
    assert (kept[0], kept[-1]) == ("Port 0.", "Port 899.")
    assert grown(events, 100, 450, 451, 700) == at_once


def test_a_turn_that_takes_in_a_queued_one_stays_bounded() -> None:
    told = story(
        prompt("print every port"),
        *(say("More.") for _ in range(300)),
        prompt("use metres", queued=True),
        *(say("More.") for _ in range(300)),
        prompt("use metres"),
    )
    assert len(told.turns[0].events) == turns.EVENTS_AT_START + turns.EVENTS_AT_END


def test_files_are_bounded_last_touched_first() -> None:
    told = story(prompt("print"), *(edit(f"src/port{number}.py") for number in range(100)))
    assert len(told.files) == turns.FILES
    assert told.files[0] == "src/port99.py"


# -- in pieces or at once ----------------------------------------------------------------------------------

QUIET = st.sampled_from(
    [
        say("Printed."),
        shell("pytest", "3 passed"),
        shell("pytest", "1 failed", ok=False),
        shell('git commit -m "Print"', "[main 1a2b3c4] Print"),
        calls("make slow"),
        edit("src/moon.py", "def moon(): ..."),
        edit("src/sun.py"),
        read("src/sun.py"),
        reject("rm build", "keep it"),
        answer("Which?", "Both"),
        plan(("One", "in_progress"), ("Two", "pending")),
        step("1", "completed"),
        about(branch="moon"),
        usage(90_000),
        compact("Summary."),
        end("exit"),
    ]
)
SPOKEN = st.sampled_from(["print the moon", "use metres", "yes"])
MOVES = st.one_of(
    QUIET,
    QUIET,
    st.builds(prompt, SPOKEN),
    st.builds(prompt, SPOKEN, queued=st.booleans()),
    st.builds(lambda words, back: ("rewind", words, back), SPOKEN, st.integers(1, 30)),
    st.builds(lambda back: ("replay", "", back), st.integers(1, 40)),
    st.builds(lambda back: ("replay", "", back), st.integers(1, 8)),
    st.builds(lambda back: ("late result", "", back), st.integers(1, 30)),
)


def log_of(moves: list[object]) -> list[Event]:
    """A log in which people go back, records repeat and results come late."""
    events: list[Event] = []
    for move in moves:
        pos = (events[-1].pos if events else 0) + 1
        if isinstance(move, tuple) and move and move[0] == "rewind":
            new = tell(prompt(move[1], after=max(1, pos - move[2])))
        elif isinstance(move, tuple) and move and move[0] == "replay":
            old = [event for event in events if event.pos == pos - move[2]]
            events += [replace(event, pos=pos) for event in old]
            continue
        elif isinstance(move, tuple) and move and move[0] == "late result":
            called = [event.call for event in events[-move[2] :] if event.kind == "tool"]
            new = [Event("result", 0, "s1", text="late", call=called[0], ok=False)] if called else []
        else:
            new = tell(move)  # type: ignore[arg-type]
        for number, event in enumerate(new):
            # Two events of one record, as an agent's message with a tool call in it gives them.
            at = 1e9 + 30.0 * pos
            events.append(
                replace(
                    event,
                    pos=pos + number // 2,
                    at=at,
                    uid=f"u{pos + number // 2}" if event.kind != "usage" else "",
                    call=f"{event.call}@{pos}" if event.call and event.text != "late" else event.call,
                )
            )
    return events


@contextmanager
def small_limits() -> Iterator[None]:
    """Limits that a short log reaches."""
    with pytest.MonkeyPatch.context() as patch:
        limits = {
            "WHOLE_EVENTS": 12,
            "OLD_TURNS": 2,
            "OLD_EVENTS": 2,
            "EVENTS_AT_START": 2,
            "EVENTS_AT_END": 4,
        }
        for name, value in limits.items():
            patch.setattr(turns, name, value)
        yield


@settings(max_examples=max(300, settings.default.max_examples))
@given(st.lists(MOVES, min_size=10, max_size=80), st.lists(st.integers(1, 80), max_size=5))
def test_growing_in_pieces_is_growing_at_once(moves: list[object], cuts: list[int]) -> None:
    events = log_of(moves)
    with small_limits():
        at_once = grow(Story("s1"), events)
        assert grown(events, *sorted(cuts)) == at_once
        assert sum(turn.thin for turn in at_once.turns) <= turns.OLD_TURNS
        assert all(len(turn.events) <= turns.EVENTS_AT_START + turns.EVENTS_AT_END for turn in at_once.turns)
        assert at_once.prompts >= 0
        assert grow(at_once, events) == at_once


@settings(max_examples=max(300, settings.default.max_examples))
@given(st.lists(MOVES, min_size=10, max_size=80))
def test_growing_record_by_record_is_growing_at_once(moves: list[object]) -> None:
    events = log_of(moves)
    with small_limits():
        assert grown(events, *sorted({event.pos for event in events})) == grow(Story("s1"), events)


def test_a_story_is_a_value() -> None:
    events = tell(prompt("print the moon"), say("Done."))
    told = grow(Story("s1"), events)
    grow(told, tell(*[say("x")] * 2, edit("src/moon.py"), plan(("One", "pending")))[2:])
    assert told == grow(Story("s1"), events)
    assert isinstance(told.turns[0], Turn)


def test_a_secret_across_the_cut_of_an_old_turn_is_not_kept_by_half() -> None:
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1cD3"
    old = (prompt("print the moon"), say("x" * 1480 + f" {secret} and more"))
    later = [
        beat
        for number in range(8)
        for beat in (prompt(f"print port {number}"), *(say("More.") for _ in range(100)))
    ]
    told = story(*old, *later)
    assert told.turns[0].thin
    assert secret[:12] not in str(told)
