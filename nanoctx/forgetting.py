"""`forget`: what would go, and then it goes, for good."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from secrets import token_hex

from nanoctx import byhand, publishing, reflector
from nanoctx.core import escape, facts, forgotten, passage, people, rewording, verbatim
from nanoctx.core.forgotten import Forgotten
from nanoctx.disk import files, lock, mirror, observations, sweep
from nanoctx.disk.sweep import Holding
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import Busy, UsageError
from nanoctx.model import Observation, Origin
from nanoctx.recall import index

LOCK_WAIT = 30.0
_NAMES = ("id", "agent", "session", "project", "cwd", "log")


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be forgotten, and where it stands."""

    texts: tuple[str, ...]
    sessions: tuple[str, ...]
    holdings: tuple[Holding, ...]
    stays: tuple[str, ...]  # names of places, which cannot be forgotten

    @property
    def gone(self) -> Forgotten:
        return forgotten.by_words(self.texts, self.sessions)


@dataclass(frozen=True, slots=True)
class Done:
    """What was forgotten; `left` names what could not be changed."""

    tombstone: str
    changed: int
    left: tuple[str, ...]


def plan(ws: Workspace, query: str, *, now: datetime, zone: tzinfo) -> Plan:
    """What a text, the id of a fact or that of an observation means; nothing is changed."""
    known, _ = observations.load_all(ws.root)
    by_id = {one.id: one for one in known}
    if query.strip() in by_id and by_id[query.strip()].agent != people.AGENT:
        texts: tuple[str, ...] = ()
        sessions: tuple[str, ...] = (query.strip(),)
    else:
        texts, sessions = _texts(ws, query, by_id, now, zone), ()
        if not texts:
            raise UsageError(f"`{query[:80]}` is too little to forget: give a word of four letters at least")
    gone = forgotten.by_words(texts, sessions)
    held = tuple(sweep.holdings(ws, gone, os.environ))
    return Plan(texts, sessions, held, tuple(_names(known, gone)))


def forget(ws: Workspace, what: Plan, *, now: datetime, zone: tzinfo) -> Done:
    """Leave the tombstone first, so that nothing comes back, then take it out of everything there is."""
    files.make_folder(ws.state)
    with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="forget"):
        mirror.restore(ws.root, os.environ)
        known, _ = observations.load_all(ws.root)
        made = _tombstone(what, known, now)
        observations.save(ws.root, made)
        changed = sweep.sweep(ws, what.gone, os.environ)
        known, _ = observations.load_all(ws.root, remember=True)
        sweep.keep_away(ws, forgotten.read(known), os.environ)
        publishing.publish(ws, known, known, now, zone)
    reflector.reflect(ws, now=now, zone=zone)
    left = [f"{one.path} still holds it" for one in sweep.holdings(ws, what.gone, os.environ)]
    return Done(made.id, changed, (*left, *_out_of_the_index(ws)))


def _tombstone(what: Plan, known: Sequence[Observation], now: datetime) -> Observation:
    salt = token_hex(8)
    done = forgotten.tombstone(what.texts, what.sessions, salt)
    at = people.moment(known, now)
    return people.observation(done, salt=salt, at=at, page=forgotten.EVERYWHERE)


def _out_of_the_index(ws: Workspace) -> Iterable[str]:
    """What is searched is made of the files, and made anew from them."""
    if not (ws.state / "recall").is_dir():
        return ()
    try:
        index.drop(ws)
    except Busy as busy:
        return (f"the index of recall may still hold it: {busy}",)
    return ()


def _texts(
    ws: Workspace, query: str, by_id: Mapping[str, Observation], now: datetime, zone: tzinfo
) -> tuple[str, ...]:
    """The passages that are meant: of a line all the words it was made of, else what was given."""
    found: dict[str, None] = {}
    for one in byhand.meant(ws, query, now=now, zone=zone):
        if byhand.is_whole(one, query):
            origins = one.fact.origins if one.fact is not None else one.line.origins if one.line else ()
            words = one.fact.text if one.fact is not None else _bare(one.text)
            said = (text for origin in origins for text in _said(by_id, origin, words))
            found |= dict.fromkeys((words, *said))
    if not found:
        found = {_bare(query): None}
    return tuple(text for text in found if passage.is_long_enough(text))


def _said(by_id: Mapping[str, Observation], origin: Origin, line: str) -> Iterable[str]:
    """The words of one origin: those of its item and those of the log."""
    one = by_id.get(origin.observation)
    if one is None:
        return
    if origin.kind == "edit":
        edits = [text for text, _ in verbatim.read("edit", one.items)]
        if origin.pos and origin.pos <= len(edits):
            yield facts.parse(edits[origin.pos - 1]).text
        return
    if not origin.kind or origin.kind == "session":
        return
    there = [item for item in one.items if (item.pos, item.kind) == (origin.pos, origin.kind)]
    if there:
        yield max(there, key=lambda item: rewording.likeness(item.text, line)).text
    for quote in rewording.behind(one, origin, line):
        yield quote.quote.rstrip(escape.ELLIPSIS)


def _bare(text: str) -> str:
    """A line without its bullet, its mark, its dates and its id."""
    return facts.parse(text.strip()).text


def _names(known: Iterable[Observation], gone: Forgotten) -> Iterable[str]:
    found = {name: {str(getattr(one, name)) for one in known} for name in _NAMES}
    for name, values in found.items():
        yield from (f"{name} {value}" for value in sorted(values) if value and gone.holds(value))
