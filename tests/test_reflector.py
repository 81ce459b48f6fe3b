"""A cycle end to end: what sessions said, and what a person did to MEMORY.md."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sources.plain_git import plain

from nanoctx import knowledge, reflector
from nanoctx.core import identity, tokens
from nanoctx.disk import observations, workspace
from nanoctx.model import Item, Observation

START = datetime(2026, 2, 12, 9, tzinfo=UTC)
DAY = timedelta(days=1)


class Place:
    """A workspace in which sessions are told and cycles are run."""

    def __init__(self, root: Path | None, cwd: Path, env: Mapping[str, str]) -> None:
        self.ws = workspace.init(root, cwd, env).workspace
        self.repo = self.ws.project_root
        self.now = START
        self.count = 0

    @property
    def page(self) -> Path:
        return self.ws.memory_page

    def session(
        self,
        *told: Item,
        project: str = "gauge",
        files: tuple[str, ...] = (),
        branch: str = "main",
        head: str = "",
    ) -> str:
        self.count += 1
        self.now += timedelta(hours=1)
        session = f"session-{self.count}"
        one = Observation(
            id=identity.observation_id("claude-code", session),
            agent="claude-code",
            session=session,
            project=project,
            branch=branch,
            head=head[:12],
            started=self.now,
            last=self.now,
            prompts=3,
            files=files,
            items=told,
        )
        observations.save(self.ws.root, one)
        return one.id

    def commit(self, **files: str) -> str:
        """Commit files (`src__a_py` is src/a.py) in the repository around the workspace."""
        assert self.repo is not None
        for name, text in files.items():
            file = self.repo / name.replace("__", "/").replace("_py", ".py")
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        plain(self.repo, "add", "--all")
        plain(self.repo, "commit", "-q", "--allow-empty", "-m", "Work")
        return plain(self.repo, "rev-parse", "HEAD")

    def cycle(self, after: timedelta = DAY) -> reflector.Report:
        self.now += after
        return reflector.reflect(self.ws, now=self.now, zone=UTC)

    def lines(self, word: str = "") -> list[str]:
        return [line for line in self.page.read_text().split("\n") if line.startswith("- ") and word in line]

    def replace(self, old: str, new: str) -> None:
        text = self.page.read_text()
        assert old in text
        self.page.write_text(text.replace(old, new, 1))


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.fixture
def place(tmp_path: Path, env: dict[str, str]) -> Place:
    return Place(tmp_path / "ws", tmp_path, env)


@pytest.fixture
def repo(tmp_path: Path, env: dict[str, str]) -> Place:
    """A workspace in a repository that has a commit."""
    folder = tmp_path / "gauge"
    folder.mkdir()
    plain(folder, "init", "-q", "-b", "main")
    made = Place(None, folder, env)
    made.commit(src__reader_py="def read_level():\n    return 1\n")
    return made


def rule(text: str, pos: int = 5) -> Item:
    return Item("rule", text, pos, by="user")


def dec(text: str, pos: int = 7, by: str = "user", grade: str = "claimed") -> Item:
    return Item("dec", text, pos, grade, by)


def test_the_same_rule_in_three_sessions_is_one_line(place: Place) -> None:
    place.session(rule("Never commit without running the linter"))
    place.session(rule("never commit without running the linter!"))
    place.session(rule("Never commit anything without running our linter"))
    place.cycle()
    (line,) = place.lines("linter")
    assert "seen 3" in line and re.search(r" \^m[a-z2-7]{8}$", line)


def test_a_changed_decision_supersedes(place: Place) -> None:
    place.session(dec("Use SQLite for the readings cache"))
    place.session(dec("Use Postgres for the readings cache"))
    place.cycle()
    old, new = (
        place.lines(f"Use {name} for the readings cache (") or place.lines(name)
        for name in ("SQLite", "Postgres")
    )
    assert "~~Use SQLite" in old[0] and "until 2026-02-12: now: Use Postgres" in old[0]
    assert any(line.startswith("- Use Postgres") for line in new)


def test_a_deleted_line_never_comes_back(place: Place) -> None:
    place.session(rule("Always write the tests before the code"))
    place.cycle()
    (line,) = place.lines("tests")
    place.replace(line + "\n", "")
    place.cycle()
    for number in range(50):
        if number % 10 == 3:
            place.session(rule("Please always write tests before the code"))
        if number == 25:
            shutil.rmtree(place.ws.state)
        place.cycle()
        assert not place.lines("tests")


def test_an_edited_line_is_changed_for_good(place: Place) -> None:
    place.session(rule("Always write the tests before the code"))
    place.cycle()
    place.replace("Always write the tests before the code", "Write tests where they pay")
    place.session(rule("Always write the tests before the code"))
    place.cycle()
    (line,) = place.lines("ests")
    assert line.startswith("- Write tests where they pay (") and "seen 2" in line
    shutil.rmtree(place.ws.state)
    place.cycle()
    assert place.lines("ests") == [line]


def test_an_added_line_stays_as_it_is(place: Place) -> None:
    place.replace("## Decisions\n", "## Decisions\n* call the *harbour* first\n")
    place.cycle()
    place.cycle()
    assert "## Decisions\n* call the *harbour* first\n" in place.page.read_text()
    (fact,) = knowledge.memory_of(place.ws, now=place.now, zone=UTC).facts
    assert fact.by == "person" and fact.section == "Decisions"
    assert not list(place.ws.conflicts.glob("*"))


def test_a_mark_pins(place: Place) -> None:
    place.session(dec("Use SQLite for the readings cache"))
    place.cycle()
    place.replace("- Use SQLite", "- 📌 Use SQLite")
    place.cycle()
    (line,) = place.lines("SQLite")
    assert line.startswith("- 📌 Use SQLite")
    (fact,) = knowledge.memory_of(place.ws, now=place.now, zone=UTC).facts
    assert fact.mark == "📌" and fact.by == "user"


# -- the repository ----------------------------------------------------------------------------------------


def lesson(text: str) -> Item:
    return Item("learn", text, 9, "verified", "agent")


def test_a_renamed_file_marks_the_fact_stale(repo: Place) -> None:
    assert repo.repo is not None
    head = plain(repo.repo, "rev-parse", "HEAD")
    repo.session(lesson("src/reader.py drops readings of equal time"), head=head)
    repo.cycle()
    assert "stale" not in repo.lines("reader.py")[0]
    plain(repo.repo, "mv", "src/reader.py", "gauge.py")
    repo.commit()
    repo.cycle()
    (line,) = repo.lines("reader.py")
    assert "stale: src/reader.py is gone" in line
    plain(repo.repo, "mv", "gauge.py", "reader.py")
    repo.commit()
    report = repo.cycle()
    assert "stale: src/reader.py is now reader.py" in repo.lines("reader.py")[0] and report.stale == 1


def test_a_symbol_that_is_only_in_a_comment_is_gone(repo: Place) -> None:
    assert repo.repo is not None
    head = plain(repo.repo, "rev-parse", "HEAD")
    repo.session(lesson("read_level() returns the metres above chart datum"), head=head)
    repo.session(lesson("other_level() returns the metres below chart datum"), head=head)
    repo.cycle()
    assert "stale" not in "".join(repo.lines("level"))
    repo.commit(src__reader_py="# read_level() was here\ndef read():\n    return 1\n")
    repo.cycle()
    assert "stale: read_level is gone" in repo.lines("read_level")[0]
    assert "stale" not in repo.lines("other_level")[0]  # it never was there, so nothing was taken away


def test_an_unmerged_branch_is_invisible_until_it_is_merged(repo: Place) -> None:
    assert repo.repo is not None
    plain(repo.repo, "checkout", "-q", "-b", "moon")
    head = repo.commit(src__moon_py="MOON = 1\n")
    repo.session(
        dec("The moon phases must be read from src/moon.py only"),
        rule("Never use feet"),
        branch="moon",
        head=head,
    )
    repo.cycle()
    assert repo.lines("moon phases")
    plain(repo.repo, "checkout", "-q", "main")
    repo.cycle()
    assert not repo.lines("moon phases") and repo.lines("feet")
    plain(repo.repo, "merge", "-q", "--no-ff", "-m", "Merge", "moon")
    repo.cycle()
    assert repo.lines("moon phases")


def test_a_decision_on_an_unmerged_branch_supersedes_nothing_here(repo: Place) -> None:
    assert repo.repo is not None
    repo.session(dec("Use SQLite for the readings cache"))
    plain(repo.repo, "checkout", "-q", "-b", "trial")
    head = repo.commit()
    repo.session(dec("Use Postgres for the readings cache"), branch="trial", head=head)
    repo.cycle()
    assert repo.lines("~~Use SQLite") and repo.lines("- Use Postgres")
    plain(repo.repo, "checkout", "-q", "main")
    plain(repo.repo, "commit", "-q", "--allow-empty", "-m", "On")
    repo.commit()
    plain(repo.repo, "branch", "-q", "-f", "trial", head)
    plain(repo.repo, "checkout", "-q", "trial")
    repo.commit(src__trial_py="A = 1\n")
    plain(repo.repo, "checkout", "-q", "main")
    repo.cycle()
    assert repo.lines("- Use SQLite") and not repo.lines("Postgres")


def test_what_the_repository_tells_agents_is_not_repeated(repo: Place) -> None:
    assert repo.repo is not None
    (repo.repo / "AGENTS.md").write_text("# Rules\n\n- Never commit without running the linter. Be kind.\n")
    repo.session(rule("Please never commit without running the linter"), rule("Never use feet"))
    report = repo.cycle()
    assert not repo.lines("linter") and repo.lines("feet") and report.told_anyway == 1


# -- strictness --------------------------------------------------------------------------------------------


def test_a_refuted_claim_never_enters(place: Place) -> None:
    place.session(Item("learn", "get_level() returns None on timeouts", 3, "refuted", "agent"))
    place.session(dec("Use SQLite for the readings cache", grade="refuted"))
    place.cycle()
    assert not place.lines()


def test_a_later_refutation_takes_a_fact_away(place: Place) -> None:
    place.session(lesson("get_level() returns None on timeouts"))
    place.cycle()
    assert place.lines("get_level")
    place.session(Item("learn", "get_level() returns None on timeouts", 3, "refuted", "agent"))
    place.cycle()
    assert not place.lines("get_level")
    place.session(lesson("get_level() returns None on timeouts"))
    place.cycle()
    assert place.lines("get_level")


def test_a_guess_needs_somebody_who_knows(place: Place) -> None:
    guess = Item("learn", "get_level() returns None on timeouts", 3, "hypothesis", "agent")
    place.session(guess)
    place.session(guess)
    place.cycle()
    assert not place.lines()
    place.session(lesson("get_level() returns None on timeouts"))
    place.cycle()
    assert "seen 3" in place.lines("get_level")[0]


# -- what a person does to the page ------------------------------------------------------------------------


def test_a_line_that_lost_its_id_is_known_by_its_words(place: Place) -> None:
    place.session(rule("Always write the tests before the code"))
    place.cycle()
    (line,) = place.lines("tests")
    place.replace(line, "- Always write tests before the code, always")
    place.cycle()
    (after,) = place.lines("tests")
    assert after.startswith("- Always write tests before the code, always (") and after[-9:] == line[-9:]


def test_a_line_may_be_moved_and_struck(place: Place) -> None:
    place.session(dec("Use SQLite for the readings cache"), rule("Never use feet"))
    place.cycle()
    (line,) = place.lines("SQLite")
    place.replace(line + "\n", "")
    place.replace("## Conventions and gotchas\n", f"## Conventions and gotchas\n{line}\n")
    place.cycle()
    text = place.page.read_text()
    assert text.index("## Conventions") < text.index("Use SQLite") < text.index("## Tried")
    place.replace("- Never use feet", "- ~~Never use feet~~")
    place.cycle()
    text = place.page.read_text()
    assert text.index("## Superseded") < text.index("~~Never use feet~~") and "struck by hand" in text
    place.cycle()
    assert place.page.read_text() == text


def test_a_person_s_own_line_can_be_taken_out_for_good(place: Place) -> None:
    place.replace("## Decisions\n", "## Decisions\n- Use SQLite for the readings cache\n")
    place.session(dec("Use SQLite for the readings cache"))
    place.cycle()
    assert place.lines("SQLite") == ["- Use SQLite for the readings cache"]
    place.replace("- Use SQLite for the readings cache\n", "")
    place.cycle()
    place.session(dec("Use SQLite for the readings cache"))
    place.cycle()
    assert not place.lines("SQLite")


def test_a_person_s_line_supersedes_what_sessions_said(place: Place) -> None:
    place.session(dec("Use SQLite for the readings cache"))
    place.cycle()
    place.replace("## Decisions\n", "## Decisions\n- Use Postgres for the readings cache\n")
    place.cycle()
    assert place.lines("~~Use SQLite") and "- Use Postgres for the readings cache" in place.lines()


def test_an_adopted_page_is_the_person_s(tmp_path: Path, env: dict[str, str]) -> None:
    root = tmp_path / "old"
    root.mkdir()
    before = (
        "# What I know\n\nSome words.\n\n## Decisions\n- Use SQLite (really) ^mabcd2345\n\n## Mine\n- a\n"
    )
    (root / "MEMORY.md").write_text(before)
    place = Place(root, tmp_path, env)
    place.cycle()
    text = place.page.read_text()
    assert text.startswith("# What I know\n\nSome words.\n") and "## Mine\n- a\n" in text
    assert place.lines("SQLite") == ["- Use SQLite (really)"] and not list(place.ws.conflicts.glob("*"))
    place.cycle()
    assert place.page.read_text() == text


def test_what_nothing_decides_is_asked(place: Place) -> None:
    place.session(
        rule("Always use SQLite for the readings cache"), dec("Always use SQLite for the readings cache")
    )
    place.session(dec("Decided to use Postgres for the readings cache only", by="agent", grade="verified"))
    report = place.cycle()
    (line,) = place.lines("Which holds")
    assert report.questions == 1 and "SQLite" in line and "Postgres" in line
    place.replace(line + "\n", "")
    place.cycle()
    place.cycle()
    assert (
        not place.lines("Which holds") and place.lines("- Always use SQLite") and place.lines("- Decided to")
    )


def test_a_person_s_sections_stay_byte_for_byte(place: Place) -> None:
    own = "\r\n## Mine\r\n* odd   line \r\n\r\n```\n## Decisions\n```\n"
    place.page.write_bytes(place.page.read_bytes() + own.encode())
    place.session(rule("Never use feet"))
    place.cycle()
    assert own.encode() in place.page.read_bytes()


# -- machines, budget, time --------------------------------------------------------------------------------


def test_two_machines_give_the_same_page_in_either_order(tmp_path: Path, env: dict[str, str]) -> None:
    pages = []
    for order in (1, -1):
        place = Place(tmp_path / f"ws{order}", tmp_path, env)
        source = Place(tmp_path / f"source{order}", tmp_path, env)
        for text in (
            "Never use feet",
            "Use SQLite for the readings cache",
            "Use Postgres for the readings cache",
        ):
            source.session(dec(text), rule(text))
        files = sorted(source.ws.observation_files())[::order]
        for file in files:
            target = place.ws.root / file.relative_to(source.ws.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
            reflector.reflect(place.ws, now=source.now, zone=UTC)
        pages.append(place.page.read_text())
        shutil.rmtree(place.ws.state)
        reflector.reflect(place.ws, now=source.now, zone=UTC)
        assert place.page.read_text() == pages[-1]
    assert pages[0] == pages[1] and "~~Use SQLite" in pages[0]


def test_the_page_keeps_to_its_budget_and_counts_the_rest(place: Place) -> None:
    for number in range(40):
        verb, noun = ("read", "write", "drop", "sort")[number % 4], f"gauge{number}table"
        place.session(
            *(dec(f"The {noun} must never {verb} the {word}", pos) for pos, word in enumerate(WORDS, 1))
        )
    report = place.cycle()
    assert report.left_out > 0 and report.shown + report.left_out == report.facts
    assert tokens.count(place.page.read_text()) <= place.ws.settings.memory_budget + 100


WORDS = ("harbour", "anchor", "swell", "mast", "keel", "reef", "pilot", "buoy")


def test_a_cycle_without_news_writes_nothing(place: Place) -> None:
    place.session(rule("Never use feet"))
    place.cycle()
    place.cycle(timedelta(hours=1))

    def written() -> dict[str, int]:
        files = (file for file in place.ws.root.rglob("*") if file.is_file() and file.name != "lock")
        return {str(file): file.stat().st_mtime_ns for file in files}

    before = written()
    report = place.cycle(timedelta(minutes=1))
    assert written() == before and report.sessions == 0 and not report.page_changed


def test_context_is_made_anew_after_a_day(place: Place) -> None:
    assert place.cycle().context == "nothing known"
    place.session(rule("Never use feet"))
    assert place.cycle(timedelta(hours=23)).context == "fresh"
    assert place.cycle(timedelta(hours=2)).context == "refreshed"
    assert "Never use feet" in place.ws.context_page.read_text()


def test_a_project_s_status_follows_until_a_person_sets_it(place: Place) -> None:
    page = place.ws.projects / "gauge" / "project.md"
    place.session(rule("Never use feet"))
    assert place.cycle().projects == ("gauge",)
    assert "- Status: active\n" in page.read_text()
    place.cycle(timedelta(days=20))
    assert "- Status: idle (since 2026-02-12)\n" in page.read_text()
    place.session(Item("block", "Waiting for the sensor", 3))
    place.cycle()
    assert "- Status: blocked (since 2026-03-" in page.read_text()
    place.session(dec("Put the project on hold"))
    place.cycle()
    assert "- Status: paused (since" in page.read_text()
    page.write_text(page.read_text().replace("- Status: paused (since", "- Status: active or so (since"))
    before = page.read_text()
    place.cycle(timedelta(days=30))
    assert page.read_text() == before
