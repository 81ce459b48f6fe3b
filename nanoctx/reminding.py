"""What a session is reminded of when its person asks for something: `Relevant Memory:`, mostly nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from nanoctx.core import escape, gaps, layers, prose, tokens
from nanoctx.core.identity import observation_id
from nanoctx.core.layers import Layer
from nanoctx.disk import injections, turns
from nanoctx.disk.turns import Told
from nanoctx.recall import bearing
from nanoctx.recall.search import Filters, Hit

TITLE = "Relevant Memory:"
MOST = 6  # things a turn
# What stands by itself: not what was asked for, nor what was going on.
KINDS = (
    "rule", "pref", "dec", "learn", "fact", "insight", "fail", "fix", "impl", "next", "block", "document",
    "project",
)  # fmt: skip
ALIKE = 0.7
EXCERPT = 240  # characters of a long text


class Reminder(NamedTuple):
    text: str
    note: Callable[[], None]  # that it was told: to be called once it was, not before


NONE = Reminder("", lambda: None)


def remind(
    state: Path, prompt: str, *, agent: str, session: str, ready: Mapping[str, Any], now: datetime
) -> Reminder:
    """
    What memory has on a prompt and this session was not told yet, within the caps of a turn and a session.

    `ready` is the answer that the session began with: what stands in it was told, and the caps are in it.
    """
    before = turns.load(state, session)
    room = min(ready["turn_cap"], ready["session_cap"] - before.tokens)
    if room <= tokens.count(TITLE):
        return NONE
    hits = _new(state, prompt, before, observation_id(agent, session), ready, now)
    lines = [f"- {escape.inert(_excerpt(hit.text, prompt))} ({_whence(hit, now)})" for hit in hits]
    fit = layers.fit([Layer("memory", lines, frame=TITLE)], room)
    kept = len(fit.kept.get("memory", ()))
    if not kept:
        return NONE
    text = fit.text.rstrip("\n")
    ids = {one for hit in hits[:kept] for one in (hit.id, *hit.also)}
    cost = tokens.count(text)

    def note() -> None:
        turns.save(state, session, Told(before.tokens + cost, before.ids | ids))
        injections.note(
            state,
            {
                "at": f"{now:%Y-%m-%dT%H:%M:%SZ}", "view": "turn", "session": session[:100], "form": "md",
                "tokens": cost, "budget": room, "layers": {"memory": kept},
                "left_out": {"memory": len(lines) - kept},
            },
        )  # fmt: skip

    return Reminder(text, note)


def _new(
    state: Path, prompt: str, before: Told, own: str, ready: Mapping[str, Any], now: datetime
) -> list[Hit]:
    """What bears on the prompt and was not told; what the session did itself (`own`), it knows."""
    filters = Filters(kinds=KINDS, project=ready["project"])
    stood = [prose.words(line) for line in _lines(ready)]
    found = []
    for hit in bearing.bearing(state, prompt, now=now, k=2 * MOST, filters=filters):
        said = prose.words(hit.text)
        known = hit.observation == own or not before.ids.isdisjoint((hit.id, *hit.also))
        if not known and hit.grade != "refuted" and not any(_alike(said, other) for other in stood):
            stood.append(said)
            found.append(hit)
    return found[:MOST]


def _excerpt(text: str, prompt: str) -> str:
    """A text, or of a long one the sentences from the one on that has most to do with the prompt."""
    line = escape.one_line(text)
    if len(line) <= EXCERPT:
        return line
    asked, parts = prose.words(prompt), prose.sentences(line)
    best = max(range(len(parts)), key=lambda place: (len(asked & prose.words(parts[place])), -place))
    rest = " ".join(parts[best:])
    told = prose.cut(rest, EXCERPT)
    return f"{'… ' * (best > 0)}{told}{' …' * (len(told) < len(rest))}"


def _lines(ready: Mapping[str, Any]) -> Sequence[str]:
    return [str(line[0]) for part in ("now", "recent", "rules") for line in ready[part]]


def _alike(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) >= ALIKE * min(len(words), len(other))


def _whence(hit: Hit, now: datetime) -> str:
    """How long ago it was said, or in which file it stands."""
    if hit.observation and hit.at is not None:
        return gaps.told((now - hit.at).total_seconds(), (now.date() - hit.at.date()).days)[0]
    return hit.source
