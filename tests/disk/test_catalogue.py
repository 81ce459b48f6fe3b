"""What is remembered of observations never says anything else than their files do."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import items
from nanoctx.disk import catalogue, observations
from nanoctx.model import Evidence, Item, Observation

START = datetime(2026, 2, 8, 2, 49, tzinfo=UTC)
SEEN = Observation(
    "7f3a9c21d04e", "claude-code", "s1", started=START, items=(Item("dec", "Keep it", 3, more={"a": "b"}),),
    evidence=(Evidence(3, START, "user", "keep it"),), more={"headless": True},
)  # fmt: skip


def _age(root: Path) -> None:
    """Let all parts have been written long after the observations."""
    for part in (root / ".state" / catalogue.FOLDER).glob("*.json"):
        later = part.stat().st_mtime_ns + 10**10
        os.utime(part, ns=(later, later))


@pytest.fixture
def read_files(monkeypatch):
    """The names of the observation files that were read."""
    found: list[str] = []
    parse = items.parse

    def spied(text):
        found.append(text)
        return parse(text)

    monkeypatch.setattr(observations.items, "parse", spied)
    return found


def test_a_file_that_did_not_change_is_not_read_again(tmp_path, read_files):
    path = observations.save(tmp_path, SEEN)
    assert observations.load_all(tmp_path, remember=True) == ((SEEN,), ())
    _age(tmp_path)
    read_files.clear()
    assert observations.load_all(tmp_path) == ((SEEN,), ())
    assert not read_files
    path.write_text(path.read_text().replace("Keep it", "Drop it"))
    assert observations.load_all(tmp_path).observations[0].items[0].text == "Drop it"
    assert len(read_files) == 1


def test_a_file_changed_right_after_it_was_read_is_read_again(tmp_path, read_files):
    observations.save(tmp_path, SEEN)
    observations.load_all(tmp_path, remember=True)
    for part in (tmp_path / ".state" / catalogue.FOLDER).glob("*.json"):
        # As if within one tick of the drive's clock.
        at = next(tmp_path.glob("observations/*/*/*.md")).stat().st_ctime_ns
        os.utime(part, ns=(at, at))
    read_files.clear()
    observations.load_all(tmp_path)
    assert len(read_files) == 1


def test_only_who_may_write_remembers(tmp_path):
    observations.save(tmp_path, SEEN)
    observations.load_all(tmp_path)
    assert not (tmp_path / ".state").exists()


def test_a_part_is_for_this_user_only(tmp_path):
    observations.save(tmp_path, SEEN)
    observations.load_all(tmp_path, remember=True)
    (part,) = (tmp_path / ".state" / catalogue.FOLDER).glob("*.json")
    assert part.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", [b"", b"{", b'{"v":99,"files":{}}', b'{"v":1,"files":{"a":1}}', b"\xff"])
def test_a_damaged_part_is_no_part(tmp_path, damage):
    observations.save(tmp_path, SEEN)
    observations.load_all(tmp_path, remember=True)
    (part,) = (tmp_path / ".state" / catalogue.FOLDER).glob("*.json")
    part.write_bytes(damage)
    assert observations.load_all(tmp_path, remember=True) == ((SEEN,), ())


def test_dropped_is_dropped(tmp_path):
    observations.save(tmp_path, SEEN)
    observations.load_all(tmp_path, remember=True)
    catalogue.drop(tmp_path / ".state")
    assert not list((tmp_path / ".state" / catalogue.FOLDER).iterdir())


ACTIONS = st.lists(
    st.tuples(st.sampled_from(["save", "touch", "remove", "break", "look", "twice"]), st.integers(0, 5)),
    max_size=25,
)


@given(ACTIONS)
def test_remembering_changes_nothing_that_is_told(tmp_path_factory, actions):
    root = tmp_path_factory.mktemp("workspace")
    for number, (action, which) in enumerate(actions):
        one = replace(
            SEEN, id=f"{which:012d}", session=f"s{which}", started=START + timedelta(days=which),
            summary=f"Step {number}",
        )  # fmt: skip
        paths = sorted(root.glob("observations/*/*/*.md"))
        match action:
            case "save":
                observations.save(root, one)
            case "look":
                observations.load_all(root, remember=True)
                _age(root)
            case "touch" if paths:
                path = paths[which % len(paths)]
                path.write_text(path.read_text().replace("Step", "Stop"))
            case "break" if paths:
                paths[which % len(paths)].write_text("---\nid: [\n---\n")
            case "remove" if paths:
                paths[which % len(paths)].unlink()
            case "twice" if paths:
                copy = paths[0].with_name(f"20260101T000000Z-claude-code-{paths[0].stem[-12:]}.md")
                copy.write_text(paths[0].read_text())
    told = observations.load_all(root)
    catalogue.drop(root / ".state")
    assert told == observations.load_all(root)
