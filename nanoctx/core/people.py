"""
What people do to our pages by hand, as items that are kept, and what of it stands.

A line they add is an `edit`; so is a new value for Focus, Task or Blocked. A line they take out is a
`retract`, which names it by salted hashes: of its text, and of the places it came from, so that other words
for the same thing stay away too. Lines about time change by themselves; those are named by their key.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

from nanoctx.core import items, undone, verbatim
from nanoctx.model import Change, Item, Line, Observation, Origin

AGENT = undone.BY_HAND
VALUE_KEYS = ("Focus", "Task", "Blocked")  # lines of Now whose value a person may set
PIN = "📌"
ACCEPTED, NO_MARK = "accepted", "none"  # what a `pin` may say beside a mark
HOLDS = timedelta(hours=24)

_VALUE = re.compile(r"(?:[-*+] )?(Focus|Task|Blocked)(?: \([^()]*\))?:(.*)", re.DOTALL)
_TIME_KEY = re.compile(r"(?:[-*+] )?([A-Z][A-Za-z ]{0,30}):")
_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Mark:
    """A hash that names something without telling it."""

    salt: str
    digest: str

    def names(self, *parts: str) -> bool:
        return self.digest == _digest(self.salt, *parts)

    def names_origin(self, origin: Origin) -> bool:
        return self.names(*_origin_parts(origin))


@dataclass(frozen=True, slots=True)
class Value:
    """What a person set Focus, Task or Blocked to."""

    line: Line
    at: datetime
    was: tuple[Mark, ...] = ()  # where the line came from that it took the place of
    topic: tuple[Mark, ...] = ()  # where Focus came from then
    section: str = ""


@dataclass(frozen=True, slots=True)
class Retraction:
    """A line that a person took out."""

    section: str
    exact: Mark
    like: Mark
    key: str = ""
    origins: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """What of all that people did by hand still stands."""

    added: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)
    retractions: tuple[Retraction, ...] = ()
    pins: Mapping[str, str] = field(default_factory=dict)  # a line's key: its mark
    accepted: frozenset[str] = frozenset()  # keys of lines that they vouch for

    def value(
        self, key: str, *, now: datetime, focus_origin: Origin | None, focus_at: datetime | None
    ) -> Line | None:
        """
        Give the person's value for a key while it holds.

        It holds for 24 hours, or until a later prompt opens another topic, which shows in the generated
        focus: it comes from another place than then, and its words are newer. With a pin it holds for ever.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if value.line.text.rstrip(" \ufe0f").endswith(PIN):
            return value.line
        same_topic = focus_origin and any(mark.names_origin(focus_origin) for mark in value.topic)
        is_later = focus_at is not None and focus_at > value.at
        return None if now - value.at >= HOLDS or (is_later and not same_topic) else value.line

    def retracted(self, section: str, line: Line) -> bool:
        """Tell whether a generated line gives way: a person took it out, or has written it themselves."""
        if _is_theirs(line):
            return False
        like = likeness(line.text)
        if any(likeness(own.text) == like for own in self.added.get(section, ())):
            return True
        key = line.key or _time_key(section, line.text)
        for one in self.retractions:
            if one.section == section and (
                one.like.names("like", section, like) or (one.key and one.key == key)
            ):
                return True
            if any(mark.names_origin(origin) for mark in one.origins for origin in line.origins):
                return True
        return False


def record(changes: Sequence[Change], before: Mapping[str, Sequence[Line]], *, salt: str) -> tuple[Item, ...]:
    """
    Write what a person changed as items: first what they took out, then what they put in.

    `before` holds the lines we last wrote, as far as known: they tell what a line came from.
    """
    focus = next((line for line in before.get("Now", ()) if line.key == "Focus"), None)
    topic = _marks(salt, focus)
    retracts: list[Item] = []
    edits: list[Item] = []
    for change in changes:
        lines = before.get(change.section, ())
        removed = list(change.removed)
        taken: set[str] = set()
        for text in change.added:
            if _is_reformatted(text, removed, lines):
                continue
            more = {"section": change.section}
            key = _value_key(change.section, text)
            if key and key not in taken:
                taken.add(key)
                old = next((gone for gone in removed if _value_key(change.section, gone) == key), None)
                if old is not None:
                    removed.remove(old)
                was = ",".join(_marks(salt, _line(old, lines) if old is not None else None))
                more |= (
                    {"key": key}
                    | ({"was": was} if was else {})
                    | ({"topic": ",".join(topic)} if topic else {})
                )
            edits += verbatim.write("edit", text, more)
        retracts += [retraction(change.section, gone, _line(gone, lines), salt) for gone in removed]
    return (*retracts, *edits)


def observation(
    done: Sequence[Item], *, salt: str, at: datetime, project: str = "", page: str = "CONTEXT.md"
) -> Observation:
    """Make the observation that holds what a person did in one go."""
    return Observation(
        id=items.person_id(at, done),
        agent=AGENT,
        project=project,
        started=at,
        items=tuple(done),
        more={"page": page, "salt": salt},
    )


def page_of(seen: Observation) -> str:
    """The page that a batch of edits was about."""
    return str(seen.more.get("page", "CONTEXT.md"))


def moment(observations: Iterable[Observation], now: datetime) -> datetime:
    """Give the time of what a person did just now: after all they did before, whatever the clock says."""
    latest = max(
        (seen.started for seen in observations if seen.agent == AGENT and seen.started), default=None
    )
    return now if latest is None or latest < now else latest + timedelta(microseconds=1)


def standing(observations: Iterable[Observation]) -> Standing:
    """Fold what people did and did not take back, in the order of time, whatever order the files come in."""
    found = [(seen.started, seen.id, seen) for seen in observations if seen.agent == AGENT and seen.started]
    out = undone.left_out(seen for _, _, seen in found)
    theirs = [one for one in found if one[1] not in out]
    fold = _Fold()
    for at, _, seen in sorted(theirs, key=lambda one: one[:2]):
        salt = str(seen.more.get("salt", ""))
        for item in seen.items:
            if item.kind == "retract":
                fold.retract(item, salt)
            elif item.kind == "pin" and item.text != undone.UNDONE:
                fold.pin(item)
        for number, (text, item) in enumerate(verbatim.read("edit", seen.items), 1):
            if text:  # else it was forgotten
                fold.edit(text, item, Origin(seen.id, number, "edit"), salt, at)
    added = {section: tuple(lines) for section, lines in fold.added.items() if lines}
    accepted = frozenset(fold.accepted)
    return Standing(added, dict(fold.values), tuple(fold.retractions), dict(fold.pins), accepted)


class _Fold:
    """What stands while observations are gone through."""

    def __init__(self) -> None:
        self.added: dict[str, list[Line]] = {}
        self.values: dict[str, Value] = {}
        self.retractions: list[Retraction] = []
        self.pins: dict[str, str] = {}
        self.accepted: set[str] = set()

    def pin(self, item: Item) -> None:
        key = item.more.get("key", "")
        if item.text == ACCEPTED:
            self.accepted.add(key)
            self.retractions = [one for one in self.retractions if one.key != key]
        else:
            self.pins[key] = "" if item.text == NO_MARK else item.text

    def retract(self, item: Item, salt: str) -> None:
        section = item.more.get("section", "")
        exact = Mark(salt, item.text)
        origins = _read_marks(salt, item.more.get("from", ""))
        own = self.added.get(section, [])
        self.added[section] = [line for line in own if not exact.names("exact", section, line.text)]
        for key, value in list(self.values.items()):
            if exact.names("exact", section, value.line.text):
                # Whoever sets Focus and then takes the line out does not want the old one back.
                origins += value.was
                del self.values[key]
        like = Mark(salt, item.more.get("like", ""))
        self.values.pop(item.more.get("key", ""), None)
        self.accepted.discard(item.more.get("key", ""))
        self.retractions.append(Retraction(section, exact, like, item.more.get("key", ""), origins))

    def edit(self, text: str, item: Item, origin: Origin, salt: str, at: datetime) -> None:
        section, key = item.more.get("section", ""), item.more.get("key", "")
        same = [one for one in self.retractions if one.section == section]
        undone = [one for one in same if one.key and one.exact.names("exact", section, text)]
        like = likeness(text)
        back = [one for one in same if not one.key and one.like.names("like", section, like)]
        if undone or back:
            self.retractions = [one for one in self.retractions if one not in undone and one not in back]
        line = Line(text, (origin,), key)
        if key:
            self.retractions = [one for one in self.retractions if one.key != key]
            was, topic = (_read_marks(salt, item.more.get(name, "")) for name in ("was", "topic"))
            self.values[key] = Value(line, at, self._before(key, was), self._topic(topic), section)
        elif not undone and all(text != own.text for own in self.added.get(section, ())):
            self.added.setdefault(section, []).append(line)

    def _before(self, key: str, was: tuple[Mark, ...]) -> tuple[Mark, ...]:
        """See through a value of theirs to the generated line that it had taken the place of."""
        old = self.values.get(key)
        return old.was if old and (not was or _name_one_of(was, old.line.origins)) else was

    def _topic(self, topic: tuple[Mark, ...]) -> tuple[Mark, ...]:
        old = self.values.get("Focus")
        return old.topic if old and _name_one_of(topic, old.line.origins) else topic


def retraction(section: str, text: str, line: Line | None, salt: str) -> Item:
    """The item that says a line was taken out, without its words."""
    more = {"section": section, "like": _digest(salt, "like", section, likeness(text))}
    key = (line.key if line else "") or _time_key(section, text)
    if key and key not in VALUE_KEYS:
        more["key"] = key
    elif marks := _marks(salt, line):
        more["from"] = ",".join(marks)
    return Item("retract", _digest(salt, "exact", section, text), by="person", more=more)


def _is_reformatted(text: str, removed: list[str], lines: Sequence[Line]) -> bool:
    """See that an added line is one of ours in another dress, as formatters do it: that is no edit."""
    for gone in removed:
        line = _line(gone, lines)
        if line and not _is_theirs(line) and likeness(gone) == likeness(text):
            removed.remove(gone)
            return True
    return False


def _line(text: str, lines: Sequence[Line]) -> Line | None:
    return next((line for line in lines if line.text == text), None)


def _is_theirs(line: Line) -> bool:
    return any(origin.kind == "edit" for origin in line.origins)


def _value_key(section: str, text: str) -> str:
    match = _VALUE.fullmatch(text) if section == "Now" and "\n" not in text else None
    return match[1] if match else ""


def _time_key(section: str, text: str) -> str:
    match = _TIME_KEY.match(text) if section == "Time" else None
    return match[1] if match else ""


def likeness(text: str) -> str:
    """Reduce a line to what makes it the same line: not its bullet, its blanks, or the age beside its key."""
    text = " ".join(unicodedata.normalize("NFC", _BULLET.sub("", text.strip(), count=1)).split())
    match = _VALUE.fullmatch(text)
    return f"{match[1]}:{match[2]}" if match else text


def _marks(salt: str, line: Line | None) -> list[str]:
    # A whole session is too much to name: only places within it are.
    origins = [origin for origin in line.origins if origin.kind or origin.pos is not None] if line else []
    return [_digest(salt, *_origin_parts(origin)) for origin in origins]


def _read_marks(salt: str, text: str) -> tuple[Mark, ...]:
    return tuple(Mark(salt, digest) for digest in text.split(",") if digest)


def _name_one_of(marks: Iterable[Mark], origins: Iterable[Origin]) -> bool:
    return any(mark.names_origin(origin) for mark in marks for origin in origins)


def _origin_parts(origin: Origin) -> tuple[str, ...]:
    place = "" if origin.pos is None else str(origin.pos)
    return ("origin", origin.observation, origin.kind, place, origin.lead)


def _digest(salt: str, *parts: str) -> str:
    return sha256("\0".join((salt, *parts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
