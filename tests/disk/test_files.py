from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.disk import files, snapshots, swap, temporaries
from nanoctx.disk.files import Snapshot
from nanoctx.errors import ChangedOnDisk, DiskError

LATER = 3600.0


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "CONTEXT.md"
    path.write_text("old")
    return path


@pytest.fixture(params=["exchange", "rename", "no links"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The three ways to replace a page, of which file systems offer one or more."""

    def unsupported(*_: object) -> None:
        raise swap.Unsupported

    if request.param != "exchange":
        monkeypatch.setattr(swap, "_rename", unsupported)
    if request.param == "no links":
        monkeypatch.setattr(files, "_link", lambda *_: False)
    return str(request.param)


# Reading


@given(data=st.binary(max_size=200))
def test_any_bytes_survive_reading_and_writing(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "a").write_bytes(data)
    seen = files.read(folder / "a")
    written = files.write(folder / "b", seen.text, durable=False)
    assert (folder / "b").read_bytes() == data
    assert written == seen == files.read(folder / "b")


@given(text=st.text(st.characters(exclude_categories=()), max_size=50))
def test_half_a_surrogate_pair_stops_no_write(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("text") / "a"
    assert files.write(path, text + "\ud800", durable=False) == files.read(path)
    assert path.read_bytes().endswith("\ufffd".encode())


def test_a_file_that_is_not_there_differs_from_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert files.read(tmp_path / "gone") == Snapshot("", "")
    assert files.read(tmp_path / "no" / "folder") == Snapshot("", "")
    assert files.read(tmp_path / "empty").stamp


def test_a_pipe_in_place_of_a_file_does_not_hang_us(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for attempt in (
        lambda: files.read(tmp_path / "pipe"),
        lambda: files.write(tmp_path / "pipe", "x"),
        lambda: files.append(tmp_path / "pipe", "x"),
    ):
        with pytest.raises(DiskError, match="plain file"):
            attempt()


# Writing


def test_a_new_file_gets_the_usual_rights_and_a_private_one_none_for_others(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        files.write(tmp_path / "page", "x")
        files.write(tmp_path / "secret", "x", private=True)
    finally:
        os.umask(before)
    assert _mode(tmp_path / "page") == 0o640
    assert _mode(tmp_path / "secret") == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_rewritten_file_keeps_its_rights(page: Path, way: str, mode: int) -> None:
    page.chmod(mode)
    files.exchange(page, "new", files.write(page, "newer"))
    assert (_mode(page), page.read_text()) == (mode, "new")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_rewritten_file_keeps_its_owner(page: Path) -> None:
    os.chown(page, 12345, 12345)
    files.write(page, "new")
    assert (page.stat().st_uid, page.stat().st_gid) == (12345, 12345)


def test_a_file_that_becomes_private_is_closed_to_others_even_if_its_text_stays(page: Path) -> None:
    page.chmod(0o644)
    files.write(page, "old", private=True)
    assert _mode(page) == 0o600


def test_the_same_text_is_not_written_again(page: Path) -> None:
    before = page.stat()
    seen = files.read(page)
    assert files.write(page, "old") == files.write(page, "old", expect=seen) == seen
    assert files.exchange(page, "old", seen) == seen
    after = page.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("precious")
    link = tmp_path / "link"
    link.symlink_to(outside)
    for attempt in (
        lambda: files.write(link, "x"),
        lambda: files.exchange(link, "x", files.read(link)),
        lambda: files.append(link, "x"),
        lambda: files.open_lock(link),
    ):
        with pytest.raises(DiskError, match="symbolic link"):
            attempt()
    assert outside.read_text() == "precious"
    assert _names(tmp_path) == ["link", "outside"]


@pytest.mark.parametrize("planted", ["a link", "a file"])
def test_nothing_is_written_through_what_was_planted_where_the_new_version_is_made(
    page: Path, monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    spare = page.parent / temporaries.new_name(page.name)
    monkeypatch.setattr(temporaries, "new_name", lambda name: spare.name)
    outside = page.parent / "outside"
    outside.write_text("theirs")
    if planted == "a link":
        spare.symlink_to(outside)
    else:
        spare.write_text("theirs")
    with pytest.raises(DiskError):
        files.write(page, "new")
    assert (page.read_text(), outside.read_text()) == ("old", "theirs")


def test_a_missing_folder_is_not_made_by_a_write(tmp_path: Path) -> None:
    with pytest.raises(DiskError, match="mounted"):
        files.write(tmp_path / "unmounted" / "CONTEXT.md", "x")
    assert _names(tmp_path) == []


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "CONTEXT.md").mkdir()
    with pytest.raises(DiskError, match="plain file"):
        files.write(tmp_path / "CONTEXT.md", "x")


def test_names_as_long_as_the_system_allows_can_be_written(tmp_path: Path) -> None:
    for name in ("x" * 255, "é" * 127, "🙂" * 63):
        seen = files.write(tmp_path / name, "old")
        files.exchange(tmp_path / name, "new", seen)
        assert (tmp_path / name).read_text() == "new"


@pytest.mark.parametrize(
    "put", [files.exchange, lambda path, text, seen: files.write(path, text, expect=seen)]
)
def test_a_version_we_have_not_read_is_not_overwritten(
    page: Path, put: Callable[[Path, str, Snapshot], Snapshot]
) -> None:
    seen = files.read(page)
    page.write_text("by hand")
    with pytest.raises(ChangedOnDisk, match="try again"):
        put(page, "ours", seen)
    assert page.read_text() == "by hand"
    page.unlink()
    with pytest.raises(ChangedOnDisk):
        put(page, "ours", seen)
    assert _names(page.parent) == []
    page.write_text("made by hand")
    with pytest.raises(ChangedOnDisk):
        put(page, "ours", Snapshot("", ""))
    assert page.read_text() == "made by hand"
    assert _names(page.parent) == [page.name]


def test_a_read_only_folder_is_named_with_what_to_do(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    with pytest.raises(DiskError, match="check who may use it"):
        files.write(tmp_path / "a", "x")


# Exchanging with people


def test_an_exchange_replaces_what_was_read_and_leaves_nothing_beside(page: Path, way: str) -> None:
    written = files.exchange(page, "new", files.read(page))
    assert written == files.read(page) == Snapshot("new", written.stamp)
    assert _names(page.parent) == [page.name]


def test_an_exchange_makes_a_page_that_was_not_there(tmp_path: Path, way: str) -> None:
    files.exchange(tmp_path / "CONTEXT.md", "new", Snapshot("", ""))
    assert (tmp_path / "CONTEXT.md").read_text() == "new"
    assert _names(tmp_path) == ["CONTEXT.md"]


class Person:
    """Saves just before each exchange of two files, in one manner after the other."""

    def __init__(self, page: Path, monkeypatch: pytest.MonkeyPatch, *saves: Callable[[Path], object]) -> None:
        self.page, self.saves, self.exchange = page, list(saves), swap.exchange
        monkeypatch.setattr(swap, "exchange", self)

    def __call__(self, folder: int, one: str, other: str) -> None:
        if self.saves:
            self.saves.pop(0)(self.page)
        self.exchange(folder, one, other)


def in_place(text: str) -> Callable[[Path], object]:
    return lambda page: page.write_text(text)


def by_rename(text: str) -> Callable[[Path], object]:
    def save(page: Path) -> None:
        (page.parent / "editor~").write_text(text)
        (page.parent / "editor~").rename(page)

    return save


def as_link(target: Path) -> Callable[[Path], object]:
    def save(page: Path) -> None:
        (page.parent / "link~").symlink_to(target)
        (page.parent / "link~").rename(page)

    return save


@pytest.mark.parametrize("save", [in_place, by_rename])
def test_a_save_in_the_last_moment_stands(
    page: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[str], Callable[[Path], object]]
) -> None:
    Person(page, monkeypatch, save("theirs"))
    with pytest.raises(ChangedOnDisk) as caught:
        files.exchange(page, "ours", files.read(page))
    assert (page.read_text(), caught.value.found) == ("theirs", None)
    assert _names(page.parent) == [page.name]


@pytest.mark.parametrize("second", [in_place, by_rename])
@pytest.mark.parametrize("first", [in_place, by_rename])
def test_of_two_saves_in_the_last_moments_the_newer_stands_and_the_other_is_found(
    page: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: Callable[[str], Callable[[Path], object]],
    second: Callable[[str], Callable[[Path], object]],
) -> None:
    Person(page, monkeypatch, first("first"), second("second"))
    with pytest.raises(ChangedOnDisk) as caught:
        files.exchange(page, "ours", files.read(page))
    assert (page.read_text(), caught.value.found) == ("second", "first")
    assert caught.value.kept is not None
    assert caught.value.kept.read_text() == "first"
    assert files.strays(page.parent) == (caught.value.kept,)
    assert files.clean_temporaries(page.parent, 0, time.time() + LATER) == 0
    files.remove(caught.value.kept)
    assert _names(page.parent) == [page.name]


@given(manners=st.lists(st.sampled_from([in_place, by_rename]), min_size=1, max_size=8))
def test_however_often_they_save_the_newest_stands_and_none_is_lost_by_us(
    tmp_path_factory: pytest.TempPathFactory, manners: list[Callable[[str], Callable[[Path], object]]]
) -> None:
    page = tmp_path_factory.mktemp("race") / "CONTEXT.md"
    page.write_text("old")
    replaced: list[str] = []  # what they themselves saved over

    def save(number: int, manner: Callable[[str], Callable[[Path], object]]) -> Callable[[Path], object]:
        def act(page: Path) -> None:
            replaced.append(page.read_text())
            manner(f"theirs {number}")(page)

        return act

    with pytest.MonkeyPatch.context() as patch:
        Person(page, patch, *(save(number, manner) for number, manner in enumerate(manners)))
        with pytest.raises(ChangedOnDisk) as caught:
            files.exchange(page, "ours", files.read(page))
    assert page.read_text() == f"theirs {len(manners) - 1}"
    accounted = {page.read_text(), caught.value.found, *replaced}
    assert {f"theirs {number}" for number in range(len(manners))} <= accounted


def test_a_person_quicker_than_we_ever_undo_loses_nothing(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_ROUNDS", 3)
    Person(page, monkeypatch, *(by_rename(f"theirs {number}") for number in range(20)))
    with pytest.raises(ChangedOnDisk) as caught:
        files.exchange(page, "ours", files.read(page))
    assert {page.read_text(), caught.value.found} == {"theirs 2", "theirs 3"}


def test_a_page_deleted_in_the_last_moment_stays_deleted(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Person(page, monkeypatch, Path.unlink)
    with pytest.raises(ChangedOnDisk):
        files.exchange(page, "ours", files.read(page))
    assert _names(page.parent) == []


def test_a_page_saved_and_then_deleted_comes_back_as_it_was_saved(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Person(page, monkeypatch, in_place("theirs"), Path.unlink)
    with pytest.raises(ChangedOnDisk):
        files.exchange(page, "ours", files.read(page))
    assert page.read_text() == "theirs"
    assert _names(page.parent) == [page.name]


def test_a_link_put_in_the_pages_place_stays(
    page: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "page"
    elsewhere.write_text("old")
    Person(page, monkeypatch, as_link(elsewhere))
    with pytest.raises(ChangedOnDisk):
        files.exchange(page, "ours", files.read(page))
    assert page.is_symlink()
    assert elsewhere.read_text() == "old"


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="only Linux tells who has a file open")
def test_a_page_that_an_editor_has_open_for_writing_is_left_to_it(page: Path) -> None:
    with page.open("w") as editor:  # truncated, not yet written: a half-saved page
        with pytest.raises(ChangedOnDisk):
            files.exchange(page, "ours", files.read(page))
        editor.write("theirs")
    assert page.read_text() == "theirs"
    assert files.exchange(page, "ours", files.read(page)).text == "ours"


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="only Linux tells who has a file open")
@pytest.mark.parametrize("reading", [1, 2], ids=["as it came out", "before it is removed"])
def test_an_editor_that_opens_the_old_version_while_we_check_it_gets_it_back(
    page: Path, monkeypatch: pytest.MonkeyPatch, reading: int
) -> None:
    content = snapshots._content
    readings: list[Path] = []
    editors: list[threading.Thread] = []

    def opened_meanwhile(descriptor: int) -> bytes:
        data = content(descriptor)
        readings.extend(page.parent.glob(".*swap*"))
        if len(readings) == reading and not editors:
            editors.append(threading.Thread(target=readings[0].write_text, args=["theirs"]))
            editors[0].start()
            while not swap.is_being_written(descriptor):
                time.sleep(0.001)
        return data

    monkeypatch.setattr(snapshots, "_content", opened_meanwhile)
    with pytest.raises(ChangedOnDisk):
        files.exchange(page, "ours", files.read(page))
    editors[0].join()
    assert page.read_text() == "theirs"


def test_a_person_who_is_late_to_write_into_the_version_we_took_gets_it_back(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = files._sync
    synced: list[bool] = []

    def late(descriptor: int) -> None:
        sync(descriptor)
        synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode))
        if synced == [False, True]:  # the exchange is done and flushed
            next(page.parent.glob(".*swap*")).write_text("theirs")

    monkeypatch.setattr(files, "_sync", late)
    with pytest.raises(ChangedOnDisk):
        files.exchange(page, "ours", files.read(page))
    assert page.read_text() == "theirs"
    assert _names(page.parent) == [page.name]
    assert synced == [False, True, True], "what was put back must be safe, too"


def test_a_save_while_we_flush_is_not_overwritten_by_a_plain_write(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = files.read(page)
    monkeypatch.setattr(files, "_sync", lambda _: page.write_text("theirs"))
    with pytest.raises(ChangedOnDisk):
        files.write(page, "ours", expect=seen)
    assert page.read_text() == "theirs"
    assert _names(page.parent) == [page.name]


@pytest.mark.parametrize("moment", ["before the second name", "after it"])
def test_without_an_exchange_a_save_in_the_last_moment_is_kept_too(
    page: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def unsupported(*_: object) -> None:
        if moment == "before the second name":
            page.write_text("theirs")
        raise swap.Unsupported

    rename = files._rename

    def late(folder: int, name: str, target: str) -> None:
        if target == page.name:
            page.write_text("theirs")
        rename(folder, name, target)

    monkeypatch.setattr(swap, "_rename", unsupported)
    if moment == "after it":
        monkeypatch.setattr(files, "_rename", late)
    with pytest.raises(ChangedOnDisk) as caught:
        files.exchange(page, "ours", files.read(page))
    assert "theirs" in (page.read_text(), caught.value.found)
    if caught.value.kept:
        assert files.strays(page.parent) == (caught.value.kept,)
    else:
        assert _names(page.parent) == [page.name]


# Logs, folders, leftovers


def test_an_appended_line_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    files.append(log, "one")
    files.append(log, "two\nstill two\r\n")
    files.append(log, "three\u2028 \udcff")
    assert log.read_bytes() == b"one\ntwo still two\nthree\xe2\x80\xa8 \xff\n"


def test_a_line_cut_by_a_full_drive_does_not_spoil_the_next(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("whole\nha")
    files.append(tmp_path / "log", "next")
    assert (tmp_path / "log").read_text() == "whole\nha\nnext\n"


def test_a_removed_file_is_gone_and_a_missing_one_is_fine(page: Path) -> None:
    files.remove(page)
    files.remove(page)
    files.remove(page / "no" / "folder")
    assert _names(page.parent) == []


def test_a_folder_is_not_removed_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(DiskError):
        files.remove(tmp_path / "folder")


def test_folders_are_made_with_those_above(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        files.make_folder(tmp_path / "a" / "b" / "c", private=True)
        files.make_folder(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert _mode(tmp_path / "a" / "b" / "c") == 0o700
    assert _mode(tmp_path / "a" / "b") == 0o755


def test_a_private_folder_is_closed_to_others_if_it_was_open(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o755)
    files.make_folder(tmp_path / "run", private=True)
    assert _mode(tmp_path / "run") == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_a_private_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    os.chown(tmp_path / "run", 12345, 12345)
    with pytest.raises(DiskError, match="another user"):
        files.make_folder(tmp_path / "run", private=True)


def test_a_file_in_a_folders_place_is_refused(page: Path) -> None:
    for folder in (page, page / "below"):
        with pytest.raises(DiskError):
            files.make_folder(folder)
    assert page.read_text() == "old"


def test_only_our_own_and_old_temporaries_are_cleaned(tmp_path: Path) -> None:
    ours = tmp_path / f".CONTEXT.md.{'0' * 16}.nanoctx-tmp"
    for path in (ours, tmp_path / "notes.nanoctx-tmp", tmp_path / ".CONTEXT.md.swp"):
        path.write_text("x")
    (tmp_path / f".folder.{'0' * 16}.nanoctx-tmp").mkdir()
    (tmp_path / f".link.{'0' * 16}.nanoctx-tmp").symlink_to(tmp_path / "notes.nanoctx-tmp")
    assert files.clean_temporaries(tmp_path, 60, time.time()) == 0
    assert files.clean_temporaries(tmp_path, 60, time.time() + LATER) == 1
    assert not ours.exists()
    assert len(_names(tmp_path)) == 4


def test_a_folder_that_is_not_there_has_nothing_to_clean(tmp_path: Path) -> None:
    assert files.clean_temporaries(tmp_path / "gone", 0, LATER) == 0
    assert files.strays(tmp_path / "gone") == ()


@given(name=st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=120))
def test_temporaries_are_told_apart_whatever_the_file_is_called(name: str) -> None:
    swapped, kept, plain = (
        temporaries.new_swap_name(name, "a" * 32, "b" * 32),
        temporaries.new_kept_name(name, "a" * 32, "b" * 32),
        temporaries.new_name(name),
    )
    assert [*map(temporaries.was_swapped, (swapped, kept, plain))] == [True, False, False]
    for temporary in (swapped, kept):
        assert temporaries.is_known(temporary, "a" * 32)
        assert temporaries.is_known(temporary, "b" * 32)
        assert not temporaries.is_known(temporary, "c" * 32)
    assert temporaries.is_known(plain, "c" * 32)
    assert not temporaries.is_known(name, "a" * 32)
    assert max(len(os.fsencode(temporary)) for temporary in (swapped, kept, plain)) < 200


def test_what_a_killed_exchange_left_goes_only_if_we_know_the_text(tmp_path: Path) -> None:
    known, fresh = (files.write(tmp_path / "page", text).stamp[:16] for text in ("known", "fresh"))
    left = {
        text: tmp_path / f".page.swap-{known}-{fresh}.{number:016}.nanoctx-tmp"
        for number, text in enumerate(("known", "fresh", "theirs"))
    }
    for text, path in left.items():
        path.write_text(text)
    assert files.strays(tmp_path) == (left["theirs"],)
    assert files.clean_temporaries(tmp_path, 60, time.time() + LATER) == 2
    assert left["theirs"].read_text() == "theirs"
