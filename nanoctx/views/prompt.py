"""`prompt`: a lean system prompt. Who the agent is, whom it works with, the page, how to get at the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nanoctx.core import tokens
from nanoctx.views import context, query, told
from nanoctx.views.desk import Desk
from nanoctx.views.shape import Entry, Root, Section, section

FORMS = ("md", "json", "xml")
MORE = (
    "- One tool's schema: `nanoctx tools show NAME`",
    "- Anything from earlier sessions: `nanoctx recall WORDS`",
    "- Where a line came from: `nanoctx why LINE`",
)


def root(desk: Desk) -> Root:
    return Root("PROMPT")


def sections(desk: Desk) -> Sequence[Callable[[], Section]]:
    return [
        lambda: _page(desk, "SOUL.md", desk.settings.views_prompt_soul_cap),
        lambda: _page(desk, "USER.md", desk.settings.views_prompt_user_cap),
        lambda: _context(desk),
        lambda: _tools(desk),
        lambda: _memory(desk),
        lambda: section("more", [Entry("\n".join(MORE), "more", shown="\n## More\n" + "\n".join(MORE))]),
    ]


def _page(desk: Desk, name: str, cap: int) -> Section:
    """A page of the person's; the beginning of a long one, saying so."""
    text = desk.page(name)
    if not text:
        return section(name, [])
    if tokens.count(text) > cap:
        note = f"\n(cut to {cap} tokens; {name} has all of it)"
        text = tokens.clip(text, cap - tokens.count(note)).rstrip() + note
    return section(name, [Entry(text, "page", {"name": name}, vital=True, shown=f"{text}\n")])


def _context(desk: Desk) -> Section:
    text = context.live(desk).rstrip("\n")
    return section("context", [Entry(text, "page", {"name": "CONTEXT.md"}, vital=True, shown=text)])


def _tools(desk: Desk) -> Section:
    entries = [
        Entry(tool.purpose, "tool", {"name": tool.name}, shown=f"- {tool.name}: {tool.purpose}".rstrip(": "))
        for tool in desk.tools
    ]
    return section("tools", entries, title="\n## Tools", tag="tools")


def _memory(desk: Desk) -> Section:
    """For this turn only: what memory holds on the question."""
    if not desk.query:
        return section("memory", [])
    facts = [told.fact(fact) for fact in query.matching(desk)]
    others = [entry for one in [query.related(desk)] for entry in one.forms[0]]
    return section(
        "memory", [*facts, *others], title="\nRelevant Memory:", tag="relevant_memory",
        cap=desk.settings.views_prompt_memory_cap,
    )  # fmt: skip
