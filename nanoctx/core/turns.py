"""
A session as turns: what a person said and what the agent did about it.

A story grows by the events of each look and stays small however long the session is: late turns are kept
whole, older ones only by what they came to. Growing in pieces gives the same story as growing at once.
No secret gets into a story: what is kept of an event is redacted on the way in. Nor does what a person
wanted forgotten.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from nanoctx.core import lean, shell
from nanoctx.core.forgotten import Forgotten
from nanoctx.core.redact import redact_all
from nanoctx.model import Event, Step

WHOLE_EVENTS = 600  # turns before the latest so many events are kept only by what they came to
OLD_TURNS = 60  # and of those, so many
OLD_EVENTS = 6  # with so many events each
EVENTS_AT_START = 20  # of a very long turn, its beginning
EVENTS_AT_END = 400  # and its end
LATE_TURNS = 5  # a result this much later than its call still finds it
FILES = 80
LOOKED = 30
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
    looked: tuple[str, ...] = ()  # read, last read first
    edits: int = 0
    reads: int = 0
    commands: int = 0
    failures: int = 0
    skipped: int = 0
    taken: int = 0  # position of the last record taken: what comes again up to there is old


def grow(
    story: Story, events: Iterable[Event], skipped: int = 0, forgotten: Forgotten | None = None
) -> Story:
    """The story after these events, without what is forgotten."""
    growing = _Growing(story, forgotten)
    for event in events:
        growing.take(forgotten.event(event) if forgotten else event)
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

    def __init__(self, story: Story, forgotten: Forgotten | None) -> None:
        self.kept, self.forgotten = story, forgotten
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
        self.looked = dict.fromkeys(reversed(story.looked))
        self.taken = story.taken
        self.known: dict[str, int] = {}  # where the records stand that are remembered
        self.held: defaultdict[str, int] = defaultdict(int)  # by how many events each
        for turn in self.turns:
            self._hold(turn.all())

    def take(self, event: Event) -> None:
        if 0 < event.pos <= self.kept.taken:
            return  # a look that was cut short is done again
        self.taken = max(self.taken, event.pos)
        if event.uid and self.known.get(event.uid, event.pos) != event.pos:
            return  # a resumed log repeats old records
        if event.at is not None:
            self._pass_time(event.at)
        handle = _HANDLERS.get(event.kind)
        if handle is not None:
            handle(self, event)
        if event.kind in _REMEMBERED:
            called = self._called(event) if event.call and event.kind != "tool" else None
            if not _is_mute(event, called):
                # A result stands with its call, whatever was said since.
                self._remember(lean.lean(event), called[0] if called else None)

    def story(self, skipped: int) -> Story:
        self._redact()
        return dataclasses.replace(
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
            looked=tuple(reversed(self.looked)),
            skipped=self.kept.skipped + skipped,
            taken=self.taken,
            **self.counts,
        )

    def _remember(self, event: Event, turn: _Open | None) -> None:
        if not self.turns:
            self._begin(None)
        turn = turn or self.turns[-1]
        turn.events.append(event)
        self._hold((event,))
        self._shorten(turn)

    def _shorten(self, turn: _Open) -> None:
        while len(turn.events) > EVENTS_AT_START + EVENTS_AT_END:
            self._drop((turn.events.pop(EVENTS_AT_START),))

    def _hold(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.uid:
                self.known[event.uid] = event.pos
                self.held[event.uid] += 1

    def _drop(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.uid:
                self.held[event.uid] -= 1
                if not self.held[event.uid]:
                    del self.held[event.uid], self.known[event.uid]

    def _called(self, event: Event) -> tuple[_Open, Event] | None:
        """The call that this answers, and its turn: people may have said more while it ran."""
        for turn in reversed(self.turns[-LATE_TURNS:]):
            for one in reversed(turn.events):
                if one.kind == "tool" and one.call == event.call:
                    return turn, one
        return None

    def _redact(self) -> None:
        """Take the secrets out of all new events in one go: one by one it would cost more than the look."""
        new = [
            (turn.events, at)
            for turn in self.turns
            for at, event in enumerate(turn.events)
            if event.pos > self.kept.taken
        ]
        words = [lean.words_of(events[at]) for events, at in new]
        clean = iter(self._clean([text for three in words for text in three]))
        for (events, at), said, kept in zip(new, words, zip(clean, clean, clean, strict=True), strict=True):
            if said != kept:
                events[at] = lean.with_words(events[at], *kept)

    def _clean(self, texts: Sequence[str]) -> list[str]:
        clean = redact_all(texts)
        return [self.forgotten.cut(text) for text in clean] if self.forgotten else clean

    def _cleaned(self, event: Event) -> Event:
        if event.pos <= self.kept.taken:
            return event  # since an earlier look
        said = lean.words_of(event)
        kept = self._clean(said)
        return event if tuple(kept) == said else lean.with_words(event, *kept)

    def _pass_time(self, at: float) -> None:
        if self.last is not None and 0 < at - self.last <= IDLE_SECONDS:
            self.active += at - self.last
        self.started = at if self.started is None else min(self.started, at)
        self.last = at if self.last is None else max(self.last, at)

    def _begin(self, prompt: Event | None) -> None:
        self.turns.append(_Open(self.begun, prompt, [], False))
        self.begun += 1
        self._hold(self.turns[-1].all())
        self._let_old_turns_fade()

    def _let_old_turns_fade(self) -> None:
        later = old = 0
        for at in range(len(self.turns) - 1, -1, -1):
            turn = self.turns[at]
            if later >= WHOLE_EVENTS and not turn.thin:
                self.turns[at] = _thinned(turn, self._cleaned)
                self._drop(turn.all())
                self._hold(self.turns[at].all())
            later += len(turn.events) + 1
            old += self.turns[at].thin
        for _ in range(old - OLD_TURNS):
            self._drop(self.turns.pop(0).all())

    def _take_prompt(self, event: Event) -> None:
        text = self._clean([event.text])[0]
        if event.name != "queued":
            self._forget_queued(text)
        self._leave_dead_branch(event)
        self.counts["prompts"] += 1
        self.ended_by = ""
        self._begin(replace(event, text=text) if text != event.text else event)

    def _take_run(self, event: Event) -> None:
        """Each run of a job is a turn without a prompt: only so is the last one told from those before it."""
        if self.turns and self.turns[-1].events:
            self._begin(None)

    def _forget_queued(self, text: str) -> None:
        """A prompt typed while the agent was busy stands in the log twice: queued, then sent."""
        for at in range(len(self.turns) - 1, max(-1, len(self.turns) - 20), -1):
            prompt = self.turns[at].prompt
            if prompt is not None and prompt.name == "queued" and prompt.text == text:
                self._drop((prompt,))
                self.counts["prompts"] -= 1
                if at:
                    self.turns[at - 1].events += self.turns.pop(at).events
                    self._shorten(self.turns[at - 1])
                else:
                    self.turns[at].prompt = None
                return

    def _leave_dead_branch(self, event: Event) -> None:
        """A person who goes back to an earlier message takes back what followed it."""
        after = event.facts.get("after", "")
        if not after.isdigit():
            return
        fork = int(after)
        while self.turns and (prompt := self.turns[-1].prompt) is not None and prompt.pos > fork:
            self._drop(self.turns.pop().all())
        if self.turns:
            events = self.turns[-1].events
            self._drop(event for event in events if event.pos > fork)
            events[:] = [kept for kept in events if kept.pos <= fork]

    def _take_about(self, event: Event) -> None:
        facts = dict(event.facts)
        if self.facts.get("title_by") == "person" and facts.get("title_by") != "person":
            facts.pop("title", None)
        if "title" in facts:
            facts["title"] = self._clean([facts["title"]])[0]
        self.facts.update(facts)
        self.cwd = self.cwd or event.facts.get("cwd", "")

    def _take_tool(self, event: Event) -> None:
        if event.name in ("edit", "write"):
            self.counts["edits"] += 1
            if event.path:
                _touch(self.files, event.path, FILES)
        elif event.name in ("read", "search", "web"):
            self.counts["reads"] += 1
            if event.name == "read" and event.path:
                _touch(self.looked, event.path, LOOKED)
        elif event.name == "shell":
            self.counts["commands"] += 1
            for path in shell.looked_at(event.command):
                _touch(self.looked, path, LOOKED)

    def _take_result(self, event: Event) -> None:
        called = self._called(event) if event.ok is False and event.call else None
        if called and called[1].name == "shell":
            self.counts["failures"] += 1

    def _take_plan(self, event: Event) -> None:
        texts = self._clean([step.text for step in event.steps])
        steps = [Step(step.id, text, step.status) for step, text in zip(event.steps, texts, strict=True)]
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

    def _take_slash(self, event: Event) -> None:
        if event.name == "/clear" and not self.counts["prompts"]:
            self.facts["began"] = "clear"  # hosts open a new log for it and leave the old one as it is


_HANDLERS = {
    "prompt": _Growing._take_prompt,
    "run": _Growing._take_run,
    "about": _Growing._take_about,
    "tool": _Growing._take_tool,
    "result": _Growing._take_result,
    "plan": _Growing._take_plan,
    "usage": _Growing._take_usage,
    "compact": _Growing._take_compact,
    "end": _Growing._take_end,
    "slash": _Growing._take_slash,
}
_REMEMBERED = frozenset(
    ("say", "tool", "result", "reject", "answer", "interrupt", "error", "compact", "slash")
)
_GIT_WORK = re.compile(r"\bgit\b.*\b(?:commit|push|reset|revert)\b", re.DOTALL)
_KEPT_WHEN_THIN = frozenset(("reject", "answer"))


def _touch(paths: dict[str, None], path: str, most: int) -> None:
    """Put a path last; the first one gives way if there are too many."""
    paths.pop(path, None)
    paths[path] = None
    if len(paths) > most:
        del paths[next(iter(paths))]


def _is_mute(event: Event, called: tuple[_Open, Event] | None) -> bool:
    """A result that only showed something: that the tool was called says enough."""
    if event.kind != "result" or event.ok is False:
        return False
    return called is None or called[1].name != "shell" or shell.only_looks(called[1].command)


def _thinned(turn: _Open, cleaned: Callable[[Event], Event]) -> _Open:
    """
    An old turn by what it came to: the person's words, the last answer, commits and refusals.

    It is redacted before it is cut: half a secret is not recognised any more.
    """
    says = [event for event in turn.events if event.kind == "say"]
    commits = {
        event.call for event in turn.events if event.kind == "tool" and _GIT_WORK.search(event.command)
    }
    kept = [
        event
        for event in turn.events
        if event.kind in _KEPT_WHEN_THIN or event in says[-1:] or (event.call and event.call in commits)
    ]
    clean = [cleaned(event) for event in kept[-OLD_EVENTS:]]
    short = [replace(event, text=event.text[:1500], command=event.command[:800]) for event in clean]
    prompt = replace(turn.prompt, text=turn.prompt.text[:800]) if turn.prompt else None
    return _Open(turn.number, prompt, short, thin=True)
