"""
People and looks at one page, with crashes between any two writes: nobody's words are lost or invented.

A `World` is what the looks work on. The one here composes a page from a few made-up deeds; another one, over
the whole observer, can be given to `machine_of` as well.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from nanoctx.core import document, people
from nanoctx.core.blocks import section
from nanoctx.disk import files, observations, pages
from nanoctx.errors import ChangedOnDisk
from nanoctx.model import Change, Line, Origin

BEGINNING = datetime(2026, 2, 12, 9, tzinfo=UTC)


class World:
    """A workspace whose page is composed of a focus and of deeds, worded one way or another."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.page, self.state, self.conflicts = root / "CONTEXT.md", root / ".state", root / "conflicts"
        self.deeds: list[int] = []
        self.topic, self.topic_at = 0, BEGINNING
        self.wording = "did"
        self.looks = 0
        self.shown: dict[str, tuple[Line, ...]] = {}

    def agent_does(self, number: int) -> None:
        self.deeds.append(number)

    def agent_turns_to(self, number: int, at: datetime) -> None:
        self.topic, self.topic_at = number, at

    def deed_line(self, number: int) -> str:
        return f"- Agent {self.wording} thing {number}."

    def focus_line(self) -> str:
        return f"- Focus: Topic {self.topic}."

    def look(self, now: datetime) -> pages.Rewritten:
        self.looks += 1
        known = list(observations.load_all(self.root).observations)
        shown_before = self.shown if self.state.exists() else {}

        def record(changes: tuple[Change, ...]) -> None:
            at, salt = people.moment(known, now), os.urandom(4).hex()
            done = people.record(changes, shown_before, salt=salt)
            if done:
                known.append(people.observation(done, salt=salt, at=at))
                observations.save(self.root, known[-1])

        def render() -> dict[str, str]:
            composed = self._compose(people.standing(known), now)
            # The latest come first; an editor may still show a line as it was worded before.
            self.shown = {name: (*lines, *self.shown.get(name, ()))[:60] for name, lines in composed.items()}
            return {name: section(name, [line.text for line in lines]) for name, lines in composed.items()}

        return pages.rewrite(self.page, self.state, self.conflicts, record=record, render=render, now=now)

    def _compose(self, standing: people.Standing, now: datetime) -> dict[str, tuple[Line, ...]]:
        origin = Origin("session", self.topic, "focus")
        focus = standing.value("Focus", now=now, focus_origin=origin, focus_at=self.topic_at)
        generated = {
            "Now": [focus or Line(self.focus_line(), (origin,), "Focus")],
            "Time": [Line(f"- Hint: This is look {self.looks % 3}.", (), "Hint")],
            "Recent": [
                Line(self.deed_line(n), (Origin("session", n, "impl"),)) for n in reversed(self.deeds)
            ],
            "External": [Line("- No git changes since last session")],
        }
        return {
            name: (
                *(line for line in lines if not standing.retracted(name, line)),
                *standing.added.get(name, ()),
            )
            for name, lines in generated.items()
        }


def _hint(page: str) -> str:
    found = re.search("- Hint: .*", page)
    return found[0] if found else ""


class PeopleAndLooks(RuleBasedStateMachine):
    """
    Keeps account of what a person may expect of the page.

    `maybe` holds what only the next whole look can tell: it was done while `.state` was gone, or to a line
    that only a look which then crashed had shown, or in an editor with an older page. Such a line may come
    back, once; a person's text that left the page then is in conflicts/.
    """

    world_of: Callable[[Path], World] = World

    def __init__(self) -> None:
        super().__init__()
        fast = os.environ.get("PYTEST_DEBUG_TEMPROOT")  # see conftest
        self.folder = Path(tempfile.mkdtemp(prefix="two-writers-", dir=fast))
        self.world = self.world_of(self.folder / "w")
        self.world.root.mkdir()
        self.now = BEGINNING
        self.count = 0
        self.own: dict[str, bool] = {}  # a person's blocks: are they to be there?
        self.gone: set[int] = set()  # the agent's deeds that a person took out
        self.notes: list[str] = []  # sections of their own
        self.focus: str | None = None  # a value of theirs; "" for one taken out, None for the generated one
        self.focus_was = ""  # the generated line that it took the place of
        self.maybe: set[str | int] = set()
        self.fresh: set[str | int] = set()  # touched since the last whole look
        self.lost: set[str] = set()  # typed into a page that was emptied before any look
        self.seen: set[str] = set()
        self.pages: dict[str, str] = {}  # each as a look left it, by the hint that tells how old it is
        self.seen_wording = ""
        self.seen_notes: list[str] = []
        self.crashed = self.blind = self.emptied = False
        self.buffer: tuple[str, int] | None = None  # what an editor shows, and how many looks there were then

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    # -- what happens ----------------------------------------------------------------------------------------

    @initialize()
    def first_look(self) -> None:
        self._look()

    @rule()
    def agent_does_something(self) -> None:
        self.count += 1
        self.world.agent_does(self.count)

    @rule()
    def agent_turns_to_another_topic(self) -> None:
        self.count += 1
        self._later()
        self.world.agent_turns_to(self.count, self.now)
        if self.focus and self.focus.endswith("📌"):
            return
        if "focus" in self.fresh:
            # Which came first, their edit or this prompt, is told by when a look saw the edit.
            self.maybe.add("focus")
        else:
            self.focus = None

    @rule()
    def agent_is_worded_otherwise(self) -> None:
        self.world.wording = "finished" if self.world.wording == "did" else "did"

    @rule()
    def a_look(self) -> None:
        self._look()

    # Rules are drawn evenly, and looks are frequent.
    @rule()
    def another_look(self) -> None:
        self._look()

    @rule()
    def one_more_look(self) -> None:
        self._look()

    @rule(stop=st.integers(0, 9), late=st.booleans())
    def a_look_that_crashes(self, stop: int, late: bool) -> None:
        self._later()
        try:
            with crash(stop, late):
                self.world.look(self.now)
        except KeyboardInterrupt:
            self.crashed = True
        else:
            self._check()

    @rule()
    def state_is_deleted(self) -> None:
        shutil.rmtree(self.world.state, ignore_errors=True)
        self.blind = True
        self.buffer = None
        self.maybe |= self.fresh
        self.notes = [
            note for note in self.notes if note in self._read()
        ]  # those of an emptied page are no more

    @rule(
        name=st.sampled_from(document.OURS),
        shape=st.sampled_from(
            [
                "- mine {}.",
                "words {}.",
                "two {}\nlines {}.",
                "  - sub {}\n  - subs {}.",
                "```\nx {}\n\n- y {}.\n```",
            ]
        ),
        at_the_end=st.booleans(),
    )
    def person_adds(self, name: str, shape: str, at_the_end: bool) -> None:
        self.count += 1
        block = shape.replace("{}", str(self.count))
        text = self._read()
        if f"## {name}\n" not in text:
            return
        head, heading, rest = text.partition(f"## {name}\n")
        body = rest.partition("## ")[0].rstrip("\n")
        place = len(body) + 1 if at_the_end and body else 0
        gap = "\n" if place and not block.startswith("-") else ""
        self._save(head + heading + rest[:place] + gap + block + "\n" + rest[place:])
        self.own[block] = True
        self._touched(block)

    @precondition(lambda self: self.own)
    @rule(data=st.data())
    def person_takes_their_own_out(self, data: st.DataObject) -> None:
        block = data.draw(st.sampled_from(sorted(self.own)))
        text = self._read()
        if f"\n{block}\n" in text:
            self._save(text.replace(f"\n{block}\n", "\n", 1))
            self.own[block] = False
            self._touched(block)
            # From an editor that shows an older page of ours, which did not have the block yet. It looks as
            # if that editor had never seen it; of the two the block that may be meant to stay is kept.
            older = self.pages.get(_hint(text), text)
            if _hint(text) not in self.seen and f"\n{block}\n" not in older:
                self.maybe.add(block)

    @precondition(lambda self: any(not there for there in self.own.values()))
    @rule(data=st.data())
    def person_puts_their_own_back(self, data: st.DataObject) -> None:
        block = data.draw(st.sampled_from(sorted(block for block, there in self.own.items() if not there)))
        text = self._read()
        if "## Recent\n" in text and f"\n{block}\n" not in text:
            self._save(text.replace("## Recent\n", f"## Recent\n{block}\n\n", 1))
            self.own[block] = True
            self._touched(block)

    @rule(data=st.data())
    def person_takes_a_deed_out(self, data: st.DataObject) -> None:
        text = self._read()
        shown = [number for number in self.world.deeds if f" thing {number}.\n" in text]
        if not shown:
            return
        number = data.draw(st.sampled_from(shown))
        line = next(line for line in text.split("\n") if line.endswith(f" thing {number}."))
        self._save(text.replace(f"{line}\n", "", 1))
        self.gone.add(number)
        self._touched(number)
        if self.crashed and (line not in self.seen or self.seen_wording != self.world.wording):
            self.maybe.add(number)

    @rule(pinned=st.booleans())
    def person_sets_the_focus(self, pinned: bool) -> None:
        text = self._read()
        old = [line for line in text.split("\n") if line.startswith("- Focus: ")]
        if len(old) != 1:
            return
        self.count += 1
        if "Mine" not in old[0]:
            self.focus_was = old[0]
        self.focus = f"- Focus: Mine {self.count}." + (" 📌" if pinned else "")
        self._save(text.replace(f"{old[0]}\n", f"{self.focus}\n", 1))
        self._touched("focus")

    @rule()
    def person_takes_the_focus_out(self) -> None:
        text = self._read()
        old = [line for line in text.split("\n") if line.startswith("- Focus: ")]
        if len(old) != 1:
            return
        # The agent may have turned to another topic since, which nobody has taken out.
        was = old[0] if "Mine" not in old[0] else self.focus_was
        self.focus = "" if was == self.world.focus_line() else None
        self._save(text.replace(f"{old[0]}\n", "", 1))
        self._touched("focus")
        if self.crashed:
            self.maybe.add("focus")

    @rule(first=st.booleans())
    def person_writes_a_section_of_their_own(self, first: bool) -> None:
        self.count += 1
        text, note = self._read(), f"## Note {self.count}\n\n  odd   bytes \n- and a bullet\n\n\n"
        if not text.strip():
            return
        if first and "## Time\n" in text:
            self._save(text.replace("## Time\n", f"{note}## Time\n", 1))
        else:
            self._save(text + ("" if text.endswith("\n") else "\n") + note)
        self.notes.append(note)

    @rule()
    def person_opens_an_editor(self) -> None:
        known = not (self.fresh or self.crashed or self.blind or self.emptied)
        self.buffer = (self._read(), self.world.looks) if known else None

    @precondition(lambda self: self.buffer and not (self.crashed or self.blind or self.emptied or self.fresh))
    @rule()
    def person_saves_what_their_editor_had(self) -> None:
        text, looks = self.buffer
        if _hint(text) == _hint(self._read()) or self.world.looks - looks > 2 or "## Recent\n" not in text:
            return  # too old, or nothing tells how old it is
        self.count += 1
        block = f"- from an editor {self.count}."
        self._save(text.replace("## Recent\n", f"## Recent\n{block}\n", 1))
        self.own[block] = True
        self._touched(block)
        self.notes = [note for note in self.notes if note in text]  # these they did overwrite
        self.buffer = None

    @rule()
    def person_changes_the_line_ends(self) -> None:
        raw = self._raw()
        self.world.page.write_bytes(
            raw.replace(b"\r\n", b"\n") if b"\r" in raw else raw.replace(b"\n", b"\r\n")
        )

    @rule(delete=st.booleans())
    def person_empties_the_page(self, delete: bool) -> None:
        if delete:
            self.world.page.unlink(missing_ok=True)
        else:
            self.world.page.write_bytes(b"")
        self.emptied = True
        self.buffer = None
        self.notes = [] if self.blind else [note for note in self.notes if note in self.seen_notes]
        self.maybe |= self.fresh
        self.lost |= {block for block in self.fresh if isinstance(block, str)}

    # -- what must be so -------------------------------------------------------------------------------------

    def _look(self) -> None:
        self._later()
        self.world.look(self.now)
        self._check()

    def _check(self) -> None:
        text = self._read()
        lines = text.split("\n")
        kept = "\n".join(path.read_text() for path in self.world.conflicts.glob("*")).replace("\r\n", "\n")
        for block, there in self.own.items():
            shown = text.count(f"\n{block}\n")
            if block not in self.maybe:
                assert shown == there, (block, text)
            else:
                assert shown <= 1, (block, text)
                assert shown or not there or block in self.lost or f"\n{block}\n" in kept, (block, text, kept)
                self.own[block] = bool(shown)
        for number in self.world.deeds:
            shown = lines.count(self.world.deed_line(number))
            if number not in self.maybe:
                assert shown == (number not in self.gone), (number, text)
            elif shown:
                self.gone.discard(number)
        self._check_focus(lines, kept)
        self._check_notes(text)
        assert [line for line in lines if line.startswith("## ") and line[3:] in document.OURS] == [
            f"## {name}" for name in document.OURS
        ]
        self._check_nothing_is_invented()
        self.seen, self.seen_wording, self.seen_notes = set(lines), self.world.wording, list(self.notes)
        self.pages[_hint(text)] = text
        self.maybe, self.fresh, self.lost = set(), set(), set()
        self.crashed = self.blind = self.emptied = False

    def _check_focus(self, lines: list[str], kept: str) -> None:
        shown = [line for line in lines if line.startswith("- Focus: ")]
        expected = self.world.focus_line() if self.focus is None else self.focus
        if "focus" not in self.maybe:
            assert shown == ([expected] if expected else []), (shown, expected)
        else:
            assert len(shown) <= 1
            self.focus = None if shown == [self.world.focus_line()] else shown[0] if shown else ""

    def _check_notes(self, text: str) -> None:
        raw = self._raw().decode()
        for note in self.notes:
            assert note in text
            if not self.emptied:
                assert note.replace("\n", "\r\n") in raw or note in raw

    def _check_nothing_is_invented(self) -> None:
        for seen in observations.load_all(self.world.root).observations:
            for line in people.standing([seen]).added.values():
                assert all(
                    any(part in block for block in self.own) for one in line for part in one.text.split("\n")
                )

    # -- the person's editor ---------------------------------------------------------------------------------

    def _raw(self) -> bytes:
        return self.world.page.read_bytes() if self.world.page.exists() else b""

    def _read(self) -> str:
        return self._raw().decode().replace("\r\n", "\n")

    def _save(self, text: str) -> None:
        # The editor stays open with what they saved, unless it cannot be known from which page that came.
        self.buffer = None if self.crashed or self.blind or self.emptied else (text, self.world.looks)
        crlf = b"\r\n" in self._raw()
        self.world.page.write_bytes((text.replace("\n", "\r\n") if crlf else text).encode())

    def _touched(self, what: str | int) -> None:
        self.fresh.add(what)
        if self.blind:
            self.maybe.add(what)

    def _later(self) -> None:
        self.now += timedelta(seconds=20)


@contextmanager
def crash(stop: int, late: bool) -> Iterator[None]:
    """Stop before or after the write number `stop`, of whatever kind."""
    calls = 0

    def crashing(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls > stop and not late:
                raise KeyboardInterrupt
            done = real(*arguments, **named)
            if calls > stop:
                raise KeyboardInterrupt
            return done

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("write", "exchange", "remove"):
            patch.setattr(files, name, crashing(getattr(files, name)))
        yield


@pytest.fixture
def _without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAUSE", 0)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # no power is cut here


def run_machine(machine: type[PeopleAndLooks], examples: int, steps: int) -> None:
    checks = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=checks)


@pytest.mark.usefixtures("_without_waiting")
def test_people_and_looks_in_any_order_lose_and_invent_nothing():
    run_machine(PeopleAndLooks, examples=60, steps=25)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("_without_waiting")
def test_people_and_looks_a_thousand_times():
    run_machine(PeopleAndLooks, examples=1000, steps=30)


# A person in another process: reads the page, adds a line, and saves as editors do. Whoever sees that a line
# of theirs is not there (yet) reads again before saving.
PERSON = """
import os, random, sys, time
path, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
chance = random.Random(seed)

def buffer(mine):
    while True:
        with open(path, newline="") as file:
            text = file.read()
        if "## Recent\\n" in text and all(line in text for line in mine):
            return text

mine = []
for number in range(count):
    style = chance.choice(["rename", "truncate", "append", "slowly"])
    line = f"- {style} {number}.\\n"
    text = buffer(mine)
    new = text.replace("## Recent\\n", "## Recent\\n" + line, 1)
    if style == "append":
        with open(path, "a", newline="") as file:
            file.write(line)
    elif style == "rename":
        with open(path + "~", "w", newline="") as file:
            file.write(new)
        os.replace(path + "~", path)
    else:
        with open(path, "w", newline="") as file:
            for piece in [new] if style == "truncate" else [new[:50], new[50:]]:
                file.write(piece)
                file.flush()
                time.sleep(0.002 if style == "slowly" else 0)
    mine = [*mine[-3:], line]
    time.sleep(chance.random() * chance.choice([0.002, 0.02, 0.1]))
"""


def test_saves_while_looks_rewrite_the_page_lose_nothing(tmp_path, monkeypatch, rng):
    concurrent_saves(tmp_path, monkeypatch, rng, 60)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_five_hundred_saves_while_looks_rewrite_the_page_lose_nothing(tmp_path, monkeypatch, rng):
    concurrent_saves(tmp_path, monkeypatch, rng, 500)


def concurrent_saves(tmp_path, monkeypatch, rng, count):
    monkeypatch.setattr(pages, "PAUSE", 0.002)
    world, now = World(tmp_path), BEGINNING
    world.look(now)
    collisions = count_collisions(monkeypatch)
    script = [sys.executable, "-c", PERSON, str(world.page), str(count), str(rng.random())]
    rewritten = 0
    with subprocess.Popen(script) as person:
        while person.poll() is None:
            now += timedelta(seconds=20)
            world.agent_does(world.looks)
            rewritten += world.look(now).changed
    assert person.returncode == 0
    text = (world.look(now + timedelta(minutes=1)), world.page.read_text())[1]
    kept = "".join(path.read_text() for path in world.conflicts.glob("*"))
    for number in range(count):
        line = re.compile(rf"^- (?:rename|truncate|append|slowly) {number}\.$", re.MULTILINE)
        shown = len(line.findall(text))
        assert shown == 1 or (not shown and line.search(kept)), (number, shown)
    print(f"{count} saves, {world.looks} looks, {rewritten} rewrites, {len(collisions)} collisions")
    print(f"{len(list(world.conflicts.glob('*')))} conflicts")
    assert rewritten > count / 50, "the looks were hardly at work while the person was"


def count_collisions(monkeypatch):
    found, real = [], files.exchange

    def exchange(path, text, expect):
        try:
            return real(path, text, expect)
        except ChangedOnDisk as error:
            found.append(error)
            raise

    monkeypatch.setattr(files, "exchange", exchange)
    return found
