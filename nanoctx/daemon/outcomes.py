"""Taking in what a piece of work for a workspace came to."""

from __future__ import annotations

from datetime import datetime

from nanoctx.daemon import charge
from nanoctx.daemon.charge import LOOK, MEMORY, Charge, Outcome, Task
from nanoctx.daemon.crew import Done
from nanoctx.daemon.telling import Telling
from nanoctx.errors import NanoctxError

ABSENT_PAUSE = 2.0


def take(held: Charge, task: Task, done: Done, telling: Telling, at: float, now: datetime) -> bool:
    """Returns whether the workspace is new to us, back, or has other settings."""
    held.task, held.took = None, done.took
    if done.error is not None:
        _take_failure(held, task, done, telling, at)
        return False
    ws, outcome = done.result
    if outcome.absent:
        _take_absence(held, task, outcome, telling, at)
        return False
    is_new = held.ws is None or held.ws.settings != ws.settings
    if held.absent:
        telling.say("the workspace is back", held)
    held.ws, held.absent, held.missing_since, held.git = ws, False, None, outcome.git
    if outcome.busy:
        held.not_before = at + charge.BUSY_PAUSE
        held.put_back(task, at)
    else:
        held.failures, held.not_before = 0, 0.0
        _note(held, task, outcome, telling, at, now)
    return is_new


def _take_failure(held: Charge, task: Task, done: Done, telling: Telling, at: float) -> None:
    held.failures += 1
    held.not_before = at + held.pause()
    held.put_back(task, at)
    error = done.error
    known = isinstance(error, NanoctxError)
    said = str(error) if known else f"{type(error).__name__}: {error}"
    if said not in held.errors:
        telling.say(said, held, error=True, trace="" if known else done.told)


def _take_absence(held: Charge, task: Task, outcome: Outcome, telling: Telling, at: float) -> None:
    """Nothing is made in its place; what it wants waits for it."""
    if not held.absent:
        held.missing_since = at
        telling.say(outcome.error, held, error=True)
    held.ws, held.absent, held.not_before = None, True, at + ABSENT_PAUSE
    held.put_back(task, at)


def _note(held: Charge, task: Task, outcome: Outcome, telling: Telling, at: float, now: datetime) -> None:
    held.lag = at - task.since if task.since is not None else 0.0
    held.looks += 1
    if LOOK in outcome.did:
        held.last_look = now
    if MEMORY in outcome.did:
        held.last_cycle = now
    for problem in outcome.problems:
        if problem not in held.errors:
            telling.say(problem, held, error=True)
    written = ["CONTEXT.md"] * outcome.page_changed + ["MEMORY.md"] * outcome.memory_changed
    if outcome.changed:
        written.append(f"{len(outcome.changed)} observation{'s' * (len(outcome.changed) > 1)}")
    if written:
        held.writes += 1
        why = "; ".join(dict.fromkeys(task.wants.values()))
        telling.say(f"{why}: wrote {', '.join(written)}, {held.lag:.1f} s after", held)
