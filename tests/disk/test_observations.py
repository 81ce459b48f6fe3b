"""Every observation is read, a broken file stops nothing, and a session keeps its one file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from nanoctx.core import items
from nanoctx.disk import files, observations
from nanoctx.errors import DiskError
from nanoctx.model import Item, Observation

START = datetime(2026, 2, 12, 2, 49, tzinfo=UTC)
SEEN = Observation("7f3a9c21d04e", "claude-code", "s1", started=START, items=(Item("dec", "Keep it"),))


def test_what_was_saved_is_read_again(tmp_path):
    path = observations.save(tmp_path, SEEN)
    assert path == tmp_path / "observations/2026/02/20260212T024900Z-claude-code-7f3a9c21d04e.md"
    assert observations.load_all(tmp_path) == ((SEEN,), ())


def test_a_workspace_without_observations_has_none(tmp_path):
    assert observations.load_all(tmp_path) == ((), ())


def test_a_session_keeps_its_file_when_its_beginning_turns_out_to_be_another(tmp_path):
    path = observations.save(tmp_path, SEEN)
    earlier = replace(SEEN, started=START - timedelta(days=40))
    assert observations.save(tmp_path, earlier) == path
    assert observations.load_all(tmp_path).observations == (earlier,)


def test_saving_the_same_again_leaves_the_file_alone(tmp_path):
    path = observations.save(tmp_path, SEEN)
    before = path.stat()
    observations.save(tmp_path, SEEN)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_observations_come_oldest_first(tmp_path):
    later = replace(SEEN, id="000000000000", started=START + timedelta(days=30))
    for one in (later, SEEN):
        observations.save(tmp_path, one)
    assert observations.load_all(tmp_path).observations == (SEEN, later)


def test_of_two_files_of_one_session_the_one_that_saw_more_counts(tmp_path):
    longer = replace(SEEN, last=START + timedelta(hours=1))
    path = observations.save(tmp_path, longer)
    path.with_name(f"20260101T000000Z-claude-code-{SEEN.id}.md").write_text(items.render(SEEN))
    assert observations.load_all(tmp_path).observations == (longer,)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "does not begin"), (b"---\nid: [\n---\n", "not YAML"), (b"\xff\xfe\n", "not UTF-8")],
)
def test_a_broken_file_is_told_of_and_stops_nothing(tmp_path, content, reason):
    path = observations.save(tmp_path, SEEN)
    path.with_name("20260101T000000Z-codex-aaaaaaaaaaaa.md").write_bytes(content)
    loaded = observations.load_all(tmp_path)
    assert loaded.observations == (SEEN,)
    assert len(loaded.problems) == 1
    assert reason in loaded.problems[0]
    assert "aaaaaaaaaaaa" in loaded.problems[0]


def test_a_folder_or_a_link_to_nowhere_in_place_of_a_file_stops_nothing(tmp_path):
    folder = observations.save(tmp_path, SEEN).parent
    (folder / "20260101T000000Z-codex-bbbbbbbbbbbb.md").mkdir()
    (folder / "20260101T000000Z-codex-cccccccccccc.md").symlink_to(folder / "nowhere")
    loaded = observations.load_all(tmp_path)
    assert loaded.observations == (SEEN,)
    assert len(loaded.problems) == 1


def test_hidden_and_foreign_files_are_no_observations(tmp_path):
    folder = observations.save(tmp_path, SEEN).parent
    (folder / ".20260101T000000Z-x.md").write_text("half")
    (folder / "notes.txt").write_text("words")
    assert observations.load_all(tmp_path) == ((SEEN,), ())


def test_an_observation_that_cannot_be_written_is_said_to_be_so(tmp_path):
    (tmp_path / "observations").write_text("in the way")
    with pytest.raises(DiskError):
        observations.save(tmp_path, SEEN)
    assert files.read(tmp_path / "observations").text == "in the way"
