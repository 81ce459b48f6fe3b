"""Observations into CONTEXT.md: four sections, each line with where it came from, within the budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from math import ceil

from nanoctx.core import cues, layers, prose, rewording, timeline, tokens
from nanoctx.core.blocks import section
from nanoctx.core.layers import Layer
from nanoctx.core.people import Standing
from nanoctx.core.traces import OPEN_EDITS
from nanoctx.model import Item, Line, Observation, Origin, Repository

SECTIONS = ("Now", "Time", "Recent", "External")
LEFT_AFTER = timedelta(days=14)
LINE = 200
FOCUS, TASK = 120, 160
DENSE = 130  # characters to which lines are cut so that there is room for the fewest
WHOLE_CLAUSES = 0.85  # of a line of Recent: it ends with a clause if that leaves so much of it
RULES = 2  # of the person's, in Now
IN_NOW = ("focus", "task", "block", "rule", "pref")
OLDER = 10  # sessions that may fill a page beside the current one
FEWEST = 3  # lines of Recent; older sessions fill up to this
LABELS = {
    "dec": "Decided: ",
    "rule": "Rule: ",
    "pref": "Preference: ",
    "fail": "Failed: ",
    "next": "Next: ",
    "learn": "Learned: ",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a page is made of: the same scene gives the same bytes."""

    sessions: tuple[Observation, ...]  # of one project, by agents
    standing: Standing  # what people did by hand
    outside: tuple[Line, ...]  # External, already worded
    now: datetime
    zone: tzinfo
    others: tuple[Observation, ...] = ()  # latest session of other projects of the workspace
    budget: int = 500
    characters: int = 2000
    recent: int = 5
    repository: Repository | None = None  # what External was worded from
    base: Observation | None = None  # the session from which on its changes count as new
    live: bool = False  # rendered for an agent right now rather than into the file


def compose(scene: Scene) -> dict[str, tuple[Line, ...]]:
    """The lines of each section, within budget; a person's lines are never dropped."""
    current = current_session(scene.sessions)
    sections = {
        "Now": _with_people("Now", _now(scene, current), scene),
        "Time": _with_people("Time", _time(scene, current), scene),
        "Recent": _with_people("Recent", _recent(scene, current), scene),
        "External": _with_people("External", scene.outside, scene),
    }
    fewest = min(FEWEST, len(sections["Recent"]))
    widest = None
    for also, width in ((True, LINE), (False, LINE), (False, DENSE), (False, 60), (False, 30), (False, 12)):
        if widest is not None and width < DENSE:
            break
        fitted = _fitted(_narrowed(sections, scene, also=also, width=width), scene)
        if fitted is not None and len(fitted["Recent"]) >= fewest:
            return fitted
        widest = widest or fitted
    return widest or _vital(_narrowed(sections, scene, also=False, width=LINE), scene)


def render(sections: Mapping[str, Sequence[Line]]) -> dict[str, str]:
    """Each section as it stands in the file, a person's blocks parted as they wrote them."""
    return {name: section(name, [line.text for line in lines]) for name, lines in sections.items()}


def page(sections: Mapping[str, Sequence[Line]]) -> str:
    return "# Context\n\n" + "\n".join(render(sections).values())


def current_session(sessions: Sequence[Observation]) -> Observation | None:
    """The latest session of a human; a headless one only if there is no other."""
    human = [one for one in sessions if one.prompts and not one.more.get("headless")]
    return max(human or sessions, key=_recency, default=None)


def focus_of(session: Observation) -> Item | None:
    return _first(session, "focus")


def _recency(session: Observation) -> tuple[float, str]:
    at = _last(session)
    return (at.timestamp() if at else 0.0, session.id)


# -- Now ---------------------------------------------------------------------------------------------------


def _now(scene: Scene, current: Observation | None) -> Iterator[Line]:
    focus = focus_of(current) if current is not None else None
    cleared = current is not None and current.ended_by == "clear"
    place = origin(current, focus) if current is not None and focus is not None else None
    opened = _said_at(current, focus) if current is not None and focus is not None else None
    label = "Focus"
    left = _last(current) if current is not None and focus is not None else None
    if left is not None and scene.now - left > LEFT_AFTER:
        label = f"Focus (left {timeline.local(left, scene.zone)[:10]})"
    for key, item, limit in (
        ("Focus", focus, FOCUS),
        ("Task", _first(current, "task"), TASK),
        ("Blocked", _first(current, "block"), LINE - 11),
    ):
        held = scene.standing.value(key, now=scene.now, focus_origin=place, focus_at=opened)
        if held is not None:
            yield held
        elif item is None or cleared or current is None:
            yield Line(f"- {key}: None", (), key)
        else:
            shown = label if key == "Focus" else key
            text = prose.cut(item.text, limit)
            yield Line(f"- {shown}: {text}", (origin(current, item),), key)
    if current is not None:
        if not cleared:  # External names the files; whose work they were is over
            yield from _open_edits(scene, current)
        yield from _rules(scene, current)
    yield from _also(scene, current)


def _open_edits(scene: Scene, current: Observation) -> Iterator[Line]:
    """Work that no commit took up; where git is at hand, only while it says that files differ."""
    seen = scene.repository
    clean = seen is not None and not (seen.unsure or seen.bare or seen.changed or seen.more_changed)
    for item in current.items:
        if is_open_edits(item) and not clean:
            yield Line(f"- {prose.cut(item.text, LINE - 2)}", (origin(current, item),), "Edited")
            return


def is_open_edits(item: Item) -> bool:
    return item.kind == "impl" and item.text.startswith(OPEN_EDITS)


def _rules(scene: Scene, current: Observation) -> Iterator[Line]:
    """What the person wants always: said last comes first."""
    told: list[frozenset[str]] = []
    older = sorted((one for one in scene.sessions if one is not current), key=_recency, reverse=True)
    for session in (current, *older[:OLDER]):
        for item in (one for one in session.items if one.kind in ("rule", "pref")):
            have = prose.words(item.text)
            line = item_line(session, item)
            repeated = any(len(have & other) >= 0.7 * len(have) for other in told)
            if not repeated and not scene.standing.retracted("Now", line):
                told.append(have)
                yield line
            if len(told) == RULES:
                return


def _also(scene: Scene, current: Observation | None) -> Iterator[Line]:
    """Other sessions that are open at the same time, and other projects of the workspace."""
    alone = current is not None and current.more.get("headless")
    beside = [
        one
        for one in scene.sessions
        if one is not current and not one.ended and one.prompts and (alone or not one.more.get("headless"))
    ]
    for other in sorted((*beside, *scene.others), key=_recency, reverse=True)[:2]:
        item = focus_of(other)
        if item is not None and current is not None:
            where = prose.cut(other.project, 40) if other.project != current.project else ""
            when = timeline.local(last, scene.zone) if (last := _last(other)) else ""
            seen = ", ".join(part for part in (where, other.agent, when) if part)
            text = f"- Also: {prose.cut(item.text, 90)} ({seen})"
            yield Line(text, (origin(other, item),), f"Also {other.project} {other.id}")


# -- Time --------------------------------------------------------------------------------------------------


def _time(scene: Scene, current: Observation | None) -> Iterator[Line]:
    seen = sorted((one for one in scene.sessions if one.started), key=_recency, reverse=True)
    closed = next((one for one in seen if one.ended), None)
    running = next((one for one in seen if not one.ended), None)
    gap = timeline.gap(_last(seen[0]) if seen else None, scene.now, scene.zone)
    if scene.live:
        yield from _clock(scene, gap, running)
    elif not seen:
        yield Line(f"- {gap.words}", (), "Last session")
    if closed is not None and closed.started is not None:
        yield _last_session(scene, closed, closed.started, named=closed is not current)
    if running is not None and running.started is not None and not scene.live:
        started = timeline.local(running.started, scene.zone)
        yield Line(f"- Session started: {started}", (_whole(running),), "Session started")
    if current is not None and current.pattern:
        yield Line(f"- Pattern: {current.pattern.capitalize()} session", (_whole(current),), "Pattern")
    yield Line(f"- Hint: {gap.hint}", (), "Hint")


def _clock(scene: Scene, gap: timeline.Gap, running: Observation | None) -> Iterator[Line]:
    """What only holds at this moment, for an agent that reads it right now."""
    day = timeline.WEEKDAYS[scene.now.astimezone(scene.zone).weekday()]
    yield Line(f"- Current: {day}, {timeline.local(scene.now, scene.zone)}", (), "Current")
    yield Line(f"- Last interaction: {gap.words}", (_whole(running),) if running else (), "Last interaction")
    if running is not None:
        yield Line("- Session: continuing", (_whole(running),), "Session")


def _last_session(scene: Scene, closed: Observation, started: datetime, *, named: bool) -> Line:
    ended = _last(closed) or started
    span = timeline.span(started, ended, scene.zone)
    length = timeline.duration_words((ended - started).total_seconds())
    item = focus_of(closed) if named else None
    about = f": {prose.cut(item.text, 48)}" if item is not None else ""
    ago = timeline.gap(ended, scene.now, scene.zone).words
    text = f"- Last session: {span} ({length}, {closed.agent}{about}), {ago}"
    return Line(text, (_whole(closed),), "Last session")


# -- Recent ------------------------------------------------------------------------------------------------


def _recent(scene: Scene, current: Observation | None) -> Iterator[Line]:
    """Outcomes and decisions: the current session's first, older ones while there are too few."""
    if current is None:
        return
    if current.ended_by == "clear" and (focus := focus_of(current)) is not None:
        yield Line(f"- Before /clear: {prose.cut(focus.text, 150)}", (origin(current, focus),))
    older = sorted((one for one in scene.sessions if one is not current), key=_recency, reverse=True)
    told: list[frozenset[str]] = []
    shown = (_first(current, kind) for kind in ("focus", "task", "block"))
    asked = prose.words(" ".join(item.text for item in shown if item is not None))
    count = 0
    broken = False  # a check failed in a later session
    for session in (current, *older[:OLDER]):
        most = scene.recent if session is current else min(FEWEST, scene.recent)
        gone = taken_back(scene.standing, session)
        for item in session.items:
            if count >= most or not _is_news(item) or (item.by == "user" and item.pos in gone):
                continue
            have = prose.words(_without_lead(item))
            doubted = broken and item.grade == "verified"
            line = item_line(session, replace(item, grade="claimed") if doubted else item)
            repeated = any(len(have & other) >= 0.7 * len(have) for other in told)
            # What Now says already is no news as long as nothing came of it.
            told_in_now = item.kind in ("fail", "next") or (item.kind, item.by) == ("dec", "user")
            repeated |= told_in_now and len(have & asked) >= 0.7 * len(have)
            if not repeated and not scene.standing.retracted("Recent", line):
                told.append(have)
                count += 1
                yield line
        broken = broken or any(_is_open_failure(item) for item in session.items)


def taken_back(standing: Standing, session: Observation) -> frozenset[int]:
    """Where in a session the person said rules that they took out since: nothing said there comes back."""
    rules = [item for item in session.items if item.kind in ("rule", "pref") and item.pos is not None]
    if not rules or not standing.retractions:
        return frozenset()
    return frozenset(
        item.pos
        for item in rules
        if item.pos is not None and standing.retracted("Now", item_line(session, item))
    )


def _is_news(item: Item) -> bool:
    """An outcome or a decision; not what stands in Now, is not true, or is only there to be recalled."""
    refused = item.grade == "refuted" or item.more.get("page") == "no"
    return not (refused or item.kind in IN_NOW or is_open_edits(item))


def _is_open_failure(item: Item) -> bool:
    return item.kind == "fail" and item.by == "tool" and not item.text.startswith("Passed later")


def item_line(session: Observation, item: Item) -> Line:
    return Line(f"- {page_line(item)}", (origin(session, item),))


def page_line(item: Item) -> str:
    label = LABELS.get(item.kind, "")
    if item.kind == "dec" and item.by == "agent" and not cues.DECISION.search(item.text):
        label = ""  # a reason, not a choice
    if item.kind == "dec" and item.by == "user":
        label = "" if item.text.startswith("Approved: ") else "User: "
    if item.kind == "fail" and (item.by == "user" or item.text.startswith("Passed later")):
        label = ""
    if item.kind == "fail" and item.by == "agent" and not cues.IN_VAIN.search(item.text):
        label = ""  # what is not there
    checked = " (checked)" if item.grade == "verified" and item.kind == "impl" and item.by == "agent" else ""
    guess = "Unverified: " if item.grade == "hypothesis" else ""
    return prose.cut(f"{guess}{label}{_without_lead(item)}", LINE - 2 - len(checked), WHOLE_CLAUSES) + checked


def _without_lead(item: Item) -> str:
    return cues.NEXT_LEAD.sub("", item.text) if item.kind == "next" else item.text


# -- people and budget -------------------------------------------------------------------------------------


def _with_people(section: str, lines: Iterable[Line], scene: Scene) -> tuple[Line, ...]:
    """A person's lines stand first; in Now after the three values everybody looks for."""
    ours = [line for line in lines if not scene.standing.retracted(section, line)]
    theirs = scene.standing.added.get(section, ())
    return (*ours, *theirs) if section == "Now" else (*theirs, *ours)


def _narrowed(
    sections: Mapping[str, tuple[Line, ...]], scene: Scene, *, also: bool, width: int
) -> dict[str, tuple[Line, ...]]:
    """Generated lines made shorter, for words that cost much more than usual, as those of many scripts do."""
    kept = dict(sections)
    for name in ("Now", "Recent", "External"):
        added = scene.standing.added.get(name, ())
        ours = (line for line in sections[name] if also or not line.key.startswith("Also "))
        kept[name] = tuple(line if line in added or _by_hand(line) else _short(line, width) for line in ours)
    return kept


def _by_hand(line: Line) -> bool:
    return any(origin.kind == "edit" for origin in line.origins)


def _short(line: Line, width: int) -> Line:
    label, mark, words = line.text.partition(": ") if line.key else ("-", " ", line.text.removeprefix("- "))
    return line if len(words) <= width else replace(line, text=f"{label}{mark}{prose.cut(words, width)}")


def _fitted(sections: Mapping[str, tuple[Line, ...]], scene: Scene) -> dict[str, tuple[Line, ...]] | None:
    """The lines for which there is room; None if there is not even room for those that must stay."""
    vital = _vital(sections, scene)
    filled = {name: lines or vital[name] for name, lines in sections.items()}
    stack = [
        Layer(name, [line.text for line in filled[name]], vital=len(vital[name]), frame=f"\n## {name}")
        for name in SECTIONS
    ]
    title = Layer("title", ["# Context"], vital=1)
    fit = layers.fit([title, *stack], scene.budget, lambda text: _cost(text, scene))
    if fit.cut:
        return None
    return {name: filled[name][: len(fit.kept.get(name, ()))] for name in SECTIONS}


def _vital(sections: Mapping[str, tuple[Line, ...]], scene: Scene) -> dict[str, tuple[Line, ...]]:
    """What stays whatever the budget says: Now, a person's lines, and one line of each section."""
    kept: dict[str, tuple[Line, ...]] = {}
    for name in SECTIONS:
        fewest = max(1, len(scene.standing.added.get(name, ())))
        kept[name] = sections[name] if name == "Now" else sections[name][:fewest]
    return {**kept, "Recent": kept["Recent"] or (Line("- None"),)}


def _cost(text: str, scene: Scene) -> int:
    """Tokens, or characters measured in the same coin if there are too many of them."""
    return max(tokens.count(text), ceil(len(text) * scene.budget / scene.characters))


def _first(session: Observation | None, kind: str) -> Item | None:
    return next((item for item in session.items if item.kind == kind), None) if session is not None else None


def origin(session: Observation, item: Item) -> Origin:
    # One message may give several lines of a kind: then their first words tell them apart.
    alike = sum(other.pos == item.pos and other.kind == item.kind for other in session.items)
    # Those they were distilled to: a line that a person took out stays out when a writer rewords it.
    lead = " ".join(rewording.original(session, item).lower().split()[:3]) if alike > 1 else ""
    return Origin(session.id, item.pos, item.kind, lead)


def _whole(session: Observation) -> Origin:
    return Origin(session.id, None, "session")


def _said_at(session: Observation, item: Item) -> datetime | None:
    """When the topic was opened; for an observation that does not say, when the item was said."""
    try:
        return datetime.fromisoformat(item.more.get("since", ""))
    except ValueError:
        return next((one.at for one in session.evidence if one.pos == item.pos), None)


def _last(session: Observation) -> datetime | None:
    return session.last or session.ended or session.started
