"""Whatever is broken, a hook exits 0 with a valid answer or none, and nobody waits for it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hook_faults import FAULTS, NAMES, Fault
from hook_scene import SCRIPT, Scene, command, fire, looks, wait_for
from stopwatch import Timed, bare, timed

from nanoctx.disk import lock

ROOT = Path(__file__).resolve().parent.parent.parent
HEAVY = ["json", "re", "enum", "pathlib", "subprocess", "datetime", "signal", "typing", "collections"]
EVENTS = ("session-start", "pre-compact", "session-end")
RUNS = {"session-start": 100, "pre-compact": 10, "session-end": 10}  # the latter start a look each time
AT_ONCE = 20
LATE = 0.2  # seconds beyond the start of the interpreter
TRIES = 6  # when others had the processor
LOOKS = 4  # that may be at work while the next call is timed

Make = Callable[[Scene], Fault]


@pytest.fixture
def live(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """The scene at this moment, for a clock that is set takes long to load; looks end without a change."""
    monkeypatch.delenv("NANOCTX_NOW")
    command("observe")
    with lock.hold(scene.workspace / ".state" / "lock.next", wait=1, purpose="test"):
        yield scene
        wait_for(lambda: not looks(scene.repo), "all looks ended")


def _once(scene: Scene, fault: Fault, event: str = "session-start") -> Timed:
    """Call the hook under a fault: it must exit 0, and say what a host understands or nothing."""
    payload = scene.payload(hook_event_name="") if fault.payload is None else fault.payload
    data = json.dumps(payload).encode() if fault.data is None else fault.data
    words: list[str | Path] = [SCRIPT, event]
    call = ["sh", "-c", fault.shell, *words] if fault.shell else words
    done = timed(call, data, {**os.environ, **fault.env})
    assert (done.code, done.err) == (0, b"")
    if done.out:
        assert event == "session-start" and not fault.silent
        said = json.loads(done.out)["hookSpecificOutput"]
        assert said["hookEventName"] == "SessionStart" and said["additionalContext"].startswith("# Context")
    return done


def _in_time(again: Callable[[], tuple[Timed, Timed]]) -> tuple[Timed, Timed]:
    """Bare Python and then the hook, called anew while the hook's host waited too long for it."""
    for _ in range(TRIES):
        first, done = again()
        if done.waited - first.waited <= LATE:
            break
    return first, done


def _assert_quick(bares: list[Timed], dones: list[Timed]) -> None:
    start = statistics.median(one.own for one in bares)
    worst = max(one.own for one in dones) - start
    print(
        f"beyond Python's start ({1000 * start:.0f} ms) {len(dones)} calls took at most {1000 * worst:.0f} ms"
        f" of their own, {1000 * (statistics.median(one.own for one in dones) - start):.0f} ms in the middle;"
        f" {sum(not one.out for one in dones)} said nothing"
    )
    assert worst <= LATE


@pytest.mark.parametrize("make", FAULTS, ids=NAMES)
def test_a_fault_costs_the_answer_and_nothing_else(live: Scene, make: Make) -> None:
    for event in EVENTS:
        for _ in range(2):
            fault = make(live)
            done = _once(live, fault, event)
            if fault.told and event == "session-start" and done.own < LATE:
                assert done.out


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("make", FAULTS, ids=NAMES)
def test_a_fault_never_keeps_the_host_waiting(live: Scene, make: Make, event: str) -> None:
    """A call counts as late if it is late again and again: others have the processor, too, and the host.

    Both what the host saw is looked at, and what the hook itself took of it.
    """
    bares, dones = [], []

    def again() -> tuple[Timed, Timed]:
        fault = make(live)
        wait_for(lambda: len(looks(live.repo)) <= LOOKS, "looks ended")
        return bare(), _once(live, fault, event)

    for _ in range(RUNS[event]):
        first, done = _in_time(again)
        assert done.waited - first.waited <= LATE
        bares.append(first)
        dones.append(done)
    _assert_quick(bares, dones)


@pytest.mark.parametrize("event", EVENTS)
def test_twenty_at_once_get_a_whole_answer_or_none(live: Scene, event: str) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda _: _once(live, Fault(), event), range(AT_ONCE)))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_twenty_at_once_do_not_wait_for_each_other(live: Scene) -> None:
    """Twenty hooks beside twenty bare Pythons, a hundred times: the last to end counts."""
    bares: list[Timed] = []
    dones: list[Timed] = []

    def again() -> tuple[Timed, Timed]:
        first = list(pool.map(lambda _: bare(), range(AT_ONCE)))
        done = list(pool.map(lambda _: _once(live, Fault()), range(AT_ONCE)))
        bares.extend(first)
        dones.extend(done)
        return max(first, key=lambda one: one.waited), max(done, key=lambda one: one.waited)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in range(RUNS["session-start"]):
            first, done = _in_time(again)
            assert done.waited - first.waited <= LATE
    _assert_quick(bares, dones)


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
