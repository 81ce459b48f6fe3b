"""What a view may be made of. Each thing is read when a section asks for it, and at most once."""

from __future__ import annotations

import contextlib
import posixpath
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from pathlib import Path

from nanoctx import knowledge, scenes
from nanoctx.core import categories, facts, languages, people, projects, relevance
from nanoctx.core.facts import Fact
from nanoctx.disk import files, observations, packaged
from nanoctx.disk.settings import Settings
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import UsageError
from nanoctx.model import Observation, Repository
from nanoctx.recall import search
from nanoctx.recall.search import Hit
from nanoctx.scenes import Head
from nanoctx.sources import changed_code, git, git_state, tracked
from nanoctx.views import schemas
from nanoctx.views.schemas import Tool

LEARNED = ("learn", "fact", "insight", "fail", "fix")  # kinds of what was learned
RULING = ("rule", "pref", "dec")
LAST_SESSIONS = 5  # back to which changed functions are told
OTHERS_WITHIN = timedelta(days=7)
STILL_GOING_ON = timedelta(hours=1)  # so long after its last sign of life a session is still the conversation


class Desk:
    """A workspace as one caller sees it: from a folder, about a project, at a moment."""

    def __init__(
        self,
        ws: Workspace,
        *,
        now: datetime,
        zone: tzinfo,
        cwd: Path | None = None,
        query: str = "",
        project: str = "",
        scope: str = "",
        category: str = "",
    ) -> None:
        self.ws, self.now, self.zone, self.cwd, self.query = ws, now, zone, cwd, query
        self._wanted = project
        self.scope, self.category = scope, category  # of what is asked for; "" for any
        self.budget = 0  # of the view that is being built
        self.brief = False  # whether that view does with the foremost of memory, and with the last sessions
        self.searching = True  # a look does without: nobody waits for it, and it has no time for an index
        self._opened: dict[str, Observation] = {}
        self.searched: dict[str, tuple[Hit, ...]] = {}

    @property
    def settings(self) -> Settings:
        return self.ws.settings

    # -- sessions ------------------------------------------------------------------------------------------

    @cached_property
    def known(self) -> tuple[Observation, ...]:
        return observations.load_all(self.ws.root).observations

    @cached_property
    def heads(self) -> Sequence[Head]:
        """All sessions without their items, oldest first. They are not read for that by a brief view."""
        if not self.brief:
            return [scenes.head(one) for one in self.known if one.agent != people.AGENT]
        return [
            Head(
                one.id, one.project, one.cwd, one.started, one.last, one.prompts > 0 and not one.headless,
                one.files,
            )
            for one in self.in_brief.sessions
        ]  # fmt: skip

    @cached_property
    def in_brief(self) -> knowledge.Brief:
        return knowledge.brief_of(self.ws, now=self.now, zone=self.zone, kinds=(*LEARNED, *RULING))

    @cached_property
    def project_names(self) -> list[str]:
        """All projects, the most recently active first."""
        return [name for name in scenes.by_activity(self.heads) if name]

    @cached_property
    def project(self) -> str:
        """The one asked for, named, spoken of, worked in, or else the latest; "" when there is none."""
        return (
            self._wanted
            or projects.named(self.query, self.project_names)
            or self._project_of_paths()
            or self._project_of_folder()
            or (self.project_names[0] if self.project_names else "")
            or self._described_active()
        )

    @cached_property
    def sessions(self) -> tuple[Observation, ...]:
        """The project's sessions, oldest first."""
        idle = timedelta(minutes=self.settings.observe_idle_minutes)
        return tuple(
            scenes.closed_if_idle(one, self.now, idle)
            for one in self.known
            if one.project == self.project and one.agent != people.AGENT
        )

    @cached_property
    def human_heads(self) -> Sequence[Head]:
        """The project's sessions a person took part in; all of it if there is none."""
        here = [one for one in self.heads if one.project == self.project]
        return [one for one in here if one.human] or here

    def read(self, heads: Sequence[Head]) -> list[Observation]:
        """Some sessions with all that was said in them, in this order."""
        new = [one for one in heads if one.id not in self._opened]
        if self.brief:
            places = [place for one in new for place in self.in_brief.places.get(one.id, ())]
            found = observations.load_some(self.ws.root, places).observations
        else:
            found = self.known if new else ()
        idle = timedelta(minutes=self.settings.observe_idle_minutes)
        self._opened |= {one.id: scenes.closed_if_idle(one, self.now, idle) for one in found}
        return [self._opened[one.id] for one in heads if one.id in self._opened]

    @cached_property
    def human_sessions(self) -> tuple[Observation, ...]:
        """Those a person took part in; all if there is none."""
        human = tuple(one for one in self.sessions if one.prompts and not one.more.get("headless"))
        return human or self.sessions

    def _project_of_paths(self) -> str:
        """The project a path of the question lies in, or else what is being done from this folder."""
        if self.ws.project_root is not None or len(self.project_names) < 2:
            return ""
        if found := projects.of_paths(projects.paths(self.query), self._folders):
            return found
        last = next((one for one in reversed(self.heads) if one.cwd == str(self.cwd)), None)
        if last is None or last.last is None or self.now - last.last > STILL_GOING_ON:
            return ""
        others = {folder: name for folder, name in self._folders.items() if folder != last.cwd}
        return projects.of_paths((posixpath.join(last.cwd, path) for path in last.files), others)

    def _project_of_folder(self) -> str:
        if self.cwd is None:
            return ""
        if self.ws.project_root is not None:
            return git.slug(self.ws.project_root)
        if found := projects.of_paths([str(self.cwd)], self._folders):
            return found
        slug = git.slug(self.cwd) if git.head(self.cwd) is not None else ""
        return slug if slug in self.project_names else ""

    @cached_property
    def _folders(self) -> dict[str, str]:
        """The folders of sessions, each with its project."""
        return {one.cwd: one.project for one in self.heads if one.cwd and one.project}

    def _described_active(self) -> str:
        described = sorted(page.parent.name for page in self.ws.projects.glob(f"*/{projects.PAGE}"))
        active = [name for name in described if self.described(name).status in ("", "active")]
        return active[0] if active else ""

    # -- the project ---------------------------------------------------------------------------------------

    def described(self, project: str) -> projects.Described:
        return projects.read(files.read(self.ws.projects / project / projects.PAGE).text)

    def status(self, project: str) -> str:
        return projects.status(self.described(project), project, self.known, now=self.now).word

    @cached_property
    def others(self) -> list[str]:
        """Other projects that somebody was at work on lately."""
        latest = {one.project: one.last for one in self.heads}
        since = self.now - OTHERS_WITHIN
        return [
            name
            for name in self.project_names
            if name != self.project and (at := latest.get(name)) is not None and at >= since
        ][:2]

    @cached_property
    def root(self) -> Path | None:
        """The project's folder, if we may look into it: the workspace's own, or where the caller stands."""
        if self.ws.project_root is not None or self.cwd is None or git.head(self.cwd) is None:
            return self.ws.project_root
        return self.cwd if self.project == git.slug(self.cwd) else None

    @cached_property
    def paths(self) -> Sequence[str]:
        """Files that git tracks, or, without a repository at hand, that sessions touched."""
        found = tracked.paths(self.root) if self.root is not None else ()
        return found or [
            path
            for one in [one for one in self.heads if one.project == self.project][-20:]
            for path in one.files
        ]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        return languages.spoken(self.paths)

    @cached_property
    def repository(self) -> Repository | None:
        return git_state.state(self.root, None) if self.root is not None else None

    @cached_property
    def changed(self) -> tuple[changed_code.ChangedFile, ...]:
        """Functions changed in the last sessions and since."""
        begun = [one.started for one in self.human_heads[-LAST_SESSIONS:] if one.started is not None]
        if self.root is None or self.repository is None or not begun:
            return ()
        return changed_code.changed(self.root, min(begun), self.repository)

    # -- memory --------------------------------------------------------------------------------------------

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """Facts that hold here: of this project and its languages, or of all; most relevant first."""
        if self.brief:
            found = self.in_brief.memory.facts
        else:
            found = knowledge.memory_of(self.ws, now=self.now, zone=self.zone).facts
        here = [fact for fact in found if fact.superseded is None and not fact.branch and self._applies(fact)]
        # A person's rules have one score, at least: among them what was said more often counts.
        return tuple(sorted(here, key=lambda fact: (-self.score(fact), -fact.seen, fact.id)))

    @cached_property
    def asked_for(self) -> tuple[Fact, ...]:
        """Of these facts, the ones of the scope and category that are asked for."""
        found = (fact for fact in self.facts if self.scope in ("", fact.scope))
        return tuple(fact for fact in found if not self.category or self._is_of_category(fact))

    def score(self, fact: Fact) -> float:
        return relevance.score(fact, now=self.now, task=self.task)

    @cached_property
    def task(self) -> str:
        """What kind of work is going on."""
        recent = self.read(self.human_heads[-1:])
        return relevance.task_of(" ".join(f"{one.title} {one.summary}" for one in recent))

    def _applies(self, fact: Fact) -> bool:
        if fact.scope == facts.UNIVERSAL:
            return True
        if fact.scope == facts.LANGUAGE:
            return fact.language in self.languages
        return not fact.project or fact.project == self.project

    def _is_of_category(self, fact: Fact) -> bool:
        refined, quotes = [], []
        for origin in fact.origins:
            one = self._by_id.get(origin.observation)
            if one is not None and origin.pos is not None:
                refined += [item.more.get("kind", "") for item in one.items if item.pos == origin.pos]
                quotes += [quote.quote for quote in one.evidence if quote.pos == origin.pos]
        return categories.fits(
            self.category, kind=fact.kind, by=fact.by, text=fact.text, refined=refined, quotes=quotes
        )

    @cached_property
    def _by_id(self) -> dict[str, Observation]:
        return {one.id: one for one in self.known}

    def found(self, words: str, most: int) -> tuple[Hit, ...]:
        """What recall finds for some words; a brief view takes the index as it stands, if there is one."""
        if not self.searching:
            return ()
        if words not in self.searched:
            filters = search.Filters(project=self.project)
            hits: tuple[Hit, ...] = ()
            if self.brief:
                hits = search.as_it_stands(self.ws, words, now=self.now, k=most, filters=filters)
            else:
                with contextlib.suppress(UsageError):  # there is no word among them
                    hits = search.search(self.ws, words, now=self.now, k=most, filters=filters).hits
            self.searched[words] = hits
        return self.searched[words]

    # -- what people wrote ---------------------------------------------------------------------------------

    def page(self, name: str) -> str:
        """A page of the person's; "" for one that is missing or still as it came."""
        text = files.read(self.ws.root / name).text.strip()
        return "" if is_untouched(name, text) else text

    @cached_property
    def user_name(self) -> str:
        for line in self.page("USER.md").splitlines():
            key, _, value = line.strip("-* ").partition(":")
            if key.lower().startswith("name") and value.strip():
                return value.strip()
        return "user"

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        return schemas.load(self.ws.root).tools


def is_untouched(name: str, text: str) -> bool:
    """Whether a page is the template it was made from: there is nothing of the person's in it."""
    try:
        return text == packaged.template(name).strip()
    except OSError:
        return False
