"""A home and a repository with one of the other agents in it, and a model that talks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from e2e.agents import Agent, Seat
from e2e.claude import until
from e2e.desk import NANOCTX
from e2e.other_models import TalkingModel

from nanoctx.clients import CLIENTS, base


@dataclass(frozen=True)
class Table:
    """A person's home and repository, one agent, and its model."""

    agent: Agent
    seat: Seat
    model: TalkingModel

    def ask(self, prompt: str, answer: str) -> list[str]:
        """What the model saw of it."""
        self.model.requests.clear()
        self.model.says = answer
        self.agent.ask(self.seat, prompt)
        self.quiet()
        return self.model.given(prompt)

    @property
    def client(self) -> base.Client:
        return CLIENTS[self.agent.name]

    @property
    def place(self) -> base.Desk:
        return base.Desk(self.seat.home, os.environ, self.seat.folder)

    def nanoctx(self, *arguments: str) -> str:
        command = [str(NANOCTX), *arguments]
        done = subprocess.run(command, cwd=self.seat.folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def quiet(self) -> None:
        """Wait until the looks that were started behind the agent's back are done."""
        until("every look to end", lambda: not looks(self.seat.folder))

    def told_of(self, words: str) -> int:
        """In how many observations of sessions these words stand, after a look at all there is."""
        self.nanoctx("observe")
        found = self.seat.folder.glob(f".nanoctx/observations/*/*/*-{self.agent.name}-*.md")
        return sum(words in one.read_text() for one in found)

    def settings(self) -> bytes:
        """What stands in the file that `connect` edits."""
        file = self.client.settings(self.client.scopes[0], self.place)
        return file.read_bytes() if file.exists() else b""


def looks(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if b"observe" in words and any(word.startswith(os.fsencode(folder)) for word in words):
            found.append(process.parent.name)
    return found


@contextmanager
def laid(agent: Agent, folder: Path) -> Iterator[Table]:
    if agent.find() is None:
        pytest.skip(f"{agent.name} is not here: `make e2e` gets {agent.package} and needs the network once.")
    repository = folder / "greeter"
    repository.mkdir()
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for words in (["init", "-q", "-b", "main"], [*who, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    with TalkingModel() as model:
        seat = Seat(Path(os.environ["HOME"]), repository.resolve(), model.url)
        agent.prepare(seat)
        yield Table(agent, seat, model)


def is_called(agent: Agent) -> bool:
    """Whether the agent calls nanoctx, and is given its text; else it takes the page as it stands."""
    desk = base.Desk(Path("/nobody"), {}, Path("/nowhere"))
    return CLIENTS[agent.name].page_of(desk) is None
