"""
A session as turns: what a person said and what the agent did about it.

A story grows by the events of each look and stays small however long the session is: late turns are kept
whole, older ones only by what they came to. Growing in pieces gives the same story as growing at once.
No secret gets into a story: what is kept of an event is redacted on the way in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from nanoctx.core import shell
from nanoctx.core.redact import redact
from nanoctx.model import Event, Step

WHOLE_TURNS = 40  # kept with (nearly) all their events
THIN_TURNS = 300  # before these, a turn is only counted
EVENTS_AT_START = 20  # of a very long turn, its beginning
EVENTS_AT_END = 400  # and its end
FILES = 80
SYMBOLS = 12  # names that one edit defines
IDLE_SECONDS = 15 * 60  # a longer silence is not work


@dataclass(frozen=True, slots=True)
class Turn:
    number: int
    prompt: Event | None
    events: tuple[Event, ...] = ()
    thin: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """All that is remembered of one session."""

    session: str
    turns: tuple[Turn, ...] = ()
    turns_begun: int = 0
    prompts: int = 0
    started: float | None = None
    last: float | None = None
    active: float = 0.0  # seconds without idle gaps
    cwd: str = ""  # where it began: the project
    facts: Mapping[str, str] = field(default_factory=dict)
    plan: tuple[Step, ...] = ()
    plan_pos: int = 0
    plan_turn: int = 0
    used: int = 0
    window: int = 0
    ended_by: str = ""
    files: tuple[str, ...] = ()  # edited, last touched first
    edits: int = 0
    reads: int = 0
    commands: int = 0
    failures: int = 0
    skipped: int = 0


def grow(story: Story, events: Iterable[Event], skipped: int = 0) -> Story:
    """The story after these events."""
    growing = _Growing(story)
    for event in events:
        growing.take(event)
    return growing.story(skipped)


class _Growing:
    """A story while events are added to it; nobody outside holds one."""

    def __init__(self, story: Story) -> None:
        self.kept = story
        self.turns = [(turn.number, turn.prompt, list(turn.events), turn.thin) for turn in story.turns]
        self.begun = story.turns_begun
        self.counts = {
            name: getattr(story, name) for name in ("prompts", "edits", "reads", "commands", "failures")
        }
        self.started, self.last, self.active = story.started, story.last, story.active
        self.facts = dict(story.facts)
        self.cwd = story.cwd
        self.plan, self.plan_pos, self.plan_turn = (
            {step.id: step for step in story.plan},
            story.plan_pos,
            story.plan_turn,
        )
        self.used, self.window, self.ended_by = story.used, story.window, story.ended_by
        self.files = dict.fromkeys(reversed(story.files))
        self.known = {event.uid: event.pos for turn in story.turns for event in _all(turn) if event.uid}
        self.calls = {
            event.call: event for turn in story.turns[-2:] for event in turn.events if event.kind == "tool"
        }

    def take(self, event: Event) -> None:
        if event.uid:
            if self.known.get(event.uid, event.pos) != event.pos:
                return  # a resumed log repeats old records
            self.known[event.uid] = event.pos
        if event.at is not None:
            self._pass_time(event.at)
        handle = getattr(self, f"_take_{event.kind}", None)
        if handle is not None:
            handle(event)
        if event.kind in _REMEMBERED:
            self._current().append(self._lean(event))

    def story(self, skipped: int) -> Story:
        turns = [Turn(number, prompt, _ends(events), thin) for number, prompt, events, thin in self.turns]
        kept = turns[-THIN_TURNS:]
        turns = [_thinned(turn) for turn in kept[:-WHOLE_TURNS]] + kept[-WHOLE_TURNS:]
        return replace(
            self.kept,
            turns=tuple(turns),
            turns_begun=self.begun,
            started=self.started,
            last=self.last,
            active=self.active,
            cwd=self.cwd,
            facts=self.facts,
            plan=tuple(self.plan.values()),
            plan_pos=self.plan_pos,
            plan_turn=self.plan_turn,
            used=self.used,
            window=self.window,
            ended_by=self.ended_by,
            files=tuple(reversed(self.files))[:FILES],
            skipped=self.kept.skipped + skipped,
            **self.counts,
        )

    def _lean(self, event: Event) -> Event:
        """The event without what nobody will read: code that was written, output that only showed something."""
        if event.kind == "tool":
            if event.name in ("edit", "write"):
                names = ",".join(shell.symbols(event.text)[:SYMBOLS])
                return replace(event, text="", facts={"symbols": names} if names else {})
            return replace(event, text="", command=redact(event.command)) if event.text or event.command else event
        if event.kind == "result" and event.ok is not False:
            call = self.calls.get(event.call)
            if call is None or call.name != "shell" or shell.only_looks(call.command):
                return replace(event, text="") if event.text else event
        return _redacted(event)

    def _pass_time(self, at: float) -> None:
        if self.last is not None and 0 < at - self.last <= IDLE_SECONDS:
            self.active += at - self.last
        self.started = at if self.started is None else min(self.started, at)
        self.last = at if self.last is None else max(self.last, at)

    def _current(self) -> list[Event]:
        if not self.turns:
            self._begin(None)
        return self.turns[-1][2]

    def _begin(self, prompt: Event | None) -> None:
        self.turns.append((self.begun, prompt, [], False))
        self.begun += 1

    def _take_prompt(self, event: Event) -> None:
        if event.name != "queued":
            self._forget_queued(redact(event.text))
        self._leave_dead_branch(event)
        self.counts["prompts"] += 1
        self.ended_by = ""
        self._begin(_redacted(event))

    def _forget_queued(self, text: str) -> None:
        """A prompt typed while the agent was busy stands in the log twice: queued, then sent."""
        for at in range(len(self.turns) - 1, max(-1, len(self.turns) - 20), -1):
            prompt = self.turns[at][1]
            if prompt is not None and prompt.name == "queued" and prompt.text == text:
                events = self.turns.pop(at)[2]
                if at:
                    self.turns[at - 1][2].extend(events)
                self.counts["prompts"] -= 1
                return

    def _leave_dead_branch(self, event: Event) -> None:
        """A person who goes back to an earlier message takes back what followed it."""
        after = event.facts.get("after", "")
        if not after.isdigit():
            return
        fork = int(after)
        while self.turns and (prompt := self.turns[-1][1]) is not None and prompt.pos > fork:
            self.turns.pop()
        if self.turns:
            events = self.turns[-1][2]
            events[:] = [kept for kept in events if kept.pos <= fork]

    def _take_about(self, event: Event) -> None:
        facts = dict(event.facts)
        if self.facts.get("title_by") == "person" and facts.get("title_by") != "person":
            facts.pop("title", None)
        self.facts.update(facts)
        self.cwd = self.cwd or event.facts.get("cwd", "")

    def _take_tool(self, event: Event) -> None:
        if event.name in ("edit", "write"):
            self.counts["edits"] += 1
            if event.path:
                self.files.pop(event.path, None)
                self.files[event.path] = None
        elif event.name in ("read", "search", "web"):
            self.counts["reads"] += 1
        elif event.name == "shell":
            self.counts["commands"] += 1
        self.calls[event.call] = event

    def _take_result(self, event: Event) -> None:
        call = self.calls.get(event.call)
        if event.ok is False and call is not None and call.name == "shell":
            self.counts["failures"] += 1

    def _take_plan(self, event: Event) -> None:
        steps = [replace(step, text=redact(step.text)) for step in event.steps]
        if event.name == "replace":
            self.plan = {step.id: step for step in steps}
        for step in steps if event.name == "merge" else ():
            old = self.plan.get(step.id, step)
            self.plan[step.id] = Step(step.id, step.text or old.text, step.status or old.status)
        self.plan_pos, self.plan_turn = event.pos, self.begun

    def _take_usage(self, event: Event) -> None:
        self.used, self.window = event.used, max(event.window, self.window)

    def _take_compact(self, event: Event) -> None:
        self.used = 0

    def _take_end(self, event: Event) -> None:
        self.ended_by = event.name


_REMEMBERED = frozenset(
    ("say", "tool", "result", "reject", "answer", "interrupt", "error", "compact", "slash")
)
_KEPT_WHEN_THIN = frozenset(("reject", "answer"))


def _all(turn: Turn) -> Iterable[Event]:
    return _both(turn.prompt, turn.events)


def _both(prompt: Event | None, events: Iterable[Event]) -> Iterable[Event]:
    if prompt is not None:
        yield prompt
    yield from events


def _redacted(event: Event) -> Event:
    text = redact(event.text) if event.text else ""
    question = event.facts.get("question", "")
    facts = {**event.facts, "question": redact(question)} if question else event.facts
    return event if text == event.text and facts == event.facts else replace(event, text=text, facts=facts)


def _ends(events: list[Event]) -> tuple[Event, ...]:
    if len(events) <= EVENTS_AT_START + EVENTS_AT_END:
        return tuple(events)
    return tuple(events[:EVENTS_AT_START] + events[-EVENTS_AT_END:])


def _thinned(turn: Turn) -> Turn:
    """An old turn by what it came to: the person's words, the last answer, commits and refusals."""
    if turn.thin:
        return turn
    says = [event for event in turn.events if event.kind == "say"]
    commits = {
        event.call
        for event in turn.events
        if event.kind == "tool"
        and "git " in event.command
        and ("commit" in event.command or "push" in event.command)
    }
    kept = [
        event
        for event in turn.events
        if event.kind in _KEPT_WHEN_THIN or event in says[-1:] or (event.call and event.call in commits)
    ]
    short = tuple(
        replace(event, text=event.text[:2000], command=event.command[:1000]) for event in kept[-20:]
    )
    prompt = replace(turn.prompt, text=turn.prompt.text[:1000]) if turn.prompt else None
    return Turn(turn.number, prompt, short, thin=True)
