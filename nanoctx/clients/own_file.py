"""A file of our own in a folder where the agent looks for extensions: all of it is ours, or nothing."""

from __future__ import annotations

import json
import shlex
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from nanoctx.clients.base import SCRIPT, Cargo, Client, NotUnderstood, says_something

MARK = "Written by nanoctx: "


class OwnFile(Client):
    """`content` makes the file; what is in it and not ours is somebody else's and stays."""

    whole_file: ClassVar[bool] = True

    @abstractmethod
    def content(self, script: Path) -> str:
        """The whole file; it holds MARK and the path of the script as a JSON string."""

    def ours(self, text: str) -> tuple[str, ...]:
        if not says_something(text):
            return ()
        script = self._script(text)
        if script is None:
            raise NotUnderstood("somebody else's file with the name of ours")
        return (f"{shlex.quote(script)} session-start --client {self.name}",)

    def complete(self, text: str, cargo: Cargo) -> bool:
        self.ours(text)
        return text == self.content(cargo.script)

    def connected(self, text: str, cargo: Cargo) -> str:
        self.ours(text)
        return self.content(cargo.script)

    def disconnected(self, text: str) -> str:
        return "" if self.ours(text) else text

    def _script(self, text: str) -> str | None:
        """The path of the script that a file of ours calls."""
        if MARK not in text:
            return None
        for part in text.split('"')[1::2]:
            try:
                words = shlex.split(json.loads(f'"{part}"'))
            except ValueError:
                continue
            for word in words[:1]:
                if Path(word).name == SCRIPT:
                    return word
        return None
