"""What goes wrong under a write: refused system calls, full drives, kills, and people who save meanwhile."""

from __future__ import annotations

import errno
import itertools
import os
import random
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import nanoctx
from nanoctx.disk import files, snapshots, swap
from nanoctx.disk.files import Snapshot
from nanoctx.errors import ChangedOnDisk, DiskError

OLD, NEW = "old\n" * 500, "new\n" * 700

# Those whose failure a write may pass over: they come after it or beside it, for good measure.
OPTIONAL = ("unlink", "fchown", "stat", "ftruncate", "pwrite")
CALLS = ("open", "read", "write", "fsync", "rename", "link", "fchmod", "fstat", "mkdir", "pread", *OPTIONAL)
FAULTS = (errno.ENOSPC, errno.EIO, errno.EROFS, KeyboardInterrupt)


class FaultyOs:
    """`os` as the writer sees it, with one fault: at the n-th call, before or after it took effect."""

    def __init__(self, at: int, fault: int | type[BaseException], after: bool) -> None:
        self.at, self.fault, self.after = at, fault, after
        self.calls: list[str] = []
        self.struck = ""  # the call that failed

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        return self.wrap(name, real) if name in CALLS else real

    def wrap(self, name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            self.calls.append(name)
            hit = len(self.calls) - 1 == self.at
            if hit and not self.after:
                self.fail(name)
            result = real(*arguments, **options)
            if hit:
                if name == "open" and isinstance(result, int):
                    os.close(result)
                self.fail(name)
            return result

        return call

    def fail(self, name: str) -> None:
        self.struck = name
        if isinstance(self.fault, int):
            raise OSError(self.fault, os.strerror(self.fault))
        raise self.fault


@dataclass(frozen=True)
class Scene:
    name: str
    act: Callable[[Path, Snapshot], object]
    there: bool = True  # whether the file exists before
    changes_places: bool = True  # whether the file system knows how to exchange
    must_strike: tuple[str, ...] = ("open", "fsync")


SCENES = [
    Scene("write over", lambda path, seen: files.write(path, NEW)),
    Scene("write what is expected", lambda path, seen: files.write(path, NEW, expect=seen)),
    Scene("write a new file", lambda path, seen: files.write(path, NEW), there=False),
    Scene(
        "write a new file that is expected",
        lambda path, seen: files.write(path, NEW, expect=seen),
        there=False,
    ),
    Scene("write the same", lambda path, seen: files.write(path, OLD)),
    Scene(
        "write a cache",
        lambda path, seen: files.write(path, NEW, durable=False),
        must_strike=("write", "rename"),
    ),
    Scene("write a secret", lambda path, seen: files.write(path, NEW, private=True)),
    Scene("exchange", lambda path, seen: files.exchange(path, NEW, seen)),
    Scene("exchange a new file", lambda path, seen: files.exchange(path, NEW, seen), there=False),
    Scene(
        "exchange the second best way",
        lambda path, seen: files.exchange(path, NEW, seen),
        changes_places=False,
    ),
    Scene(
        "make the second best way",
        lambda path, seen: files.exchange(path, NEW, seen),
        False,
        changes_places=False,
    ),
    Scene("remove", lambda path, seen: files.remove(path)),
    Scene("make folders", lambda path, seen: files.make_folder(path.parent / "a" / "b")),
]


def _play(scene: Scene, folder: Path, faulty: FaultyOs) -> tuple[Path, BaseException | None]:
    """Act out one scene under one fault; give the file and what was raised."""
    path = folder / "CONTEXT.md"
    if scene.there:
        path.write_text(OLD)
    seen = files.read(path)
    with pytest.MonkeyPatch.context() as patch:
        for module in (files, snapshots):
            patch.setattr(module, "os", faulty)
        renamed = faulty.wrap("rename", swap._rename) if scene.changes_places else _unsupported
        patch.setattr(swap, "_rename", renamed)
        try:
            scene.act(path, seen)
        except (DiskError, ChangedOnDisk, KeyboardInterrupt) as error:
            return path, error
    return path, None


def _unsupported(*_: object) -> None:
    raise swap.Unsupported


def _faults(scene: Scene, folder: Path) -> Iterator[FaultyOs]:
    (folder / "count").mkdir()
    counted = FaultyOs(-1, errno.EIO, after=False)
    _play(scene, folder / "count", counted)
    for at, fault, after in itertools.product(range(len(counted.calls)), FAULTS, (False, True)):
        yield FaultyOs(at, fault, after)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_fault_at_any_call_leaves_the_old_or_the_new_file_whole(scene: Scene, tmp_path: Path) -> None:
    descriptors = _open_descriptors()
    struck = []
    for number, faulty in enumerate(_faults(scene, tmp_path)):
        folder = tmp_path / str(number)
        folder.mkdir()
        path, raised = _play(scene, folder, faulty)
        told = f"{faulty.fault} {'after' if faulty.after else 'at'} call {faulty.at} of {faulty.calls}"
        struck.append(faulty.struck)

        assert (path.read_text() if path.exists() else None) in _outcomes(scene), told
        if raised is None:
            assert faulty.struck in ("", *OPTIONAL), told
        elif faulty.fault is KeyboardInterrupt:
            assert isinstance(raised, KeyboardInterrupt), told
        else:
            assert isinstance(raised, DiskError), told
            assert "\n" not in str(raised), told
        if faulty.struck != "unlink":
            assert list(folder.glob("*.nanoctx-tmp")) == [], told
    assert set(scene.must_strike) <= set(struck)
    assert _open_descriptors() == descriptors


def _outcomes(scene: Scene) -> tuple[str | None, ...]:
    before = OLD if scene.there else None
    return (before, None) if scene.name == "remove" else (before, NEW)


def _open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.parametrize(
    ("scene", "order"),
    [
        ("write over", ["file", "rename", "folder"]),
        ("write a new file", ["file", "rename", "folder"]),
        ("write a new file that is expected", ["file", "rename", "folder"]),
        ("write the same", ["file", "folder"]),  # an earlier write may have been stopped before it was safe
        ("write a cache", ["rename"]),
        ("exchange", ["file", "rename", "rename", "folder"]),
        ("exchange the second best way", ["file", "rename", "link", "rename", "folder"]),
        ("make the second best way", ["file", "link", "folder"]),
        ("remove", ["folder"]),
        ("make folders", ["folder", "folder"]),
    ],
)
def test_data_is_flushed_before_it_gets_its_name_and_the_folder_after(
    scene: str, order: list[str], tmp_path: Path
) -> None:
    done: list[str] = []

    class Noted(FaultyOs):
        def wrap(self, name: str, real: Callable[..., object]) -> Callable[..., object]:
            def call(*arguments: object, **options: object) -> object:
                if name == "fsync" and isinstance(arguments[0], int):
                    done.append("folder" if stat.S_ISDIR(os.fstat(arguments[0]).st_mode) else "file")
                elif name in ("rename", "link"):
                    done.append(name)
                return real(*arguments, **options)

            return call

    (chosen,) = (each for each in SCENES if each.name == scene)
    _, raised = _play(chosen, tmp_path, Noted(-1, errno.EIO, after=False))
    assert (raised, done) == (None, order)


def test_a_system_that_takes_a_few_bytes_at_a_time_gets_them_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:99]))
    files.write(tmp_path / "page", NEW)
    assert (tmp_path / "page").read_text() == NEW


# The same with the system's own refusals

TRY_ALL_WAYS = """
import sys
import time
from pathlib import Path
from nanoctx.disk import files
from nanoctx.errors import DiskError
folder, size = Path(sys.argv[1]), int(sys.argv[2])
page = folder / "page"
old = files.read(page)
for way in (
    lambda: files.write(page, "x" * size),
    lambda: files.write(page, "x" * size, expect=old),
    lambda: files.write(page, "x" * size, durable=False),
    lambda: files.exchange(page, "x" * size, old),
    lambda: files.append(folder / "log", "x" * size),
):
    try:
        way()
    except DiskError as error:
        print(error)
    else:
        print("was written")
assert files.read(page) == old, "torn"
print(*sorted(path.name for path in folder.iterdir()))
"""


def test_a_limit_on_file_sizes_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "page").write_text(OLD)
    (tmp_path / "log").write_text("")
    limited = ("bash", "-c", 'ulimit -f 64 && exec "$@"', "bash")
    *refused, left = _run(TRY_ALL_WAYS, tmp_path, 200_000, under=limited).stdout.splitlines()
    assert len(refused) == 5
    assert all("raise the limit" in line or "free some space" in line for line in refused)
    assert left == "log page"


@pytest.mark.parametrize(
    ("then", "cure"), [("", "free some space"), ("&& mount -o remount,ro,size=64k tmpfs .", "writable")]
)
def test_a_full_or_read_only_drive_leaves_the_old_file(tmp_path: Path, then: str, cure: str) -> None:
    mount = 'mount -t tmpfs -o size=64k tmpfs "$0" && cd "$0" && echo old > page && : > log'
    mount = f'{mount} {then} && exec "$@"'
    own_drive = ("unshare", "-rm", "sh", "-c", mount, str(tmp_path))
    if not shutil.which("unshare") or _run("", under=own_drive).returncode:
        pytest.skip("this system lets us mount no small drive")
    outcome = _run(TRY_ALL_WAYS, tmp_path, 200_000, under=own_drive)
    *refused, left = outcome.stdout.splitlines()
    assert outcome.returncode == 0, outcome.stderr
    assert len(refused) == 5
    assert all(cure in line for line in refused), refused
    assert left == "log page"


@pytest.mark.parametrize("when", [1, 2, 3])
@pytest.mark.parametrize("call", ["fsync", "renameat", "renameat2"])
@pytest.mark.parametrize("way", ["write(page, 'new')", "exchange(page, 'new', files.read(page))"])
def test_a_kernel_that_refuses_leaves_the_old_or_the_new_file(
    tmp_path: Path, way: str, call: str, when: int
) -> None:
    strace = ("strace", "-f", "-qq", "-o", str(tmp_path / "trace"), "-e", f"trace={call}")
    if not shutil.which("strace") or _run("", under=strace).returncode:
        pytest.skip("strace is not here, or may not trace")
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "page").write_text("old")
    script = "import sys, pathlib; from nanoctx.disk import files; page = pathlib.Path(sys.argv[1]); files."
    outcome = _run(
        script + way, folder / "page", under=(*strace, "-e", f"inject={call}:error=EIO:when={when}")
    )
    injected = "INJECTED" in (tmp_path / "trace").read_text()
    assert ("DiskError" in outcome.stderr) == injected, outcome.stderr
    assert (folder / "page").read_text() in (("old", "new") if injected else ("new",))
    assert list(folder.iterdir()) == [folder / "page"]


KILL_STORM = r"""
import os, random, signal, sys, time
from pathlib import Path
from nanoctx.disk import files
folder, kills, seed, way = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
chance = random.Random(seed)
page = folder / "page"
versions = [f"{n}\n" * (2000 + 500 * n) for n in range(10)]
stamps = {files.write(page, text).stamp for text in versions}
torn = unfinished = 0
begun = os.pipe()
for _ in range(kills):
    child = os.fork()
    if not child:
        os.write(begun[1], b".")
        while True:
            for text in versions:
                files.exchange(page, text, files.read(page)) if way == "exchange" else files.write(page, text)
    os.read(begun[0], 1)
    time.sleep(chance.random() * 0.006)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    torn += files.read(page).stamp not in stamps
    assert not files.strays(folder), "a text of ours looks like a person's"
    unfinished += files.clean_temporaries(folder, 0, time.time() + 1)
    assert os.listdir(folder) == ["page"], os.listdir(folder)
print(torn, unfinished)
"""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("way", ["write", "exchange"])
@pytest.mark.parametrize("kills", [25, pytest.param(500, marks=pytest.mark.slow)])
def test_a_killed_writer_leaves_a_whole_file(
    tmp_path: Path, rng: random.Random, way: str, kills: int
) -> None:
    outcome = _run(KILL_STORM, tmp_path, kills, rng.random(), way)
    assert outcome.returncode == 0, outcome.stderr
    torn, unfinished = map(int, outcome.stdout.split())
    assert torn == 0
    assert unfinished > 0, "no kill came in the middle of a write, so nothing was shown"


# A person and nanoctx at the same page

REWRITER = r"""
import sys
import time
from pathlib import Path
from nanoctx.disk import files
from nanoctx.errors import ChangedOnDisk
page = Path(sys.argv[1])
known, rewritten, number = set(), 0, 0
def know(text):
    mark = text.partition("|")[0]
    if mark and text.endswith("|end\n") and mark not in known:
        known.add(mark)
        print(mark, flush=True)
while "stop" not in known:
    seen = files.read(page)
    know(seen.text)
    number += 1
    try:
        files.exchange(page, f"|ours {number}\n", seen)
    except ChangedOnDisk as changed:
        if changed.kept:
            know(changed.found)
            files.remove(changed.kept)
    else:
        rewritten += 1
print("rewritten", rewritten)
"""


def _save(page: Path, text: str, manner: str) -> None:
    if manner == "rename":
        beside = page.with_name("editor~")
        beside.write_text(text)
        beside.rename(page)
    else:
        with page.open("w", buffering=1) as file:
            half = len(text) // 2
            file.write(text[:half])
            file.flush()
            file.write(text[half:])


@pytest.mark.timeout(60)
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files cannot be told to be half-saved")
def test_of_500_saves_against_a_constant_rewriter_none_is_lost(tmp_path: Path, rng: random.Random) -> None:
    page = tmp_path / "CONTEXT.md"
    page.write_text("")
    environment = {**os.environ, "PYTHONPATH": str(Path(nanoctx.__file__).parents[1])}
    rewriter = subprocess.Popen(
        [sys.executable, "-c", REWRITER, str(page)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert rewriter.stdout is not None
    pace = 0.001
    try:
        for mark in [*(f"save-{number}" for number in range(500)), "stop"]:
            meeting = time.perf_counter() + rng.uniform(0, 3 * pace)
            while time.perf_counter() < meeting:
                pass  # so that saves meet every moment of a rewrite, however slow the drive is
            saved = time.perf_counter()
            _save(page, f"{mark}|{'text ' * rng.randrange(200)}|end\n", rng.choice(["rename", "in place"]))
            # Were it overwritten unread, nobody could ever say that it was there.
            assert rewriter.stdout.readline().strip() == mark
            pace = 0.8 * pace + 0.2 * (time.perf_counter() - saved)
        assert int(rewriter.stdout.readline().removeprefix("rewritten ")) > 50
        assert rewriter.wait(5) == 0
    finally:
        rewriter.kill()
        rewriter.wait()
        rewriter.stdout.close()
    assert files.strays(tmp_path) == ()
    assert list(tmp_path.iterdir()) == [page]


def _run(script: str, *arguments: object, under: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(nanoctx.__file__).parents[1])}
    command = [*under, sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
