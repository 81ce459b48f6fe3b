"""What an agent calls at its events: one small file read, one print, always exit 0.

People wait for this, so nothing is imported that takes time to load: a ready answer was written by the last
look (`core/answer.py`), and the little that depends on this moment is done here. Whatever goes wrong, the
answer is empty; after 180 ms it is empty too.
"""

from __future__ import annotations

import os
import sys
import time

from nanoctx.hook import dialects, places, reading, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Answered = tuple[str, Callable[[], None] | None]

VERSION = 5  # of the answer's form
DEADLINE = 0.18  # seconds: to load and to end takes some more, and a host waits for 0.2 at most
GIT_SECONDS = 0.12
STALE = 300.0  # seconds after which files may well have changed since the last look
MOST_LOGS = 2000
NOTHING: Answered = ("", None)
SAMPLE = "nanoctx-doctor"  # the session of a call that only tries whether there is an answer
EVENTS = {
    "sessionstart": "SessionStart",
    "userpromptsubmit": "UserPromptSubmit",
    "beforeagent": "UserPromptSubmit",  # of Gemini CLI
    "precompact": "PreCompact",
    "stop": "Stop",  # of hosts that do not say when a session ends
    "sessionend": "SessionEnd",
}


def main(arguments: list[str] | None = None) -> None:
    """Answer one event: `EVENT [--client NAME]`. Never raises, never waits for long."""
    begun = time.monotonic()
    try:
        _set_deadline()
        words = sys.argv[1:] if arguments is None else arguments
        if words[:1] == ["status-line"]:
            from nanoctx.hook import gauge

            gauge.main(words[1:])
        client = words[2] if words[1:2] == ["--client"] else dialects.CLAUDE
        said, note = _answer(words[0] if words else "", client, reading.payload(), begun)
        if said:
            sys.stdout.write(said + "\n")
            sys.stdout.flush()
        if note is not None:
            note()
    except BaseException:
        if os.environ.get("NANOCTX_DEBUG"):
            raise
    os._exit(0)  # no clean-up: nothing is open, and the interpreter's own would take its time


def _answer(event: str, client: str, payload: dict[str, Any], begun: float) -> Answered:
    """What is printed, and what is to be noted once it was."""
    if client != dialects.CLAUDE:
        payload = dialects.understood(payload, client)
    if os.environ.get("NANOCTX_OFF") == "1" or payload.get("agent_id"):
        return NOTHING  # switched off, or a sub-agent: its session was told
    called = event or str(payload.get("hook_event_name"))
    name = EVENTS.get(called.replace("-", "").replace("_", "").lower())
    cwd = payload.get("cwd")
    place = places.find(cwd if isinstance(cwd, str) and cwd else os.getcwd())
    if name is None or place is None:
        return NOTHING
    root, ready, top = place
    session = str(payload.get("session_id") or "")
    if name == "SessionStart":
        source = str(payload.get("source") or "startup")
        said = _session_start(root, ready, top, source, session, client, payload, begun)
        return (dialects.answer(said, client, name), None) if said else NOTHING
    if name == "UserPromptSubmit":
        return _turn(root, ready, client, payload)
    how = {"clear": "clear", "prompt_input_exit": "exit", "logout": "exit", "other": "exit"}
    ended = how.get(str(payload.get("reason")), "exit") if name == "SessionEnd" and session else ""
    look(root, ["--ended", f"{session}={ended}"] if ended else [])
    return NOTHING


def _session_start(
    root: str,
    ready: str,
    top: str,
    source: str,
    session: str,
    client: str,
    payload: Mapping[str, Any],
    begun: float,
) -> str:
    answer = reading.json_file(ready)
    if answer.get("v") != VERSION:
        if session != SAMPLE:
            look(root)
        return ""
    if answer["start"] == "off":
        return ""
    moment, head = now(), places.head(top) if top else None
    elsewhere = top != os.path.dirname(root)
    moved = head is not None and not elsewhere and head[:2] != (answer["branch"], answer["head"])
    if head is not None and (moved or elsewhere):
        from nanoctx.hook import outside

        left = min(GIT_SECONDS, DEADLINE - 0.04 - (time.monotonic() - begun))
        answer["external"] = (outside.elsewhere if elsewhere else outside.moved)(answer, head, left)
    # The log of a session that begins holds nothing yet; of one that goes on, its last sign of life.
    written = _newest_log(payload, "" if source in ("resume", "compact") else session)
    if answer["made"] < written <= moment and client not in dialects.OF_ALL_PROJECTS:
        answer["last"] = max(answer["last"], written)
    if session != SAMPLE and (moved or written > answer["made"] or moment - answer["made"] > STALE):
        look(root)
    if source in ("compact", "clear"):
        _forget_turns(root, session)
    return text.compose(answer, source, session, moment)


def _turn(root: str, ready: str, client: str, payload: Mapping[str, Any]) -> Answered:
    from nanoctx.hook import turn

    answer = reading.json_file(ready)
    if answer.get("v") != VERSION:
        return NOTHING
    said, note = turn.text(root, ready, answer, client, payload, now())
    return (dialects.answer(said, client, "UserPromptSubmit"), note) if said else NOTHING


def _forget_turns(root: str, session: str) -> None:
    """The host does not remember of what it was reminded; mostly there was nothing."""
    if os.path.isdir(os.path.join(root, ".state/turns")):
        from pathlib import Path

        from nanoctx.disk import turns

        turns.reset(Path(root, ".state"), session)


def now() -> float:
    given = os.environ.get("NANOCTX_NOW")
    if not given:
        return time.time()
    try:
        import _datetime  # type: ignore[import-not-found]  # the module around it loads for long

        moment = _datetime.datetime.fromisoformat(given)
        if moment.tzinfo is not None:
            return float(moment.timestamp())
    except (ImportError, ValueError):
        pass  # the clock says what is wrong
    from nanoctx import clock

    return clock.now().timestamp()


def _newest_log(payload: Mapping[str, Any], beside: str) -> float:
    """When a session of the project last wrote its log, not counting this one's own; 0 if none did."""
    log = payload.get("transcript_path")
    if not isinstance(log, str) or not log:
        return 0.0
    own, newest = os.path.basename(log) if beside else "", 0.0
    try:
        with os.scandir(os.path.dirname(log)) as entries:
            for number, entry in enumerate(entries):
                if number > MOST_LOGS:
                    break
                if entry.name.endswith(".jsonl") and entry.name != own:
                    newest = max(newest, entry.stat().st_mtime)
    except OSError:
        pass
    return newest


def look(root: str, more: list[str] | None = None) -> None:
    """Start a look that outlives the host: in a session of its own, with no stream of ours."""
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    # -P: Python would import what the folder it is called in holds, and that is somebody's repository.
    python = [sys.executable, "-P", "-m", "nanoctx"]
    command = [*python, "observe", "--detached", "--workspace", root, *(more or [])]
    try:
        _keep_from_children()  # whoever waits for the end of what we hold would wait for the look's
        os.chdir(os.path.dirname(root))  # the folder it was called in may be gone, and so may the workspace
        os.posix_spawn(sys.executable, command, _environment(), file_actions=nothing, setsid=True)
    except (OSError, ValueError):
        pass  # the next look will see what this one would have seen


def _keep_from_children() -> None:
    for name in os.listdir("/dev/fd"):
        try:
            os.set_inheritable(int(name), int(name) <= 2)
        except OSError:
            continue  # the one by which the list was read


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _set_deadline() -> None:
    """After the deadline the process is gone, whatever it waits for; nothing was printed by then."""
    import _signal  # the module around it loads ten times as long

    _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
    _signal.setitimer(_signal.ITIMER_REAL, DEADLINE)
