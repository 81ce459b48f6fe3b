"""What one turn came to: the agent's report, edits, commands with their outcome, commits, refusals."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from nanoctx.core import cues, prose, shell
from nanoctx.core.turns import Turn
from nanoctx.model import Event


@dataclass(frozen=True, slots=True)
class Run:
    """A shell command that has answered."""

    command: str
    output: str
    ok: bool
    pos: int

    @property
    def family(self) -> str:
        return shell.family(self.command)


@dataclass(frozen=True, slots=True)
class Deeds:
    turn: Turn
    says: tuple[Event, ...]
    final: Event | None  # the last thing the agent said
    finished: bool  # nothing was left running or announced when the turn ended
    edits: tuple[Event, ...]
    runs: tuple[Run, ...]
    commits: tuple[shell.Commit, ...]
    refused: tuple[Event, ...]  # tool calls that a person rejected; `command`/`path` of the call filled in
    answers: tuple[Event, ...]
    troubles: tuple[Event, ...]  # failed calls of other tools than the shell, with `name`/`path` of the call
    plans: tuple[Event, ...]  # plans the agent laid before the person
    last: Event | None

    @property
    def worked(self) -> bool:
        return bool(self.edits or self.commits or any(shell.is_check(run.command) for run in self.runs))

    @property
    def verified(self) -> bool:
        """A check passed after the last edit, and none failed after it."""
        return self._last_check is True

    @property
    def contradicted(self) -> bool:
        """The last check after the last edit failed, whatever the report says."""
        return self._last_check is False

    @property
    def _last_check(self) -> bool | None:
        edited = self.edits[-1].pos if self.edits else 0
        checks = [run.ok for run in self.runs if run.pos > edited and shell.is_check(run.command)]
        return checks[-1] if checks else None


def deeds(turns: Sequence[Turn]) -> list[Deeds]:
    return [_deeds(turn) for turn in turns]


def _deeds(turn: Turn) -> Deeds:
    calls = {event.call: event for event in turn.events if event.kind == "tool" and event.call}
    says = tuple(_spoken(event) for event in turn.events if event.kind == "say")
    says = tuple(say for say in says if say.text.strip())
    runs: list[Run] = []
    commits: list[shell.Commit] = []
    failed_edits = set()
    troubles: list[Event] = []
    for event in turn.events:
        call = calls.get(event.call)
        if event.kind != "result" or call is None:
            continue
        if event.ok is False and call.name in ("edit", "write"):
            failed_edits.add(event.call)
        if call.name == "shell":
            run = Run(call.command, event.text, event.ok is not False, event.pos)
            runs.append(run)
            commits.extend(shell.commits(run.command, run.output, run.ok, run.pos))
        elif event.ok is False:
            place = call.path or call.text[:200]
            troubles.append(replace(event, name=call.name, path=place, facts=call.facts))
    refused = tuple(
        _with_call(event, calls.get(event.call)) for event in turn.events if event.kind == "reject"
    )
    rejected = {event.call for event in refused}
    edits = tuple(
        event
        for event in turn.events
        if event.kind == "tool"
        and event.name in ("edit", "write")
        and event.call not in rejected
        and event.call not in failed_edits
    )
    return Deeds(
        turn,
        says,
        says[-1] if says else None,
        _finished(turn, says) or _ends_with(turn, commits),
        edits,
        tuple(runs),
        tuple(_joined(commits)),
        refused,
        tuple(event for event in turn.events if event.kind == "answer"),
        tuple(troubles),
        tuple(call for call in calls.values() if call.name == "plan" and call.text),
        turn.events[-1] if turn.events else None,
    )


def _spoken(event: Event) -> Event:
    text = prose.spoken(event.text)
    return event if text is event.text else replace(event, text=text)


def _with_call(event: Event, call: Event | None) -> Event:
    return event if call is None else replace(event, name=call.name, command=call.command, path=call.path)


def _finished(turn: Turn, says: tuple[Event, ...]) -> bool:
    """The agent spoke last, and what it said was not an announcement."""
    acts = [
        event
        for event in turn.events
        if event.kind in ("say", "tool", "result", "interrupt", "reject", "error")
    ]
    if not acts or not says or acts[-1].kind != "say":
        return turn.thin and bool(says)
    text = says[-1].text.rstrip()
    announces = len(text) < 160 and cues.INTENT.match(prose.opening(text))
    # Not in the spoken text: there a colon may have stood before the code that was shown.
    return not announces and not acts[-1].text.rstrip().endswith(":")


def _ends_with(turn: Turn, commits: Sequence[shell.Commit]) -> bool:
    """A commit was the last thing that was done: some agents say no more. Later looks change nothing."""
    if not commits:
        return False
    after = [event for event in turn.events if event.pos > commits[-1].pos]
    looks = all(shell.only_looks(event.command) for event in after if event.kind == "tool")
    return looks and all(event.kind == "tool" or (event.kind == "result" and event.ok) for event in after)


def _joined(commits: list[shell.Commit]) -> list[shell.Commit]:
    """A push or pull request belongs to the commit before it."""
    joined: list[shell.Commit] = []
    for commit in commits:
        before = joined[-1] if joined else None
        if commit.pushed and before is not None and not before.pull:
            joined[-1] = dataclasses.replace(before, pushed=commit.pushed, sha=before.sha or commit.sha)
        elif commit.pull and before is not None and before.subject:
            joined[-1] = dataclasses.replace(before, pull=commit.pull)
        else:
            joined.append(commit)
    return joined
