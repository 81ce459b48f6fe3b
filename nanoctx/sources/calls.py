"""A tool call, whatever its host calls it."""

from __future__ import annotations

from dataclasses import dataclass

from nanoctx.model import Step


@dataclass(slots=True)
class Call:
    """A tool call in the words of the model: `name` is one of TOOL_NAMES."""

    name: str
    text: str = ""
    command: str = ""
    path: str = ""
    background: bool = False
    plan: str = ""  # replace | merge, if the call changes the plan
    steps: tuple[Step, ...] = ()
