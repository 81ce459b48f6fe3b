"""`combined`: what is known of the person, and where the project stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nanoctx.core import escape, facts, prose
from nanoctx.core.facts import Fact
from nanoctx.views import project, told
from nanoctx.views.desk import Desk
from nanoctx.views.shape import Entry, Root, Section, section

FORMS = ("xml", "md", "json")
CURRENT = ("last_session", "todos")  # the project knows better than a fact what is being done now
ITS_OWN = ("stack", "files", "others")  # the person's skills say nothing of these
NAME = 60


def root(desk: Desk) -> Root:
    return Root("CONTEXT")


def sections(desk: Desk) -> Sequence[Callable[[], Section]]:
    return [lambda: person(desk), lambda: where_it_stands(desk)]


def person(desk: Desk) -> Section:
    """Facts that hold beyond this project, without what only repeats its current task."""
    least = desk.settings.views_combined_min_confidence
    current = _words(entry for one in _parts(desk) if one.name in CURRENT for entry in one.forms[0])
    entries = [
        told.fact(fact)
        for fact in desk.facts
        if fact.scope != facts.PROJECT
        and (fact.confidence >= least or fact.kept)
        and (told.is_rule(fact) or not _said(fact.text, current))
    ]
    name = escape.one_line(desk.user_name, NAME)
    return section(
        "user", entries, title=f"About {escape.inert(name)}:", tag="USER",
        cap=desk.settings.views_combined_user_cap, about={"id": name},
    )  # fmt: skip


def where_it_stands(desk: Desk) -> Section:
    """The project's own view, without what the person's rules say already."""
    rules = _words(told.fact(fact) for fact in desk.facts if _is_personal_rule(fact))
    entries = [
        entry
        for one in _parts(desk)
        for entry in one.forms[0]
        if one.name in (*CURRENT, *ITS_OWN) or not _said(entry.text, rules)
    ]
    top = project.root(desk)
    standing = top.about.get("status", "none")
    entries.insert(0, Entry(standing, "STATUS", vital=True, shown=f"- Status: {standing}"))
    about = {name: escape.one_line(value, NAME) for name, value in top.about.items()}
    return section(
        "project", entries, title=f"{top.line or 'Project'}:", tag="PROJECT",
        cap=desk.settings.views_combined_project_cap, about=about,
    )  # fmt: skip


def _parts(desk: Desk) -> list[Section]:
    return [make() for make in project.sections(desk)]


def _is_personal_rule(fact: Fact) -> bool:
    return told.is_rule(fact) and fact.scope != facts.PROJECT


def _words(entries: Iterable[Entry]) -> list[frozenset[str]]:
    return [words for entry in entries if (words := prose.words(entry.text))]


def _said(text: str, by: Sequence[frozenset[str]]) -> bool:
    words = prose.words(text)
    return bool(words) and any(told.alike(words, other) for other in by)
