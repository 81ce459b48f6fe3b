from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.errors import LogUnreadable
from nanoctx.model import Cursor
from nanoctx.sources import lines
from nanoctx.sources.lines import LogLines, elided


def read(log: Path, cursor: Cursor | None = None) -> tuple[list[tuple[int, bytes]], LogLines]:
    with LogLines(log, cursor or Cursor()) as found:
        return list(found), found


def test_lines_come_with_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"one\n\nthree\nhalf")
    assert read(tmp_path / "log")[0] == [(1, b"one\n"), (2, b"\n"), (3, b"three\n")]


def test_what_is_added_to_a_line_already_taken_belongs_to_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b'{"a":1}')
    with LogLines(log, Cursor()) as found:
        assert list(found) == [(1, b'{"a":1}')]
        cursor = found.cursor
    with log.open("ab") as file:
        file.write(b"  ")
    with LogLines(log, cursor) as found:
        assert list(found) == []
        assert found.cursor == cursor
    with log.open("ab") as file:
        file.write(b"\nnext\n")
    with LogLines(log, cursor) as found:
        assert list(found) == [(2, b"next\n")]


def test_an_earlier_line_is_found_by_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_FIRST_LOOK_BACK", 7)
    monkeypatch.setattr(lines, "_BLOCK", 16)
    log = tmp_path / "log"
    log.write_bytes(b"".join(b"line number %d.\n" % number for number in range(1, 30)))
    with LogLines(log, Cursor()) as found:
        for pos, _ in found:
            for earlier in range(1, pos):
                assert found.line_holding(b"number %d." % earlier, pos) == earlier
            assert found.line_holding(b"number %d." % pos, pos) is None


def test_looking_back_is_bounded_by_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_LOOK_BACK", 1000)
    monkeypatch.setattr(lines, "_FIRST_LOOK_BACK", 100)
    log = tmp_path / "log"
    log.write_bytes(b"x" * 99 + b"\n" + b"a short line\n" * 100)
    with LogLines(log, Cursor()) as found:
        for pos, _ in found:
            found.line_holding(b"absent", pos)
        assert found._looked_back <= 2 * 1000 + log.stat().st_size


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LogUnreadable, match="not a file"):
        LogLines(tmp_path / "pipe", Cursor())


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('ab"\\\n é🌱'), max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["k", 'q"', "b\\"]), inner),
    max_leaves=20,
)


def cut(value: object, longest: int) -> object:
    if isinstance(value, str):
        return value[:longest]
    if isinstance(value, list):
        return [cut(inner, longest) for inner in value]
    return {k: cut(v, longest) for k, v in value.items()} if isinstance(value, dict) else value


@given(anything, st.integers(1, 20), st.booleans())
def test_an_elided_line_keeps_its_structure_whatever_the_blocks(
    value: object, size: int, plain: bool
) -> None:
    line = json.dumps(value, ensure_ascii=plain).encode()
    short = elided(line[at : at + size] for at in range(0, len(line), size))
    assert short is not None
    assert json.loads(short) == value  # nothing here is long
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_LONGEST_STRING", 12)
        short = elided(line[at : at + size] for at in range(0, len(line), size))
    assert short is not None
    assert cut(json.loads(short, strict=False), 1) == cut(value, 1) or "\\ud" in short.decode()


def test_a_line_that_is_all_structure_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    log = tmp_path / "log"
    log.write_bytes(b'{"a":[' + b"1," * 3000 + b"1]}\nnext\n")
    found, reading = read(log)
    assert found == [(2, b"next\n")]
    assert reading.skipped == 1


def test_a_long_line_waits_until_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    monkeypatch.setattr(lines, "_BLOCK", 100)
    monkeypatch.setattr(lines, "_LONGEST_STRING", 50)
    log = tmp_path / "log"
    log.write_bytes(b'{"a":"' + b"x" * 5000)
    assert read(log)[0] == []
    with log.open("ab") as file:
        file.write(b'","b":2}')
    [(pos, line)] = read(log)[0]
    assert pos == 1
    assert json.loads(line) == {"a": "x" * 50, "b": 2}
