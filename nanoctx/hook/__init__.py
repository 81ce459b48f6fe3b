"""What an agent calls at its events: one small file read, one print, always exit 0.

People wait for this, so nothing is imported that takes time to load: a ready answer was written by the last
look (`core/answer.py`), and the little that depends on this moment is done here. Whatever goes wrong, the
answer is empty; after 200 ms it is empty too.
"""

from __future__ import annotations

import os
import sys
import time

from nanoctx.hook import places, reading, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

VERSION = 1  # of the answer's form
DEADLINE = 0.2
GIT_SECONDS = 0.12
MOST_LOGS = 2000
EVENTS = {"sessionstart": "SessionStart", "precompact": "PreCompact", "sessionend": "SessionEnd"}


def main(arguments: list[str] | None = None) -> None:
    """Answer one event, named by the first argument or by the payload. Never raises, never waits for long."""
    begun = time.monotonic()
    try:
        _set_deadline()
        words = sys.argv[1:] if arguments is None else arguments
        said = _answer(words[0] if words else "", reading.payload(), begun)
        if said:
            sys.stdout.write(said + "\n")
            sys.stdout.flush()
    except Exception:
        if os.environ.get("NANOCTX_DEBUG"):
            raise
    os._exit(0)  # no clean-up: nothing is open, and the interpreter's own would take its time


def _answer(event: str, payload: dict[str, Any], begun: float) -> str:
    if os.environ.get("NANOCTX_OFF") == "1" or payload.get("agent_id"):
        return ""  # switched off, or a sub-agent: its session was told
    called = event or str(payload.get("hook_event_name"))
    name = EVENTS.get(called.replace("-", "").replace("_", "").lower())
    cwd = payload.get("cwd")
    place = places.find(cwd if isinstance(cwd, str) and cwd else os.getcwd())
    if name is None or place is None:
        return ""
    root, ready = place
    session = str(payload.get("session_id") or "")
    if name == "SessionStart":
        return _session_start(root, ready, str(payload.get("source") or "startup"), session, payload, begun)
    how = {"clear": "clear", "prompt_input_exit": "exit", "logout": "exit", "other": "exit"}
    ended = how.get(str(payload.get("reason")), "exit") if name == "SessionEnd" and session else ""
    look(root, ["--ended", f"{session}={ended}"] if ended else [])
    return ""


def _session_start(
    root: str, ready: str, source: str, session: str, payload: Mapping[str, Any], begun: float
) -> str:
    answer = reading.json_file(ready)
    if answer.get("v") != VERSION:
        look(root)
        return ""
    if answer["start"] == "off":
        return ""
    head = places.head(root)
    moved = head is not None and head[:2] != (answer["branch"], answer["head"])
    if head is not None and moved:
        answer["external"] = _moved(answer, head, begun)
    if moved or _logs_are_newer(payload, answer["made"], session):
        look(root)
    given = reading.quoted(text.compose(answer, source, session, _now()))
    return f'{{"hookSpecificOutput":{{"hookEventName":"SessionStart","additionalContext":{given}}}}}'


def _now() -> float:
    if not os.environ.get("NANOCTX_NOW"):
        return time.time()
    from nanoctx import clock  # slow to load, and only tests set the clock

    return clock.now().timestamp()


def _moved(answer: Mapping[str, Any], head: tuple[str, str, str], begun: float) -> list[str]:
    """External when HEAD is not where the last look saw it: git's words if there is time, else the fact."""
    from nanoctx.hook import news

    branch, sha, folder = head
    switched = ""
    if branch and branch != answer["branch"]:
        switched = f"; branch {news.clean(answer['branch'])} → {news.clean(branch)}"
    fact = f"- HEAD moved {answer['head'][:7] or 'from nowhere'} → {sha[:7]}{switched}"
    found: list[str] = []
    if answer["head"] and sha != answer["head"]:
        left = min(GIT_SECONDS, DEADLINE - 0.04 - (time.monotonic() - begun))
        found = news.since(folder, answer["base"] or answer["head"], answer["commits"], left)
    old = [line for line in answer["external"] if not line.startswith(("- No git", "- On ", "- HEAD moved"))]
    if not found:
        return [fact, *old]
    rest = [line for line in old if " commit" not in line[:24]]
    return [f"- {found[0]}{switched}", *(f"- {line}" for line in found[1:]), *rest]


def _logs_are_newer(payload: Mapping[str, Any], made: float, session: str) -> bool:
    log = payload.get("transcript_path")
    if not isinstance(log, str) or not log:
        return False
    own = f"{session}.jsonl"  # of the session that starts: there is nothing to see in it yet
    try:
        with os.scandir(os.path.dirname(log)) as entries:
            for number, entry in enumerate(entries):
                if number > MOST_LOGS:
                    break
                name = entry.name
                if name.endswith(".jsonl") and entry.stat().st_mtime > made and name != own:
                    return True
    except OSError:
        pass
    return False


def look(root: str, more: list[str] | None = None) -> None:
    """Start a look that outlives the host: in a session of its own, with no stream of ours."""
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    command = [sys.executable, "-m", "nanoctx", "observe", "--detached", "--workspace", root, *(more or [])]
    try:
        os.chdir(root)  # the folder it was called in may be gone
        os.posix_spawn(sys.executable, command, _environment(), file_actions=nothing, setsid=True)
    except (OSError, ValueError):
        pass  # the next look will see what this one would have seen


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _set_deadline() -> None:
    """After the deadline the process is gone, whatever it waits for; nothing was printed by then."""
    import _signal  # the module around it loads ten times as long

    _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
    _signal.setitimer(_signal.ITIMER_REAL, DEADLINE)
