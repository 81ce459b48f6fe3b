from __future__ import annotations

import pytest
from msgspec.structs import replace
from story_builder import Beat, committed, done, edit, prompt, read, say, shell

from nanoctx.core import traces
from nanoctx.core.candidates import candidates

ASKED = prompt("Print the tides of Oban")


def lines(sort: str, *beats: Beat) -> list[str]:
    return [one.text for one in candidates(done(ASKED, *beats)) if one.sort == sort]


def commit(sha: str, subject: str) -> Beat:
    return shell(f'git commit -m "{subject}"', committed(sha, subject))


def test_each_edited_file_has_a_line_of_what_was_defined_there() -> None:
    told = lines("edited", edit("src/oban/tides.py", "def low_water(): ..."), edit("README.md", "# Tides\n"))
    assert told == ["Edited oban/tides.py: low_water", "Edited README.md: Tides"]


def test_a_file_that_was_deleted_is_neither_edited_nor_uncommitted() -> None:
    beats = (edit("tests/old.py", "def gone(): ..."), edit("src/new.py"), shell("rm -f tests/old.py"))
    assert lines("edited", *beats) == ["Edited src/new.py"]
    [left] = lines("open-edits", *beats)
    assert "new.py" in left and "old.py" not in left


def test_a_file_written_anew_after_it_was_deleted_counts() -> None:
    told = lines("edited", edit("a.py"), shell("git rm a.py"), edit("a.py", "def back(): ..."))
    assert told == ["Edited a.py: back"]


def test_checks_that_passed_are_told_by_whether_something_was_edited_since() -> None:
    linted, tested = shell("ruff check .", "All checks passed!"), shell("pytest", "9 passed")
    told = lines("checks", linted, edit("a.py"), tested)
    assert told == [
        "Passed after the last edit: pytest (9 passed)",
        "Passed before the last edits: ruff check . (All checks passed!)",
    ]


def test_a_check_that_failed_at_last_did_not_pass() -> None:
    assert lines("checks", shell("pytest", "9 passed"), shell("pytest", "1 failed", ok=False)) == []


def test_commits_before_the_last_stand_in_one_line_and_undone_ones_in_none() -> None:
    beats = (commit("aaaaaaa", "One"), commit("bbbbbbb", "Two"), commit("ccccccc", "Three"))
    assert lines("commits", *beats) == ["Committed before: bbbbbbb Two; aaaaaaa One"]
    undone = (*beats, shell("git revert --no-edit bbbbbbb"))
    assert lines("commits", *undone) == ["Committed before: aaaaaaa One"]
    assert lines("commits", beats[0]) == []


def test_a_tool_that_failed_is_told_with_what_it_was_given() -> None:
    call, result = edit("src/tides.py", ok=False)
    failed = (call, replace(result, text="File has not been read"))
    assert lines("trouble", failed) == ["edit src/tides.py failed: File has not been read"]


def test_a_look_in_vain_and_an_edit_that_was_made_after_all_are_no_trouble() -> None:
    call, result = edit("src/tides.py", ok=False)
    failed = (call, replace(result, text="File has not been read"))
    assert lines("trouble", failed, edit("src/tides.py")) == []
    call, result = read("src/oban.toml")
    assert lines("trouble", (call, replace(result, text="File does not exist.", ok=False))) == []


def test_commands_are_kept_to_be_found_again_but_for_looks_and_git() -> None:
    ran = (
        shell("make tables PORT=oban"),
        shell("ls tables"),
        shell("git push"),
        shell("make tables PORT=mull"),
    )
    assert lines("ran", *ran) == ["Ran make tables PORT=mull"]


def test_nothing_done_leaves_no_trace() -> None:
    assert list(traces.from_story(done(ASKED, say("It is at noon.")))) == []


@pytest.mark.parametrize(
    ("path", "open"),
    [
        ("src/tide.py", True),
        ("/home/ann/tides/src/tide.py", True),
        ("/home/ann/tides-moon/src/tide.py", True),
        ("/home/ann/.agent/plans/tide.md", False),
        ("/tmp/tide.md", False),
    ],
)
def test_only_what_can_be_committed_waits_for_a_commit(path: str, open: bool) -> None:
    told = candidates(done(ASKED, edit(path, "def tide(): ...")), "/home/ann/tides")
    assert any(one.sort == "open-edits" for one in told) is open


def test_what_no_commit_took_up_says_whether_it_was_checked_since() -> None:
    passed, broke = shell("cd src && pytest -q", "3 passed"), shell("pytest -q", "1 failed", ok=False)
    changed = edit("src/tide.py", "def tide(): ...")
    assert lines("open-edits", changed) == ["Edited, no commit seen: tide.py (tide)"]
    assert lines("open-edits", changed, broke, passed) == [
        "Edited, no commit seen (pytest -q passed since): tide.py (tide)"
    ]
    assert "(pytest -q failed since)" in lines("open-edits", changed, passed, broke)[0]
    assert "(not checked since)" in lines("open-edits", passed, changed)[0]


def test_files_for_which_there_is_no_room_are_counted() -> None:
    [told] = lines("open-edits", *(edit(f"src/harbour_with_a_long_name_{number}.py") for number in range(20)))
    assert len(told) <= 196
    shown = told.count("harbour_with")
    assert told.endswith(f" and {20 - shown} more") and "name_19.py" in told
