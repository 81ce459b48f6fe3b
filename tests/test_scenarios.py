"""A day of work, from the logs that agents write to the page: what must come out of each turn of it."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from agent_logs import AGENTS, CodexLog, PiLog, SessionLog
from claude_log import START, ClaudeLog

from nanoctx import observer
from nanoctx.core import context, document
from nanoctx.disk import observations, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Observation

MINUTE = timedelta(minutes=1)
each_agent = pytest.mark.parametrize("agent", AGENTS)


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return a_repository(tmp_path / "tidewatch")


@pytest.fixture
def ws(repo: Path) -> Workspace:
    return workspace.init(None, repo, os.environ).workspace


def a_repository(folder: Path) -> Path:
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    return folder.resolve()


def look(ws: Workspace, log: SessionLog, after: timedelta = MINUTE) -> observer.Report:
    return observer.observe(ws, now=log.now + after, zone=UTC)


def page(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    parts = document.split(text)
    return {one.heading: one.text for one in parts if one.heading in context.SECTIONS}


def now(ws: Workspace) -> dict[str, str]:
    """Focus, Task and Blocked; several `Also` lines are one text."""
    told: dict[str, str] = {}
    for line in page(ws.context_page)["Now"].splitlines()[1:]:
        key, mark, text = line.removeprefix("- ").partition(": ")
        if mark:
            told[key] = f"{told[key]}\n{text}" if key in told else text
    return told


def claims(ws: Workspace, words: str) -> list[str]:
    """Lines of the page that say it."""
    return [line for line in ws.context_page.read_text(encoding="utf-8").splitlines() if words in line]


def seen(ws: Workspace) -> list[Observation]:
    return sorted(observations.load_all(ws.root).observations, key=lambda one: one.started or START)


# -- a topic change evicts the old Focus -------------------------------------------------------------------


@each_agent
def test_a_new_topic_takes_the_place_of_the_old_focus(
    agent: str, home: Path, repo: Path, ws: Workspace
) -> None:
    log = AGENTS[agent](home, repo)
    log.prompt("Round the heights in the tide table to two digits").edit("tide/table.py")
    log.say("The tide table rounds its heights to two digits now.")
    look(ws, log)
    assert "tide table" in now(ws)["Focus"]
    log.prompt("Now write the importer for the harbour invoices").edit("shop/invoices.py")
    log.say("I write the importer next.")
    look(ws, log)
    focus = now(ws)["Focus"]
    assert "invoices" in focus and "heights" not in focus and "tide table" not in focus


# -- finished work is never the Task -----------------------------------------------------------------------


@each_agent
def test_finished_work_is_not_the_task(agent: str, home: Path, repo: Path, ws: Workspace) -> None:
    log = AGENTS[agent](home, repo).prompt("Round the heights in the tide table to two digits")
    log.edit("tide/table.py").shell("pytest -q", "1 failed: assert 1.234 == 1.23", ok=False)
    log.say("Next I will fix the rounding of the heights.")
    look(ws, log)
    assert "rounding of the heights" in now(ws)["Task"]
    log.edit("tide/table.py").shell("pytest -q", "14 passed in 0.4s")
    log.shell('git commit -am "Round heights"', "[main 1a2b3c4] Round heights\n 1 file changed")
    log.say("Done: the heights are rounded to two digits, all 14 tests pass, committed as 1a2b3c4.")
    look(ws, log)
    told = now(ws)
    assert (told["Task"], told["Blocked"]) == ("None", "None")
    assert "1a2b3c4" in page(ws.context_page)["Recent"]


def test_a_step_of_the_plan_is_the_task_until_it_is_ticked(home: Path, repo: Path, ws: Workspace) -> None:
    log = ClaudeLog(home, repo).prompt("Round the heights in the tide table and note it in the changelog")
    log.plan(("Round the heights", "completed"), ("Note it in the changelog", "in_progress"))
    look(ws, log)
    assert now(ws)["Task"] == "Note it in the changelog"
    log.edit("CHANGELOG.md")
    log.plan(("Round the heights", "completed"), ("Note it in the changelog", "completed"))
    log.say("Both are done: the heights are rounded and the changelog says so.")
    look(ws, log)
    assert now(ws)["Task"] == "None"


# -- /clear starts clean -----------------------------------------------------------------------------------


def test_after_clear_the_old_focus_is_recent_and_nothing_is_now(
    home: Path, repo: Path, ws: Workspace
) -> None:
    old = ClaudeLog(home, repo, "old").prompt("Round the heights in the tide table to two digits")
    old.edit("tide/table.py").shell("pytest -q", "1 failed: assert 1.234 == 1.23", ok=False)
    look(ws, old)
    assert "tide table" in now(ws)["Focus"] and now(ws)["Blocked"] != "None"
    new = ClaudeLog(home, repo, "new", old.now).clear()
    look(ws, new)
    told = now(ws)
    assert (told["Focus"], told["Task"], told["Blocked"]) == ("None", "None", "None")
    assert "Also" not in told, "the cleared session is over, not beside"
    assert "- Before /clear: Round the heights in the tide table" in page(ws.context_page)["Recent"]
    assert seen(ws)[0].ended_by == "clear"
    new.prompt("Write the importer for the harbour invoices").say("I look at the invoices.")
    look(ws, new)
    told = now(ws)
    assert "invoices" in told["Focus"] and "heights" not in told["Focus"]
    assert told["Blocked"] == "None" and "Also" not in told
    assert "heights" in page(ws.context_page)["Recent"], "what was cleared is not forgotten"


# -- compaction --------------------------------------------------------------------------------------------


@each_agent
def test_a_compacted_session_keeps_its_topic_and_the_summary_is_nobodys_words(
    agent: str, home: Path, repo: Path, ws: Workspace
) -> None:
    log = AGENTS[agent](home, repo).prompt("Round the heights in the tide table to two digits")
    log.edit("tide/table.py").say("The table rounds its heights; the tests come next.")
    look(ws, log)
    log.compact(
        "1. Primary request: never use floats in the parser.\n"
        "2. The user asked to rewrite the billing exporter in Go.\n"
        "3. Always deploy on Fridays."
    )
    log.edit("tests/test_table.py").say("I wrote the tests of the table.")
    look(ws, log)
    (one,) = seen(ws)
    assert one.prompts == 1
    assert "heights" in now(ws)["Focus"] and "billing" not in now(ws)["Focus"]
    assert not [item for item in one.items if item.kind in ("rule", "pref")]
    theirs = " ".join(item.text for item in one.items if item.by == "user")
    assert not [word for word in ("billing", "Friday", "floats") if word in theirs]
    quoted = " ".join(quote.quote for quote in one.evidence if quote.who == "user")
    assert "heights" in quoted and "billing" not in quoted


# -- resume ------------------------------------------------------------------------------------------------


@each_agent
def test_a_session_resumed_after_hours_is_the_same_observation_and_open_again(
    agent: str, home: Path, repo: Path, ws: Workspace
) -> None:
    log = AGENTS[agent](home, repo).prompt("Round the heights in the tide table to two digits")
    log.edit("tide/table.py").say("The tide table rounds its heights to two digits now.")
    look(ws, log, after=timedelta(hours=5))
    (before,) = seen(ws)
    assert (before.ended_by, before.prompts) == ("idle", 1)
    log.now += timedelta(hours=6)
    log.prompt("Also round the heights in the CSV export of the tide table").edit("tide/export.py")
    look(ws, log)
    (after,) = seen(ws)
    assert (after.id, after.started) == (before.id, before.started)
    assert (after.ended, after.ended_by, after.prompts) == (None, "", 2)
    assert sorted(after.files) == ["tide/export.py", "tide/table.py"]
    assert [item.kind for item in after.items].count("focus") == 1
    assert len({(item.kind, item.text) for item in after.items}) == len(after.items)
    lines = [line for line in ws.context_page.read_text(encoding="utf-8").splitlines() if line]
    assert len(set(lines)) == len(lines)
    assert "- Session started: " in page(ws.context_page)["Time"]
    assert len(ws.observation_files()) == 1


# -- two sessions at once ----------------------------------------------------------------------------------


@pytest.mark.parametrize("other", AGENTS)
def test_of_two_sessions_at_once_the_later_is_now_and_the_other_also(
    other: str, home: Path, repo: Path, ws: Workspace
) -> None:
    first = ClaudeLog(home, repo, "first").prompt("Sort the harbours by name in the index")
    second = AGENTS[other](home, repo, "second", START + 2 * MINUTE)
    second.prompt("Cache the gauge readings for an hour").say("I look for the gauge readings.")
    look(ws, second)
    told = now(ws)
    assert "gauge readings" in told["Focus"] and "Sort the harbours" in told["Also"]
    first.now = second.now
    first.edit("harbours.py").say("I sort the harbours by their names.")
    look(ws, first)
    told = now(ws)
    assert "Sort the harbours" in told["Focus"] and "gauge readings" in told["Also"]
    assert other in told["Also"]
    one, two = seen(ws)
    assert (one.files, two.files) == (("harbours.py",), ())
    assert "gauge" not in one.title and "harbours" not in two.title


# -- a refuted claim ---------------------------------------------------------------------------------------


@each_agent
def test_what_was_called_finished_is_no_fact_when_the_same_build_fails(
    agent: str, home: Path, repo: Path, ws: Workspace
) -> None:
    log = AGENTS[agent](home, repo).prompt("Fix the build of the gauge driver")
    log.edit("gauge/driver.c").shell("make build", "cc -o gauge driver.c")
    log.say("I fixed the gauge driver: it is finished and builds without warnings.")
    look(ws, log)
    assert claims(ws, "without warnings") == [
        "- Fixed the gauge driver: it is finished and builds without warnings (checked)"
    ]
    log.prompt("build it once more").shell("make build", "driver.c:12: error: unknown type", ok=False)
    look(ws, log)
    assert all(line.startswith("- Unverified: ") for line in claims(ws, "without warnings"))
    assert "(checked)" not in page(ws.context_page)["Recent"] and not claims(ws, "Passed after")
    assert now(ws)["Blocked"].startswith("make build fails: driver.c:12")


@each_agent
def test_what_the_person_called_wrong_is_no_fact(agent: str, home: Path, repo: Path, ws: Workspace) -> None:
    log = AGENTS[agent](home, repo).prompt("Why does the gauge show yesterday's heights?")
    log.edit("gauge/clock.py").say("Fixed: the gauge was slow because `clock.py` used the zone of Lisbon.")
    look(ws, log)
    assert claims(ws, "used the zone of Lisbon"), "so far nobody objected"
    log.prompt("No, that was wrong, the gauge still shows yesterday").say("I look at the cache then.")
    look(ws, log)
    assert not claims(ws, "used the zone of Lisbon")
    assert "refuted" in [item.grade for item in seen(ws)[0].items if "zone of Lisbon" in item.text]


# -- a headless run ----------------------------------------------------------------------------------------


def robots(agent: str, home: Path, repo: Path, start: datetime) -> SessionLog:
    if agent == "codex":
        return CodexLog(home, repo, "robot", start, source="exec")
    log = ClaudeLog(home, repo, "robot", start)
    log.extra = {"entrypoint": "sdk-cli"}
    return log


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_headless_run_is_observed_but_gives_way_to_any_human_session(
    agent: str, home: Path, repo: Path, ws: Workspace
) -> None:
    robot = robots(agent, home, repo, START + timedelta(hours=3))
    robot.prompt("Summarise the open issues of the repository").say("There are four open issues.")
    look(ws, robot)
    assert "Summarise the open issues" in now(ws)["Focus"], "there is no other"
    earlier = ClaudeLog(home, repo, "human").prompt("Print the tides of Monday").say("I print them.")
    assert earlier.now < robot.now
    look(ws, robot)
    told = now(ws)
    assert "Print the tides" in told["Focus"] and "Summarise" not in "".join(told.values())
    assert [one.more.get("headless", False) for one in seen(ws)] == [False, True]


# -- two projects in one workspace -------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["codex", "pi"])
def test_two_projects_of_a_workspace_have_a_page_each_and_do_not_leak(
    other: str, home: Path, tmp_path: Path
) -> None:
    ws = workspace.init(tmp_path / "all", tmp_path, os.environ).workspace
    tides, shop = a_repository(tmp_path / "tidewatch"), a_repository(tmp_path / "shop")
    one = ClaudeLog(home, tides, "tides").prompt("Round the heights in the tide table. Never use floats.")
    one.edit("tide/table.py").say("The tide table rounds its heights to two digits.")
    make = {"codex": CodexLog, "pi": PiLog}[other]
    two = make(home, shop, "shop", START + timedelta(hours=1))
    two.prompt("Write the importer for the invoices").edit("invoices.py").say("The importer reads invoices.")
    look(ws, two)
    pages = {name: (ws.projects / name / "CONTEXT.md") for name in ("tidewatch", "shop")}
    texts = {name: path.read_text(encoding="utf-8") for name, path in pages.items()}
    assert "tide table" in page(pages["tidewatch"])["Now"] and "invoices" in page(pages["shop"])["Now"]
    assert "invoice" not in texts["tidewatch"] and "Also" not in texts["tidewatch"]
    assert not [word for word in ("heights", "floats", "tide") if word in texts["shop"]]
    told = now(ws)
    assert "invoices" in told["Focus"] and "tidewatch" in told["Also"]
    assert "floats" not in page(ws.context_page)["Recent"], "a rule of one project is none of the other"
