"""`memory`: rules, preferences and decisions, and what the last sessions came to in their own short codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nanoctx.core import escape, facts, languages
from nanoctx.core.facts import Fact
from nanoctx.views import told
from nanoctx.views.desk import Desk
from nanoctx.views.shape import Entry, Root, Section, section

FORMS = ("md", "xml", "json")
NAME = 40
RECENT = 8  # sessions


def root(desk: Desk) -> Root:
    return Root("MEMORY", {}, "## Developer Memory")


def sections(desk: Desk) -> Sequence[Callable[[], Section]]:
    if not desk.facts and not desk.sessions:
        return []
    return [
        lambda: of_scope(desk, facts.UNIVERSAL, "Universal Rules", "universal"),
        *[(lambda name=name: of_language(desk, name)) for name in desk.languages[:1]],
        lambda: decisions(desk),
        lambda: codes(desk, ("impl",), "done", desk.settings.views_memory_done_cap),
        lambda: codes(desk, ("dec",), "decided", desk.settings.views_memory_decided_cap),
        lambda: codes(desk, ("block", "next"), "open", desk.settings.views_memory_open_cap),
    ]


def of_scope(desk: Desk, scope: str, title: str, name: str) -> Section:
    found = [fact for fact in desk.facts if fact.scope == scope]
    return _section(desk, found, title, name, desk.settings.views_memory_universal_cap)


def of_language(desk: Desk, language: str) -> Section:
    found = [fact for fact in desk.facts if fact.scope == facts.LANGUAGE and fact.language == language]
    title = f"{languages.shown(language)} Preferences"
    return _section(desk, found, title, "language", desk.settings.views_memory_language_cap)


def decisions(desk: Desk) -> Section:
    found = [fact for fact in desk.facts if fact.scope == facts.PROJECT]
    title = f"{escape.inert(escape.one_line(desk.project, NAME))} Decisions" if desk.project else "Decisions"
    return _section(desk, found, title, "project", desk.settings.views_memory_project_cap)


def codes(desk: Desk, kinds: Sequence[str], name: str, cap: int) -> Section:
    entries = [
        Entry(told.plain(item.text), item.kind, shown=f"{item.kind}: {told.plain(item.text)}")
        for _, item in told.items(desk.human_sessions[-RECENT:], kinds)
        if item.more.get("page") != "no"
    ]
    return section(name, entries, title="", tag=name, cap=cap)


def _section(desk: Desk, found: Sequence[Fact], title: str, name: str, cap: int) -> Section:
    entries = [told.fact(fact, mark=True) for fact in found]
    return section(name, entries, title=f"\n### {title}", tag=name, cap=cap)
