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

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

TASK = "Write a greeting into hello.py and run it"
OUTCOME = "The greeting is in hello.py and it prints hi"
RULE = "Never use tabs in this project"
FOCUS = "- Focus: Write greeting into hello.py and run it"
MORNING = "Good morning, what is next?"
MARK = "# Context (nanoctx, "


@dataclass(frozen=True)
class Desk:
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

    def nanoctx(self, *arguments: str) -> str:
        command = [str(NANOCTX), *arguments]
        done = subprocess.run(command, cwd=self.seat.folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def quiet(self) -> None:
        """Wait until the looks that were started behind the agent's back are done."""
        until("every look to end", lambda: not _looks(self.seat.folder))

    def bytes(self) -> dict[str, bytes]:
        """The settings of the agent, with what is in them."""
        seen = (self.seat.home, self.seat.folder)
        names = ("settings.json", "hooks.json", "nanoctx.json", "nanoctx.js", "nanoctx.ts", "AGENTS.md")
        found = (file for folder in seen for name in names for file in folder.rglob(name))
        return {str(file): file.read_bytes() for file in found if "node_modules" not in file.parts}


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
    begun = text.find(MARK)
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
    before = desk.bytes()
    desk.nanoctx("init")
    desk.nanoctx("connect", desk.agent.name, "--yes")
    first = desk.ask(f"{TASK}. {RULE}.", f"{OUTCOME}.")
    assert first and not any(OUTCOME in text for text in first)
    assert OUTCOME in (desk.seat.folder / ".nanoctx" / "CONTEXT.md").read_text()
    second = desk.ask(MORNING, "It prints hi to all.")
    assert second, "the model was not asked"
    wanted = (FOCUS, OUTCOME, RULE)
    told = [{words: text.count(words) for words in wanted} for text in second]
    assert told == [dict.fromkeys(wanted, 1)] * len(second), _told(second[0])
    assert all(text.count(MARK) == 1 for text in second)
    desk.nanoctx("disconnect", desk.agent.name, "--yes")
    assert desk.bytes() == before
    third = desk.ask(MORNING, "It prints hi to all.")
    assert third and not any(words in text for text in third for words in (MARK, *wanted))
