"""What a hook will say at the next session start, made ready by a look: lines, and whose they are.

A hook has no time to compose. What depends on the moment or on the session that starts is left to it: the
words for time, whether HEAD moved since, and which lines that session's host has already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypedDict

from nanoctx.core import context, cues, document, external, layers, prose, tokens
from nanoctx.core.layers import Layer
from nanoctx.model import Item, Line, Observation

VERSION = 5
STANDING_BUDGET = 600  # tokens for rules and decisions
MOST_STANDING = 40
OWN_CHARACTERS = 2000  # of sections that a person added to the page
SESSIONS_BACK = 50

Told = tuple[str, str, float]  # a line, the session it came from, when that was said
More = tuple[str, list[float], float]  # a line as in Outside, and from when it is
Part = tuple[str, list[More]]  # under its heading
Outside = tuple[str, list[float]]  # a line with `external.MOMENT` for "20 min ago", and since when each is


class Answer(TypedDict):
    """As it stands in its file; `nanoctx/hook/text.py` reads it."""

    v: int
    project: str
    made: float
    start: str  # full | page | off
    turn_cap: int  # tokens that one prompt may be answered with
    session_cap: int  # and all of a session
    full: float  # share of the window from which on the page is rewritten for it
    zone: str  # "" for the machine's own
    head: str  # where HEAD stood, "" if unknown
    branch: str
    base: str  # HEAD of the last session: commits since then are news; "" if unknown
    since: float  # when that session was last at work, 0 if there was none
    folders: list[tuple[str, str, str, float]]  # where sessions were, and branch, HEAD and time of the last
    commits: list[str]  # made by sessions, which is no news
    last: float  # last sign of life of any session
    sessions: dict[str, float]  # when each of them was last at work
    focus: str
    now: list[Told]
    time: list[tuple[str, str, float]]  # key, text, the moment that "ago" counts from
    recent: list[Told]
    external: list[Outside]
    own: str
    rules: list[Told]
    more: list[Part]  # what the view `startup` has beside all this


def answer(
    scene: context.Scene,
    page: str,
    *,
    start: str,
    turn: tuple[int, int] = (0, 0),
    full: float = 1.0,
    rules: Sequence[Told] = (),
    more: Sequence[Part] = (),
    zone: str,
    head: str = "",
    branch: str = "",
) -> Answer | None:
    """The answer for the project of this scene; None if there is nothing worth saying."""
    own = _own_sections(page)
    if not scene.sessions and not scene.standing.added and not own and not rules:
        return None
    sections = context.compose(replace(scene, live=True))
    by_id = {one.id: one for one in scene.sessions}
    current = context.current_session(scene.sessions)
    base = scene.base
    focus = context.focus_of(current) if current is not None and current.ended_by != "clear" else None
    recent = [_told(line, by_id) for line in sections["Recent"]]
    return Answer(
        v=VERSION,
        project=current.project if current is not None else "",
        made=scene.now.timestamp(),
        start=start,
        turn_cap=turn[0],
        session_cap=turn[1],
        full=full,
        zone=zone,
        head=head,
        branch=branch,
        base=base.head if base is not None else "",
        since=_end(base) if base is not None else 0.0,
        folders=_latest_in_folders(scene.sessions),
        commits=[sha for one in scene.sessions[-SESSIONS_BACK:] for sha in one.commits if len(sha) >= 7],
        last=max((_end(one) for one in scene.sessions), default=0.0),
        sessions=_latest_ends(scene.sessions),
        focus=prose.cut(focus.text, 150) if focus is not None else "",
        now=[_told(line, by_id) for line in sections["Now"]],
        time=list(_time(sections["Time"], by_id)),
        recent=[told for told in recent if told[0] != "- None"],
        external=[_outside(line, scene) for line in sections["External"]],
        own=own,
        rules=list(_rules(scene, rules)),
        more=list(more),
    )


def _told(line: Line, by_id: Mapping[str, Observation]) -> Told:
    for origin in line.origins:
        one = by_id.get(origin.observation)
        if one is not None:
            said = next((quote.at for quote in one.evidence if quote.pos == origin.pos), None)
            return line.text, one.session, said.timestamp() if said else _end(one)
    return line.text, "", 0.0


def _outside(line: Line, scene: context.Scene) -> Outside:
    text, moments = external.timeless(scene.repository, line, scene.now, scene.zone)
    return text, [at.timestamp() for at in moments]


def _time(lines: Sequence[Line], by_id: Mapping[str, Observation]) -> Iterator[tuple[str, str, float]]:
    """Lines of Time; of the last session without its "ago", which the hook puts back."""
    for line in lines:
        one = by_id.get(line.origins[0].observation) if line.origins else None
        if line.key == "Last session" and one is not None:
            yield line.key, line.text.rpartition(", ")[0], _end(one)
        else:
            yield line.key, line.text, 0.0


def _rules(scene: context.Scene, remembered: Sequence[Told]) -> Iterator[Told]:
    """Standing rules, newest first, what memory has beside them, then decisions: each once."""
    newest = sorted(scene.sessions, key=lambda one: (_end(one), one.id), reverse=True)[:SESSIONS_BACK]
    told: list[Told] = []
    seen: list[frozenset[str]] = []
    for kinds in (("rule", "pref"), ("dec",)):
        for one in newest:
            gone = context.taken_back(scene.standing, one)
            for item in one.items:
                if item.kind not in kinds or item.pos in gone or not _stands(item):
                    continue
                line = context.item_line(one, item)
                words = prose.words(item.text)
                again = any(len(words & other) >= 0.7 * len(words) for other in seen)
                if not again and not scene.standing.retracted("Now", line):
                    seen.append(words)
                    told.append((line.text, one.session, _said_at(one, item)))
        if "rule" in kinds:
            for line_told in remembered:
                words = prose.words(_unlabelled(line_told[0]))
                if not any(len(words & other) >= 0.7 * len(words) for other in seen):
                    seen.append(words)
                    told.append(line_told)
    layer = Layer("rules", [text for text, _, _ in told], cap=STANDING_BUDGET, most=MOST_STANDING)
    fit = layers.fit([layer], STANDING_BUDGET)
    yield from told[: len(fit.kept.get("rules", ()))]


def _unlabelled(line: str) -> str:
    label, _, text = line.removeprefix("- ").partition(": ")
    return text if f"{label}: " in context.LABELS.values() else line


def _stands(item: Item) -> bool:
    """A person's rule, or a choice of theirs: what they merely asked for is done by now."""
    said = item.by in ("user", "person") and item.grade != "refuted"
    return said and (item.kind != "dec" or bool(cues.DECISION.search(item.text)))


def _own_sections(page: str) -> str:
    """What a person added to the page beside our sections, cut if it is long."""
    kept = []
    for one in document.split(page):
        if not one.is_one_of(context.SECTIONS):
            titled = one.heading == "Context"
            kept.append(one.text.partition("\n")[2] if titled else one.text)
    text = "\n".join(part.strip() for part in kept if part.strip())
    if len(text) <= OWN_CHARACTERS:
        return text
    return tokens.clip(text[:OWN_CHARACTERS], OWN_CHARACTERS).rstrip() + "\n(cut; CONTEXT.md has all of it)"


def _latest_ends(sessions: Sequence[Observation]) -> dict[str, float]:
    newest = sorted(sessions, key=lambda one: (_end(one), one.id))[-SESSIONS_BACK:]
    return {one.session: _end(one) for one in newest}


def _latest_in_folders(sessions: Sequence[Observation]) -> list[tuple[str, str, str, float]]:
    """Paths to compare with, never to look at: they may be those of another machine."""
    newest = sorted(sessions, key=lambda one: (_end(one), one.id))[-SESSIONS_BACK:]
    found = {one.cwd: (one.cwd, one.branch, one.head, _end(one)) for one in newest if one.cwd}
    return sorted(found.values())


def _said_at(session: Observation, item: Item) -> float:
    said = next((quote.at for quote in session.evidence if quote.pos == item.pos), None)
    return said.timestamp() if said else _end(session)


def _end(session: Observation) -> float:
    at: datetime | None = session.last or session.ended or session.started
    return at.timestamp() if at else 0.0
