"""What must be known of an agent so that it calls nanoctx: where its settings are, and how to edit them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

Scope = Literal["user", "project"]
SCOPES: tuple[Scope, ...] = ("user", "project")

SCRIPT = "nanoctx-hook"  # its name in a command tells that the hook is ours
OPENING = "# Context (nanoctx, "  # how the text begins that the script gives an agent


@dataclass(frozen=True, slots=True)
class Desk:
    """Where an agent is used: by whom, and in which project."""

    home: Path
    env: Mapping[str, str]
    project: Path


class Beginning(NamedTuple):
    """When a session began, and whether it was given our text then."""

    at: datetime | None
    given: bool
    cut: bool = False  # the agent took the text for too long, and showed its model a part of it only


class NotUnderstood(ValueError):
    """Settings that are not what the agent expects; the message says what and where."""


class Client(Protocol):
    """A module of this package. All of it works on text: who reads and writes files is not its concern."""

    NAME: str
    TITLE: str

    def settings(self, scope: Scope, desk: Desk) -> Path:
        """The file in which hooks are set."""

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        """Files, some maybe absent, that can hold hooks too, and that we never write."""

    def instructions(self, desk: Desk) -> tuple[Path, ...]:
        """The files, some maybe absent, that this agent reads into its prompt and that can include others."""

    def commands(self, text: str) -> tuple[str, ...]:
        """What these settings call of ours; raises NotUnderstood, as the next three do."""

    def calls(self, text: str, script: Path) -> bool:
        """Whether these settings call `script` at every event, and nothing else of ours."""

    def connected(self, text: str, script: Path) -> str:
        """The settings with our hooks added, and every other byte kept."""

    def disconnected(self, text: str) -> str:
        """The settings without our hooks, and every other byte kept."""

    def hindrance(self, text: str) -> str:
        """Why the hooks would not be called, in these settings' own words; "" if they would."""

    def beginning(self, log: Path) -> Beginning:
        """How a session began, as its log tells."""
