"""What is forgotten is gone from every file, and stays away, whatever happens next."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from claude_log import ClaudeLog
from sources.plain_git import plain

from nanoctx import byhand, forgetting, history, knowledge, observer, reflector, views
from nanoctx.core import forgotten
from nanoctx.disk import files, folds, injections, lock, mirror, observations, sweep, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import UsageError
from nanoctx.recall import search
from nanoctx.views.desk import Desk

NOW = datetime(2026, 2, 12, 15, tzinfo=UTC)
WORDS = "the staging host is called Bluebird-42"
RULE = f"Never deploy on a Friday, because {WORDS}"


class Stopped(Exception):
    """The process was killed at this moment."""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "tidewatch"
    folder.mkdir()
    plain(folder, "init", "-q", "-b", "main")
    plain(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    return folder.resolve()


@pytest.fixture
def ws(repo: Path) -> Workspace:
    return workspace.init(None, repo, os.environ).workspace


@pytest.fixture
def log(repo: Path) -> ClaudeLog:
    made = ClaudeLog(Path(os.environ["HOME"]), repo)
    made.prompt(f"{RULE}. Now show the heights in feet as well.")
    made.edit("tide/table.py").shell(f"echo '{WORDS}'", WORDS).shell("pytest -q", "14 passed in 0.4s")
    made.plan((f"Note that {WORDS}", "completed"), ("Describe the switch", "pending"))
    return made.say(f"Decided: keep feet behind a switch. As agreed, {WORDS}; all 14 tests pass.")


def look(ws: Workspace, after: timedelta = timedelta()) -> None:
    observer.observe(ws, now=NOW + after, zone=UTC)
    reflector.reflect(ws, now=NOW + after, zone=UTC)


def forget(ws: Workspace, query: str, after: timedelta = timedelta()) -> forgetting.Done:
    found = forgetting.plan(ws, query, now=NOW + after, zone=UTC)
    return forgetting.forget(ws, found, now=NOW + after, zone=UTC)


def holding(ws: Workspace, words: str = "bluebird") -> list[str]:
    """What `grep -ri` finds in the workspace and its mirror."""
    copies = mirror.folder(ws.root, os.environ)
    places = [ws.root, *([copies] if copies is not None else [])]
    found = []
    for path in (path for place in places for path in place.rglob("*") if path.is_file()):
        with suppress(FileNotFoundError):  # a forget may be at work
            found += [str(path)] if words.encode() in path.read_bytes().lower() else []
    return found


def everywhere(ws: Workspace, log: ClaudeLog, repo: Path) -> None:
    """Let the words stand wherever words can stand."""
    (ws.root / "knowledge").mkdir()
    (ws.root / "knowledge" / "hosts.md").write_text(f"# Hosts\n\nAs we know, {WORDS}, and it is fast.\n")
    (ws.root / "USER.md").write_text(f"# User\n\n- Name: Ana\n- {WORDS}\n")
    look(ws)
    ws.context_page.write_text(ws.context_page.read_text() + f"\n## Mine\nMy own words: {WORDS} here.\n")
    look(ws)
    byhand.remember(ws, f"For tests, {WORDS}", kind="fact", now=NOW, zone=UTC)
    byhand.remember(ws, f"By the way {WORDS}", kind="fact", by="agent", now=NOW, zone=UTC)
    ws.conflicts.mkdir()
    (ws.conflicts / "20260212T150000-CONTEXT-0123.md").write_text(f"# Context\n\n{WORDS}\n")
    plain(repo, "commit", "-q", "--allow-empty", "-m", f"Say that {WORDS}")
    injections.note(ws.state, {"view": "query", "query": f"where is it that {WORDS}"})
    log.prompt("Describe the switch in the README").say("Described.")
    look(ws)
    assert search.search(ws, "staging host", now=NOW).hits
    assert len(holding(ws)) > 12, holding(ws)


@pytest.mark.timeout(60)  # fifty cycles
def test_forgotten_words_leave_no_trace_and_do_not_come_back(
    ws: Workspace, log: ClaudeLog, repo: Path
) -> None:
    everywhere(ws, log, repo)
    done = forget(ws, WORDS)
    assert not done.left
    assert holding(ws) == []
    assert "as we know" in (ws.root / "knowledge" / "hosts.md").read_text().lower()
    assert "My own words: [forgotten] here." in ws.context_page.read_text()
    shutil.rmtree(ws.state)  # the log is read anew
    look(ws)
    assert holding(ws) == []
    log.prompt(f"Remember that {WORDS}").say(f"Noted: {WORDS}.")  # and it is said again
    for cycle in range(50):
        look(ws, timedelta(hours=cycle))
    hits = search.search(ws, "staging host", now=NOW).hits
    assert not [hit for hit in hits if "bluebird" in hit.text.lower()]
    shutil.rmtree(ws.root)  # as `git clean -fdx` does
    back = workspace.init(None, repo, os.environ).workspace
    look(back, timedelta(days=3))
    assert observations.load_all(back.root).observations and holding(back) == []
    for view in ("project", "startup", "memory", "bundle", "prompt"):
        assert "bluebird" not in views.build(view, Desk(back, now=NOW, zone=UTC)).text.lower()


@pytest.mark.timeout(60)  # fifty cycles
def test_a_deleted_line_stays_away_after_fifty_cycles_and_without_the_state(
    ws: Workspace, log: ClaudeLog
) -> None:
    look(ws)
    for page in (ws.context_page, ws.memory_page):
        assert "Friday" in page.read_text()
        kept = [line for line in page.read_text().split("\n") if "Friday" not in line]
        page.write_text("\n".join(kept))
    for cycle in range(50):
        if cycle % 10 == 0:
            log.prompt(f"Change number {cycle} of the table").say(f"Changed number {cycle}.")
        look(ws, timedelta(hours=cycle))
    pages = (ws.context_page, ws.memory_page)
    assert not any("Friday" in page.read_text() for page in pages)
    shutil.rmtree(ws.state)
    look(ws, timedelta(hours=60))
    look(ws, timedelta(hours=61))
    assert not any("Friday" in page.read_text() for page in pages)


def test_the_tombstone_holds_none_of_the_words(ws: Workspace, log: ClaudeLog) -> None:
    look(ws)
    done = forget(ws, WORDS)
    (kept,) = ws.observations.rglob(f"*-{done.tombstone}.md")
    text = kept.read_text().lower()
    assert not [word for word in ("staging", "host", "called", "bluebird") if word in text]


def test_nothing_is_changed_by_only_looking_what_would_go(ws: Workspace, log: ClaudeLog) -> None:
    look(ws)
    before = {path: path.read_bytes() for path in ws.root.rglob("*") if path.is_file()}
    found = forgetting.plan(ws, WORDS, now=NOW, zone=UTC)
    assert any("Bluebird" in line for one in found.holdings for line in one.lines)
    assert {path: path.read_bytes() for path in ws.root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("query", ["a", "the", "→ !", ""])
def test_what_would_stand_everywhere_is_refused(ws: Workspace, log: ClaudeLog, query: str) -> None:
    look(ws)
    with pytest.raises(UsageError, match="too little"):
        forgetting.plan(ws, query, now=NOW, zone=UTC)


def test_a_fact_goes_with_the_words_it_came_from(ws: Workspace, log: ClaudeLog) -> None:
    look(ws)
    known = [one for one in knowledge.memory_of(ws, now=NOW, zone=UTC).facts if "Friday" in one.text]
    for fact in known:
        forget(ws, fact.id)
    assert known and holding(ws, "friday") == []
    shutil.rmtree(ws.state)
    look(ws, timedelta(hours=1))
    assert holding(ws, "friday") == []
    assert not any("Friday" in one.text for one in knowledge.memory_of(ws, now=NOW, zone=UTC).facts)


def test_a_session_is_forgotten_as_a_whole(ws: Workspace, log: ClaudeLog, repo: Path) -> None:
    other = ClaudeLog(Path(os.environ["HOME"]), repo, "two", NOW - timedelta(hours=3))
    other.prompt("Draw the moon phase").edit("moon.py").say("The moon phase is drawn.")
    look(ws)
    (mine,) = (one for one in observations.load_all(ws.root).observations if one.session == log.session)
    forget(ws, mine.id)
    assert holding(ws) == [] and "moon" in ws.context_page.read_text()
    shutil.rmtree(ws.state)
    log.prompt("And one more thing").say("Done.")
    look(ws, timedelta(hours=1))
    known = observations.load_all(ws.root).observations
    assert {one.session for one in known if one.session} == {other.session}
    assert holding(ws) == []


def test_what_another_machine_brings_later_is_cleaned(ws: Workspace, log: ClaudeLog) -> None:
    look(ws)
    (brought,) = ws.observations.rglob("*-claude-code-*.md")
    text = brought.read_text()
    forget(ws, WORDS)
    foreign = brought.with_name(brought.name.replace("-claude-code-", "-codex-"))
    foreign.write_text(text)
    assert holding(ws)
    reflector.reflect(ws, now=NOW, zone=UTC)
    assert holding(ws) == []
    foreign.write_text(text)
    observer.observe(ws, now=NOW, zone=UTC)
    assert holding(ws) == []


def test_an_editor_that_still_shows_the_words_does_not_bring_them_back(
    ws: Workspace, log: ClaudeLog
) -> None:
    look(ws)
    open_in_an_editor = ws.memory_page.read_text() + "- A line they were typing\n"
    context = ws.context_page.read_text()
    forget(ws, WORDS)
    ws.memory_page.write_text(open_in_an_editor)
    ws.context_page.write_text(context)
    look(ws, timedelta(minutes=1))
    assert holding(ws) == []
    assert "- A line they were typing" in ws.memory_page.read_text()


def test_whoever_says_it_again_has_it_again(ws: Workspace, log: ClaudeLog) -> None:
    look(ws)
    forget(ws, WORDS)
    byhand.remember(ws, f"After all, {WORDS}", kind="fact", now=NOW, zone=UTC)
    look(ws, timedelta(hours=1))
    assert f"- After all, {WORDS}" in ws.memory_page.read_text()


def test_undoing_it_brings_no_words_back_but_lets_them_come(ws: Workspace, log: ClaudeLog) -> None:
    look(ws)
    forget(ws, WORDS)
    done = history.undo(ws, "", now=NOW, zone=UTC)
    assert "nobody can bring them back" in done.remark and holding(ws) == []
    shutil.rmtree(ws.state)
    look(ws, timedelta(hours=1))
    assert "Bluebird" in ws.context_page.read_text() or holding(ws)


def test_a_look_that_runs_meanwhile_brings_nothing_back(
    ws: Workspace, log: ClaudeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(ws)
    log.prompt(f"Once more: {WORDS}").say("Noted.")
    is_writing, may_write = threading.Event(), threading.Event()
    save = observations.save

    def slow(*given: object, **more: object) -> Path:
        if threading.current_thread() is looking and not is_writing.is_set():
            is_writing.set()
            assert may_write.wait(8)
        return save(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(observations, "save", slow)
    looking = threading.Thread(target=look, args=(ws,))
    looking.start()
    assert is_writing.wait(8)
    forgetting_ = threading.Thread(target=forget, args=(ws, WORDS))
    forgetting_.start()
    may_write.set()
    looking.join(9)
    forgetting_.join(9)
    assert not looking.is_alive() and not forgetting_.is_alive()
    assert holding(ws) == []


def test_a_search_that_runs_meanwhile_leaves_no_index_with_it(ws: Workspace, log: ClaudeLog) -> None:
    look(ws)
    search.search(ws, "staging host", now=NOW)
    with lock.hold(ws.state / "recall.lock", wait=1, purpose="a search"):
        running = threading.Thread(target=forget, args=(ws, WORDS))
        running.start()
        while holding(ws) and not all("recall" in path for path in holding(ws)):
            running.join(0.01)
        assert running.is_alive()  # it waits for the index
    running.join(9)
    assert holding(ws) == []


def _while_some_are(left: Iterator[int], call: Callable[..., object]) -> Callable[..., object]:
    def stop(*given: object, **more: object) -> object:
        if next(left, None) is None:
            raise Stopped
        return call(*given, **more)

    return stop


@pytest.mark.parametrize("count", range(0, 24, 3))
def test_a_forget_that_was_killed_is_finished_by_the_next_look(
    ws: Workspace, log: ClaudeLog, repo: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    everywhere(ws, log, repo)
    found = forgetting.plan(ws, WORDS, now=NOW, zone=UTC)
    left = iter(range(count + 1))
    with monkeypatch.context() as killed:
        for name in ("write", "exchange", "remove"):
            killed.setattr(files, name, _while_some_are(left, getattr(files, name)))
        with pytest.raises(Stopped):
            forgetting.forget(ws, found, now=NOW, zone=UTC)
    look(ws, timedelta(minutes=1))
    search.search(ws, "staging host", now=NOW)
    assert holding(ws) == []


def test_without_a_tombstone_nothing_is_remembered_of_sweeps(ws: Workspace, log: ClaudeLog) -> None:
    look(ws)
    assert not sweep.keep_away(ws, forgotten.read(()), os.environ)
    assert not (ws.state / "swept.json").exists()
    assert folds.load(ws.state).folded.digests
