"""Whatever is broken, a hook exits 0 with a valid answer or none, and nobody waits for it."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hook_scene import SCRIPT, Scene, fire

ROOT = Path(__file__).resolve().parent.parent.parent
HEAVY = ["json", "re", "enum", "pathlib", "subprocess", "datetime", "signal", "typing", "collections"]
EVENTS = ("session-start", "pre-compact", "session-end")
RUNS = 100
AT_ONCE = 20
LATE = 0.2


def _stale_answer(scene: Scene) -> dict[str, Any]:
    file = scene.workspace / ".state" / "answers" / "project.json"
    file.write_text('{"v": 0}')
    return {}


def _cut_answer(scene: Scene) -> dict[str, Any]:
    file = scene.workspace / ".state" / "answers" / "project.json"
    file.write_bytes(file.read_bytes()[:300])
    return {}


def _pipe_for_an_answer(scene: Scene) -> dict[str, Any]:
    file = scene.workspace / ".state" / "answers" / "project.json"
    file.unlink()
    os.mkfifo(file)
    return {}


def _answer_without_end(scene: Scene) -> dict[str, Any]:
    file = scene.workspace / ".state" / "answers" / "project.json"
    file.unlink()
    file.symlink_to("/dev/zero")
    return {}


def _full_disk(scene: Scene) -> dict[str, Any]:
    return {"shell": 'exec "$0" "$1" >/dev/full'}


def _broken_settings(scene: Scene) -> dict[str, Any]:
    (scene.workspace / "nanoctx.toml").write_text("[hook\nstart = ")
    return {}


def _broken_registry(scene: Scene) -> dict[str, Any]:
    Path(os.environ["XDG_CONFIG_HOME"], "nanoctx", "workspaces.toml").write_bytes(b'path = "\xff\npath = "x')
    return {}


def _missing_workspace(scene: Scene) -> dict[str, Any]:
    shutil.rmtree(scene.workspace)
    return {}


def _deleted_folder(scene: Scene) -> dict[str, Any]:
    gone = scene.repo.parent / "gone"
    command = f'mkdir {gone} && cd {gone} && rmdir {gone} && exec "$0" "$1"'
    return {"shell": command, "payload": scene.payload(cwd=str(gone))}


def _closed_input(scene: Scene) -> dict[str, Any]:
    return {"shell": 'exec "$0" "$1" <&-'}


def _closed_output(scene: Scene) -> dict[str, Any]:
    return {"shell": 'exec "$0" "$1" >&-'}


def _much_input(scene: Scene) -> dict[str, Any]:
    return {"data": b'{"prompt":"' + b"x" * (50 << 20) + b'"}'}


def _deep_input(scene: Scene) -> dict[str, Any]:
    return {"data": b"[" * 100_000}


def _not_json(scene: Scene) -> dict[str, Any]:
    return {"data": b"\x00\xffhello"}


def _wrong_types(scene: Scene) -> dict[str, Any]:
    return {"payload": {"cwd": 7, "session_id": [], "source": {}, "transcript_path": 1}}


def _hostile_clone(scene: Scene) -> dict[str, Any]:
    clone = scene.repo.parent / "clone"
    shutil.copytree(scene.repo, clone, dirs_exist_ok=True)
    return {"payload": scene.payload(cwd=str(clone)), "silent": True}


Fault = Callable[[Scene], dict[str, Any]]
FAULTS: tuple[Fault, ...] = (
    _stale_answer, _cut_answer, _pipe_for_an_answer, _answer_without_end, _full_disk, _broken_settings,
    _broken_registry, _missing_workspace, _deleted_folder, _closed_input, _closed_output, _much_input,
    _deep_input, _not_json, _wrong_types, _hostile_clone,
)  # fmt: skip
NAMES = [fault.__name__.strip("_") for fault in FAULTS]


def _once(scene: Scene, given: dict[str, Any], event: str = "session-start") -> float:
    """Call the hook under a fault; returns how long the host had to wait."""
    data = given.get("data", json.dumps(given.get("payload", scene.payload())).encode())
    command = ["sh", "-c", given["shell"], SCRIPT, event] if "shell" in given else [SCRIPT, event]
    begun = time.monotonic()
    done = subprocess.run(command, input=data, capture_output=True, timeout=8, check=False)
    waited = time.monotonic() - begun
    assert (done.returncode, done.stderr) == (0, b"")
    if done.stdout:
        assert event == "session-start" and not given.get("silent")
        assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    return waited


def _interpreter() -> float:
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.monotonic() - begun


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_a_fault_costs_the_answer_and_nothing_else(scene: Scene, fault: Fault, event: str) -> None:
    given = fault(scene)
    for _ in range(2):
        _once(scene, given, event)


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_a_fault_never_keeps_the_host_waiting(scene: Scene, fault: Fault) -> None:
    given = fault(scene)
    waited, bare = [], []
    for _ in range(RUNS):
        bare.append(_interpreter())
        waited.append(_once(scene, given))
    print(f"waited {statistics.median(waited):.3f} s, at most {max(waited):.3f}; Python {max(bare):.3f}")
    assert max(waited) <= LATE + max(bare)


@pytest.mark.parametrize("event", EVENTS)
def test_twenty_at_once_get_a_whole_answer_or_none(scene: Scene, event: str) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda _: _once(scene, {}, event), range(AT_ONCE)))


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_twenty_at_once_do_not_wait_for_each_other(scene: Scene) -> None:
    waited, bare = [], []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in range(RUNS):
            bare += pool.map(lambda _: _interpreter(), range(AT_ONCE))
            waited += pool.map(lambda _: _once(scene, {}), range(AT_ONCE))
    print(f"waited {statistics.median(waited):.3f} s, at most {max(waited):.3f}; Python {max(bare):.3f}")
    assert max(waited) <= LATE + max(bare)


@pytest.mark.parametrize("words", [["--bogus"], ["a", "b", "c"], ["session-start", "--client", "nobody"]])
def test_called_wrongly_the_command_is_silent_too(scene: Scene, words: list[str]) -> None:
    command = [SCRIPT.with_name("nanoctx"), "hook", *words]  # 2 would make a host stop what it does
    done = subprocess.run(command, input=json.dumps(scene.payload()).encode(), capture_output=True, timeout=8)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_hook_waits_for_no_lock(scene: Scene) -> None:
    from nanoctx.disk import lock

    with lock.hold(scene.workspace / ".state" / "lock", wait=1, purpose="test"):
        assert fire("session-start", scene.payload()).text


def test_a_host_that_never_ends_its_input_is_left_after_the_deadline(scene: Scene) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([SCRIPT, "session-start"], stdin=pipe, stdout=pipe) as hanging:
        assert hanging.wait(timeout=5) == 0


def test_only_what_loads_at_once_is_loaded(scene: Scene) -> None:
    code = (
        f"import sys, os; sys.path.insert(0, {str(ROOT)!r}); os._exit = lambda code: None\n"
        "from nanoctx import hook; hook.main(['session-start'])\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    payload = json.dumps(scene.payload()).encode()
    env = {name: value for name, value in os.environ.items() if name != "NANOCTX_NOW"}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input=payload,
        capture_output=True,
        env=env,
        check=True,
    )
    assert done.stdout and done.stderr.strip() == b"[]"
