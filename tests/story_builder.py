"""Sessions for tests, told beat by beat: `tell(prompt("…"), shell("pytest", "2 passed"), say("…"))`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec.structs import replace

from nanoctx.core.deeds import Deeds, deeds
from nanoctx.core.turns import Story, grow
from nanoctx.model import Event, Step

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
CALL = "call"  # stands for the call that a beat makes; `tell` numbers them
Beat = tuple[Event, ...]


def prompt(text: str, *, queued: bool = False, after: int | None = None) -> Beat:
    facts = {} if after is None else {"after": str(after)}
    return (_event("prompt", text=text, name="queued" if queued else "", facts=facts),)


def run() -> Beat:
    """A schedule has the agent begin again."""
    return (_event("run"),)


def say(text: str) -> Beat:
    return (_event("say", text=text),)


def shell(command: str, output: str = "", *, ok: bool = True) -> Beat:
    return (_tool("shell", command=command), _event("result", text=output, call=CALL, ok=ok))


def calls(command: str) -> Beat:
    """A command that has not answered yet."""
    return (_tool("shell", command=command),)


def edit(path: str, code: str = "", *, ok: bool = True) -> Beat:
    return (_tool("edit", path=path, text=code), _event("result", call=CALL, ok=ok))


def read(path: str, content: str = "") -> Beat:
    return (_tool("read", path=path), _event("result", text=content, call=CALL, ok=True))


def web(content: str) -> Beat:
    return (_tool("web"), _event("result", text=content, call=CALL, ok=True))


def reject(command: str = "", reason: str = "", *, path: str = "") -> Beat:
    """A tool call that the person refused."""
    tool = _tool("edit", path=path) if path else _tool("shell", command=command)
    return (tool, _event("reject", text=reason, call=CALL))


def answer(question: str, text: str) -> Beat:
    return (_tool("ask"), _event("answer", text=text, call=CALL, facts={"question": question}))


def plan(*steps: tuple[str, str]) -> Beat:
    """Steps as (text, status), in the place of the plan before."""
    made = tuple(Step(str(number), text, status) for number, (text, status) in enumerate(steps, 1))
    return (_event("plan", name="replace", steps=made),)


def step(id: str, status: str, text: str = "") -> Beat:
    """One step of the plan changed."""
    return (_event("plan", name="merge", steps=(Step(id, text, status),)),)


def interrupt() -> Beat:
    return (_event("interrupt"),)


def error(text: str) -> Beat:
    return (_event("error", text=text),)


def compact(summary: str = "") -> Beat:
    return (_event("compact", text=summary),)


def about(**facts: str) -> Beat:
    return (_event("about", facts=facts),)


def usage(used: int, window: int = 200_000) -> Beat:
    return (Event("usage", 0, "", used=used, window=window),)


def end(name: str = "exit") -> Beat:
    return (_event("end", name=name),)


def tell(*beats: Beat, session: str = "s1", start: datetime = NOON, every: float = 20.0) -> list[Event]:
    """The beats as events of one log: a record each, one after the other in time."""
    events: list[Event] = []
    for number, beat in enumerate(beats):
        for event in beat:
            pos = len(events) + 1
            placed = replace(
                event,
                pos=pos,
                session=session,
                at=start.timestamp() + every * pos,
                call=f"call-{number}" if event.call else "",
                uid=f"{session}-{pos}",
            )
            events.append(placed)
    return events


def story(*beats: Beat, session: str = "s1") -> Story:
    return grow(Story(session), tell(*beats, session=session))


def done(*beats: Beat) -> list[Deeds]:
    return deeds(story(*beats).turns)


def committed(sha: str, subject: str, branch: str = "main") -> str:
    """What git says after a commit."""
    return f"[{branch} {sha}] {subject}\n 1 file changed, 4 insertions(+)"


def texts(found: Iterable[object], kind: str = "") -> list[str]:
    """The words of items or candidates, of one kind if it is given."""
    return [str(getattr(one, "text", "")) for one in found if not kind or getattr(one, "kind", "") == kind]


def _event(kind: str, **more: object) -> Event:
    return replace(Event(kind, 0, ""), **more)  # type: ignore[arg-type]


def _tool(name: str, *, command: str = "", path: str = "", text: str = "") -> Event:
    return Event("tool", 0, "", text=text, name=name, call=CALL, command=command, path=path)
