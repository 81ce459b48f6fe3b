from __future__ import annotations

import pytest
from story_builder import Beat, calls, committed, done, edit, error, interrupt, prompt, reject, say, shell

PUSHED = "To git.example.org:harbour/tides.git\n   1a2b3c4..5d6e7f8  main -> main"


def test_a_turn_that_ends_with_a_report_is_finished() -> None:
    [deeds] = done(
        prompt("print the moon"), edit("src/moon.py"), say("The moon is printed in its own column.")
    )
    assert deeds.finished and deeds.worked
    assert deeds.final is not None and deeds.final.text.startswith("The moon")


@pytest.mark.parametrize(
    "last",
    [
        say("Now let me run the tests."),
        say("I'll print the sun next:"),
        calls("make"),
        interrupt(),
        error("service overloaded"),
        reject("rm -rf build"),
    ],
    ids=["announced", "colon", "running", "interrupted", "error", "rejected"],
)
def test_a_turn_that_broke_off_is_not(last: Beat) -> None:
    [deeds] = done(prompt("print the moon"), say("I looked at the printer."), edit("src/moon.py"), last)
    assert not deeds.finished


def test_talk_alone_is_no_work() -> None:
    [deeds] = done(
        prompt("what does the printer do?"), shell("cat src/moon.py", "..."), say("It prints tables.")
    )
    assert not deeds.worked


def test_verified_is_what_a_check_passed_after_the_last_edit() -> None:
    [deeds] = done(prompt("print the moon"), edit("src/moon.py"), shell("pytest", "3 passed"), say("Done."))
    assert deeds.verified


@pytest.mark.parametrize(
    "beats",
    [
        (edit("src/moon.py"),),
        (shell("pytest", "3 passed"), edit("src/moon.py")),
        (edit("src/moon.py"), shell("pytest", "1 failed", ok=False)),
        (edit("src/moon.py"), shell("pytest", "3 passed"), shell("pytest", "1 failed", ok=False)),
        (edit("src/moon.py"), shell("cat tests/test_moon.py", "...")),
        (edit("src/moon.py"), calls("pytest")),
    ],
    ids=["no check", "check before edit", "failed", "failed at last", "only looked", "still running"],
)
def test_nothing_else_is(beats: tuple[Beat, ...]) -> None:
    [deeds] = done(prompt("print the moon"), *beats, say("Done, all tests pass."))
    assert not deeds.verified


def test_an_edit_that_failed_or_was_refused_is_no_edit() -> None:
    [deeds] = done(
        prompt("print the moon"),
        edit("src/moon.py", ok=False),
        reject(path="src/sun.py", reason="not that file"),
        edit("src/port.py"),
    )
    assert [event.path for event in deeds.edits] == ["src/port.py"]
    assert [(event.path, event.text) for event in deeds.refused] == [("src/sun.py", "not that file")]


def test_a_commit_that_was_refused_is_none() -> None:
    [deeds] = done(
        prompt("commit it"), reject('git commit -m "Print the moon"', "not yet"), say("All right.")
    )
    assert deeds.commits == ()
    assert deeds.refused[0].command == 'git commit -m "Print the moon"'


def test_a_push_and_a_pull_request_belong_to_their_commit() -> None:
    [deeds] = done(
        prompt("ship it"),
        shell('git commit -m "Print the moon"', committed("1a2b3c4", "Print the moon")),
        shell("git push", PUSHED),
        shell('gh pr create --title "Moon"', "https://git.example.org/harbour/tides/pull/41"),
    )
    [commit] = deeds.commits
    assert (commit.sha, commit.subject, commit.pushed, commit.pull) == (
        "1a2b3c4",
        "Print the moon",
        "main",
        "41",
    )


def test_a_push_alone_stands_for_itself() -> None:
    [deeds] = done(prompt("push"), shell("git push", PUSHED))
    assert [(commit.pushed, commit.subject) for commit in deeds.commits] == [("main", "")]


def test_code_and_thoughts_are_not_what_the_agent_said() -> None:
    [deeds] = done(prompt("print"), say("```\nonly code\n```"), say("<thinking>hidden</thinking>Printed."))
    assert [event.text for event in deeds.says] == ["Printed."]
