"""Whatever is broken, a hook exits 0 with a valid answer or none, and nobody waits for it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest
from hook_faults import FAULTS, NAMES, OFTEN, Fault
from hook_scene import SCRIPT, Scene, command, fire, looks, wait_for
from stopwatch import Timed, bare, timed

from nanoctx.disk import lock

ROOT = Path(__file__).resolve().parent.parent.parent
HEAVY = ["json", "re", "enum", "pathlib", "subprocess", "datetime", "signal", "typing", "collections"]
EVENTS = ("session-start", "pre-compact", "session-end")
# Each of the latter two starts a look, which takes longer than all the rest.
RUNS = {"session-start": 20, "pre-compact": 3, "session-end": 3}
OFTEN_RUNS = {"session-start": 100, "pre-compact": 10, "session-end": 10}
AT_ONCE, ROUNDS = 20, 100
LATE = 0.2  # seconds beyond the start of the interpreter
EXCUSED = 20  # one in so many calls may wait longer for a processor, or say nothing because of that
LOOKS = 4  # that may be at work while the next call is timed

Make = Callable[[Scene], Fault]
Call = Sequence[str | Path]


@pytest.fixture
def live(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """The scene at this moment, for a clock that is set takes long to load; looks end without a change."""
    monkeypatch.delenv("NANOCTX_NOW")
    command("observe")
    with lock.hold(scene.workspace / ".state" / "lock.next", wait=1, purpose="test"):
        yield scene
        wait_for(lambda: not looks(scene.repo), "all looks ended")


def _once(scene: Scene, fault: Fault, event: str = "session-start", script: Call = (SCRIPT,)) -> Timed:
    """Call the hook under a fault."""
    payload = scene.payload(hook_event_name="") if fault.payload is None else fault.payload
    data = json.dumps(payload).encode() if fault.data is None else fault.data
    words = [*script, event]
    call = ["sh", "-c", fault.shell, *words] if fault.shell else words
    return _checked(timed(call, data, {**os.environ, **fault.env}, held=fault.held), event, fault.silent)


@pytest.fixture(scope="module")
def hosts() -> Iterator[Executor]:
    """Twenty hosts: processes, since threads would wait for each other, too."""
    with ProcessPoolExecutor(AT_ONCE, mp_context=get_context("spawn")) as pool:
        yield pool


def _at_once(hosts: Executor, scene: Scene, event: str) -> list[Timed]:
    data = json.dumps(scene.payload(hook_event_name="")).encode()
    call = partial(timed, (SCRIPT, event), data, dict(os.environ))
    running = [hosts.submit(call) for _ in range(AT_ONCE)]
    return [_checked(one.result(), event) for one in running]


def _checked(done: Timed, event: str, silent: bool = False) -> Timed:
    """It must exit 0, and say what a host understands or nothing."""
    assert (done.code, done.err) == (0, b"")
    if done.out:
        assert event == "session-start" and not silent
        said = json.loads(done.out)["hookSpecificOutput"]
        assert said["hookEventName"] == "SessionStart" and said["additionalContext"].startswith("# Context")
    return done


def complaints(bares: Sequence[Timed], dones: Sequence[Timed], told: bool) -> list[str]:
    """What a host could say of these calls, made in turn with bare Pythons; no call is made again.

    What the hook computes is its own, wherever it runs. What it takes, and what the host waits, depends on
    the machine as well: there the worst of the hook stands beside the worst of bare Python in the same
    minutes, and of what the host waits for, one in twenty is left out of both. The deadline hides a slow hook
    from all of these, but not that it says nothing where it had the time to say something.
    """
    computed = max(one.computed for one in dones) - statistics.median(one.computed for one in bares)
    own = max(one.own for one in dones) - max(one.own for one in bares)
    waits = _most([one.waited for one in dones]) - _most([one.waited for one in bares])
    silent = sum(not one.out and one.waited - one.own < LATE / 2 for one in dones)
    measured = (
        f"beyond bare Python ({_ms(statistics.median(one.own for one in bares))} in the middle,"
        f" {_ms(max(one.own for one in bares))} at most) {len(dones)} calls computed {_ms(computed)} at most,"
        f" took {_ms(own)} at most, and were waited for {_ms(waits)};"
        f" {sum(not one.out for one in dones)} said nothing"
    )
    print(measured)
    found = {
        "a call computed too long": computed > LATE,
        "a call took too long": own > LATE,
        "calls were waited for too long": waits > LATE,
        f"{silent} calls said nothing": told and silent > len(dones) // EXCUSED,
    }
    return [f"{what}: {measured}" for what, is_so in found.items() if is_so]


def _most(values: list[float]) -> float:
    """The longest, but for one in twenty."""
    return sorted(values)[-1 - len(values) // EXCUSED]


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"


@pytest.mark.parametrize("make", FAULTS, ids=NAMES)
def test_a_fault_costs_the_answer_and_nothing_else(live: Scene, make: Make) -> None:
    for event in EVENTS:
        for _ in range(2):
            fault = make(live)
            done = _once(live, fault, event)
            if fault.told and event == "session-start" and done.waited < LATE:
                assert done.out


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("make", FAULTS, ids=NAMES)
def test_a_fault_never_keeps_the_host_waiting(live: Scene, make: Make) -> None:
    for event, runs in (OFTEN_RUNS if make in OFTEN else RUNS).items():
        bares, dones = [], []
        for _ in range(runs):
            fault = make(live)
            wait_for(lambda: len(looks(live.repo)) <= LOOKS, "looks ended")
            bares.append(bare())
            dones.append(_once(live, fault, event))
        assert not complaints(bares, dones, fault.told and event == "session-start")


SLOWED = {
    "sleeps before it begins": "import time; time.sleep(0.3)",
    "computes before it begins": "import time\nwhile time.process_time() < 0.3: pass",
    "sleeps until its deadline": "import time; from nanoctx.hook import places\n"
    "places.find = lambda cwd: time.sleep(0.3)",
    "computes until its deadline": "import time; from nanoctx.hook import text\n"
    "def compose(*_):\n while time.process_time() < 0.3: pass\n"
    "text.compose = compose",
}


@pytest.mark.slow
@pytest.mark.parametrize("slowed", SLOWED.values(), ids=SLOWED)
def test_a_hook_that_became_slow_is_noticed(live: Scene, slowed: str) -> None:
    script = (sys.executable, "-I", "-c", f"{slowed}\nfrom nanoctx import hook; hook.main()")
    bares = [bare() for _ in range(3)]
    assert complaints(bares, [_once(live, Fault(), script=script) for _ in range(3)], told=True)


@pytest.mark.parametrize("event", EVENTS)
def test_twenty_at_once_get_a_whole_answer_or_none(live: Scene, hosts: Executor, event: str) -> None:
    assert len(_at_once(hosts, live, event)) == AT_ONCE


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_twenty_at_once_do_not_wait_for_each_other(live: Scene, hosts: Executor) -> None:
    """Twenty hooks, a hundred times, with twenty bare Pythons in between."""
    bares: list[Timed] = []
    dones: list[Timed] = []
    for number in range(ROUNDS):
        if number % 2 == 0:
            bares += [one.result() for one in [hosts.submit(bare) for _ in range(AT_ONCE)]]
        dones += _at_once(hosts, live, "session-start")
    assert not complaints(bares, dones, told=True)


@pytest.mark.parametrize("words", [["--bogus"], ["a", "b", "c"], ["session-start", "--client", "nobody"]])
def test_called_wrongly_the_command_is_silent_too(scene: Scene, words: list[str]) -> None:
    command = [SCRIPT.with_name("nanoctx"), "hook", *words]  # 2 would make a host stop what it does
    done = subprocess.run(command, input=json.dumps(scene.payload()).encode(), capture_output=True, timeout=8)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_hook_waits_for_no_lock(scene: Scene) -> None:
    from nanoctx.disk import lock

    with lock.hold(scene.workspace / ".state" / "lock", wait=1, purpose="test"):
        assert fire("session-start", scene.payload()).text


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
