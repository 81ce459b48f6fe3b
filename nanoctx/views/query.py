"""`query`: what memory holds on a question: facts first, then what sessions and documents say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nanoctx.core import categories, facts, prose, tokens
from nanoctx.core.facts import Fact
from nanoctx.recall.search import Hit
from nanoctx.views import told
from nanoctx.views.desk import Desk
from nanoctx.views.shape import Entry, Root, Section, section

FORMS = ("md", "xml", "json")
MOST = 30
LEAST = 0.3  # relevance below which a fact is never shown, and share of the best hit's score
MATTERS = 0.5  # and from which it needs no words of the question
SHARED = 0.34  # of the question's words that a fact must have
DOCUMENT = "document"


def root(desk: Desk) -> Root:
    return Root("MEMORY")


def sections(desk: Desk) -> Sequence[Callable[[], Section]]:
    return [lambda: memory(desk), lambda: related(desk)]


def memory(desk: Desk) -> Section:
    """Facts of all scopes, each within its share; what one leaves unused flows on to the next."""
    entries: list[Entry] = []
    room = 0
    for scope, share in (
        (facts.UNIVERSAL, desk.settings.views_query_universal_cap),
        (facts.LANGUAGE, desk.settings.views_query_language_cap),
        (facts.PROJECT, desk.settings.views_query_project_cap),
    ):
        room += share
        for fact in (one for one in matching(desk) if one.scope == scope):
            entry = told.fact(fact)
            cost = tokens.count(f"- {entry.text}\n")
            if cost > room:
                break
            room -= cost
            entries.append(entry)
    return section("memory", entries, title="Relevant Memory:", tag="relevant_memory")


def related(desk: Desk) -> Section:
    """What observations and documents say that no fact says."""
    said = [prose.words(fact.text) for fact in matching(desk)]
    entries = []
    found = hits(desk)
    for hit in (one for one in found if one.score >= LEAST * found[0].score and _is_asked_for(desk, one)):
        words = prose.words(hit.text)
        if hit.kind == DOCUMENT or not any(told.alike(words, other) for other in said):
            entries.append(_entry(desk, hit))
            said.append(words)
    return section("related", entries, title="\nRelated Context:", tag="related_context")


def matching(desk: Desk) -> list[Fact]:
    """Facts that share the question's words, or that matter whatever is asked."""
    found = {hit.id.lstrip("^"): hit.score for hit in hits(desk) if hit.id.startswith("^")}
    asked = prose.words(desk.query)
    if asked:  # the page has no room for all facts, and recall reads the page
        for fact in desk.asked_for:
            share = len(asked & prose.words(fact.text)) / len(asked)
            if share >= SHARED:
                found.setdefault(fact.id, share)
    chosen = [fact for fact in desk.asked_for if _is_chosen(desk, fact, found)]
    return sorted(chosen, key=lambda fact: (-found.get(fact.id, 0.0), -desk.score(fact), fact.id))


def _is_chosen(desk: Desk, fact: Fact, found: Mapping[str, float]) -> bool:
    score = desk.score(fact)
    return score >= LEAST and (fact.id in found or (not desk.query and score >= MATTERS))


def hits(desk: Desk) -> tuple[Hit, ...]:
    return desk.found(desk.query, MOST) if desk.query.strip() else ()


def _is_asked_for(desk: Desk, hit: Hit) -> bool:
    if desk.scope and hit.scope != desk.scope:
        return False
    return not desk.category or categories.fits(desk.category, kind=hit.kind, by=hit.by, text=hit.text)


def _entry(desk: Desk, hit: Hit) -> Entry:
    where = told.ago(hit.at, desk.now) if hit.at is not None and hit.observation else hit.source
    text = told.plain(hit.text)
    return Entry(text, "item", {"source": hit.source}, shown=f"- {text} ({where})")
