"""With the real agents: what one session came to stands before the model in the next one, exactly once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from e2e.agents import AGENTS, Agent, Seat
from e2e.claude import until
from e2e.desk import NANOCTX
from e2e.other_models import TalkingModel

from nanoctx.clients import CLIENTS, base

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

TASK = "Write a greeting into hello.py and run it"
OUTCOME = "The greeting is in hello.py and it prints hi"
RULE = "Never use tabs in this project"
FOCUS = "- Focus: Write greeting into hello.py and run it"
MORNING = "Good morning, what is next?"
MARK = "# Context (nanoctx, "
PAGE = "# Context\n\n## Now\n"


@dataclass(frozen=True)
class Desk:
    """A person's home and repository, one agent, and its model."""

    agent: Agent
    seat: Seat
    model: TalkingModel

    @property
    def is_called(self) -> bool:
        """Whether the agent calls nanoctx, and is given its text; else it takes the page as it stands."""
        return self.client.page_of(self.place) is None

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
        until("every look to end", lambda: not _looks(self.seat.folder))

    def settings(self) -> bytes:
        """What stands in the file that `connect` edits."""
        file = self.client.settings(self.client.scopes[0], self.place)
        return file.read_bytes() if file.exists() else b""


def _looks(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if b"observe" in words and any(word.startswith(os.fsencode(folder)) for word in words):
            found.append(process.parent.name)
    return found


def _told(text: str) -> str:
    """What a failing test shows: the surroundings of our text."""
    begun = text.find("# Context")
    return text[max(begun - 200, 0) : begun + 2500] if begun >= 0 else f"Nothing of ours in: {text[-1500:]}"


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.name)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    agent: Agent = request.param
    if agent.find() is None:
        pytest.skip(f"{agent.name} is not here: `make e2e` gets {agent.package} and needs the network once.")
    repository = tmp_path / "greeter"
    repository.mkdir()
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for words in (["init", "-q", "-b", "main"], [*who, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    with TalkingModel() as model:
        seat = Seat(Path(os.environ["HOME"]), repository.resolve(), model.url)
        agent.prepare(seat)
        yield Desk(agent, seat, model)


def test_the_next_session_is_told_what_the_last_came_to_exactly_once(desk: Desk) -> None:
    desk.nanoctx("init")
    desk.nanoctx("connect", desk.agent.name, "--yes")
    first = desk.ask(f"{TASK}. {RULE}.", f"{OUTCOME}.")
    assert first and not any(OUTCOME in text for text in first)
    if not desk.is_called:
        desk.nanoctx("observe")
    assert OUTCOME in (desk.seat.folder / ".nanoctx" / "CONTEXT.md").read_text()
    second = desk.ask(MORNING, "It prints hi to all.")
    assert second, "the model was not asked"
    # The page by itself has no rules on it: they are in MEMORY.md.
    wanted = (MARK, FOCUS, OUTCOME, RULE) if desk.is_called else (PAGE, FOCUS, OUTCOME)
    told = [{words: text.count(words) for words in wanted} for text in second]
    assert told == [dict.fromkeys(wanted, 1)] * len(second), _told(second[0])
    desk.nanoctx("disconnect", desk.agent.name, "--yes")
    assert b"nanoctx" not in desk.settings()
    third = desk.ask(MORNING, "It prints hi to all.")
    assert third and not any(words in text for text in third for words in wanted)
