"""What a session is given when it starts, resumes, was compacted or cleared."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from claude_log import ClaudeLog
from hook_scene import NOW, Scene, command, fire, git, looks, wait_for

from nanoctx import hook
from nanoctx.core import answer as core_answer
from nanoctx.core import context, external
from nanoctx.disk import lock
from nanoctx.hook import places, text


@pytest.fixture
def still(scene: Scene) -> Iterator[Scene]:
    """The scene without looks: the ready answer stays as it is."""
    with lock.hold(scene.workspace / ".state" / "lock.next", wait=1, purpose="test"):
        yield scene


def test_a_new_session_is_given_the_page_and_the_rules_once(scene: Scene) -> None:
    given = fire("session-start", scene.payload())
    assert (given.code, given.err) == (0, b"")
    assert given.text.startswith("# Context (nanoctx, tide)\n")
    assert "gauge" in given.section("Now")[0]
    assert given.text.count("Never use tabs") == 1
    assert "- Current: Thursday, 2026-02-12 10:00" in given.section("Time")
    assert "- Session: just started" in given.section("Time")
    assert len(given.text[: given.text.index("## Rules")] if "## Rules" in given.text else given.text) < 2000


def test_the_same_event_is_known_by_any_spelling_and_by_the_payload_alone(scene: Scene) -> None:
    said = {fire(event, scene.payload()).text for event in ("session-start", "SessionStart", "sessionStart")}
    said.add(fire("", scene.payload()).text)
    assert len(said) == 1 and said.pop()


def test_time_is_told_at_the_moment_of_the_call(scene: Scene) -> None:
    given = fire("session-start", scene.payload(), {"NANOCTX_NOW": "2026-02-15T09:00:00Z"})
    assert "- Last interaction: 3 days ago" in given.section("Time")
    assert "- Hint: Fresh start: review what happened" in given.section("Time")
    assert any(line.endswith(", 3 days ago") for line in given.section("Time") if "Last session" in line)


def test_after_compaction_only_time_external_and_rules_come_again(scene: Scene) -> None:
    given = fire("session-start", scene.payload("compact", session_id=scene.log.session))
    assert not given.section("Now") and not given.section("Recent")
    assert given.section("External") and "- Session: continuing" in given.section("Time")
    assert any("Never use tabs" in line for line in given.section("Rules"))
    assert "14 tests" not in given.text


def test_a_resumed_session_is_not_told_what_it_said_itself(scene: Scene) -> None:
    given = fire("session-start", scene.payload("resume", session_id=scene.log.session))
    assert not given.section("Now") and not given.section("Recent") and not given.section("Rules")
    assert "- Session: resumed" in given.section("Time")


def test_a_resumed_session_is_told_what_another_one_did_since(scene: Scene) -> None:
    other = ClaudeLog(Path(os.environ["HOME"]), scene.repo, "two", scene.log.now)
    other.prompt("Write the flood alarm into alarm.py and test it").edit("alarm.py")
    other.shell("pytest -q", "9 passed").say("The flood alarm rings at 2.40 m and 9 tests pass.").leave()
    command("observe")
    given = fire("session-start", scene.payload("resume", session_id=scene.log.session))
    assert any("alarm" in line for line in given.section("Now"))
    assert not any("gauge" in line.lower() for line in given.section("Recent"))


def test_after_clear_the_old_focus_is_not_now(scene: Scene) -> None:
    given = fire("session-start", scene.payload("clear"))
    assert not given.section("Now") and "Focus:" not in given.text
    assert given.section("Recent")[0].startswith("- Before /clear: ")


def test_a_commit_made_with_nothing_running_is_named(scene: Scene) -> None:
    git(scene.repo, "commit", "-q", "--allow-empty", "-m", "Mend the <b>tide</b> table")
    given = fire("session-start", scene.payload())
    assert given.section("External")[0] == (
        '- 1 commit since last session: "Mend the ‹b>tide‹/b> table" (by Ann)'
    )


def test_what_a_session_committed_is_no_news(still: Scene) -> None:
    _answer(still, commits=[_commit(still, "By the session itself", "2026-02-12T09:05:00Z")[:12]])
    assert _external(still)[0].startswith("- HEAD moved ")
    _commit(still, "By somebody else", "2026-02-12T09:30:00Z")
    assert _external(still)[0] == '- 1 commit since last session: "By somebody else" (by Ann)'


@pytest.mark.parametrize("known", [True, False], ids=["its HEAD is known", "only its time is"])
def test_old_commits_of_a_branch_that_is_checked_out_are_no_news(still: Scene, known: bool) -> None:
    _answer(still, base=git(still.repo, "rev-parse", "HEAD") if known else "")
    git(still.repo, "checkout", "-q", "-b", "fix/reader")
    _commit(still, "Of last week", "2026-02-05T09:00:00Z")
    line = _external(still)[0]
    assert line.startswith("- HEAD moved ") and line.endswith("; branch main → fix/reader")
    _commit(still, "Of today", "2026-02-12T09:30:00Z")
    assert _external(still)[0] == (
        '- 1 commit since last session: "Of today" (by Ann); branch main → fix/reader'
    )


def test_another_branch_at_the_same_commit_is_all_that_is_said(still: Scene) -> None:
    git(still.repo, "checkout", "-q", "-b", "fix/reader")
    assert _external(still)[0] == "- Branch main → fix/reader"
    git(still.repo, "checkout", "-q", "--detach")
    sha = git(still.repo, "rev-parse", "HEAD")[:7]
    assert _external(still)[0] == f"- Branch main → detached HEAD at {sha}"


def test_in_a_worktree_of_a_bare_repository_head_is_found(scene: Scene, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(scene.repo), "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    side, bare = str(tmp_path / "side"), str(tmp_path / "bare.git")
    sha = git(tmp_path / "side", "rev-parse", "HEAD")
    head = ("side", sha, side, f"{bare}/worktrees/side", f"{bare}/objects")
    assert places.head(side) == head
    git(tmp_path / "bare.git", "pack-refs", "--all")
    assert places.head(side) == head


def test_how_long_ago_a_file_was_changed_is_told_at_the_moment_of_the_call(scene: Scene) -> None:
    (scene.repo / "notes.txt").write_text("x")
    os.utime(scene.repo / "notes.txt", (1770889800, 1770889800))  # 09:50, after the session
    command("observe")
    assert "- Changed outside: notes.txt (10 min ago)" in _external(scene)
    later = fire("session-start", scene.payload(), {"NANOCTX_NOW": "2026-02-15T09:00:00Z"})
    assert "- Changed outside: notes.txt (3 days ago)" in later.section("External")


def test_that_nothing_changed_is_said_only_of_the_moment_it_was_looked_at(scene: Scene) -> None:
    assert _external(scene) == ["- No git changes since last session"]
    later = fire("session-start", scene.payload(), {"NANOCTX_NOW": "2026-02-12T13:00:00Z"})
    assert later.section("External") == [
        "- No new commits since last session; files were last compared 3 hours ago"
    ]


def test_a_log_that_nobody_looked_at_yet_tells_when_somebody_was_last_here(scene: Scene) -> None:
    os.utime(scene.log.path, (1770901200, 1770901200))  # 13:00
    given = fire("session-start", scene.payload(), {"NANOCTX_NOW": "2026-02-12T13:10:00Z"})
    assert "- Last interaction: 10 min ago" in given.section("Time")


def test_in_a_session_that_goes_on_somebody_was_just_here(scene: Scene) -> None:
    os.utime(scene.log.path, (1770901200, 1770901200))
    own = scene.payload("compact", session_id=scene.log.session, transcript_path=str(scene.log.path))
    given = fire("session-start", own, {"NANOCTX_NOW": "2026-02-12T13:01:00Z"})
    assert "- Last interaction: just now" in given.section("Time")
    assert "- Hint: Continue naturally" in given.section("Time")


def test_a_focus_of_long_ago_is_called_left(scene: Scene) -> None:
    given = fire("session-start", scene.payload(), {"NANOCTX_NOW": "2026-03-01T09:00:00Z"})
    assert given.section("Now")[0].startswith("- Focus (left 2026-02-12): ")


def test_an_answer_that_was_cut_short_is_made_anew(scene: Scene) -> None:
    file = scene.workspace / ".state" / "answers" / "project.json"
    whole = file.read_bytes()
    file.write_bytes(whole[:300])
    assert fire("session-start", scene.payload()).out == b""
    wait_for(lambda: file.read_bytes().startswith(whole[:300]) and file.stat().st_size > 300, "a look came")


def test_after_git_clean_a_look_brings_the_workspace_back(scene: Scene) -> None:
    git(scene.repo, "clean", "-fdxq")
    assert fire("session-start", scene.payload()).out == b""
    answer = scene.workspace / ".state" / "answers" / "project.json"
    wait_for(answer.exists, "a look came")
    assert "gauge" in fire("session-start", scene.payload()).section("Now")[0]


def test_the_answer_is_of_the_form_the_hook_reads() -> None:
    assert (core_answer.VERSION, external.MOMENT) == (hook.VERSION, text.MOMENT)
    assert external.NO_CHANGES.text == text.NO_NEWS
    assert context.LEFT_AFTER.total_seconds() == text.LEFT_AFTER


def test_without_git_the_move_itself_is_said(scene: Scene) -> None:
    git(scene.repo, "checkout", "-q", "-b", "fix/reader")
    git(scene.repo, "commit", "-q", "--allow-empty", "-m", "More")
    given = fire("session-start", scene.payload(), {"PATH": "/nonexistent"})
    line = given.section("External")[0]
    assert line.startswith("- HEAD moved ") and line.endswith("; branch main → fix/reader")


def test_packed_refs_are_no_move(scene: Scene) -> None:
    before = fire("session-start", scene.payload()).section("External")
    git(scene.repo, "pack-refs", "--all")
    assert fire("session-start", scene.payload()).section("External") == before


def test_a_linked_worktree_is_given_the_page_of_its_repository(scene: Scene, tmp_path: Path) -> None:
    git(scene.repo, "worktree", "add", "-q", str(tmp_path / "side"))
    given = fire("session-start", scene.payload(cwd=str(tmp_path / "side")))
    assert given.text.startswith("# Context (nanoctx, tide)")


def test_a_linked_worktree_is_told_of_its_own_head_and_not_of_the_main_checkout(
    still: Scene, tmp_path: Path
) -> None:
    scene, side = still, tmp_path / "side"
    git(scene.repo, "worktree", "add", "-q", str(side), "-b", "fix/reader")
    (scene.repo / "notes.txt").write_text("x")
    git(scene.repo, "commit", "-q", "--allow-empty", "-m", "Of the main checkout")
    log = ClaudeLog(Path(os.environ["HOME"]), side, "aside", scene.log.now)
    log.branch = "fix/reader"
    log.prompt("Fix the reader in reader.py").edit("reader.py").say("The reader is fixed.").leave()
    command("observe")
    sha = git(side, "rev-parse", "HEAD")
    folders = json.loads((scene.workspace / ".state" / "answers" / "project.json").read_text())["folders"]
    assert [one[:2] for one in folders] == [[str(side), "fix/reader"], [str(scene.repo), "main"]]
    _answer(scene, folders=[[*one[:2], sha[:12], one[3]] for one in folders])
    told = fire("session-start", scene.payload(cwd=str(side))).section("External")
    assert told == [f"- On fix/reader at {sha[:7]}; no new commits since last session"]
    git(side, "commit", "-q", "--allow-empty", "-m", "Outside, aside")
    told = fire("session-start", scene.payload(cwd=str(side / "deep"))).section("External")
    assert told[0] == '- 1 commit since last session: "Outside, aside" (by Ann)'
    assert len(told) == 2 and told[1].startswith("- On fix/reader at ")
    # Nor is the main checkout told that its branch changed, since it did not.
    main = "\n".join(_external(scene))
    assert "Of the main checkout" in main and "fix/reader" not in main and "aside" not in main


def test_a_linked_worktree_without_a_session_is_told_where_it_stands(scene: Scene, tmp_path: Path) -> None:
    git(scene.repo, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "fix/reader")
    sha = git(tmp_path / "side", "rev-parse", "HEAD")[:7]
    told = fire("session-start", scene.payload(cwd=str(tmp_path / "side"))).section("External")
    assert told == [f"- On fix/reader at {sha}"]


def test_a_project_of_a_workspace_for_several_is_told_of_its_commits(scene: Scene, tmp_path: Path) -> None:
    command("init", tmp_path / "all")
    command("observe", "--workspace", tmp_path / "all")
    known = {"NANOCTX_WORKSPACE": str(tmp_path / "all")}
    sha = git(scene.repo, "rev-parse", "HEAD")[:7]
    first = fire("session-start", scene.payload(), known).section("External")
    assert first == [f"- On main at {sha}; no new commits since last session"]
    git(scene.repo, "commit", "-q", "--allow-empty", "-m", "Outside")
    told = fire("session-start", scene.payload(), known).section("External")
    assert told[0] == '- 1 commit since last session: "Outside" (by Ann)'


def test_a_folder_below_the_repository_is_the_same_project(scene: Scene) -> None:
    (scene.repo / "deep" / "er").mkdir(parents=True)
    assert fire("session-start", scene.payload(cwd=str(scene.repo / "deep" / "er"))).text


@pytest.mark.parametrize("change", [{"agent_id": "a1"}, {"cwd": "/"}, {"hook_event_name": "Stop"}])
def test_nothing_is_said_to_sub_agents_elsewhere_or_at_other_events(
    scene: Scene, change: dict[str, str]
) -> None:
    given = fire("" if "hook_event_name" in change else "session-start", scene.payload(**change))
    assert (given.code, given.out) == (0, b"")


def test_it_can_be_switched_off(scene: Scene) -> None:
    assert fire("session-start", scene.payload(), {"NANOCTX_OFF": "1"}).out == b""
    (scene.workspace / "nanoctx.toml").write_text('[hook]\nstart = "off"\n')
    command("observe")
    assert fire("session-start", scene.payload()).out == b""
    (scene.workspace / "nanoctx.toml").write_text('[hook]\nstart = "page"\n')
    command("observe")
    given = fire("session-start", scene.payload())
    assert given.section("Now") and not given.section("Rules")


@pytest.mark.parametrize("event", ["session-start", "pre-compact", "session-end"])
def test_a_workspace_that_came_with_a_clone_is_not_touched(scene: Scene, tmp_path: Path, event: str) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(scene.repo, clone)
    (clone / ".nanoctx" / "nanoctx.toml").write_text('[writer]\ncommand = "touch sprung"\n')
    before = {file: file.stat().st_mtime_ns for file in clone.rglob("*")}
    assert fire(event, scene.payload(cwd=str(clone), reason="other")).out == b""
    wait_for(lambda: not looks(clone), "whatever was started ended")
    assert {file: file.stat().st_mtime_ns for file in clone.rglob("*")} == before
    (tmp_path / "linked").mkdir()
    git(tmp_path / "linked", "init", "-q")
    (tmp_path / "linked" / ".nanoctx").symlink_to(scene.workspace)
    assert fire("session-start", scene.payload(cwd=str(tmp_path / "linked"))).out == b""


def test_a_workspace_of_several_projects_answers_for_the_one_it_is_called_in(
    scene: Scene, tmp_path: Path
) -> None:
    other = tmp_path / "boats"
    other.mkdir()
    log = ClaudeLog(Path(os.environ["HOME"]), other, "boats")
    log.prompt("Paint the boats in boats.py blue").edit("boats.py")
    log.say("All boats are painted blue now.").leave()
    command("init", tmp_path / "all")
    command("observe", "--workspace", tmp_path / "all")
    given = fire("session-start", scene.payload(cwd=str(other)))
    assert "boats" in given.section("Now")[0] and "gauge" not in given.text
    assert fire("session-start", scene.payload(cwd=str(tmp_path))).out == b""


def test_a_person_s_own_section_reaches_the_agent(scene: Scene) -> None:
    page = scene.workspace / "CONTEXT.md"
    page.write_text(page.read_text() + "\n## House words\nA gauge is called a pegel here.\n")
    command("observe")
    assert "A gauge is called a pegel here." in fire("session-start", scene.payload()).text


def test_an_empty_workspace_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOCTX_NOW", NOW)
    git(tmp_path, "init", "-q")
    monkeypatch.chdir(tmp_path)
    command("init")
    assert fire("session-start", {"cwd": str(tmp_path), "source": "startup"}).out == b""


def test_a_long_answer_is_cut_below_what_the_host_takes(scene: Scene) -> None:
    file = scene.workspace / ".state" / "answers" / "project.json"
    answer = json.loads(file.read_text())
    answer["rules"] = [[f"- Rule {number}: {'word ' * 30}", "s", 0.0] for number in range(200)]
    said = text.compose(answer, "startup", "x", 1770890400.0)
    assert len(said) <= 9500 and said.endswith("have the rest)")


@pytest.mark.parametrize("source", ["startup", "clear", "resume"])
def test_what_matters_most_stands_in_the_first_2000_characters(scene: Scene, source: str) -> None:
    """A host that cuts a text shows its beginning: however long all parts are, rules are what is cut."""
    answer = json.loads((scene.workspace / ".state" / "answers" / "project.json").read_text())
    long = "word " * 38
    answer |= {
        "now": [[f"- {key}: {long[:width]}", "s", 9e9] for key, width in (("Focus", 112), ("Task", 153))],
        "recent": [[f"- Recent {number}: {long}", "s", 9e9] for number in range(5)],
        "external": [[f"- Outside {number}: {long}", []] for number in range(4)],
        "rules": [[f"- Rule {number}: {long}", "s", 9e9] for number in range(40)],
        "focus": long[:150], "own": f"## Of a person\n{long * 10}",
    }  # fmt: skip
    said = text.compose(answer, source, "another", 1770890400.0)
    first = said[:2000]
    for vital in ("## Time", "- Last interaction: ", "- Recent 0: ", "- Outside 0: ", "- Outside 3: "):
        assert vital in first
    assert source == "clear" or ("- Focus: " in first and "- Task: " in first)
    assert said.index("\n\n## Rules") <= 2000
    left_out = 5 - first.count("- Recent ")
    assert not left_out or f"- (and {left_out} more: `nanoctx show context`)" in first
    assert len(said) <= text.LONGEST


def _commit(scene: Scene, subject: str, at: str) -> str:
    git(scene.repo, "commit", "-q", "--allow-empty", "-m", subject, at=at)
    return git(scene.repo, "rev-parse", "HEAD")


def _answer(scene: Scene, **changes: object) -> None:
    """The ready answer, as if the last look had found something else."""
    file = scene.workspace / ".state" / "answers" / "project.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def _external(scene: Scene) -> list[str]:
    return fire("session-start", scene.payload()).section("External")
