"""A marked section with the page itself, in a file that the agent reads: for agents that include no file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nanoctx.clients.base import Cargo, Client, Desk, NotUnderstood, Scope
from nanoctx.core import section

INTO = "AGENTS.md"


class Section(Client):
    """Looks renew the section whenever they write the page."""

    carrier = "a section in its AGENTS.md"
    advice = (
        "The page stands there now, and each look that rewrites the page renews it. This agent does not call"
        " nanoctx when a session ends: `nanoctx observe` looks at what it did."
    )

    @abstractmethod
    def page_of(self, desk: Desk) -> Path:
        """The agent's own workspace."""

    def settings(self, scope: Scope, desk: Desk) -> Path:
        return self.page_of(desk) / INTO

    def ours(self, text: str) -> tuple[str, ...]:
        with _understood():
            found = section.content(text)
        return () if found is None else (section.BEGIN,)

    def complete(self, text: str, cargo: Cargo) -> bool:
        with _understood():
            return section.content(text) == section.shown(cargo.text)

    def connected(self, text: str, cargo: Cargo) -> str:
        with _understood():
            if section.content(text) is not None:
                return section.renewed(text, cargo.text)
            return section.added(text, cargo.text)

    def disconnected(self, text: str) -> str:
        with _understood():
            return section.removed(text)


@contextmanager
def _understood() -> Iterator[None]:
    try:
        yield
    except section.BrokenSection:
        raise NotUnderstood("not as expected (the marks of nanoctx's section are not one pair)") from None
