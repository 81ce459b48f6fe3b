"""A file of our own in a folder where the agent looks for extensions: all of it is ours, or nothing."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from nanoctx.clients.base import Cargo, Client, NotUnderstood, command, says_something

MARK = "Written by nanoctx: "


class OwnFile(Client):
    """`content` makes the file; one of the same name that is not ours stays."""

    whole_file: ClassVar[bool] = True

    @abstractmethod
    def content(self, script: Path) -> str:
        """The whole file."""

    @abstractmethod
    def script(self, text: str) -> Path | None:
        """The script that a file calls; None for a file that is not ours."""

    def ours(self, text: str) -> tuple[str, ...]:
        if not says_something(text):
            return ()
        script = self.script(text)
        if script is None:
            raise NotUnderstood("somebody else's file with the name of ours")
        return (command(script, "session-start", self.name),)

    def complete(self, text: str, cargo: Cargo) -> bool:
        self.ours(text)
        return text == self.content(cargo.script)

    def connected(self, text: str, cargo: Cargo) -> str:
        self.ours(text)
        return self.content(cargo.script)

    def disconnected(self, text: str) -> str:
        return "" if self.ours(text) else text
