from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import nanoctx
from nanoctx.disk import files, lock
from nanoctx.errors import Busy, DiskError

HOLDER = """
import os, sys, time
from pathlib import Path
from nanoctx.disk import lock
with lock.hold(Path(sys.argv[1]), wait=5, purpose="a long look"):
    if "fork" in sys.argv and not os.fork():
        os.close(1)  # the child outlives its parent by far, and says nothing
        time.sleep(30)
    if "exec" in sys.argv:
        import subprocess
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"], stdout=subprocess.DEVNULL)
    print("held", flush=True)
    sys.stdin.read()
"""


class Holder:
    """Another process that holds a lock, with those it started."""

    def __init__(self, path: Path, *how: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(path), *how],
            env={**os.environ, "PYTHONPATH": str(Path(nanoctx.__file__).parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> subprocess.Popen[str]:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "held\n"
        return self.process

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


def test_a_lock_that_is_held_names_its_holder(tmp_path: Path) -> None:
    with Holder(tmp_path / "lock") as other:
        with pytest.raises(Busy, match=rf"Process {other.pid} \(a long look\) .* try again") as caught:
            lock.hold(tmp_path / "lock", wait=0.05, purpose="test").__enter__()
        assert "\n" not in str(caught.value)


def test_a_lock_is_free_again_after_use_and_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), lock.hold(tmp_path / "lock", wait=0, purpose="first"):
        raise ZeroDivisionError
    with lock.hold(tmp_path / "lock", wait=0, purpose="second"):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()} second\n"
    assert (tmp_path / "lock").read_text() == ""


@pytest.mark.parametrize("children", [(), ("fork",), ("exec",)], ids=["alone", "forked", "started a program"])
def test_a_killed_holder_holds_nothing_even_if_its_children_live(
    tmp_path: Path, children: tuple[str, ...]
) -> None:
    with Holder(tmp_path / "lock", *children) as other:
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        with lock.hold(tmp_path / "lock", wait=2, purpose="next"):
            pass


def test_a_child_that_leaves_the_block_does_not_release_its_parents_lock(tmp_path: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from nanoctx.disk import lock
from nanoctx.errors import Busy
path = Path(sys.argv[1])
with lock.hold(path, wait=0, purpose="parent"):
    child = os.fork()
    if child:
        print(os.waitpid(child, 0)[1])
        try:
            with lock.hold(path, wait=0, purpose="again"):
                print("released")
        except Busy:
            print("still held")
"""
    command = [sys.executable, "-c", script, str(tmp_path / "lock")]
    environment = {**os.environ, "PYTHONPATH": str(Path(nanoctx.__file__).parents[1])}
    outcome = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert outcome.stdout == "0\nstill held\n"


def test_who_waits_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    entered, leave = threading.Event(), threading.Event()

    def first() -> None:
        with lock.hold(tmp_path / "lock", wait=0, purpose="first"):
            entered.set()
            leave.wait()

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait()
    threading.Timer(0.05, leave.set).start()
    with lock.hold(tmp_path / "lock", wait=5, purpose="second"):
        assert leave.is_set()
    thread.join()


def test_a_lock_file_deleted_while_we_wait_is_not_mistaken_for_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    opened = files.open_lock
    deleted: list[int] = []

    def open_and_delete_once(path: Path) -> int:
        descriptor = opened(path)
        if not deleted:
            deleted.append(descriptor)
            path.unlink()
        return descriptor

    monkeypatch.setattr(files, "open_lock", open_and_delete_once)
    with lock.hold(path, wait=0, purpose="test"):
        assert path.exists()
        with pytest.raises(Busy):
            lock.hold(path, wait=0, purpose="other").__enter__()


def test_a_deleted_state_folder_comes_back_and_a_missing_workspace_does_not(tmp_path: Path) -> None:
    with lock.hold(tmp_path / ".state" / "lock", wait=0, purpose="test"):
        pass
    with pytest.raises(DiskError):
        lock.hold(tmp_path / "unmounted" / ".state" / "lock", wait=0, purpose="test").__enter__()
    assert not (tmp_path / "unmounted").exists()


@pytest.mark.parametrize("junk", [b"", b"\xff\xff", b"no number", b"7" * 5000])
def test_a_lock_file_with_junk_in_it_still_locks(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "lock"
    with lock.hold(path, wait=0, purpose="test"):
        path.write_bytes(junk)
        with pytest.raises(Busy, match="try again"):
            lock.hold(path, wait=0, purpose="other").__enter__()


WRITER = """
import sys
from pathlib import Path
from nanoctx.disk import files, lock
folder = Path(sys.argv[1])
for number in range(int(sys.argv[2])):
    with lock.hold(folder / ".state" / "lock", wait=60, purpose="note"):
        text = files.read(folder / "notes").text
        files.write(folder / "notes", text + f"{sys.argv[3]}.{number}\\n", durable=False)
"""


@pytest.mark.parametrize("each", [40, pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(300)])])
def test_of_8_writers_who_read_and_write_the_same_file_none_loses_a_note(tmp_path: Path, each: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(nanoctx.__file__).parents[1])}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(each), str(number)], env=environment
        )
        for number in range(8)
    ]
    assert [writer.wait() for writer in writers] == [0] * 8
    notes = (tmp_path / "notes").read_text().splitlines()
    assert sorted(notes) == sorted(f"{writer}.{number}" for writer in range(8) for number in range(each))
