"""A page keeps what people did to it, whatever happens between two looks."""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from datetime import UTC, datetime

import pytest

from nanoctx.core.blocks import section
from nanoctx.disk import files, pages
from nanoctx.errors import ChangedOnDisk, DiskError
from nanoctx.model import Change

NOW = datetime(2026, 2, 12, 12, tzinfo=UTC)
NEW = """\
# Context

## Now
- Focus: Parser

## Time
- Hint: Look 0

## Recent
- a
- b

## External
- None
"""


class Page:
    """A page, what is generated for it, and what was recorded of people."""

    def __init__(self, root):
        self.path, self.state, self.conflicts = root / "CONTEXT.md", root / ".state", root / "conflicts"
        self.recorded: list[Change] = []
        self.sections = {
            "Now": ["- Focus: Parser"],
            "Time": ["- Hint: Look 0"],
            "Recent": ["- a", "- b"],
            "External": ["- None"],
        }

    def look(self, **options):
        def record(changes):
            self.recorded += changes
            for change in changes:
                kept = [line for line in self.sections[change.section] if line not in change.removed]
                self.sections[change.section] = kept + [line for line in change.added if line not in kept]

        def render():
            return {name: section(name, lines) for name, lines in self.sections.items()}

        return pages.rewrite(
            self.path, self.state, self.conflicts, record=record, render=render, now=NOW, **options
        )

    @property
    def text(self):
        return self.path.read_text()

    @text.setter
    def text(self, text):
        self.path.write_text(text)

    def copies(self):
        return sorted(path.name for path in (self.state / "written" / "CONTEXT.md").glob("*.md"))


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAUSE", 0.001)
    return Page(tmp_path)


def test_a_new_page_is_written_and_a_second_look_changes_nothing(page):
    assert page.look() == pages.Rewritten(NEW, True, None)
    before = page.path.stat()
    assert page.look() == pages.Rewritten(NEW, False, None)
    assert (page.path.stat().st_ino, page.path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert len(page.copies()) == 1


def test_what_a_person_changed_is_recorded_before_the_page_is_touched(page, monkeypatch):
    page.look()
    page.text = NEW.replace("- a\n", "- mine\n")
    page.sections["Time"] = ["- Hint: Look 1"]
    order = []
    real = files.exchange
    monkeypatch.setattr(files, "exchange", lambda *them: order.append(list(page.recorded)) or real(*them))
    assert page.look().changed
    assert order == [[Change("Recent", ("- mine",), ("- a",))]]
    assert "- mine\n" in page.text
    assert "- a\n" not in page.text


def test_a_change_outside_our_sections_is_nobodys_business_but_is_remembered(page):
    page.look()
    page.text = NEW + "\n## Mine\nwords  \n"
    assert not page.look().changed
    assert page.recorded == []
    page.path.unlink()
    assert page.look().text == NEW + "\n## Mine\nwords  \n"


@pytest.mark.parametrize("emptied", ["", "\n", "  \r\n\n", "\ufeff"])
def test_an_emptied_page_is_rebuilt_with_the_sections_of_the_person(page, emptied):
    page.look()
    page.text = NEW + "\n## Mine\nwords\n"
    page.look()
    page.text = emptied
    assert page.look().text == NEW + "\n## Mine\nwords\n"
    assert page.recorded == []


def test_without_our_copy_nothing_is_guessed_and_the_old_page_is_kept_once(page):
    page.look()
    changed = NEW.replace("- a\n", "- mine\n") + "\n## Mine\nwords\n"
    for _ in range(2):
        shutil.rmtree(page.state)
        page.text = changed
        done = page.look()
        assert done.text == NEW + "\n## Mine\nwords\n"
        assert done.conflict
        assert done.conflict.read_text() == changed
    assert page.recorded == []
    assert len(list(page.conflicts.iterdir())) == 1


def test_without_our_copy_a_page_that_says_the_same_is_no_conflict(page):
    page.look()
    page.text = NEW + "\n## Mine\nwords\n"
    shutil.rmtree(page.state)
    assert page.look() == pages.Rewritten(NEW + "\n## Mine\nwords\n", False, None)
    assert not page.conflicts.exists()


def test_a_page_of_a_person_without_our_sections_is_added_to(page):
    page.text = "My page\n"
    assert page.look().text == "My page\n\n" + NEW.removeprefix("# Context\n\n")
    assert not page.conflicts.exists()


def test_an_adopted_page_is_the_persons_line_by_line(page):
    page.text = "# Ours\n\n## Now\n- Focus: Printer\n- mine\n\n## Plans\nwords\n"
    page.look(adopt=True)
    assert page.recorded == [Change("Now", ("- Focus: Printer", "- mine"))]
    assert page.text.startswith("# Ours\n\n## Now\n")
    assert "## Plans\nwords\n" in page.text
    page.look(adopt=True)  # stopped before it could be marked as adopted
    assert len(page.recorded) == 1
    assert not page.conflicts.exists()


def test_a_person_who_saves_while_we_write_is_heard(page, monkeypatch):
    page.look()
    page.sections["Time"] = ["- Hint: Look 1"]
    real, saves = files.exchange, iter(["- one\n", "- two\n"])

    def exchange(path, text, expect):
        if line := next(saves, ""):
            page.text = page.text.replace("## Recent\n", f"## Recent\n{line}")
        return real(path, text, expect)

    monkeypatch.setattr(files, "exchange", exchange)
    assert page.look().changed
    assert [change.added for change in page.recorded] == [("- one",), ("- two",)]
    assert "- Hint: Look 1\n" in page.text
    assert len(page.copies()) == 1


def test_a_line_taken_out_while_we_were_about_to_drop_it_ourselves_is_taken_out(page, monkeypatch):
    page.look()
    page.sections["Recent"] = ["- b"]
    real = files.exchange

    def exchange(path, text, expect):
        page.text = page.text.replace("- a\n", "")
        return real(path, text, expect)

    monkeypatch.setattr(files, "exchange", exchange)
    page.look()
    assert page.recorded == [Change("Recent", (), ("- a",))]


def test_a_person_who_never_stops_saving_is_left_alone_until_the_next_look(page, monkeypatch):
    page.look()
    page.sections["Time"] = ["- Hint: Look 1"]
    numbers = itertools.count()
    with monkeypatch.context() as patch:

        def exchange(path, text, expect):
            page.text = page.text + f"\n## Note {next(numbers)}\n"
            raise ChangedOnDisk("moved")

        patch.setattr(files, "exchange", exchange)
        assert not page.look().changed
    assert "- Hint: Look 0\n" in page.text
    page.look()
    assert "- Hint: Look 1\n" in page.text
    assert "## Note 4\n" in page.text
    assert page.recorded == []


def test_an_editor_that_had_not_seen_our_latest_page_takes_nothing_of_it_back(page):
    page.look()
    for number in range(1, 30):
        buffer = page.text
        page.sections["Time"] = [f"- Hint: Look {number}"]
        page.sections["Recent"].append(f"- new {number}")
        page.look()
        page.text = buffer.replace("## Recent\n", f"## Recent\n- mine {number}\n")
        page.look()
        assert page.recorded[-1] == Change("Recent", (f"- mine {number}",))
        assert f"- new {number}\n" in page.text
        assert f"- Hint: Look {number}\n" in page.text
    assert len(page.recorded) == 29
    assert len(list((page.state / "written" / "CONTEXT.md" / "older").iterdir())) < 20


def test_a_text_that_lost_a_race_goes_to_conflicts(page, monkeypatch):
    page.look()
    page.sections["Time"] = ["- Hint: Look 1"]
    kept = page.path.with_name(".kept")
    real = files.exchange

    def exchange(path, text, expect):
        if kept.exists() or page.conflicts.exists():
            return real(path, text, expect)
        kept.write_text("theirs")
        error = ChangedOnDisk("moved")
        error.found, error.kept = "theirs", kept
        raise error

    monkeypatch.setattr(files, "exchange", exchange)
    done = page.look()
    assert done.changed
    assert done.conflict
    assert done.conflict.read_text() == "theirs"
    assert not kept.exists()


def test_what_a_killed_exchange_left_of_a_person_comes_back(page, monkeypatch):
    page.look()
    theirs = NEW.replace("- a\n", "- a\n- mine\n") + "\n## Mine\nwords\n"
    stray = page.path.with_name(f".CONTEXT.md.swap-{'0' * 16}-{'1' * 16}.{'2' * 16}.nanoctx-tmp")
    stray.write_text(theirs)
    assert page.look().text.count("- mine\n") == 1
    assert page.recorded == [Change("Recent", ("- mine",))]
    assert page.text.endswith("\n## Mine\nwords\n")
    assert not stray.exists()
    stray.write_text("older words")
    page.text = page.text.replace("- b\n", "")  # the page was saved since: that one counts
    done = page.look()
    assert done.conflict
    assert done.conflict.read_text() == "older words"
    assert not stray.exists()


def test_a_half_saved_page_is_waited_for(page, monkeypatch):
    monkeypatch.setattr(pages, "PAUSE", 0.05)
    page.look()
    whole = NEW.replace("- b\n", "- b\n- mine\n")
    page.text = ""
    other = threading.Thread(target=lambda: (time.sleep(0.15), page.path.write_text(whole)))
    other.start()
    page.look()
    other.join()
    page.look()
    assert page.recorded == [Change("Recent", ("- mine",))]
    assert page.text == whole
    assert not page.conflicts.exists()


def test_a_page_that_never_settles_is_waited_for_only_so_long(page, monkeypatch):
    page.look()
    numbers = itertools.count()
    real = files.read

    def read(path):
        if path == page.path:
            page.text = NEW + f"\n## Note {next(numbers)}\n"
        return real(path)

    monkeypatch.setattr(files, "read", read)
    page.look()
    assert next(numbers) < 500


@pytest.mark.parametrize("late", [False, True])
def test_a_crash_at_any_write_makes_no_line_of_ours_a_persons(page, monkeypatch, late):
    page.look()
    for stop in itertools.count():
        page.sections["Time"] = [f"- Hint: Look {stop + 1}{late}"]
        page.sections["Recent"] = ["- a", f"- new {stop}"]
        with monkeypatch.context() as patch:
            crashed = crash_at(patch, stop, late)
            try:
                page.look()
            except KeyboardInterrupt:
                assert crashed()
        page.look()
        assert page.recorded == []
        assert f"- new {stop}\n" in page.text
        assert len(page.copies()) == 1
        if not crashed():
            break
    assert stop >= 3


@pytest.mark.parametrize("late", [False, True])
def test_a_crash_at_any_write_loses_nothing_of_a_person_who_then_thinks_better_of_it(page, monkeypatch, late):
    for stop in itertools.count():
        page.look()
        before = page.text
        page.text = before.replace("## Recent\n", f"## Recent\n- mine {stop}\n")
        with monkeypatch.context() as patch:
            crashed = crash_at(patch, stop, late)
            try:
                page.look()
            except KeyboardInterrupt:
                assert crashed()
        page.text = page.text.replace(f"- mine {stop}\n", "")
        page.look()
        assert f"- mine {stop}" not in page.text
        assert len(page.copies()) == 1
        if not crashed():
            break
    assert stop >= 5


@pytest.mark.parametrize("late", [False, True])
def test_a_crash_at_any_write_without_our_copy_makes_no_line_of_ours_a_persons(page, monkeypatch, late):
    page.look()
    for stop in itertools.count():
        shutil.rmtree(page.state)
        page.sections["Recent"] = ["- a", f"- new {stop}"]
        with monkeypatch.context() as patch:
            crashed = crash_at(patch, stop, late)
            try:
                page.look()
            except KeyboardInterrupt:
                assert crashed()
        page.look()
        assert page.recorded == []
        assert f"- new {stop}\n" in page.text
        if not crashed():
            break
    assert stop >= 3


def test_lines_typed_right_above_each_other_around_a_crash_stay_single_lines(page, monkeypatch):
    page.look()
    for stop in itertools.count():
        page.text = page.text.replace("## Recent\n", f"## Recent\nfirst {stop}\n")
        page.look()
        page.text = page.text.replace(f"first {stop}\n", f"second {stop}\nfirst {stop}\n")
        with monkeypatch.context() as patch:
            crashed = crash_at(patch, stop, late=False)
            try:
                page.look()
            except KeyboardInterrupt:
                assert crashed()
        page.text = page.text.replace(f"second {stop}\n", f"third {stop}\nsecond {stop}\n")
        page.look()
        lines = page.text.split("\n")
        assert [lines.count(f"{word} {stop}") for word in ("first", "second", "third")] == [1, 1, 1]
        if not crashed():
            break


def crash_at(patch, stop, late):
    calls = itertools.count()
    last = []

    def crashing(real):
        def call(*arguments, **named):
            number = next(calls)
            last.append(number)
            if number == stop and not late:
                raise KeyboardInterrupt
            done = real(*arguments, **named)
            if number == stop:
                raise KeyboardInterrupt
            return done

        return call

    for name in ("write", "exchange", "remove"):
        patch.setattr(files, name, crashing(getattr(files, name)))
    return lambda: stop in last


def test_a_record_that_cannot_be_kept_leaves_the_page_alone(page):
    page.look()
    page.text = NEW.replace("- a\n", "- mine\n")

    def record(changes):
        raise DiskError("The drive is full.")

    with pytest.raises(DiskError):
        pages.rewrite(page.path, page.state, page.conflicts, record=record, render=dict, now=NOW)
    assert page.text == NEW.replace("- a\n", "- mine\n")
    page.look()
    assert page.recorded == [Change("Recent", ("- mine",), ("- a",))]
