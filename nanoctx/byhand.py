"""What a person does to memory by a command: remember, pin, accept, and how a project stands."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from secrets import token_hex

from nanoctx import overview, publishing, reflector, scenes
from nanoctx.core import (
    context,
    facts,
    forgotten,
    items,
    memory,
    memory_edits,
    people,
    projects,
    undone,
    verbatim,
)
from nanoctx.core.escape import one_line
from nanoctx.core.facts import Fact
from nanoctx.core.redact import redact
from nanoctx.disk import files, lock, mirror, observations, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import NanoctxError, UsageError
from nanoctx.model import Change, Item, Line, Observation

SECTION_OF = {
    "rule": facts.RULES,
    "pref": facts.RULES,
    "dec": facts.DECISIONS,
    "learn": facts.CONVENTIONS,
    "fail": facts.FAILED,
    "fact": facts.KNOWN,
    "insight": facts.KNOWN,
}
KINDS = tuple(SECTION_OF)
NEVER_AN_AGENTS = ("rule", "pref")
LONGEST = 2000  # characters of what is remembered
MOST_NAMED = 8  # lines that are named when words mean several
LOCK_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was kept, and where it stands."""

    text: str
    section: str
    observation: str
    redacted: bool
    shown: bool  # in the page; what an agent says may have no room


@dataclass(frozen=True, slots=True)
class Project:
    """A project, how it stands, and who says so."""

    slug: str
    status: str
    why: str
    page: Path
    described: projects.Described
    sessions: int
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Meant:
    """What an id, a line or some words mean: a fact of MEMORY.md or a line of CONTEXT.md."""

    text: str
    page: str
    fact: Fact | None = None
    line: Line | None = None
    section: str = ""


def remember(
    ws: Workspace,
    text: str,
    *,
    kind: str,
    scope: str = "",
    project: str = "",
    by: str = "person",
    now: datetime,
    zone: tzinfo,
) -> Remembered:
    """Keep a line for good. An agent's is a claim among others, and never a rule."""
    words = one_line(redact(text))
    if not words:
        raise UsageError("there is nothing to remember: all of it was private or a secret")
    about = _about(scope, project)
    _let_come_again(ws, words, now)
    if by == "agent":
        made = keep(ws, [_agents(words, kind, about)], memory.PAGE, project, now)
    elif len(words) > LONGEST:
        raise UsageError(f"that is {len(words)} characters long: keep it below {LONGEST}")
    else:
        line = facts.write(facts.Parsed(words, about=about))
        done = verbatim.write("edit", line, {"section": SECTION_OF[kind]})
        made = keep(ws, done, memory.PAGE, "", now)
    reflector.reflect(ws, now=now, zone=zone)
    shown = words in files.read(ws.memory_page).text
    return Remembered(words, SECTION_OF[kind], made.id, words != one_line(text), shown)


def context_lines(ws: Workspace, *, now: datetime, zone: tzinfo) -> Mapping[str, tuple[Line, ...]]:
    """The lines of CONTEXT.md as they would be written now."""
    known, _ = observations.load_all(ws.root)
    return context.compose(scenes.scene(ws, known, None, now, zone))


def meant(ws: Workspace, query: str, *, now: datetime, zone: tzinfo) -> tuple[Meant, ...]:
    """All that a query means, those of an id alone."""
    known = reflector.memory_of(ws, now=now, zone=zone).facts
    found = tuple(Meant(fact.text, memory.PAGE, fact=fact) for fact in facts.named(known, query))
    if found and all(one.fact is not None and _is_id(one.fact, query) for one in found):
        return found
    sections = context_lines(ws, now=now, zone=zone)
    wanted = people.likeness(facts.parse(query).text).lower()
    lines = tuple(
        Meant(line.text, "CONTEXT.md", line=line, section=name)
        for name, held in sections.items()
        for line in held
        if wanted and wanted in people.likeness(line.text).lower()
    )
    return tuple(one for one in (*found, *lines) if is_whole(one, query)) or (*found, *lines)


def is_whole(one: Meant, query: str) -> bool:
    """Whether the query is the id or all the words of a line, rather than some of them."""
    if one.fact is not None and _is_id(one.fact, query):
        return True
    words = facts.parse(query).text
    return people.likeness(one.text).lower() == people.likeness(words).lower()


def only(found: Sequence[Meant], query: str) -> Meant:
    """The one that is meant; raise NanoctxError, naming them, if it is none or more."""
    if not found:
        raise NanoctxError(
            f"nothing here says `{query[:80]}`: copy a line of MEMORY.md or CONTEXT.md, or its id"
        )
    if len(found) > 1:
        named = "; ".join(_called(one) for one in found[:MOST_NAMED])
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        raise NanoctxError(f"`{query[:80]}` may mean {len(found)} lines: say which ({named}{more})")
    return found[0]


def pin(ws: Workspace, one: Meant, mark: str, *, now: datetime, zone: tzinfo) -> bool:
    """Give a line a mark, or take it away (""); False if it is so already."""
    if one.fact is None:
        if not mark and not _is_pinned(one.text):
            return False
        return _hold(ws, one, mark, now, zone)
    if one.fact.mark == mark:
        return False
    salt = token_hex(8)
    if one.fact.verbatim:
        block = facts.write(replace(facts.parse(one.fact.verbatim), mark=mark))
        done: Sequence[Item] = _replaced(one.fact, block, salt)
    else:
        done = [memory_edits.pin(one.fact.id, mark, one.fact.section)]
    keep(ws, done, memory.PAGE, "", now, salt=salt)
    reflector.reflect(ws, now=now, zone=zone)
    return True


def accept(ws: Workspace, one: Meant, *, now: datetime, zone: tzinfo) -> bool:
    """A line of an agent or of ours becomes the person's; False if it is already."""
    if one.fact is None:
        return _hold(ws, one, people.PIN if _is_pinned(one.text) else "", now, zone)
    if one.fact.accepted or one.fact.by == "person":
        return False
    keep(ws, [memory_edits.accept(one.fact.id)], memory.PAGE, "", now)
    reflector.reflect(ws, now=now, zone=zone)
    return True


def known_projects(ws: Workspace, *, now: datetime) -> tuple[Project, ...]:
    """The projects of the workspace, the latest first."""
    known, _ = observations.load_all(ws.root)
    slugs = [slug for slug in scenes.projects(known) if slug]
    described = sorted(page.parent.name for page in ws.projects.glob(f"*/{projects.PAGE}"))
    return tuple(_project(ws, slug, known, now) for slug in dict.fromkeys((*slugs, *described)))


def project(ws: Workspace, query: str, *, now: datetime) -> Project:
    """The project of that slug, name or beginning; "" is the latest. UsageError if it is none or several."""
    known = known_projects(ws, now=now)
    wanted = query.lower()
    exact = [one for one in known if wanted in (one.slug.lower(), one.described.name.lower())]
    found = exact or [one for one in known if one.slug.lower().startswith(wanted)]
    if not known:
        raise UsageError("no project is known yet: run `nanoctx observe` after a session")
    if query and len(found) != 1:
        said = "may mean several projects" if found else "is no project here"
        named = ", ".join(one.slug for one in (found or known)[:MOST_NAMED])
        raise UsageError(f"`{query}` {said}: {named}")
    return found[0]


def set_status(ws: Workspace, project: str, status: str, *, now: datetime, zone: tzinfo) -> None:
    """Say how a project stands; "" leaves it to what is seen."""
    keep(ws, [projects.set_to(status)], projects.PAGE, project, now)
    workspace.describe_project(ws, project)
    overview.put(ws, project, status, now=now, zone=zone)
    reflector.reflect(ws, now=now, zone=zone)


def _project(ws: Workspace, slug: str, known: Sequence[Observation], now: datetime) -> Project:
    page = ws.projects / slug / projects.PAGE
    found = files.read(page)
    text = "" if found.text == workspace.project_page(slug) else found.text  # as laid out: nobody wrote it
    described = projects.read(text)
    saved = datetime.fromtimestamp(page.stat().st_mtime, UTC) if found.stamp else None
    status = projects.status(described, slug, known, now=now, saved=saved)
    ends = [one.last or one.ended or one.started for one in known if one.project == slug and one.session]
    last = max((at for at in ends if at), default=None)
    return Project(slug, status.word, status.why, page, described, len(ends), last)


# -- lines of CONTEXT.md -----------------------------------------------------------------------------------


def _is_pinned(text: str) -> bool:
    return text.rstrip(" \ufe0f").endswith(people.PIN)


def _hold(ws: Workspace, one: Meant, mark: str, now: datetime, zone: tzinfo) -> bool:
    """Make a line the person's, a value with a pin at its end; False if it is so already."""
    assert one.line is not None
    old = one.line.text
    bare = old.rstrip(" \ufe0f").removesuffix(people.PIN).rstrip()
    new = f"{bare} {people.PIN}" if mark and one.line.key in people.VALUE_KEYS else bare
    if new == old and any(origin.kind == "edit" for origin in one.line.origins):
        return False
    if one.section not in ("Now", "Recent") or (one.line.key and one.line.key not in people.VALUE_KEYS):
        raise NanoctxError(f"`{old[:80]}` is told by the clock or the repository: it cannot be held as it is")
    change = Change(one.section, (new,), (old,) if new != old else ())
    with turn(ws):
        known, _ = observations.load_all(ws.root, remember=True)
        made = publishing.edited(ws, known, (change,), now, zone)
        publishing.publish(ws, known, (*known, made), now, zone)
    return True


# -- what is kept ------------------------------------------------------------------------------------------


def keep(
    ws: Workspace, done: Sequence[Item], page: str, project: str, now: datetime, *, salt: str = ""
) -> Observation:
    """Write down what a person did; what is made of it follows."""
    with turn(ws):
        known, _ = observations.load_all(ws.root)
        at = people.moment(known, now)
        made = people.observation(done, salt=salt or token_hex(8), at=at, project=project, page=page)
        observations.save(ws.root, made)
    return made


@contextmanager
def turn(ws: Workspace) -> Iterator[None]:
    """Alone with the workspace."""
    files.make_folder(ws.state)
    with lock.hold(ws.state / "lock", wait=LOCK_WAIT, purpose="keep what was done by hand"):
        mirror.restore(ws.root, os.environ)
        yield


def _let_come_again(ws: Workspace, words: str, now: datetime) -> None:
    """Whoever says again what they wanted forgotten has changed their mind."""
    known, _ = observations.load_all(ws.root)
    in_the_way = forgotten.lifted_by(words, known)
    if in_the_way:
        keep(ws, [undone.item(id) for id in in_the_way], forgotten.EVERYWHERE, "", now)


def _about(scope: str, project: str) -> tuple[str, ...]:
    if project:
        return (f"project:{project}",)
    return (scope,) if scope.startswith("language:") else ()


def _agents(words: str, kind: str, about: Sequence[str]) -> Item:
    if kind in NEVER_AN_AGENTS:
        raise UsageError("an agent sets no rules: let the person say it, or remember it as a fact")
    if len(words) > items.TEXT_LIMIT:
        raise UsageError(f"that is {len(words)} characters long: keep it below {items.TEXT_LIMIT}")
    scope, _, language = facts.place(about)
    more = {"scope": scope} | ({"language": language} if language else {})
    return Item(kind, words, None, "claimed", "agent", more)


def _replaced(fact: Fact, block: str, salt: str) -> tuple[Item, ...]:
    """A line of the person's own in other words."""
    out = people.retraction(fact.section, fact.verbatim, None, salt)
    return (out, *verbatim.write("edit", block, {"section": fact.section}))


def _is_id(fact: Fact, query: str) -> bool:
    word = facts.parse(query).id or query.strip().removeprefix("^")
    return len(word) >= 4 and fact.id.startswith(word)


def _called(one: Meant) -> str:
    words = one.text if len(one.text) <= 60 else one.text[:59] + "…"
    return f"{one.fact.id}: {words}" if one.fact is not None else words
