"""What one agent's session is given in all, and from whose point of view."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from nanoctx.disk.workspace import Workspace
from nanoctx.errors import NanoctxError

if TYPE_CHECKING:
    from nanoctx.views import Built
    from nanoctx.views.desk import Desk


class Caller(Protocol):
    """Who is called for: a person, in a folder."""

    @property
    def cwd(self) -> Path: ...

    @property
    def env(self) -> Mapping[str, str]: ...

    def trusted_workspace(self) -> Workspace: ...

    def now(self) -> datetime: ...

    def zone(self, workspace: Workspace | None = None) -> tzinfo: ...


class Session:
    """The agent at the other end. What it was given counts until its host compacts or clears."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.kept: set[str] = set()  # what it had us remember
        self._begun = caller.now()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.queries = 0  # answered
        self.view_tokens = 0  # of views it asked for by name
        self.memory_given = False

    def workspace(self) -> Workspace:
        """The workspace as it is now; it may be made while the agent is at work."""
        if self.caller.env.get("NANOCTX_OFF") == "1":
            raise NanoctxError("nanoctx is switched off for this session (NANOCTX_OFF=1)")
        found = self.caller.trusted_workspace()
        cwd = self.caller.cwd.resolve()
        if any(cwd.is_relative_to(folder) for folder in found.ignored):
            raise NanoctxError("this project is left out of memory, by [watch] ignore in nanoctx.toml")
        self._notice_news(found)
        return found

    def desk(self, ws: Workspace, *, query: str = "", scope: str = "", category: str = "") -> Desk:
        from nanoctx.views.desk import Desk

        now, zone = self.caller.now(), self.caller.zone(ws)
        return Desk(ws, now=now, zone=zone, cwd=self.caller.cwd, query=query, scope=scope, category=category)

    def _notice_news(self, ws: Workspace) -> None:
        """After `/clear` the host has nothing of what we gave it."""
        from nanoctx.disk import endings

        told = endings.load(ws.state).get(self.caller.env.get("CLAUDE_CODE_SESSION_ID", ""))
        if told is not None and told.how == "clear" and told.at > self._begun:
            self._begun = self.caller.now()
            self._begin_anew()


def built(desk: Desk, view: str, budget: int | None = None) -> Built:
    from nanoctx import views

    return views.build(view, desk, budget=budget, form="md")
