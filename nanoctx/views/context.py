"""`context`: CONTEXT.md as it is this minute, within its budget; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nanoctx import scenes
from nanoctx.core import context, document, tokens
from nanoctx.disk import files
from nanoctx.views.desk import Desk
from nanoctx.views.shape import Entry, Root, Section, section

FORMS = ("md", "json", "xml")


def root(desk: Desk) -> Root:
    return Root("CONTEXT")


def sections(desk: Desk) -> Sequence[Callable[[], Section]]:
    return [lambda: section("page", [Entry(live(desk), "page", vital=True, shown=live(desk).rstrip("\n"))])]


def live(desk: Desk) -> str:
    """The page for the caller's project, with the time told now; a person's page that is too long is cut."""
    several = desk.ws.kind != "repo" and len(desk.project_names) > 1
    path = desk.ws.projects / desk.project / "CONTEXT.md" if several else desk.ws.context_page
    scene = scenes.scene(desk.ws, desk.known, desk.project, desk.now, desk.zone, alone=several)
    sections = context.compose(replace(scene, live=True))
    whole = document.replace(files.read(path).text, context.render(sections))
    budget = desk.settings.page_budget
    if tokens.count(whole) <= budget:
        return whole
    note = f"\n(cut to {budget} tokens; the whole page is {path})\n"
    return tokens.clip(whole, budget - tokens.count(note)).rstrip() + note
