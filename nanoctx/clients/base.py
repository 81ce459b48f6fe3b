"""What must be known of an agent so that it takes the page: where its settings are, how to edit them."""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

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


@dataclass(frozen=True, slots=True)
class Cargo:
    """What an agent is made to take: the script it calls, or the page itself."""

    script: Path
    page: Path | None = None  # of the workspace that `page_of` names; None for those that call the script
    text: str = ""  # what stands on it
    status_line: bool = False  # whether the script is also what says how full the window is


class Beginning(NamedTuple):
    """When a session began, and whether it was given our text then."""

    at: datetime | None
    given: bool
    cut: bool = False  # the agent took the text for too long, and showed its model a part of it only


class Hindrance(NamedTuple):
    """Why an agent would not do what its settings say, and what a person can do about it."""

    text: str
    cure: str


class NotUnderstood(ValueError):
    """Settings that are not what the agent expects; the message says what and where."""


class Client(ABC):
    """One agent, and how it takes the page. Edits are of text: reading and writing is not its concern."""

    name: ClassVar[str]
    title: ClassVar[str]
    carrier: ClassVar[str]  # in a few words, for people
    scopes: ClassVar[tuple[Scope, ...]] = ("user",)  # the first is meant where none is named
    whole_file: ClassVar[bool] = False  # whether the file that is edited holds nothing but what is ours
    advice: ClassVar[str] = ""  # what is left for the person to do once it is connected
    silence: ClassVar[str] = ""  # how to find out why the last session was given nothing
    has_status_line: ClassVar[bool] = False  # which is told how full the window is
    includes: ClassVar[re.Pattern[str]] = re.compile(r"(?:^|\s)@(\S*CONTEXT\.md)\b")

    @abstractmethod
    def settings(self, scope: Scope, desk: Desk) -> Path:
        """The file that is edited."""

    def shared_settings(self, desk: Desk) -> tuple[Path, ...]:
        """Files, some maybe absent, that can hold the same, and that we never write."""
        return ()

    def instructions(self, desk: Desk) -> tuple[Path, ...]:
        """Files, some maybe absent, by which the agent takes other files into its prompt."""
        return ()

    def included_from(self, file: Path, desk: Desk) -> Path:
        """The folder to which the names in a file of instructions are relative."""
        return file.parent

    def page_of(self, desk: Desk) -> Path | None:
        """The folder whose page this agent takes as it stands; None for an agent that calls us."""
        return None

    @abstractmethod
    def ours(self, text: str) -> tuple[str, ...]:
        """What of ours stands in these settings; raises NotUnderstood, as the next three do."""

    @abstractmethod
    def complete(self, text: str, cargo: Cargo) -> bool:
        """Whether the settings hold all of this cargo, and nothing else of ours."""

    @abstractmethod
    def connected(self, text: str, cargo: Cargo) -> str:
        """Settings that hold nothing of ours with the cargo added, and every other byte kept."""

    @abstractmethod
    def disconnected(self, text: str) -> str:
        """The settings without what is ours, and every other byte kept."""

    def calls_from_status_line(self, text: str) -> bool:
        """Whether these settings have us called for the status line, too."""
        return False

    def hindrance(self, text: str, settings: Path) -> Hindrance | None:
        """Why the cargo would not reach the model though these settings hold it; None if it would."""
        return None

    def beginning(self, log: Path) -> Beginning | None:
        """How a session began, as its log tells; None if the logs of this agent do not tell."""
        return None


def command(script: Path, event: str, client: str) -> str:
    """How the script is called, for a shell."""
    told = "" if client == "claude-code" else f" --client {client}"
    return f"{shlex.quote(str(script))} {event}{told}"


def is_ours(words: object) -> bool:
    """Whether a command in somebody's settings calls our script."""
    try:
        first = shlex.split(words)[0] if isinstance(words, str) else ""
    except (ValueError, IndexError):
        return False
    return Path(first).name == SCRIPT


def says_something(text: str) -> bool:
    return bool(text.strip("\ufeff \t\r\n"))
