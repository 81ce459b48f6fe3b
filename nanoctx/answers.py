"""Ready answers for hooks: one small file a project under `.state/answers`, written at the end of a look."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from pathlib import Path

from nanoctx import scenes
from nanoctx.core import context, external, facts, layers, people, prose, tokens
from nanoctx.core.answer import Answer, More, Part, Told, answer
from nanoctx.core.facts import Fact
from nanoctx.core.layers import Layer
from nanoctx.disk import files
from nanoctx.disk.settings import Settings
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import NanoctxError
from nanoctx.model import Observation
from nanoctx.sources import git
from nanoctx.views import startup
from nanoctx.views.desk import RULING, Desk
from nanoctx.views.shape import Entry

FULL = 3  # projects, the latest, that are told all; the others what their page says
ALIKE = 0.7


def prepare(ws: Workspace, known: Sequence[Observation], now: datetime, zone: tzinfo) -> None:
    """Write what a hook will say in each project of the workspace."""
    files.make_folder(ws.answers)
    names = scenes.projects(known)
    if ws.kind == "repo":
        name = names[0] if names else ""
        _save(ws.answers / "project.json", _made(ws, known, name, Desk(ws, now=now, zone=zone, project=name)))
        return
    places: list[tuple[str, str]] = []
    first: Desk | None = None
    for number, name in enumerate(names):
        desk = Desk(ws, now=now, zone=zone, project=name)
        if first is not None and number < FULL:
            desk.in_brief = first.in_brief  # memory is the same for all
        first = first or desk
        made = _made(ws, known, name, desk, full=number < FULL)
        file = f"{name}.json"
        _save(ws.answers / file, made)
        places += [(folder, file) for folder in _folders(known, name)] if made is not None else []
    files.write(ws.answers / "index.json", json.dumps({"projects": places}) + "\n", durable=False)


def _made(
    ws: Workspace, known: Sequence[Observation], project: str, desk: Desk, *, full: bool = True
) -> Answer | None:
    now, zone = desk.now, desk.zone
    scene = scenes.scene(ws, known, project, now, zone, alone=True)
    alone = ws.kind == "repo" or len(scenes.projects(known)) < 2
    page = ws.context_page if alone else ws.projects / project / "CONTEXT.md"
    head = git.head(ws.project_root) if ws.project_root is not None else None
    desk.brief, desk.searching = True, False
    rules: list[Told] = []
    if full and ws.settings.hook_start == "full":
        with suppress(NanoctxError, OSError):  # the page is told all the same
            rules = list(_remembered(desk, known))
    made = answer(
        scene,
        files.read(page).text,
        start=ws.settings.hook_start,
        turn=_caps(ws.settings),
        full=ws.settings.observe_threshold,
        rules=rules,
        zone=ws.settings.time_zone,
        head=head.sha if head else "",
        branch=head.branch if head else "",
    )
    if made is not None and full and ws.settings.hook_start == "full":
        with suppress(NanoctxError, OSError):
            made["more"] = _more(desk, made)
    return made


def _remembered(desk: Desk, known: Sequence[Observation]) -> Iterator[Told]:
    """Rules and decisions of the person's that stand in memory, wherever they were said."""
    sessions = {one.id: one.session for one in known}
    for fact in desk.facts:
        if fact.kind in RULING and (fact.by in ("user", "person") or fact.accepted) and not fact.stale:
            yield _line(fact), _session(fact, sessions), fact.last.timestamp() if fact.last else 0.0


def _line(fact: Fact) -> str:
    label = context.LABELS.get(fact.kind, "") if fact.section == facts.RULES else "Decided: "
    return f"- {label}{prose.cut(fact.text, facts.LONGEST)}"


def _session(fact: Fact, sessions: dict[str, str]) -> str:
    return sessions.get(fact.origins[-1].observation, "") if fact.origins else ""


def _more(desk: Desk, made: Answer) -> list[Part]:
    """What the view `startup` has and the answer has not, in what is left of the view's room."""
    told = [line for part in (made["now"], made["recent"], made["rules"]) for line, _, _ in part]
    standing = [*told, *(line for line, _ in made["external"]), *(line for _, line, _ in made["time"])]
    said = [prose.words(line) for line in standing]
    taken = tokens.count("\n".join(standing))
    parts, shown = [], []
    for section in (build(desk) for build in _SECTIONS):
        lines: list[More] = []
        for entry in section.forms[0]:
            words = prose.words(entry.text)
            if section.name == "functions" or not any(_alike(words, other) for other in said if other):
                said.append(words)
                lines.append(_told(entry))
        title = section.title.strip().removeprefix("## ")
        parts.append((title, lines))
        texts = [line.replace(external.MOMENT, "20 hours ago") for line, _, _ in lines]
        shown.append(Layer(section.name, texts, section.cap, section.most, frame=f"\n## {title}"))
    fit = layers.fit(shown, max(0, desk.settings.views_startup_budget - taken - MARGIN))
    kept = [len(fit.kept.get(layer.name, ())) for layer in shown]
    return [(title, lines[:number]) for (title, lines), number in zip(parts, kept, strict=True) if number]


def _told(entry: Entry) -> More:
    line = entry.shown or f"- {entry.text}"
    if entry.at is None:
        return line, [], 0.0
    at = entry.at.timestamp()
    return line.replace(f"[{entry.about['when']}]", f"[{external.MOMENT}]", 1), [at], at


def _alike(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) >= ALIKE * min(len(words), len(other))


def _caps(settings: Settings) -> tuple[int, int]:
    """Tokens with which a prompt may be answered, and all prompts of a session."""
    return (settings.hook_turn_cap if settings.hook_turn == "on" else 0), settings.hook_session_cap


def _save(path: Path, made: Answer | None) -> None:
    if made is None:
        files.remove(path)
    else:
        files.write(path, json.dumps(made) + "\n", durable=False, private=True)


def _folders(known: Sequence[Observation], project: str) -> list[str]:
    """Where sessions of a project were: paths to compare with, never to look at."""
    found = {one.cwd for one in known if one.project == project and one.agent != people.AGENT and one.cwd}
    return sorted(found)


MARGIN = 60  # tokens for the headings and what the hook adds
_SECTIONS = (startup.session_index, startup.changed_functions, startup.learnings, startup.relevant)
