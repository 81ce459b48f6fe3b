"""`startup`: what a session should know before its first prompt. Plain lines, no tables, ids or pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from nanoctx.core import escape, prose
from nanoctx.core.facts import Fact
from nanoctx.views import told
from nanoctx.views.desk import LEARNED, Desk
from nanoctx.views.shape import Entry, Root, Section, section

FORMS = ("md", "xml", "json")
OUTCOMES = ("impl", "dec", "fix", "fail", "learn", "insight")
BRIEF = True  # it shows the last sessions and the foremost of memory: no more is read
SUMMARY = 140
RECENT = 12  # sessions whose items are shown where nothing is related to the last
HINT = "More: `nanoctx recall WORDS` searches all sessions, `nanoctx why LINE` shows where a line came from."
MOST_SEARCHED = 40
SURE, LEAST = 0.7, 0.3  # relevance: above the first all, then down to the second while there is room


def root(desk: Desk) -> Root:
    return Root("STARTUP")


def sections(desk: Desk) -> Sequence[Callable[[], Section]]:
    if not desk.human_heads and not desk.facts:
        return []  # an empty workspace has nothing to say
    return [
        lambda: session_index(desk),
        lambda: changed_functions(desk),
        lambda: learnings(desk),
        lambda: relevant(desk),
        lambda: section("hint", [Entry(HINT, "hint", shown=f"\n{HINT}")]),
    ]


def session_index(desk: Desk) -> Section:
    latest = sorted(desk.human_heads, key=lambda one: (one.last or desk.now, one.id), reverse=True)
    entries = []
    for one in desk.read(latest[: desk.settings.views_startup_max_sessions]):
        at = told.last(one)
        when = told.ago(at, desk.now)
        words = escape.shorten(told.plain(one.summary or one.title), SUMMARY)
        entries.append(Entry(words, "session", {"when": when}, shown=f"- [{when}] {words}", at=at))
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
    entries = [told.without_pictures(told.fact(fact, "learning")) for fact in learned(desk)]
    return section(
        "learnings", entries, title="\n## Learned", tag="learnings",
        cap=desk.settings.views_startup_learnings_cap, most=desk.settings.views_startup_max_learnings,
    )  # fmt: skip


def learned(desk: Desk) -> list[Fact]:
    least = desk.settings.views_startup_min_confidence
    return [
        fact
        for fact in desk.facts
        if fact.kind in LEARNED and (fact.confidence >= least or fact.kept) and desk.score(fact) >= LEAST
    ]


def relevant(desk: Desk) -> Section:
    """What earlier sessions came to that has to do with the last one, and is not told as learned."""
    said = [prose.words(fact.text) for fact in learned(desk)[: desk.settings.views_startup_max_learnings]]
    entries = []
    for at, text in _related(desk):
        if not any(told.alike(prose.words(text), words) for words in said if words):
            when, words = told.ago(at, desk.now), told.plain(text)
            shown = f"- [{when}] {words}"
            entries.append(Entry(words, "observation", {"when": when}, shown=shown, at=at))
    return section(
        "observations", entries, title="\n## From earlier sessions", tag="observations",
        cap=desk.settings.views_startup_observations_cap, most=desk.settings.views_startup_max_observations,
    )  # fmt: skip


def _related(desk: Desk) -> list[tuple[datetime | None, str]]:
    """By how near it is to what the last session was about; by recency where nothing is."""
    latest = desk.read(desk.human_heads[-1:])
    about = f"{latest[0].title}. {latest[0].summary}" if latest else ""
    ended = {one.id: one.last for one in desk.human_heads[:-1]}
    found = [
        (ended[hit.observation], hit.text)
        for hit in (desk.found(about, MOST_SEARCHED) if about else ())
        if hit.observation in ended and hit.kind in OUTCOMES and hit.grade not in told.UNSURE
    ]
    if found:
        return found
    recent = desk.read(desk.human_heads[-RECENT:])
    return [(told.last(one), item.text) for one, item in told.items(recent, OUTCOMES)]
