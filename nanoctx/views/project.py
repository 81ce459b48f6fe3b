"""`project`: where the active project stands, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nanoctx.core import escape, languages
from nanoctx.model import Observation
from nanoctx.views import told
from nanoctx.views.desk import Desk
from nanoctx.views.shape import Entry, Root, Section, section

FORMS = ("xml", "md", "json")
LOUD = {"1": "[HIGH] ", "2": "", "3": "[LOW] "}
SHORTEST_TODO = 30  # characters
FEW_FILES = 2
NONE = "No active project."


def root(desk: Desk) -> Root:
    if not desk.project:
        return Root("PROJECT", {"status": "none"})
    name = desk.described(desk.project).name or desk.project
    about = {"name": name, "status": desk.status(desk.project)}
    if desk.others:
        about["role"] = "primary"
    line = f"Project {escape.inert(name)} ({about['status']})"
    return Root("PROJECT", about, line)


def sections(desk: Desk) -> Sequence[Callable[[], Section]]:
    if not desk.project:
        return [lambda: section("none", [Entry(NONE, "NOTE", shown=NONE)])]
    settings = desk.settings
    parts = [lambda: last_session(desk)]
    if desk.status(desk.project) != "completed":  # what was left of it is nobody's task any more
        parts += [lambda: todos(desk), lambda: files(desk)]
    parts += [
        lambda: stack(desk),
        lambda: others(desk),
        lambda: section(
            "blockers",
            _entries(desk.described(desk.project).blockers, "BLOCKER"),
            title="Blockers:",
            cap=settings.views_project_other_cap,
            most=settings.views_project_max_others,
        ),
        lambda: section(
            "notes",
            _entries(desk.described(desk.project).notes, "NOTE"),
            title="Notes:",
            cap=settings.views_project_other_cap,
            most=settings.views_project_max_others,
        ),
    ]
    return parts


def last_session(desk: Desk) -> Section:
    if not desk.human_sessions:
        return section("last_session", [])
    one = max(desk.human_sessions, key=lambda one: (told.last(one) or desk.now, one.id))
    words = told.plain(one.summary or one.title)
    when = {"agent": one.agent, "when": told.ago(told.last(one), desk.now)}
    lead = f"Last session ({when['agent']}, {when['when']}): "
    texts = [text for text in dict.fromkeys((words, told.first_sentence(words))) if text]
    forms = [(Entry(text, "LAST_SESSION", when, shown=f"- {lead}{text}"),) for text in texts]
    return Section("last_session", forms=forms or ((),), cap=desk.settings.views_project_last_cap)


def todos(desk: Desk) -> Section:
    """Open steps of the last sessions, urgent ones first."""
    most = desk.settings.views_project_max_todos
    found = [item for _, item in told.items(desk.human_sessions[-3:], ("task", "next"))]
    found.sort(key=lambda item: item.more.get("prio", "2"))
    texts = [LOUD.get(item.more.get("prio", "2"), "") + told.plain(item.text) for item in found[:most]]
    entries = _entries(texts, "TODO")
    short = tuple(Entry(escape.shorten(text, SHORTEST_TODO), "TODO") for text in texts[:1])
    return Section("todos", "Open:", "", (entries, entries[:1], short), desk.settings.views_project_todo_cap)


def files(desk: Desk) -> Section:
    most = desk.settings.views_project_max_files
    paths = list(
        dict.fromkeys(
            path for one in reversed(desk.human_sessions[-3:]) for path in one.files[: _edited(one)]
        )
    )[:most]
    names = [path.rpartition("/")[2] for path in paths]
    texts = [", ".join(some) for some in (paths, names, names[:FEW_FILES]) if some]
    forms = [
        (Entry(escape.one_line(text), "FILES", shown=f"- Files: {escape.inert(text)}"),) for text in texts
    ]
    return Section("files", forms=forms or ((),), cap=desk.settings.views_project_files_cap)


def stack(desk: Desk) -> Section:
    names = [languages.shown(name) for name in desk.languages]
    tools = languages.tools(path for path in desk.paths if "/" not in path)
    texts = [", ".join(some) for some in ((*names, *tools), names[:1]) if some]
    forms = [(Entry(text, "STACK", shown=f"- Stack: {text}"),) for text in texts]
    return Section("stack", forms=forms or ((),), cap=desk.settings.views_project_stack_cap)


def others(desk: Desk) -> Section:
    """Other projects that are under way, by name."""
    found = [
        Entry("", "OTHER", {"name": escape.one_line(name, 40), "status": desk.status(name)})
        for name in desk.others
    ]
    entries = [
        Entry("", one.tag, one.about, shown=f"- Also {one.about['name']} ({one.about['status']})")
        for one in found
    ]
    return section("others", entries, cap=desk.settings.views_project_other_cap)


def _edited(one: Observation) -> int:
    """How many of its files a session edited; the others it only read."""
    number = one.more.get("edited")
    return number if isinstance(number, int) else len(one.files)


def _entries(texts: Sequence[str], tag: str) -> tuple[Entry, ...]:
    return tuple(Entry(told.plain(text), tag) for text in texts if text.strip())
