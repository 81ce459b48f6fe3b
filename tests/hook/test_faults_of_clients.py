"""Whatever is broken, every agent is answered in its own form or not at all, and in time.

The faults of `test_faults.py`, called as each agent calls; and a background process that is dead, left its
socket behind or hangs. NANOCTX_FAULT_RUNS=100 makes each call a hundred times.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hook.test_faults import complaints, live
from hook_faults import FAULTS, OFTEN, Fault
from hook_scene import SCRIPT, Scene, command, looks, wait_for
from stopwatch import Timed, bare, timed

from nanoctx.clients import CLIENTS
from nanoctx.clients.base import Cargo, Desk
from nanoctx.hook import places, reading, turn

__all__ = ["live"]

RUNS = int(os.environ.get("NANOCTX_FAULT_RUNS", "5"))
LOOKS = 4
ASKED = "How does the tide table compute harmonic constituents for the harbour gauge?"
NOTE = "# Harmonics\n\nThe tide table computes harmonic constituents for the harbour gauge with M2 and S2.\n"
EVENTS = {
    "session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit", "pre-compact": "PreCompact",
    "stop": "Stop", "session-end": "SessionEnd",
}  # fmt: skip
SPEAKING = ("session-start", "user-prompt-submit")
_NOWHERE = Desk(Path("/nobody"), {}, Path("/nowhere"))


def _events() -> dict[str, list[str]]:
    """What each agent that calls us calls us at, as the settings say that `connect` writes."""
    called = {}
    for name, client in CLIENTS.items():
        if client.page_of(_NOWHERE) is None:
            settings = client.connected("", Cargo(SCRIPT))
            called[name] = [event for event in EVENTS if event in settings]
    return called


CALLED = _events()
FREQUENT = [fault for fault in FAULTS if fault in OFTEN]
PROMPTED = [name for name, events in CALLED.items() if "user-prompt-submit" in events]


def _payload(scene: Scene, client: str, event: str) -> dict[str, Any]:
    """In the words of this agent."""
    said = scene.payload(hook_event_name=EVENTS[event], prompt=ASKED, reason="exit", trigger="auto")
    if client == "copilot":
        return {"sessionId": said["session_id"], "cwd": said["cwd"], "timestamp": 1, "source": "new"}
    if client in ("opencode", "pi"):
        return {key: said[key] for key in ("session_id", "cwd", "source", "prompt")}
    if client == "gemini" and event == "user-prompt-submit":
        said |= {"hook_event_name": "BeforeAgent", "prompt": f"<hook_context>x</hook_context>\n\n{ASKED}"}
    return said


def _checked(done: Timed, client: str, event: str, silent: bool = False) -> Timed:
    assert (done.code, done.err) == (0, b"")
    if done.out:
        assert event in SPEAKING and not silent
        text = _told(done.out, client, event)
        assert text.startswith("# Context" if event == "session-start" else "Relevant Memory:")
    return done


def _told(out: bytes, client: str, event: str) -> str:
    if client in ("opencode", "pi"):
        return out.decode()
    answer = json.loads(out)
    if client == "copilot":
        assert list(answer) == ["additionalContext"]
        return str(answer["additionalContext"])
    inner = answer["hookSpecificOutput"]
    at = "BeforeAgent" if (client, event) == ("gemini", "user-prompt-submit") else EVENTS[event]
    assert inner["hookEventName"] == at
    return str(inner["additionalContext"])


def _call(scene: Scene, client: str, event: str, fault: Fault) -> Timed:
    payload = _payload(scene, client, event) if fault.payload is None else fault.payload
    data = json.dumps(payload).encode() if fault.data is None else fault.data
    shell = fault.shell.replace('"$1"', '"$1" --client "$2"')
    script = (SCRIPT, event) if shell else (SCRIPT, event, "--client", client)
    call = ["sh", "-c", shell, *script, client] if shell else script
    done = timed(call, data, {**os.environ, **fault.env}, held=fault.held)
    return _checked(done, client, event, fault.silent)


@pytest.fixture
def stocked(live: Scene) -> Scene:
    (live.workspace / "knowledge").mkdir(exist_ok=True)
    (live.workspace / "knowledge" / "harmonics.md").write_text(NOTE)
    command("recall", "harmonic")
    return live


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("make", FREQUENT, ids=[make.__name__ for make in FREQUENT])
def test_a_fault_costs_the_answer_and_nothing_else(stocked: Scene, make: Callable[[Scene], Fault]) -> None:
    for event in EVENTS:
        bares, dones = [], []
        callers = [name for name in CALLED if event in CALLED[name]]
        for _ in range(RUNS if event in SPEAKING else max(2, RUNS // 10)):  # the others start looks
            for client in callers:
                fault = make(stocked)
                wait_for(lambda: len(looks(stocked.repo)) <= LOOKS, "looks ended")
                bares.append(bare())
                dones.append(_call(stocked, client, event, fault))
        assert not complaints(bares, dones, fault.told and event == "session-start")


def nobody_listens(path: Path) -> socket.socket:
    """The process is dead, and its socket is still there."""
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(str(path))
    left.close()
    return left


def nobody_answers(path: Path) -> socket.socket:
    """The process hangs: it listens and takes no call."""
    hanging = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    hanging.bind(str(path))
    hanging.listen(1000)
    return hanging


def nobody_takes_calls(path: Path) -> socket.socket:
    """As many wait already as may."""
    full = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    full.bind(str(path))
    full.listen(0)
    for _ in range(4):
        caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        caller.setblocking(False)
        with suppress(BlockingIOError):
            caller.connect(str(path))
        _KEPT.append(caller)
    return full


def _answering(said: bytes, again: bool = False) -> Callable[[Path], socket.socket]:
    def listen(path: Path) -> socket.socket:
        listening = nobody_answers(path)

        def serve() -> None:
            while True:
                try:
                    call, _ = listening.accept()
                except OSError:
                    return
                with suppress(OSError), call:
                    call.sendall(said)
                    while again:
                        call.sendall(said)

        Thread(target=serve, daemon=True).start()
        return listening

    return listen


_KEPT: list[socket.socket] = []
PROCESSES: dict[str, Callable[[Path], socket.socket]] = {
    "nobody listens": nobody_listens,
    "nobody answers": nobody_answers,
    "nobody takes calls": nobody_takes_calls,
    "another answers": _answering(b"220 mail ready\r\n"),
    "an error": _answering(b"HTTP/1.1 503 X\r\n\r\n{}"),
    "half an answer": _answering(b'HTTP/1.1 200 OK\r\n\r\n{"text": "Relev'),
    "an answer of another kind": _answering(b'HTTP/1.1 200 OK\r\n\r\n{"text": 7}'),
    "an answer without end": _answering(b"x" * 4096, again=True),
}


@pytest.fixture(params=PROCESSES.values(), ids=list(PROCESSES))
def broken_process(request: pytest.FixtureRequest, stocked: Scene) -> Iterator[Scene]:
    path = Path(turn.socket_path())
    path.parent.mkdir(exist_ok=True)
    listening = request.param(path)
    yield stocked
    listening.close()
    while _KEPT:
        _KEPT.pop().close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_process_that_is_dead_or_hangs_keeps_nobody_waiting(broken_process: Scene) -> None:
    bares, dones = [], []
    for _ in range(RUNS):
        for client in PROMPTED:
            bares.append(bare())
            dones.append(_call(broken_process, client, "user-prompt-submit", Fault()))
    assert not complaints(bares, dones, told=False)


def test_what_a_dead_process_would_have_told_is_looked_up(broken_process: Scene) -> None:
    """Here, where no deadline hurries it."""
    root, ready, _ = places.find(str(broken_process.repo)) or ("", "", "")
    payload = {"session_id": "s1", "prompt": ASKED}
    said, note = turn.text(root, ready, reading.json_file(ready), "codex", payload, 1770890400.0)
    assert "M2 and S2" in said and note is not None


def test_every_agent_that_calls_is_among_them() -> None:
    assert set(CALLED) == {"claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "pi"}
    assert set(PROMPTED) == set(CALLED) - {"copilot"}
