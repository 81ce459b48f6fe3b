"""What every source must do, whatever its agent writes."""

from __future__ import annotations

import json
import os
import random
import tempfile
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.errors import LogUnreadable, UsageError
from nanoctx.model import EVENT_KINDS, TOOL_NAMES, Batch, Cursor, Event
from nanoctx.sources import SOURCES, lines
from nanoctx.sources.base import Source

SAMPLES = {path.stem: path for path in (Path(__file__).parent / "fixtures").iterdir()}
every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))


def _those(kinds: tuple[str, ...]) -> pytest.MarkDecorator:
    names = [name for name in SOURCES if kind_of(name) in kinds]
    return pytest.mark.parametrize("source", [SOURCES[name] for name in names], ids=names)


def kind_of(name: str) -> str:
    """A log that only grows; one of lines that is read again as a whole; one that is a document."""
    if SAMPLES[name].suffix == ".json":
        return "document"
    return "whole" if name in READ_AGAIN else "growing"


READ_AGAIN = {"gemini", "aider"}
line_logs = _those(("growing", "whole"))
growing_logs = _those(("growing",))
documents = _those(("document",))


def sample(source: Source) -> bytes:
    return SAMPLES[source.NAME].read_bytes()


def copy(source: Source, folder: Path, content: bytes | None = None) -> Path:
    log = folder / f"session{SAMPLES[source.NAME].suffix}"
    log.write_bytes(sample(source) if content is None else content)
    return log


def is_json(source: Source) -> bool:
    return SAMPLES[source.NAME].suffix in (".jsonl", ".json")


def append(log: Path, content: bytes) -> None:
    with log.open("ab") as file:
        file.write(content)


def settled(events: Iterable[Event]) -> tuple[list[object], tuple[int, int], float, float]:
    """What the events come to: an `about` may repeat facts, and only the last `usage` of a batch matters."""
    known: dict[str, str] = {}
    told: list[object] = []
    usage = (0, 0)
    times = []
    for event in events:
        if event.at is not None:
            times.append(event.at)
        if event.kind == "about":
            news = {key: value for key, value in event.facts.items() if known.get(key) != value}
            known.update(news)
            told += [(event.pos, news)] if news else []
        elif event.kind == "usage":
            usage = (event.used, event.window)
        else:
            told.append(event)
    return told, usage, min(times, default=0), max(times, default=0)


def assert_sound(batch: Batch) -> None:
    for event in batch.events:
        assert event.kind in EVENT_KINDS
        assert event.kind != "tool" or event.name in TOOL_NAMES
        assert 1 <= event.pos <= batch.cursor.lines
        (
            event.text + event.command + event.path + "".join(event.facts.values())
        ).encode()  # no half characters


@every_source
def test_a_source_has_a_name_and_a_sample(source: Source) -> None:
    assert SOURCES[source.NAME] is source
    assert source.NAME in SAMPLES


@every_source
def test_a_log_gives_sound_events_in_the_order_of_the_log(source: Source, tmp_path: Path) -> None:
    batch = source.read(copy(source, tmp_path), Cursor())
    assert_sound(batch)
    assert batch.skipped == 0 and not batch.restarted
    positions = [event.pos for event in batch.events if event.kind not in ("about", "usage")]
    assert positions == sorted(positions)
    assert {"about", "prompt", "say", "tool", "result", "usage"} <= {event.kind for event in batch.events}


@every_source
def test_reading_again_gives_the_same(source: Source, tmp_path: Path) -> None:
    log = copy(source, tmp_path)
    assert source.read(log, Cursor()) == source.read(log, Cursor())


@every_source
def test_behind_the_end_there_is_nothing(source: Source, tmp_path: Path) -> None:
    log = copy(source, tmp_path)
    first = source.read(log, Cursor())
    again = source.read(log, first.cursor)
    assert again == Batch(events=(), cursor=first.cursor)


@every_source
def test_a_batch_that_left_nothing_says_so(source: Source, tmp_path: Path) -> None:
    assert source.read(copy(source, tmp_path), Cursor()).at_end


@line_logs
def test_a_batch_says_that_it_is_at_the_end_only_if_it_is(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "BATCH", 300)
    log = copy(source, tmp_path)
    batch = source.read(log, Cursor())
    while not batch.at_end:
        before, batch = batch.cursor, source.read(log, batch.cursor)
        assert batch.cursor != before or batch.at_end
    again = source.read(log, batch.cursor)
    assert again == Batch(events=(), cursor=batch.cursor)
    assert batch.cursor.offset == log.stat().st_size


@line_logs
@given(data=st.data())
def test_a_log_read_in_pieces_gives_what_it_gives_at_once(source: Source, data: st.DataObject) -> None:
    content = sample(source)
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=5).map(sorted))
    with tempfile.TemporaryDirectory() as folder:
        log = copy(source, Path(folder), b"")
        cursor, events = Cursor(), dict[str, list[Event]]()
        for begin, end in zip([0, *cuts], [*cuts, len(content)], strict=True):
            append(log, content[begin:end])
            batch = source.read(log, cursor)
            assert batch.skipped == 0
            assert not batch.restarted or kind_of(source.NAME) == "whole"
            cursor = batch.cursor
            if batch.restarted:  # its sessions are told anew
                events |= {event.session: [] for event in batch.events}
            for event in batch.events:
                events.setdefault(event.session, []).append(event)
        whole = source.read(log, Cursor())
    for session in {event.session for event in whole.events}:
        at_once = [event for event in whole.events if event.session == session]
        assert settled(events[session]) == settled(at_once)
    assert cursor == whole.cursor


@growing_logs
def test_a_half_written_line_waits(source: Source, tmp_path: Path) -> None:
    content = sample(source)
    whole = content.rindex(b"\n", 0, len(content) - 1) + 1
    half = whole + 20
    log = copy(source, tmp_path, content[:half])
    first = source.read(log, Cursor())
    assert first.cursor.offset == whole and first.skipped == 0
    append(log, content[half:])
    second = source.read(log, first.cursor)
    assert second.cursor.offset == len(content)
    assert {event.pos for event in second.events} == {second.cursor.lines}


@growing_logs
def test_a_whole_last_line_need_not_wait_for_its_newline(source: Source, tmp_path: Path) -> None:
    content = sample(source)
    log = copy(source, tmp_path, content.rstrip(b"\n"))
    first = source.read(log, Cursor())
    assert first.events == source.read(SAMPLES[source.NAME], Cursor()).events
    append(log, b"\n")
    second = source.read(log, first.cursor)
    assert second.events == () and second.cursor.lines == first.cursor.lines
    assert second.cursor.offset == len(content)


@line_logs
def test_a_log_replaced_by_another_is_read_from_its_start(source: Source, tmp_path: Path) -> None:
    log = copy(source, tmp_path)
    cursor = source.read(log, Cursor()).cursor
    (tmp_path / "new").write_bytes(sample(source))
    (tmp_path / "new").rename(log)
    batch = source.read(log, cursor)
    assert batch.restarted
    assert batch.events == source.read(log, Cursor()).events


@line_logs
@pytest.mark.parametrize("place", [10, -10], ids=["head", "tail"])
def test_a_log_rewritten_in_place_is_read_from_its_start(source: Source, tmp_path: Path, place: int) -> None:
    content = sample(source)
    log = copy(source, tmp_path)
    cursor = source.read(log, Cursor()).cursor
    place %= len(content)
    with log.open("r+b") as file:
        file.write(content[:place] + b"#" + content[place + 1 :])
    assert log.stat().st_ino == cursor.inode
    assert source.read(log, cursor).restarted


@line_logs
def test_a_shortened_log_is_read_from_its_start(source: Source, tmp_path: Path) -> None:
    log = copy(source, tmp_path)
    cursor = source.read(log, Cursor()).cursor
    os.truncate(log, cursor.offset // 2)
    batch = source.read(log, cursor)
    assert batch.restarted and batch.cursor.offset < cursor.offset
    os.truncate(log, 0)
    assert source.read(log, batch.cursor) == Batch((), source.read(log, Cursor()).cursor, restarted=True)


@line_logs
def test_reading_up_to_a_line_gives_what_the_log_gave_then(source: Source, tmp_path: Path) -> None:
    lines = sample(source).splitlines(keepends=True)
    log = copy(source, tmp_path)
    until = len(lines) // 2
    then = source.read(log, Cursor(), until)
    assert then.cursor.lines == until
    log.write_bytes(b"".join(lines[:until]))
    assert source.read(log, Cursor()).events == then.events
    assert source.read(log, Cursor(), until).events == then.events


@line_logs
@pytest.mark.parametrize("beyond", [0, -3, 10_000])
def test_a_line_the_log_does_not_have_is_a_mistake_of_the_caller(
    source: Source, tmp_path: Path, beyond: int
) -> None:
    with pytest.raises(UsageError, match=r"line"):
        source.read(copy(source, tmp_path), Cursor(), beyond)


@documents
def test_a_document_has_no_lines_to_read_up_to(source: Source, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"line"):
        source.read(copy(source, tmp_path), Cursor(), 3)


@documents
def test_a_changed_document_is_told_anew(source: Source, tmp_path: Path) -> None:
    log = copy(source, tmp_path)
    first = source.read(log, Cursor())
    log.write_bytes(sample(source).replace("🌱".encode(), b"green"))
    again = source.read(log, first.cursor)
    assert again.restarted and len(again.events) == len(first.events)


@documents
def test_a_half_saved_document_is_waited_for(source: Source, tmp_path: Path) -> None:
    log = copy(source, tmp_path)
    first = source.read(log, Cursor())
    log.write_bytes(sample(source)[: len(sample(source)) // 2])
    assert source.read(log, first.cursor) == Batch((), first.cursor)
    log.write_bytes(sample(source))
    assert source.read(log, first.cursor) == Batch((), first.cursor)


@documents
def test_hundreds_of_mutated_documents_stop_nothing(
    source: Source, tmp_path: Path, rng: random.Random
) -> None:
    whole = json.loads(sample(source))
    for _ in range(300):
        log = copy(source, tmp_path, json.dumps(_shaken(rng, whole)).encode())
        assert_sound(source.read(log, Cursor()))


@every_source
def test_a_log_that_cannot_be_read_is_named(source: Source, tmp_path: Path) -> None:
    for log in (tmp_path / "absent.jsonl", tmp_path):
        with pytest.raises(LogUnreadable, match=log.name):
            source.read(log, Cursor())


@line_logs
def test_junk_is_counted_and_stops_nothing(source: Source, tmp_path: Path) -> None:
    junk = [
        b"not json at all",
        b"5",
        b"[]",
        b'{"type":"user","message":',
        b"\x00" * 300,
        b'{"a":' * 100_000,
        b'{"type":"user","message":{"content":' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    ]
    log = copy(source, tmp_path)
    clean = source.read(log, Cursor())
    append(log, b"\n".join(junk) + b"\n\n  \n" + sample(source).splitlines(keepends=True)[-1])
    batch = source.read(log, Cursor())
    if is_json(source):
        assert batch.skipped == len(junk)
    assert settled(batch.events)[0][: len(settled(clean.events)[0])] == settled(clean.events)[0]
    assert batch.cursor.offset == log.stat().st_size


@every_source
def test_broken_characters_are_mended(source: Source, tmp_path: Path) -> None:
    content = sample(source)
    for broken in (rb"\ud83d", rb"\udc00 \ud800\ud83c\udf31", b"\xff\xfe", b"\xed\xa0\x80", b"\x01"):
        log = copy(source, tmp_path, content.replace("🌱".encode(), broken))
        batch = source.read(log, Cursor())
        assert_sound(batch)
        assert batch.skipped == 0
        assert len(batch.events) == len(source.read(SAMPLES[source.NAME], Cursor()).events)


def mutated(chance: random.Random, lines: list[bytes]) -> bytes:
    """A line of the sample with something done to it."""
    line = chance.choice(lines)
    match chance.randrange(6):
        case 0:
            return line[: chance.randrange(len(line))]
        case 1:
            at = chance.randrange(len(line))
            return line[:at] + chance.randbytes(chance.randrange(1, 9)).replace(b"\n", b"") + line[at:]
        case 2:
            return bytes(chance.choice(line) for _ in line[:200]).replace(b"\n", b"")
        case 3:
            at, other = chance.randrange(len(line)), chance.choice(lines)
            return line[:at] + other[chance.randrange(len(other)) :]
        case _ if line.startswith(b"{"):
            return json.dumps(_shaken(chance, json.loads(line))).encode()
        case _:
            return b" ".join(chance.sample(line.split(b" "), k=line.count(b" ") + 1))


def _shaken(chance: random.Random, value: Any) -> Any:
    """The same record with some values of another type, some left out."""
    if chance.random() < 0.03:
        return chance.choice(
            [None, 0, -1.5, True, "", "\ud800", [], {}, [None], {"type": "text"}, "x" * 9000]
        )
    if isinstance(value, dict):
        return {key: _shaken(chance, inner) for key, inner in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        return [_shaken(chance, inner) for inner in value]
    return value


def read_mutated(source: Source, folder: Path, chance: random.Random, count: int) -> None:
    lines = [line for line in sample(source).splitlines() if line]
    log = copy(source, folder, b"".join(mutated(chance, lines) + b"\n" for _ in range(count)))
    batch = source.read(log, Cursor())
    assert_sound(batch)
    assert batch.cursor.lines == count
    if is_json(source):
        assert 0 < batch.skipped < count


@line_logs
def test_thousands_of_mutated_lines_stop_nothing(source: Source, tmp_path: Path, rng: random.Random) -> None:
    read_mutated(source, tmp_path, rng, 3_000)


@line_logs
@pytest.mark.slow
def test_twenty_thousand_mutated_lines_stop_nothing(
    source: Source, tmp_path: Path, rng: random.Random
) -> None:
    read_mutated(source, tmp_path, rng, 20_000)


@line_logs
def test_a_huge_line_costs_bounded_memory_and_keeps_its_meaning(source: Source, tmp_path: Path) -> None:
    content = sample(source)
    log = copy(source, tmp_path, b"")
    block = rb"a \"long\" story \\ of beds\n " * 40_000
    with log.open("wb") as file:
        begin, _, end = content.partition("🌱".encode())
        file.write(begin)
        for _ in range(30):
            file.write(block)
        file.write(end)
    assert log.stat().st_size > 30 << 20
    tracemalloc.start()
    kinds, skipped = kinds_in_parts(source, log)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
    if is_json(source):  # a line of prose that long is passed over
        assert skipped == 0
        assert kinds == kinds_in_parts(source, SAMPLES[source.NAME])[0]


def kinds_in_parts(source: Source, log: Path) -> tuple[list[str], int]:
    """What a long log holds, read until the cursor stays; a part may tell again what the one before told."""
    kinds: list[str] = []
    skipped, cursor = 0, Cursor()
    while (batch := source.read(log, cursor)).cursor != cursor:
        kinds += [event.kind for event in batch.events if event.kind not in ("about", "usage")]
        skipped, cursor = skipped + batch.skipped, batch.cursor
    return kinds, skipped


@every_source
def test_a_home_without_logs_has_none(source: Source, tmp_path: Path) -> None:
    assert list(source.find_logs(tmp_path, {}, None)) == []
    assert list(source.find_logs(tmp_path, {}, [tmp_path])) == []
