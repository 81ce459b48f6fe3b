"""The status line of Claude Code: no hook is told how full the window is, only what shows it to the person.

The figure is noted where it counts, and once the window is nearly full a look brings the page up to date.
What the person sees is their own command's line, if they had one: it gets what we got, and takes our place.
"""

from __future__ import annotations

import os

from nanoctx import hook
from nanoctx.hook import places, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FULL = 0.8  # where no look has written yet what the settings say
STEP = 5  # percent of the window that make a difference
MOST_HANDED_ON = 60_000  # bytes: what a pipe takes without anybody reading
LONGEST_NAME = 200
SECONDS = 1.0  # no host waits for its status line, and no person for one that is a second old


def main(words: list[str]) -> None:
    """`[--then COMMAND]`: note what is told, then let the person's own command speak, or say it in short."""
    _raise_at_deadline()
    given, said = b"", ""
    try:
        given = reading.given()
        told = reading.parsed(given.decode("utf-8", "replace"))
        said = _line(told) if isinstance(told, dict) else ""
        if said and os.environ.get("NANOCTX_OFF") != "1":
            _note(told)
    except Exception:
        if os.environ.get("NANOCTX_DEBUG"):
            raise
    _no_deadline()
    if words[:1] == ["--then"] and len(words) == 2:
        _hand_over(words[1], given)
    elif said:
        print(said, flush=True)
    os._exit(0)


def _percent(told: Mapping[str, Any]) -> int | None:
    """The share of the window that is used; the host does not know before its model's first answer."""
    window = told.get("context_window")
    percent = window.get("used_percentage") if isinstance(window, dict) else None
    if isinstance(percent, bool) or not isinstance(percent, (int, float)) or not 0 <= percent <= 100:
        return None
    return int(percent)


def _line(told: Mapping[str, Any]) -> str:
    model, percent = told.get("model"), _percent(told)
    name = model.get("display_name") if isinstance(model, dict) else None
    parts = [name[:LONGEST_NAME]] if isinstance(name, str) and name.isprintable() else []
    used = "window not used yet" if percent is None else f"{percent} % of its window"
    return " \u00b7 ".join([*parts, used])


def _note(told: Mapping[str, Any]) -> None:
    percent, session, cwd = _percent(told), told.get("session_id"), told.get("cwd")
    if percent is None or not isinstance(session, str) or not isinstance(cwd, str):
        return
    place = places.find(cwd) if 0 < len(session) < LONGEST_NAME and session.isprintable() else None
    if place is None:
        return
    root, ready, _ = place
    full = 100 * float(reading.json_file(ready).get("full", FULL))
    state = os.path.join(root, ".state")
    noted = _noted(os.path.join(state, "fullness"), session)
    if noted is not None and abs(percent - noted) < STEP and (percent >= full) == (noted >= full):
        return
    from pathlib import Path

    from nanoctx.disk import fullness

    fullness.add(Path(state), session, percent, hook.now())
    if percent >= full:
        here = os.getcwd()
        hook.look(root)
        os.chdir(here)


def _noted(file: str, session: str) -> int | None:
    for line in reversed(reading.end(file).splitlines()):
        _, percent, *named = [*line.split(" ", 2), "", ""]
        if named[0] == session and percent.isdecimal():
            return int(percent)
    return None


def _hand_over(command: str, given: bytes) -> None:
    """Become the person's own command, which is given what we were given."""
    reading_end, writing_end = os.pipe()
    with os.fdopen(writing_end, "wb") as stream:
        stream.write(given if len(given) <= MOST_HANDED_ON else b"")
    os.dup2(reading_end, 0)
    os.close(reading_end)
    os.execv("/bin/sh", ["sh", "-c", command])


def _raise_at_deadline() -> None:
    """A person's own line is shown whatever becomes of ours."""
    import _signal

    def late(*_: object) -> None:
        raise TimeoutError

    _signal.signal(_signal.SIGALRM, late)
    _signal.setitimer(_signal.ITIMER_REAL, SECONDS)


def _no_deadline() -> None:
    import _signal

    _signal.setitimer(_signal.ITIMER_REAL, 0)  # it would outlive us in the command
