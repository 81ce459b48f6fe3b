from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from story_builder import committed

from nanoctx.core import shell

HEREDOC = """git add -A && git commit -m "$(cat <<'EOF'
Print the moon's phase

- new column in the almanac
- tests for February

Co-Authored-By: Somebody <some@example.org>
EOF
)" """


@pytest.mark.parametrize(
    "command, short",
    [
        ("cd /srv/tides && pytest -q 2>&1 | tail -5", "pytest -q"),
        ("CI=1 sudo make   test", "make test"),
        ("timeout 30 npm test", "npm test"),
        ("# Test 1: the usual case\npytest -q", "pytest -q"),
        ("python - <<'EOF'\nprint(1)\nEOF", "python - <<'EOF'"),
    ],
)
def test_a_command_is_shown_without_its_plumbing(command: str, short: str) -> None:
    assert shell.shown(command) == short


def test_two_runs_of_one_check_are_the_same_family_whatever_their_flags() -> None:
    assert shell.family("pytest -q tests/test_moon.py") == shell.family("pytest -x --lf tests/test_moon.py")
    assert shell.family("npm run lint --fix") == "npm run lint"
    assert shell.family("npm run build") != shell.family("npm run lint")
    assert shell.family("") == ""


@pytest.mark.parametrize(
    "command", ["ls -la && git status", "cat a.py | head", "git -C x log", "gh pr view 3"]
)
def test_some_commands_only_look(command: str) -> None:
    assert shell.only_looks(command)
    assert not shell.is_check(command)


@pytest.mark.parametrize(
    "command", ["pytest", "cargo test", "npm run build", "ruff check .", "make", "go vet ./..."]
)
def test_some_commands_check(command: str) -> None:
    assert shell.is_check(command)
    assert not shell.only_looks(command)


@pytest.mark.parametrize("command", ["ls tests", "grep -rn test src", "git log --grep=build", "cat Makefile"])
def test_looking_at_tests_is_no_check(command: str) -> None:
    assert not shell.is_check(command)


def test_a_commit_message_is_read_from_the_command_without_trailers() -> None:
    assert shell.commit_message(HEREDOC) == [
        "Print the moon's phase",
        "- new column in the almanac",
        "- tests for February",
    ]
    assert shell.commit_message('git commit -am "Round \\"low\\" tides"') == ['Round "low" tides']
    assert shell.commit_message("git commit -m 'One' -m 'Two'") == ["One", "Two"]
    assert shell.commit_message("git commit") == []
    assert shell.commit_message("echo -m 'no commit'") == []


def test_a_commit_counts_when_git_says_so() -> None:
    [made] = shell.commits('git commit -m "Print tides"', committed("1a2b3c4", "Print tides"), True, 7)
    assert (made.sha, made.subject, made.branch, made.pos) == ("1a2b3c4", "Print tides", "main", 7)


def test_a_commit_that_failed_is_none() -> None:
    output = "error: pathspec 'src/mon.py' did not match any file(s) known to git"
    assert list(shell.commits('git commit -m "Print tides" src/mon.py', output, False, 7)) == []


def test_a_commit_that_said_nothing_counts_by_its_message_only_if_it_went_well() -> None:
    [made] = shell.commits('git commit -q -m "Print tides"', "", True, 7)
    assert (made.sha, made.subject) == ("", "Print tides")


def test_a_push_and_a_pull_request_are_seen() -> None:
    pushed = "To git.example.org:harbour/tides.git\n   1a2b3c4..5d6e7f8  main -> main"
    [push] = shell.commits("git push", pushed, True, 3)
    assert (push.pushed, push.sha) == ("main", "5d6e7f8")
    [new] = shell.commits("git push -u origin moon", " * [new branch]      moon -> moon", True, 3)
    assert new.pushed == "moon"
    link = "https://git.example.org/harbour/tides/pull/41"
    [pull] = shell.commits('gh pr create --title "Moon column" --body x', link, True, 4)
    assert (pull.pull, pull.subject) == ("41", "Moon column")
    assert list(shell.commits('gh pr create --title "Moon"', "denied", False, 4)) == []


@pytest.mark.parametrize("words", ["push --dry-run origin main", "push -n", "push origin main -nv"])
def test_a_push_for_trial_is_no_push(words: str) -> None:
    pushed = "To git.example.org:harbour/tides.git\n   1a2b3c4..5d6e7f8  main -> main"
    assert list(shell.commits(f"git {words}", pushed, True, 3)) == []


def test_a_rejected_push_is_no_push() -> None:
    output = " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs"
    assert list(shell.commits("git push", output, False, 3)) == []


@pytest.mark.parametrize(
    "command, later",
    [
        ("git reset --hard HEAD~1", 0),
        ("git reset HEAD^", 0),
        ("git reset --soft HEAD~3", 2),
        ("cd tides && git -C . reset --hard @~2", 1),
        ("git reset --hard origin/main", 4),
        ("git reset --hard 0badcafe", 0),
        ("git revert --no-edit HEAD", 0),
        ("git revert HEAD~2", 2),
        ("git revert 1a2b3c4d5", 7),
        ("git commit --amend -m 'Better words'", 0),
    ],
)
def test_what_takes_a_commit_back(command: str, later: int) -> None:
    assert shell.takes_back(command, "1a2b3c4", later)


@pytest.mark.parametrize(
    "command, later",
    [
        ("git reset", 0),
        ("git reset HEAD src/moon.py", 0),
        ("git reset -- src/moon.py", 0),
        ("git reset --hard", 0),
        ("git reset --hard 1a2b3c4", 3),
        ("git reset --hard HEAD~1", 1),
        ("git revert HEAD", 1),
        ("git revert 0badcafe", 0),
        ("git revert --abort", 0),
        ("git commit --amend --no-edit", 1),
        ("git commit -m 'revert HEAD~1'", 0),
        ("git log --grep revert 1a2b3c4", 0),
        ("git status", 0),
    ],
)
def test_what_leaves_a_commit_standing(command: str, later: int) -> None:
    assert not shell.takes_back(command, "1a2b3c4", later)


def test_output_that_was_only_looked_at_makes_no_commit() -> None:
    assert list(shell.commits("cat notes.txt", committed("1a2b3c4", "Invented"), True, 1)) == []
    assert len(list(shell.commits("./release.sh", committed("1a2b3c4", "Release"), True, 1))) == 1


def test_errors_are_told_in_their_own_lines() -> None:
    output = (
        "collected 3 items\n\x1b[31mE   AssertionError: expected 3.1, got 2.9\x1b[0m\n"
        "/home/mira/tides/tests/test_moon.py:12: in test_low\nat Object.<anonymous>\n1 failed, 0 errors\n"
    )
    assert shell.error_lines(output) == ["E AssertionError: expected 3.1, got 2.9"]
    assert shell.error_lines("one\ntwo\nit stopped here") == ["it stopped here"]
    assert shell.error_lines("") == []


@given(st.text(max_size=300), st.text(max_size=300), st.booleans())
def test_no_command_or_output_breaks_the_reader(command: str, output: str, ok: bool) -> None:
    list(shell.commits(command, output, ok, 1))
    shell.is_check(command)
    shell.family(command)
    assert len(shell.shown(command)) <= 70
    assert all(len(line) <= 150 for line in shell.error_lines(output))
    shell.outcome_line(output)
    shell.looked_at(command)
    shell.removed(command)


@pytest.mark.parametrize(
    "text",
    [
        "cd a && " * 3_000,
        "git " * 8_000,
        "git commit -m '" * 2_000,
        "<<EOF\n" * 3_000,
        "| tail " * 4_000,
        "2>&1 " * 6_000,
        "/a" * 15_000,
        "export " * 5_000,
        "error " * 5_000,
        "1 test " * 4_000,
        "env " * 8_000 + "\n",
    ],
)
def test_hostile_commands_cost_little_time(text: str) -> None:
    started = time.process_time()
    shell.shown(text)
    shell.is_check(text)
    shell.takes_back(text, "", 0)
    list(shell.commits(text, text, True, 1))
    shell.error_lines(text)
    shell.outcome_line(text)
    shell.looked_at(text)
    shell.removed(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "command",
    [
        "rm -f tests/old.py",
        "cp build/tide.txt /tmp/tide.txt",
        'worker send moon "run the tests; then build"',
        "sed -i s/a/b/ tests/test_tide.py",
    ],
)
def test_what_only_names_a_test_is_no_check(command: str) -> None:
    assert not shell.is_check(command)


def test_the_last_check_of_a_line_is_known_also_within_a_shell() -> None:
    assert shell.last_check("cd src && ruff check . && pytest -k 'tide; moon'") == "pytest -k 'tide; moon'"
    assert shell.is_check("bash -c 'pytest -q'")
