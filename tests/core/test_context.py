from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import people, tokens
from nanoctx.core.context import LINE, SECTIONS, Scene, compose, current_session, page
from nanoctx.core.people import Standing
from nanoctx.model import Change, Changed, Evidence, Item, Line, Observation, Repository

NOW = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
OUTSIDE = (Line("- No repository at hand"),)
HOUR = timedelta(hours=1)


def session(
    id: str,
    focus: str = "",
    *,
    ago: timedelta = 2 * HOUR,
    lines: tuple[str, ...] = (),
    ended_by: str = "exit",
    project: str = "tides",
    **more: object,
) -> Observation:
    last = NOW - ago
    items = [Item("focus", focus, 1, by="user")] if focus else []
    items += [Item("impl", text, number, "verified", "agent") for number, text in enumerate(lines, 2)]
    seen = Observation(
        id=id,
        agent="claude-code",
        session=id,
        project=project,
        started=last - HOUR,
        last=last,
        ended=last if ended_by else None,
        ended_by=ended_by,
        prompts=3,
        pattern="deep work",
        items=tuple(items),
        evidence=(Evidence(1, last - HOUR / 2, "user", focus),),
    )
    return replace(seen, **more)  # type: ignore[arg-type]


def scene(*sessions: Observation, standing: Standing | None = None, **more: object) -> Scene:
    return replace(Scene(sessions, standing or Standing(), OUTSIDE, NOW, UTC), **more)  # type: ignore[arg-type]


def lines(*sessions: Observation, section: str = "Now", **more: object) -> list[str]:
    return [line.text for line in compose(scene(*sessions, **more))[section]]  # type: ignore[arg-type]


def by_hand(
    section: str, *, added: str = "", removed: str = "", shown: Scene, ago: timedelta = HOUR
) -> Standing:
    """What stands after a person changed one line of the page that the scene gives."""
    change = Change(section, (added,) if added else (), (removed,) if removed else ())
    done = people.record([change], compose(shown), salt="salt")
    return people.standing([people.observation(done, salt="salt", at=NOW - ago)])


MOON = session("m", "Print the moon", lines=("Added the moon column", "Wrote the legend", "Drew the margin"))
SUN = session(
    "s",
    "Print the sun",
    ago=26 * HOUR,
    lines=("Added sunrise", "Added sunset", "Sorted ports", "Mended wind"),
)


# -- the four sections -------------------------------------------------------------------------------------


def test_what_an_older_session_checked_is_not_called_so_once_a_check_failed() -> None:
    older = session("a", "Print the tides", lines=("The tables of Oban are printed",), ago=5 * HOUR)
    newer = session("b", "Print the moon")
    failed = Item("fail", "pytest failed: 1 failed", 9, "verified", "tool")
    assert "- The tables of Oban are printed (checked)" in lines(older, newer, section="Recent")
    newer = replace(newer, items=(*newer.items, failed))
    assert "- The tables of Oban are printed" in lines(older, newer, section="Recent")


def test_recent_does_not_repeat_the_request_that_focus_names() -> None:
    asked = Item("dec", "Print the tide tables of Oban", 1, by="user")
    seen = session("a", "Print the tide tables of Oban (tides.py)", lines=("The tables of Oban are printed",))
    seen = replace(seen, items=(*seen.items, asked))
    assert lines(seen, section="Recent") == ["- The tables of Oban are printed (checked)"]


def test_the_page_has_its_four_sections_in_order() -> None:
    text = page(compose(scene(MOON, SUN)))
    assert text.startswith(
        "# Context\n\n## Now\n- Focus: Print the moon\n- Task: None\n- Blocked: None\n\n## Time\n"
    )
    heads = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert tuple(heads) == SECTIONS
    assert text.endswith("## External\n- No repository at hand\n")


def test_a_workspace_without_sessions_says_so() -> None:
    text = page(compose(scene()))
    assert "- Focus: None" in text and "First session" in text and "## Recent\n- None\n" in text


def test_what_is_open_stands_in_now() -> None:
    seen = replace(
        MOON, items=(*MOON.items, Item("task", "Draw the border", 8), Item("block", "Which colour?", 9))
    )
    assert lines(seen)[:3] == [
        "- Focus: Print the moon",
        "- Task: Draw the border",
        "- Blocked: Which colour?",
    ]


def test_every_line_about_a_session_says_where_it_came_from() -> None:
    made = compose(scene(MOON, SUN))
    assert made["Now"][0].origins[0].observation == "m"
    assert made["Now"][0].origins[0].pos == 1
    assert all(line.origins for line in made["Recent"])


def test_time_says_when_and_how_long_ago() -> None:
    text = "\n".join(lines(MOON, section="Time"))
    assert "- Last session: 2026-03-02 15:00–16:00 (1 h, claude-code), 2 hours ago" in text
    assert "- Pattern: Deep work session" in text
    assert "- Hint: Summarise where we left off" in text


def test_recent_leaves_out_what_was_refuted_and_marks_what_is_a_guess() -> None:
    seen = replace(
        MOON,
        items=(
            Item("impl", "Mended the tide gauge", 2, "refuted", "agent"),
            Item("fact", "The pier moves with the ice", 3, "hypothesis", "agent"),
            Item("dec", "Use metres everywhere", 4, "claimed", "user"),
            Item("rule", "Never print fathoms", 5, "", "user"),
            Item("fail", "Passed later: pytest first failed: no port", 6, "verified", "tool"),
        ),
    )
    assert lines(seen, section="Recent") == [
        "- Unverified: The pier moves with the ice",
        "- User: Use metres everywhere",
        "- Passed later: pytest first failed: no port",
    ]


def test_now_says_what_no_commit_took_up_and_which_rules_hold() -> None:
    old = replace(SUN, items=(Item("rule", "Always print depths in metres", 7, "", "user"), *SUN.items))
    seen = replace(
        MOON,
        items=(
            *MOON.items,
            Item("impl", "Edited, no commit seen: tide.py (read_gauge)", 8, "claimed", "tool"),
            Item("rule", "Never print fathoms", 5, "", "user"),
        ),
    )
    edited, new, before = lines(seen, old)[3:6]
    assert edited == "- Edited, no commit seen: tide.py (read_gauge)"
    assert [new, before] == ["- Rule: Never print fathoms", "- Rule: Always print depths in metres"]
    assert not [line for line in lines(seen, old, section="Recent") if "Edited" in line or "Rule" in line]


@pytest.mark.parametrize(
    ("git", "shown"),
    [
        (Repository(head="4be1f02"), False),
        (Repository(head="4be1f02", unsure=True), True),
        (Repository(head="4be1f02", changed=(Changed("tide.py"),)), True),
        (None, True),
    ],
)
def test_work_is_not_called_open_when_git_shows_nothing_that_differs(
    git: Repository | None, shown: bool
) -> None:
    item = Item("impl", "Edited, no commit seen: tide.py", 8, "claimed", "tool")
    now = compose(replace(scene(replace(MOON, items=(*MOON.items, item))), repository=git))["Now"]
    assert any("no commit seen" in line.text for line in now) == shown


def test_recent_fills_from_older_sessions_to_three() -> None:
    poor = replace(MOON, items=MOON.items[:2])
    assert lines(poor, SUN, section="Recent") == [
        "- Added the moon column (checked)",
        "- Added sunrise (checked)",
        "- Added sunset (checked)",
    ]
    assert len(lines(MOON, SUN, section="Recent")) == 3


def test_recent_has_at_most_five_and_says_nothing_twice() -> None:
    words = ("moon", "sun", "wind", "ice", "snow", "rain", "fog")
    rich = session(
        "r", "Print all", lines=(*(f"Printed the {word} table" for word in words), "Printed the moon table")
    )
    shown = lines(rich, section="Recent")
    assert len(shown) == len(set(shown)) == 5


# -- which session is Now ----------------------------------------------------------------------------------


def test_the_latest_session_is_now() -> None:
    assert current_session([SUN, MOON]) is MOON
    assert lines(SUN, MOON)[0] == "- Focus: Print the moon"


def test_a_headless_session_is_now_only_if_there_is_no_other() -> None:
    nightly = session("n", "Nightly tables", ago=HOUR, more={"headless": True})
    assert lines(MOON, nightly)[0] == "- Focus: Print the moon"
    assert lines(nightly)[0] == "- Focus: Nightly tables"


def test_an_open_headless_session_does_not_stand_beside_a_human_one() -> None:
    nightly = session("n", "Nightly tables", ago=HOUR, ended_by="", more={"headless": True})
    assert not [line for line in lines(MOON, nightly) if "Nightly" in line]


def test_a_session_in_which_nobody_spoke_is_not_now() -> None:
    assert current_session([MOON, session("e", ago=HOUR, prompts=0)]) is MOON


def test_after_fourteen_idle_days_the_focus_says_when_it_was_left() -> None:
    assert lines(replace(MOON, last=NOW - timedelta(days=13)))[0] == "- Focus: Print the moon"
    left = session("m", "Print the moon", ago=timedelta(days=20))
    assert lines(left)[0] == "- Focus (left 2026-02-10): Print the moon"


def test_two_open_sessions_stand_side_by_side() -> None:
    one = session("a", "Print the moon", ago=timedelta(minutes=5), ended_by="")
    other = session("b", "Print the sun", ago=timedelta(minutes=1), ended_by="")
    shown = lines(one, other)
    assert shown[0] == "- Focus: Print the sun"
    assert [line for line in shown if line.startswith("- Also: Print the moon (claude-code, ")]


def test_other_projects_are_named_and_do_not_leak() -> None:
    other = session("o", "Paint the buoys", lines=("Painted the red buoy",), project="buoys")
    made = compose(scene(MOON, others=(other,)))
    assert [line.text for line in made["Now"] if line.text.startswith("- Also: Paint the buoys (buoys, ")]
    for name in ("Time", "Recent"):
        assert not [line for line in made[name] if "buoy" in line.text.lower()]


def test_a_project_with_a_long_name_stays_on_its_line() -> None:
    other = session("o", "Paint the buoys " * 20, project="b" * 300)
    assert all(len(line) <= LINE for line in lines(MOON, others=(other,)))


def test_after_a_clear_no_old_focus_comes_back() -> None:
    cleared = replace(
        MOON, ended_by="clear",
        items=(
            *MOON.items, Item("task", "Draw", 8), Item("block", "Which?", 9),
            Item("impl", "Edited, no commit seen: moon.py", 10, "claimed", "tool"),
        ),
    )  # fmt: skip
    made = compose(scene(cleared, SUN))
    assert [line.text for line in made["Now"]] == ["- Focus: None", "- Task: None", "- Blocked: None"]
    assert made["Recent"][0].text == "- Before /clear: Print the moon"


def test_a_session_whose_times_are_unknown_stops_nothing() -> None:
    timeless = replace(MOON, started=None, last=None, ended=None, ended_by="")
    assert lines(timeless)[0] == "- Focus: Print the moon"
    assert lines(timeless, SUN, replace(timeless, id="t2"))


# -- people ------------------------------------------------------------------------------------------------


def test_a_line_that_a_person_took_out_stays_out_also_in_other_words() -> None:
    shown = scene(MOON, SUN)
    gone = "- Added the moon column (checked)"
    standing = by_hand("Recent", removed=gone, shown=shown)
    assert gone not in lines(MOON, SUN, section="Recent", standing=standing)
    reworded = replace(
        MOON,
        items=(MOON.items[0], replace(MOON.items[1], text="The column of the moon is in"), *MOON.items[2:]),
    )
    assert "- The column of the moon is in (checked)" not in lines(
        reworded, SUN, section="Recent", standing=standing
    )
    assert len(lines(MOON, SUN, section="Recent", standing=standing)) == 3


def test_a_line_that_a_person_added_is_kept() -> None:
    for name in SECTIONS:
        standing = by_hand(name, added="- Ask Mira about the pier", shown=scene(MOON))
        assert "- Ask Mira about the pier" in lines(MOON, section=name, standing=standing)


def test_a_focus_that_a_person_set_holds_for_a_day() -> None:
    shown = scene(MOON)
    set_to = {"added": "- Focus: Paint the buoys", "removed": "- Focus: Print the moon"}
    held = by_hand("Now", **set_to, shown=shown, ago=HOUR)
    assert lines(MOON, standing=held)[0] == "- Focus: Paint the buoys"
    old = by_hand("Now", **set_to, shown=shown, ago=25 * HOUR)
    assert lines(MOON, standing=old)[0] == "- Focus: Print the moon"
    pinned = by_hand(
        "Now",
        added="- Focus: Paint the buoys 📌",
        removed="- Focus: Print the moon",
        shown=shown,
        ago=99 * HOUR,
    )
    assert lines(MOON, standing=pinned)[0] == "- Focus: Paint the buoys 📌"


def test_a_later_topic_of_theirs_ends_it() -> None:
    held = by_hand(
        "Now", added="- Focus: Paint the buoys", removed="- Focus: Print the moon", shown=scene(MOON)
    )
    newer = session("w", "Measure the wind", ago=timedelta(minutes=1))
    assert lines(MOON, newer, standing=held)[0] == "- Focus: Measure the wind"


def test_a_task_that_a_person_set_holds_beside_a_generated_focus() -> None:
    held = by_hand("Now", added="- Task: Oil the printer", removed="- Task: None", shown=scene(MOON))
    assert lines(MOON, standing=held)[:2] == ["- Focus: Print the moon", "- Task: Oil the printer"]


# -- the budget --------------------------------------------------------------------------------------------

WORDS = st.one_of(
    st.text(max_size=240),
    st.text("潮汐表は月の満ち欠けを示す한국어", max_size=240),
    st.text("🌙🌊⚓️ ", max_size=240),
    st.text("aB_/.-1 ", max_size=240),
    st.just("Printed the moon column of the almanac for Oban and Ullapool, " * 3),
).map(lambda text: " ".join(text.split()))
ITEMS = st.builds(
    Item,
    kind=st.sampled_from(["focus", "task", "block", "impl", "dec", "rule", "fail", "fact", "next"]),
    text=WORDS,
    pos=st.integers(1, 99),
    grade=st.sampled_from(["", "verified", "claimed", "hypothesis", "refuted"]),
    by=st.sampled_from(["user", "agent", "tool"]),
)
SESSIONS = st.lists(
    st.builds(
        lambda id, ago, ended_by, prompts, headless, items: session(
            id,
            ago=timedelta(minutes=ago),
            ended_by=ended_by,
            prompts=prompts,
            more={"headless": True} if headless else {},
            items=tuple(items),
        ),
        id=st.text("abcdef", min_size=6, max_size=6),
        ago=st.integers(0, 50_000),
        ended_by=st.sampled_from(["", "exit", "clear", "idle"]),
        prompts=st.integers(0, 3),
        headless=st.booleans(),
        items=st.lists(ITEMS, max_size=8),
    ),
    max_size=4,
    unique_by=lambda one: one.id,
)


@given(SESSIONS, SESSIONS, st.lists(WORDS, max_size=4), st.booleans())
def test_a_page_never_exceeds_its_budget(
    sessions: list[Observation], others: list[Observation], outside: list[str], live: bool
) -> None:
    external = tuple(Line(f"- {text[:190]}") for text in outside)
    made = compose(scene(*sessions, others=tuple(others[:2]), outside=external, live=live))
    text = page(made)
    assert tuple(made) == SECTIONS
    assert tokens.count(text) <= 500
    assert len(text) <= 2000
    assert all(
        len(line.text) <= LINE and "\n" not in line.text
        for line in (*made["Now"], *made["Time"], *made["Recent"])
    )
    assert [line.key for line in made["Now"][:3]] == ["Focus", "Task", "Blocked"]


def test_words_that_cost_much_are_cut_rather_than_over_budget() -> None:
    costly = "🌙" * 240
    items = tuple(
        Item(kind, costly, pos) for pos, kind in enumerate(("focus", "task", "block", "impl", "dec"), 1)
    )
    seen = [session(id, ended_by="", items=items) for id in "abc"]
    made = compose(scene(*seen, outside=(Line(f"- {costly[:190]}"),)))
    assert tokens.count(page(made)) <= 500
    assert all("🌙" in line.text for line in made["Now"])


@given(SESSIONS, st.randoms())
def test_the_order_in_which_observations_were_found_does_not_matter(
    sessions: list[Observation], random: Random
) -> None:
    shuffled = list(sessions)
    random.shuffle(shuffled)
    assert compose(scene(*shuffled)) == compose(scene(*sessions))


@given(SESSIONS, st.lists(WORDS.filter(bool), min_size=1, max_size=3, unique=True), st.sampled_from(SECTIONS))
def test_a_person_s_lines_are_never_dropped(
    sessions: list[Observation], words: list[str], section: str
) -> None:
    theirs = tuple(Line(f"- {text} {text} {text}") for text in words)
    standing = Standing(added={section: theirs})
    made = compose(
        scene(*sessions, standing=standing, outside=tuple(Line(f"- {'wind ' * 30}{n}") for n in range(5)))
    )
    assert set(theirs) <= set(made[section])


def test_a_person_s_page_over_budget_stays_whole_and_ours_gives_way() -> None:
    theirs = tuple(
        Line(f"- Note {number} of the harbour master about the old pier and its gauges")
        for number in range(60)
    )
    made = compose(scene(MOON, SUN, standing=Standing(added={"Recent": theirs})))
    assert made["Recent"] == theirs
    assert [line.text for line in made["Now"]] == [
        "- Focus: Print the moon",
        "- Task: None",
        "- Blocked: None",
    ]


@pytest.mark.parametrize("budget", [120, 200, 300])
def test_a_smaller_budget_is_kept_too(budget: int) -> None:
    text = page(compose(scene(MOON, SUN, budget=budget)))
    assert tokens.count(text) <= budget
    assert "- Focus: Print the moon" in text


def test_what_is_only_there_to_be_recalled_is_not_on_the_page() -> None:
    given = Item("fact", "Given: Rules: Print depths in metres", 9, "claimed", "user", {"page": "no"})
    recent = lines(replace(MOON, items=(*MOON.items, given)), section="Recent")
    assert not [line for line in recent if "Given" in line]


def test_what_now_says_is_to_come_is_no_news() -> None:
    seen = session("a", "Print the moon", lines=("The moon stands beside the tide",))
    ahead = Item("next", "Next steps if you agree: describe the column in the README", 8, by="agent")
    task = Item("task", "Describe the column in the README", 9, by="agent")
    told = lines(replace(seen, items=(*seen.items, ahead)), section="Recent")
    assert "- Next: describe the column in the README" in told
    assert len(lines(replace(seen, items=(*seen.items, ahead, task)), section="Recent")) == len(told) - 1


def test_what_is_only_not_there_has_not_failed() -> None:
    seen = session("a", "Print the moon")
    missing = Item("fail", "The tables of Oban do not have a column for it", 8, "claimed", "agent")
    broken = Item("fail", "The parser crashed at the tables of Mallaig", 9, "claimed", "agent")
    told = lines(replace(seen, items=(*seen.items, missing, broken)), section="Recent")
    assert told == [f"- {missing.text}", f"- Failed: {broken.text}"]
