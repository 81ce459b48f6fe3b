"""Aider: the page among the files that `read:` in .aider.conf.yml puts into its prompt."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from nanoctx.clients.base import Cargo, Client, Desk, NotUnderstood, Scope
from nanoctx.core import yaml_list

_KEY = "read"
_PAGE = ".nanoctx/CONTEXT.md"  # as one can write it, too, if Aider is always started at the top


class Aider(Client):
    name = "aider"
    title = "Aider"
    carrier = "a line in .aider.conf.yml"
    scopes: ClassVar[tuple[Scope, ...]] = ("project",)
    advice = (
        "Aider reads the page as it stands. It does not call nanoctx when a session ends: `nanoctx observe`"
        " looks at what it did."
    )

    def settings(self, scope: Scope, desk: Desk) -> Path:
        return desk.project / ".aider.conf.yml"

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        return (desk.home / ".aider.conf.yml",)

    def page_of(self, desk: Desk) -> Path:
        return desk.project

    def ours(self, text: str) -> tuple[str, ...]:
        return tuple(value for value in self._values(text) if _is_ours(value))

    def complete(self, text: str, cargo: Cargo) -> bool:
        return self.ours(text) in ((str(cargo.page),), (_PAGE,))

    def connected(self, text: str, cargo: Cargo) -> str:
        self._values(text)
        return yaml_list.added(text, _KEY, str(cargo.page))

    def disconnected(self, text: str) -> str:
        for value in self.ours(text):
            text = yaml_list.removed(text, _KEY, value)
        return text

    def _values(self, text: str) -> tuple[str, ...]:
        try:
            return yaml_list.values(text, _KEY)
        except yaml_list.NotYaml as error:
            raise NotUnderstood(str(error)) from None


CLIENT = Aider()


def _is_ours(value: str) -> bool:
    return value == _PAGE or value.endswith(f"/{_PAGE}")
