"""`startup`: what a session should know before its first prompt. Plain lines, no tables, ids or pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nanoctx.core import escape, prose
from nanoctx.model import Item, Observation
from nanoctx.views import told
from nanoctx.views.desk import Desk
from nanoctx.views.shape import Entry, Root, Section, section

FORMS = ("md", "xml", "json")
LEARNED = ("learn", "fact", "insight", "fail", "fix")
OUTCOMES = ("impl", "dec", "fix", "fail", "learn", "insight")
SUMMARY = 140
HINT = "More: `nanoctx recall WORDS` searches all sessions, `nanoctx why LINE` shows where a line came from."
MOST_SEARCHED = 40
SURE, LEAST = 0.7, 0.3  # relevance: above the first all, then down to the second while there is room


def root(desk: Desk) -> Root:
    return Root("STARTUP")


def sections(desk: Desk) -> Sequence[Callable[[], Section]]:
    if not desk.sessions and not desk.facts:
        return []  # an empty workspace has nothing to say
    return [
        lambda: session_index(desk),
        lambda: changed_functions(desk),
        lambda: learnings(desk),
        lambda: relevant(desk),
        lambda: section("hint", [Entry(HINT, "hint", shown=f"\n{HINT}")]),
    ]


def session_index(desk: Desk) -> Section:
    latest = sorted(desk.human_sessions, key=lambda one: (told.last(one) or desk.now, one.id), reverse=True)
    entries = []
    for one in latest[: desk.settings.views_startup_max_sessions]:
        when = told.ago(told.last(one), desk.now)
        words = escape.shorten(told.plain(one.summary or one.title), SUMMARY)
        entries.append(Entry(words, "session", {"when": when}, shown=f"- [{when}] {words}"))
    return section(
        "sessions",
        entries,
        title="## Last sessions",
        tag="sessions",
        cap=desk.settings.views_startup_session_cap,
    )


def changed_functions(desk: Desk) -> Section:
    """By file, the file changed last first; its name stands above its first function."""
    entries: list[Entry] = []
    for file in desk.changed:
        for number, one in enumerate(file.functions):
            text = f"{told.plain(one.signature)} [{one.change}]"
            above = f"{told.plain(file.path)}\n" if number == 0 else ""
            about = {"file": escape.one_line(file.path)}
            entries.append(Entry(text, "function", about, shown=f"{above}- {text}"))
    return section(
        "functions", entries, title="\n## Functions changed lately", tag="functions",
        cap=desk.settings.views_startup_functions_cap, most=desk.settings.views_startup_max_functions,
    )  # fmt: skip


def learnings(desk: Desk) -> Section:
    least = desk.settings.views_startup_min_confidence
    found = [
        fact
        for fact in desk.facts
        if fact.kind in LEARNED and (fact.confidence >= least or fact.kept) and desk.score(fact) >= LEAST
    ]
    entries = [told.without_pictures(told.fact(fact, "learning")) for fact in found]
    return section(
        "learnings", entries, title="\n## Learned", tag="learnings",
        cap=desk.settings.views_startup_learnings_cap, most=desk.settings.views_startup_max_learnings,
    )  # fmt: skip


def relevant(desk: Desk) -> Section:
    """What earlier sessions came to that has to do with the last one."""
    latest = desk.human_sessions[-1:]
    said = [prose.words(fact.text) for fact in desk.facts if fact.kind in LEARNED]
    entries = [
        Entry(told.plain(item.text), "observation", {"when": told.ago(told.last(one), desk.now)})
        for one, item in _related(desk, latest)
        if not any(told.alike(prose.words(item.text), words) for words in said if words)
    ]
    entries = [
        Entry(one.text, one.tag, one.about, shown=f"- [{one.about['when']}] {one.text}") for one in entries
    ]
    return section(
        "observations", entries, title="\n## From earlier sessions", tag="observations",
        cap=desk.settings.views_startup_observations_cap, most=desk.settings.views_startup_max_observations,
    )  # fmt: skip


def _related(desk: Desk, latest: Sequence[Observation]) -> list[tuple[Observation, Item]]:
    """By how near it is to what the last session was about; by recency where nothing is."""
    recent = list(told.items(desk.human_sessions[-12:], OUTCOMES))
    about = f"{latest[0].title}. {latest[0].summary}" if latest else ""
    hits = desk.found(about, MOST_SEARCHED) if about else ()
    by_id = {one.id: one for one in desk.human_sessions}
    found = [
        (by_id[hit.observation], item)
        for hit in hits
        if hit.observation in by_id and (not latest or hit.observation != latest[0].id)
        for item in by_id[hit.observation].items
        if item.pos == hit.pos and item.text == hit.text and item.kind in OUTCOMES
    ]
    return found or recent
