"""
A session as turns: what a person said and what the agent did about it.

A story grows by the events of each look and stays small however long the session is: late turns are kept
whole, older ones only by what they came to. Growing in pieces gives the same story as growing at once.
No secret gets into a story: what is kept of an event is redacted on the way in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from nanoctx.core import shell
from nanoctx.core.redact import redact
from nanoctx.model import Event, Step

WHOLE_EVENTS = 600  # turns before the latest so many events are kept only by what they came to
OLD_TURNS = 60  # and of those, so many
OLD_EVENTS = 6  # with so many events each
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


@dataclass(slots=True)
class _Open:
    """A turn that may still grow."""

    number: int
    prompt: Event | None
    events: list[Event]
    thin: bool

    def all(self) -> Iterable[Event]:
        return (self.prompt, *self.events) if self.prompt is not None else self.events


class _Growing:
    """
    A story while events are added to it; nobody outside holds one.

    What is forgotten is forgotten at once, event by event, so that it makes no difference where a look ended.
    """

    def __init__(self, story: Story) -> None:
        self.kept = story
        self.turns = [_Open(turn.number, turn.prompt, list(turn.events), turn.thin) for turn in story.turns]
        self.begun = story.turns_begun
        self.counts = {
            name: getattr(story, name) for name in ("prompts", "edits", "reads", "commands", "failures")
        }
        self.started, self.last, self.active = story.started, story.last, story.active
        self.facts = dict(story.facts)
        self.cwd = story.cwd
        self.plan = {step.id: step for step in story.plan}
        self.plan_pos, self.plan_turn = story.plan_pos, story.plan_turn
        self.used, self.window, self.ended_by = story.used, story.window, story.ended_by
        self.files = dict.fromkeys(reversed(story.files))
        self.known = {event.uid: event.pos for turn in self.turns for event in turn.all() if event.uid}
        self.calls = {event.call: event for event in self._late_events() if event.kind == "tool"}

    def take(self, event: Event) -> None:
        if event.uid and self.known.get(event.uid, event.pos) != event.pos:
            return  # a resumed log repeats old records
        if event.at is not None:
            self._pass_time(event.at)
        handle = getattr(self, f"_take_{event.kind}", None)
        if handle is not None:
            handle(event)
        if event.kind in _REMEMBERED and not self._is_mute(event):
            self._remember(self._lean(event))

    def story(self, skipped: int) -> Story:
        return replace(
            self.kept,
            turns=tuple(Turn(turn.number, turn.prompt, tuple(turn.events), turn.thin) for turn in self.turns),
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
            files=tuple(reversed(self.files)),
            skipped=self.kept.skipped + skipped,
            **self.counts,
        )

    def _remember(self, event: Event) -> None:
        if not self.turns:
            self._begin(None)
        events = self.turns[-1].events
        events.append(event)
        if event.uid:
            self.known[event.uid] = event.pos
        if len(events) > EVENTS_AT_START + EVENTS_AT_END:
            self.known.pop(events.pop(EVENTS_AT_START).uid, None)

    def _is_mute(self, event: Event) -> bool:
        """A result that only showed something: that the tool was called says enough."""
        if event.kind != "result" or event.ok is False:
            return False
        call = self.calls.get(event.call)
        return call is None or call.name != "shell" or shell.only_looks(call.command)

    def _lean(self, event: Event) -> Event:
        """The event without what nobody will read, such as the code that was written, and without secrets."""
        if event.kind != "tool":
            return _redacted(event)
        if event.name in ("edit", "write"):
            names = ",".join(shell.symbols(event.text)[:SYMBOLS])
            return replace(event, text="", facts={"symbols": names} if names else {})
        return replace(event, text="", command=redact(event.command)) if event.text or event.command else event

    def _late_events(self) -> Iterable[Event]:
        return (event for turn in self.turns[-2:] for event in turn.events)

    def _pass_time(self, at: float) -> None:
        if self.last is not None and 0 < at - self.last <= IDLE_SECONDS:
            self.active += at - self.last
        self.started = at if self.started is None else min(self.started, at)
        self.last = at if self.last is None else max(self.last, at)

    def _begin(self, prompt: Event | None) -> None:
        self.turns.append(_Open(self.begun, prompt, [], False))
        self.begun += 1
        self.calls = {event.call: event for event in self._late_events() if event.kind == "tool"}
        if prompt is not None and prompt.uid:
            self.known[prompt.uid] = prompt.pos
        self._let_old_turns_fade()

    def _let_old_turns_fade(self) -> None:
        later = old = 0
        for at in range(len(self.turns) - 1, -1, -1):
            turn = self.turns[at]
            if later >= WHOLE_EVENTS and not turn.thin:
                self.turns[at] = _thinned(turn)
                for event in turn.all():
                    self.known.pop(event.uid, None)
                self.known |= {event.uid: event.pos for event in self.turns[at].all() if event.uid}
            later += len(turn.events) + 1
            old += self.turns[at].thin
        if old > OLD_TURNS:
            for event in self.turns.pop(0).all():
                self.known.pop(event.uid, None)

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
            prompt = self.turns[at].prompt
            if prompt is not None and prompt.name == "queued" and prompt.text == text:
                events = self.turns.pop(at).events
                if at:
                    self.turns[at - 1].events.extend(events)
                self.counts["prompts"] -= 1
                return

    def _leave_dead_branch(self, event: Event) -> None:
        """A person who goes back to an earlier message takes back what followed it."""
        after = event.facts.get("after", "")
        if not after.isdigit():
            return
        fork = int(after)
        while self.turns and (prompt := self.turns[-1].prompt) is not None and prompt.pos > fork:
            self.turns.pop()
        if self.turns:
            events = self.turns[-1].events
            events[:] = [kept for kept in events if kept.pos <= fork]

    def _take_about(self, event: Event) -> None:
        facts = dict(event.facts)
        if self.facts.get("title_by") == "person" and facts.get("title_by") != "person":
            facts.pop("title", None)
        if "title" in facts:
            facts["title"] = redact(facts["title"])
        self.facts.update(facts)
        self.cwd = self.cwd or event.facts.get("cwd", "")

    def _take_tool(self, event: Event) -> None:
        if event.name in ("edit", "write"):
            self.counts["edits"] += 1
            if event.path:
                self.files.pop(event.path, None)
                self.files[event.path] = None
                if len(self.files) > FILES:
                    del self.files[next(iter(self.files))]
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
_GIT_WORK = re.compile(r"\bgit\b.*\b(?:commit|push)\b", re.DOTALL)
_KEPT_WHEN_THIN = frozenset(("reject", "answer"))


def _redacted(event: Event) -> Event:
    text = redact(event.text) if event.text else ""
    question = event.facts.get("question", "")
    facts = {**event.facts, "question": redact(question)} if question else event.facts
    return event if text == event.text and facts == event.facts else replace(event, text=text, facts=facts)


def _thinned(turn: _Open) -> _Open:
    """An old turn by what it came to: the person's words, the last answer, commits and refusals."""
    says = [event for event in turn.events if event.kind == "say"]
    commits = {event.call for event in turn.events if event.kind == "tool" and _GIT_WORK.search(event.command)}
    kept = [
        event
        for event in turn.events
        if event.kind in _KEPT_WHEN_THIN or event in says[-1:] or (event.call and event.call in commits)
    ]
    short = [replace(event, text=event.text[:1500], command=event.command[:800]) for event in kept[-OLD_EVENTS:]]
    prompt = replace(turn.prompt, text=turn.prompt.text[:800]) if turn.prompt else None
    return _Open(turn.number, prompt, short, thin=True)
