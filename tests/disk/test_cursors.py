from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.disk import cursors
from nanoctx.errors import DiskError
from nanoctx.model import Cursor

_counts = st.integers(min_value=0, max_value=2**64 - 1)
_cursors = st.builds(
    Cursor, device=_counts, inode=_counts, offset=_counts, lines=_counts, head=st.text("0123abc")
)
_names = st.binary(max_size=20).map(os.fsdecode)


@given(known=st.dictionaries(_names, _cursors, max_size=5))
def test_what_is_saved_is_loaded_whatever_the_logs_are_called(
    tmp_path_factory: pytest.TempPathFactory, known: dict[str, Cursor]
) -> None:
    file = tmp_path_factory.mktemp("state") / "cursors.json"
    cursors.save(file, known)
    assert cursors.load(file) == known


def test_without_a_file_nothing_was_read(tmp_path: Path) -> None:
    assert cursors.load(tmp_path / "gone" / "cursors.json") == {}


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\0" * 100,
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"v": 1}',
        b'{"v": 2, "logs": {"a": {"offset": 7}}}',
        b'{"v": 1, "logs": {"a": {"offset": "7"}}}',
        b'{"v": 1, "logs": {"a": {"offset": -7}}}',
        b'{"v": 1, "logs": {"a": {"offset": 1e400}}}',
        b'{"v": 1, "logs": {"a": {"offset": 7}',
        b'{"v": 1, "logs": ' + b"[" * 100_000,
        b'{"v": 1, "logs": {"a": {"offset": ' + b"7" * 5000 + b"}}}",
    ],
)
def test_a_damaged_file_counts_as_nothing_read(tmp_path: Path, damaged: bytes) -> None:
    file = tmp_path / "cursors.json"
    file.write_bytes(damaged)
    assert cursors.load(file) == {}


@given(junk=st.binary(max_size=200))
def test_no_junk_stops_a_look(tmp_path_factory: pytest.TempPathFactory, junk: bytes) -> None:
    file = tmp_path_factory.mktemp("state") / "cursors.json"
    file.write_bytes(junk)
    assert cursors.load(file) == {}


def test_a_folder_in_its_place_counts_as_nothing_read_and_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "cursors.json").mkdir()
    assert cursors.load(tmp_path / "cursors.json") == {}
    with pytest.raises(DiskError):
        cursors.save(tmp_path / "cursors.json", {})


def test_the_same_cursors_are_not_written_again(tmp_path: Path) -> None:
    file = tmp_path / "cursors.json"
    cursors.save(file, {"b": Cursor(offset=1), "a": Cursor(offset=2)})
    before = file.stat()
    cursors.save(file, {"a": Cursor(offset=2), "b": Cursor(offset=1)})
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
