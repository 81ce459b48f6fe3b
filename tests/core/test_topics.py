from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from story_builder import (
    Beat,
    about,
    calls,
    committed,
    edit,
    error,
    interrupt,
    plan,
    prompt,
    reject,
    say,
    shell,
    step,
    story,
)

from nanoctx.core import blockers
from nanoctx.core import focus as naming
from nanoctx.core import task as steps
from nanoctx.core.deeds import deeds
from nanoctx.core.named import Named

MOON = (
    prompt("Add a column for the moon's phase to the printed almanac"),
    edit("src/almanac.py", "def moon_column(): ..."),
    shell("pytest", "3 passed"),
    say("The almanac now prints the moon's phase in its own column."),
)


def text(named: Named | None) -> str:
    assert named is not None
    return named.text


def focus(*beats: Beat) -> Named | None:
    told = story(*beats)
    done = deeds(told.turns)
    return naming.focus(told, done, naming.talk(told, done))


def focus_text(*beats: Beat) -> str:
    named = focus(*beats)
    assert named is not None
    assert len(named.text) <= naming.FOCUS
    return named.text.lower()


def task(*beats: Beat) -> Named | None:
    told = story(*beats)
    done = deeds(told.turns)
    named = naming.focus(told, done, naming.talk(told, done))
    return steps.task(told, done, named.text if named else "")


def task_text(*beats: Beat) -> str:
    named = task(*beats)
    assert named is not None
    assert len(named.text) <= steps.TASK
    return named.text.lower()


def blocked(*beats: Beat) -> Named | None:
    return blockers.blocked(deeds(story(*beats).turns))


def blocked_text(*beats: Beat) -> str:
    named = blocked(*beats)
    assert named is not None
    assert len(named.text) <= blockers.BLOCKED
    return named.text


# -- Focus -------------------------------------------------------------------------------------------------


def test_the_focus_is_what_the_person_asked_for_in_their_words() -> None:
    named = focus(*MOON)
    assert named is not None
    assert "moon's phase" in named.text and "printed almanac" in named.text
    assert (named.who, named.pos) == ("user", 1)
    assert named.quote.startswith("Add a column")


def test_another_topic_evicts_the_old_focus() -> None:
    text = focus_text(
        *MOON,
        prompt("Rewrite the importer for the new harbour gauge files in CSV format"),
        edit("src/gauges.py", "def read_gauges(): ..."),
        say("The importer reads gauge files in CSV format now."),
    )
    assert "importer" in text and "gauge" in text
    assert "moon" not in text and "almanac" not in text


@pytest.mark.parametrize("reply", ["yes", "Yes, please!", "continue", "ok, go ahead", "do it"])
def test_a_yes_makes_the_proposal_the_focus(reply: str) -> None:
    text = focus_text(
        *MOON[:-1],
        say("The moon is printed.\n\nShould I convert the depth soundings from fathoms to metres as well?"),
        prompt(reply),
        edit("src/depth.py"),
    )
    assert "depth soundings" in text and "metres" in text


def test_a_number_makes_that_option_the_focus() -> None:
    text = focus_text(
        prompt("How could we make the almanac print faster?"),
        say(
            "Two ways:\n\n1. Cache the harmonic constants on disk\n"
            "2. Render the harbour pages in parallel\n\nWhich one?"
        ),
        prompt("2"),
        edit("src/render.py"),
    )
    assert "harbour pages in parallel" in text
    assert "harmonic constants" not in text


def test_the_words_of_a_proposal_are_the_agent_s_not_the_person_s() -> None:
    named = focus(
        *MOON[:-1],
        say("The moon is printed.\n\nShould I convert the depth soundings from fathoms to metres as well?"),
        prompt("yes"),
        edit("src/depth.py"),
    )
    assert named is not None
    assert named.who == "agent"


@pytest.mark.parametrize(
    "chore",
    ["commit", "Please commit and push", "push it", "create a PR for the release branch", "run the tests"],
)
def test_a_chore_is_no_topic(chore: str) -> None:
    text = focus_text(*MOON, prompt(chore), shell("git push", "Everything up-to-date"), say("Pushed."))
    assert "moon" in text


def test_a_standing_rule_is_no_topic() -> None:
    assert "moon" in focus_text(*MOON, prompt("Never use tabs in this project."), say("Spaces only, then."))


def test_a_passing_question_is_no_topic() -> None:
    text = focus_text(*MOON[:-1], say("Printed."), prompt("which python is this?"), say("It is Python 3.12."))
    assert "moon" in text


def test_a_reply_to_the_agent_s_question_is_no_topic() -> None:
    text = focus_text(
        *MOON[:-1], say("Which paper should it fit?"), prompt("a four, in landscape"), edit("src/a.py")
    )
    assert "moon" in text


def test_a_reply_that_says_only_this_is_named_by_what_stood_before() -> None:
    assert "moon" in focus_text(*MOON, prompt("try that again please"), edit("src/almanac.py"))


def test_the_focus_names_the_branch_and_what_was_worked_on() -> None:
    text = focus_text(about(branch="print/moon"), prompt("Print the phases"), *[edit("src/moonrise.py")] * 3)
    assert "moonrise.py" in text or "print/moon" in text


def test_a_session_without_words_of_a_person_is_named_by_what_came_of_it() -> None:
    named = focus(shell('git commit -m "Print the moon"', committed("1a2b3c4", "Print the moon")))
    assert named is not None
    assert (named.text, named.who) == ("Print the moon", "tool")
    named = focus(say("The nightly tables were printed for all eleven harbours."))
    assert named is not None and named.who == "agent"
    assert focus() is None


# -- Task --------------------------------------------------------------------------------------------------


def test_a_finished_task_is_never_the_task() -> None:
    assert task(*MOON) is None


def test_a_finished_plan_is_never_the_task() -> None:
    beats = (
        prompt("Print the moon"),
        plan(("Read the phases", "in_progress"), ("Print the column", "pending")),
        edit("src/moon.py"),
        step("1", "completed"),
        step("2", "completed"),
        say("Both steps are done, the moon is printed."),
    )
    assert task(*beats) is None


def test_a_deleted_step_is_never_the_task() -> None:
    assert task(prompt("Print it"), plan(("Print the wind", "deleted")), say("The table is printed.")) is None


def test_the_open_step_of_the_plan_is_the_task() -> None:
    beats = (
        prompt("Print the moon"),
        plan(("Read the phases", "completed"), ("Print the column", "in_progress"), ("Legend", "pending")),
        edit("src/moon.py"),
    )
    named = task(*beats)
    assert named is not None
    assert (named.text, named.who) == ("Print the column", "agent")
    assert task_text(*beats, step("2", "completed")) == "legend"


def test_a_plan_left_behind_is_ignored() -> None:
    beats = (
        prompt("Print the moon"),
        plan(("Print the column", "in_progress")),
        edit("src/moon.py"),
        say("That is as far as I got."),
        prompt("Rewrite the gauge importer for CSV files"),
        edit("src/gauges.py"),
        say("The importer is rewritten."),
        prompt("Rename the harbour table to ports"),
        edit("src/ports.py"),
        say("The table is renamed to ports."),
    )
    assert task(*beats) is None


def test_what_the_agent_was_about_to_do_is_the_task() -> None:
    assert "rewrite the phase table" in task_text(
        prompt("Print the moon"), edit("src/moon.py"), say("Now let me rewrite the phase table in metres.")
    )


def test_a_request_the_agent_has_not_answered_is_the_task() -> None:
    text = task_text(*MOON, prompt("Convert the depth soundings of every chart from fathoms to metres"))
    assert "fathoms" in text or "metres" in text


def test_next_steps_that_the_report_names_are_the_task_and_offers_are_not() -> None:
    report = "The moon is printed.\n\n## Next steps\n- Print the legend under the table\n"
    assert "print the legend" in task_text(prompt("Print the moon"), edit("src/moon.py"), say(report))
    offer = "The moon is printed. If you want, I can also print the legend."
    assert task(prompt("Print the moon"), edit("src/moon.py"), say(offer)) is None


# -- Blocked -----------------------------------------------------------------------------------------------


def test_nothing_blocks_finished_work() -> None:
    assert blocked(*MOON) is None
    assert blocked() is None


def test_an_open_question_blocks() -> None:
    text = blocked_text(prompt("Print the moon"), say("I found two tables. Which of the two should I print?"))
    assert "Which of the two should I print?" in text


def test_a_question_that_was_answered_does_not() -> None:
    beats = (
        prompt("Print the moon"),
        say("Which table should I print?"),
        prompt("the second table, in metres"),
    )
    assert blocked(*beats, edit("src/moon.py"), say("The second table is printed.")) is None


def test_a_command_that_failed_at_last_blocks() -> None:
    failing = shell("pytest -q", "E   AssertionError: expected 3.1, got 2.9", ok=False)
    text = blocked_text(prompt("Print the moon"), edit("src/moon.py"), failing)
    assert text.startswith("pytest -q fails") and "expected 3.1" in text
    named = blocked(prompt("Print the moon"), edit("src/moon.py"), failing)
    assert named is not None and named.who == "tool"


def test_a_failure_that_was_mended_or_only_a_look_does_not() -> None:
    failing = shell("pytest -q", "E   AssertionError: expected 3.1, got 2.9", ok=False)
    beats = (prompt("Print the moon"), failing, edit("src/moon.py"), shell("pytest -q", "3 passed"))
    assert blocked(*beats) is None
    assert blocked(prompt("Print the moon"), shell("ls missing", "No such file", ok=False)) is None


def test_a_refusal_blocks_until_the_person_speaks() -> None:
    beats = (prompt("Clean up"), reject("rm -rf build", "the build is still needed"))
    assert "the build is still needed" in blocked_text(*beats).lower()
    assert "rm -rf build" in blocked_text(*beats)
    assert "rm -rf build" in blocked_text(prompt("Clean up"), reject("rm -rf build"), interrupt())
    assert (
        blocked(*beats, prompt("then clean the cache instead"), shell("rm -rf .cache"), say("Cleaned."))
        is None
    )


def test_waiting_for_somebody_blocks() -> None:
    text = blocked_text(
        prompt("Ship it"), say("The pull request is open. Waiting for the harbour master's review.")
    )
    assert "harbour master's review" in text


def test_an_error_of_the_service_blocks() -> None:
    assert "overloaded" in blocked_text(prompt("Print the moon"), error("529 overloaded"))


def test_a_command_still_running_does_not_block() -> None:
    assert blocked(prompt("Print the moon"), calls("pytest")) is None


WORDS = (
    st.text(max_size=300) | st.text("ab .?!\n#*-1:`", max_size=300) | st.sampled_from(["yes", "commit", "2"])
)
BEATS = st.one_of(
    st.builds(prompt, WORDS),
    st.builds(say, WORDS),
    st.builds(shell, WORDS, WORDS, ok=st.booleans()),
    st.builds(edit, WORDS),
    st.builds(reject, WORDS, WORDS),
    st.builds(lambda text, status: plan((text, status)), WORDS, st.sampled_from(["pending", "in_progress"])),
)


@given(st.lists(BEATS, max_size=8))
def test_any_session_can_be_named_within_the_limits(beats: list[Beat]) -> None:
    told = story(*beats)
    done = deeds(told.turns)
    named = naming.focus(told, done, naming.talk(told, done))
    open_task = steps.task(told, done, named.text if named else "")
    block = blockers.blocked(done)
    for one, limit in ((named, naming.FOCUS), (open_task, steps.TASK), (block, blockers.BLOCKED)):
        assert one is None or (one.text.strip() and len(one.text) <= limit)


# -- which prompt opens a topic ----------------------------------------------------------------------------


def test_a_request_that_only_begins_like_a_chore_is_a_topic() -> None:
    text = focus_text(
        *MOON,
        prompt("Pull the newest tables, then convert the depth soundings of each port to metres again"),
        edit("src/depth.py"),
        say("The soundings are converted."),
    )
    assert "depth" in text or "soundings" in text


def test_a_remark_while_the_agent_works_is_no_topic() -> None:
    text = focus_text(
        prompt("Convert the depth soundings from fathoms to metres"),
        edit("src/depth.py"),
        shell("pytest", "3 passed"),
        prompt("hm, why do I see the word league there, that smells"),
        edit("src/depth.py"),
        say("The soundings are in metres."),
    )
    assert text.startswith("convert the depth soundings")


def test_a_request_while_the_agent_works_is_a_topic_whatever_its_verb() -> None:
    text = focus_text(
        prompt("Convert the depth soundings from fathoms to metres"),
        edit("src/depth.py"),
        shell("pytest", "3 passed"),
        prompt("could you rather beautify the almanac page of Oban"),
        edit("web/almanac.py"),
        say("The almanac page is in columns."),
    )
    assert "almanac" in text and not text.startswith("convert")


def test_a_short_request_in_a_script_without_blanks_is_a_topic() -> None:
    text = focus_text(*MOON[:-1], say("完成了。要继续吗？"), prompt("init应该放在帮助的第一行显示"))
    assert "init 应该放在帮助的第一行显示" in text


def test_words_of_an_old_topic_do_not_leak_into_the_new_one() -> None:
    login = prompt("Fix the login page of the harbour master"), edit("web/login.ts"), say("Done.")
    text = focus_text(*MOON, *login)
    assert "moon" not in text and "almanac" not in text


def test_nor_while_the_agent_has_not_answered_yet() -> None:
    login = prompt("Fix the login page of the harbour master for people without a password"), calls("ls web")
    text = focus_text(*MOON, *login)
    assert "moon" not in text and "almanac" not in text


def test_a_turn_that_ends_with_a_commit_leaves_no_task() -> None:
    beats = (*MOON[:-1], shell('git commit -m "Print the moon"', committed("1a2b3c4", "Print the moon")))
    assert task(*beats) is None


def test_what_fails_at_last_is_to_be_mended() -> None:
    text = task_text(*MOON[:2], shell("pytest", "E   AssertionError: expected 3.1, got 2.9", ok=False))
    assert text.startswith("mend what fails") and "assertionerror" in text


def test_an_interruption_blocks() -> None:
    text = blocked_text(prompt("Print the moon"), edit("src/moon.py"), interrupt())
    assert text == "The user interrupted: Print the moon"


def test_the_focus_says_where_the_work_went_when_a_commit_ended_it() -> None:
    made = shell('git commit -m "Print the moon"', committed("1a2b3c4", "Print the moon"))
    pushed = shell("git push", "To git.example.org:harbour/tides.git\n   0a1b2c3..1a2b3c4  main -> main")
    assert "committed 1a2b3c4" in text(focus(*MOON[:3], made, say("The moon is printed.")))
    assert "pushed 1a2b3c4" in text(focus(*MOON[:3], made, pushed, say("The moon is printed.")))
    assert "1a2b3c4" not in text(focus(*MOON[:3], made, edit("src/sun.py"), say("The moon is printed.")))


def test_a_question_that_a_commit_answered_is_named_by_the_commit() -> None:
    made = shell('git commit -m "Print the moon in Roman numerals"', committed("1a2b3c4", "Print the moon"))
    named = text(focus(prompt("the moon column should be in numerals?"), edit("src/moon.py"), made))
    assert named.startswith("Print the moon") and "?" not in named


@pytest.mark.parametrize("guess", ["it might be because the buoy drifts", "maybe it is probably the wind"])
def test_a_guess_of_the_person_is_no_topic(guess: str) -> None:
    assert "moon" in text(focus(*MOON, prompt(guess), say("I look at the buoy's log first.")))


def test_an_interrupted_word_that_says_nothing_is_not_quoted() -> None:
    blocked = blockers.blocked(deeds(story(*MOON, prompt("ok"), say("Going on."), interrupt()).turns))
    assert text(blocked) == "The user interrupted; waiting for their word"


def test_a_word_of_agreement_is_no_topic_and_a_word_that_stopped_the_agent_is_one() -> None:
    assert "moon" in text(focus(*MOON, prompt("yeah that should be the moon as well"), say("It is.")))
    stopped = (*MOON, prompt("Commit it"), reject("git commit -m x"), prompt("and harbours by size first"))
    assert "arbours by size" in text(focus(*stopped, edit("src/harbour.py"), say("They are sorted by size.")))


def test_the_task_is_not_a_guess_of_the_person() -> None:
    guess = (*MOON, prompt("it might be because the buoy drifts"), say("Let me check the buoy's drift first"))
    assert text(task(*guess)) == "Check the buoy's drift first"


def test_a_step_that_was_announced_and_written_is_not_the_task() -> None:
    told = (prompt("Print harbours by size"), say("Let me sort the harbours in harbour.py first"))
    assert "sort the harbours" in task_text(*told)
    assert "sort the harbours" not in task_text(*told, edit("harbour.py"))


PARTS = say("Two parts:\n\n- Phase 1: print the moon's age\n- Phase 2: fetch the tables of Oban anew")


def test_a_part_that_a_prompt_picks_is_said_in_focus_and_task() -> None:
    picked = (prompt("What is left of the almanac?"), PARTS, prompt("go on with phase 2 please"))
    assert "tables of Oban" in text(focus(*picked))
    assert "tables of Oban" in text(task(*picked))


def test_a_short_ask_keeps_what_it_points_at() -> None:
    told = (*MOON, prompt("let's try the other approach (it should be quick enough)"), say("I begin."))
    named = text(focus(*told))
    assert "olumn for the moon's phase" in named and "quick enough" not in named


def test_an_offer_that_nobody_took_up_is_told_as_one() -> None:
    ends = "The moon is printed.\n\nIf you want the sun as well, the tables of its risings are at hand."
    assert task_text(*MOON[:3], say(ends)).startswith("offered: if you want the sun")
    listed = say("The moon is printed.\n\n## Next steps\n- Print the sun's risings\n- Print its settings")
    assert "sun's risings" in task_text(*MOON[:3], listed)
    assert task(*MOON[:3], say("Done.\n\nIf you want, say so.")) is None


def test_pasted_output_is_no_topic() -> None:
    pasted = "[Conflicts]\n  /etc/tides/oban.toml: bad key\n" + "  - depth: expected a number\n" * 40
    named = focus_text(*MOON, prompt(pasted), edit("src/oban.py"), say("The keys of Oban are right."))
    assert "moon" in named and "conflicts" not in named


def test_a_yes_to_a_question_that_asks_for_leave_opens_nothing() -> None:
    told = (*MOON[:1], say("## The column\nIt stands on the right.\n\nDoes this look right?"), prompt("yes"))
    assert "moon" in focus_text(*told, say("I begin.")) and "look right" not in focus_text(*told)


def test_a_question_whose_answer_leads_on_is_where_they_are() -> None:
    asked = (*MOON, prompt("where do the tables of Oban lack tests?"))
    assert "oban" in focus_text(
        *asked, say("In depth.py and tides.py.\n\nShall I write the tests of depth.py?")
    )
    assert "moon" in focus_text(*asked, say("In depth.py and tides.py."))


def test_these_changes_are_named_by_what_they_are() -> None:
    asked = (
        prompt("Review the plan of our tide tables for Oban"),
        say("Feet, not metres: change the column."),
    )
    named = focus_text(
        *asked, prompt("could you create a separate branch and make these changes"), edit("a.py")
    )
    assert "branch" in named and "tide tables" in named


def test_what_is_left_of_a_request_is_a_task_only_if_it_asks_for_something() -> None:
    text = (
        "please print the tides of Oban in metres beside the phases of the moon and the risings of the sun,"
        " in the old almanac the columns of the tides were much wider than these"
    )
    assert "print the tides" in (task_text(prompt(text), calls("ls almanac")) or "")


def test_who_asks_back_does_not_answer() -> None:
    told = (*MOON, say("The moon is printed. Shall I print the sun?"))
    named = focus_text(
        *told,
        prompt("hm. could the harbour master turn both columns off instead?"),
        say("They could. Want me to add that?"),
    )
    assert "harbour master" in named


def test_after_a_courtesy_what_comes_is_no_answer_to_it() -> None:
    told = (*MOON, say("The moon is printed. Is there anything else you need help with?"))
    named = focus_text(*told, prompt("jump to the web page of the harbour master"), say("It stands in web/."))
    assert "harbour master" in named


def test_advice_is_no_offer() -> None:
    advice = "Make a new environment.\n\nIf you prefer conda, replace pip with it in these commands."
    assert task(*MOON[:3], say(advice)) is None
