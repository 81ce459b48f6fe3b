"""What every command is called with: which workspace, how to answer, what time it is."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nanoctx.errors import WorkspaceError

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from nanoctx.disk.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Call:
    """One run of the program."""

    named: str | None
    as_json: bool
    cwd: Path = field(default_factory=Path.cwd)
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def workspace(self) -> Workspace:
        from nanoctx.disk import workspace

        return workspace.resolve(self.named, self.cwd, self.env)

    def trusted_workspace(self) -> Workspace:
        """The workspace, if this user made it or named it; one that came with a clone is not used."""
        found = self.workspace()
        if not found.trusted and not (self.named or self.env.get("NANOCTX_WORKSPACE")):
            raise WorkspaceError(
                f"{found.root} was not made by you (it may have come with a clone): look through it, then run"
                " `nanoctx init` to make it yours"
            )
        return found

    def now(self) -> datetime:
        from nanoctx import clock

        return clock.now()

    def zone(self, workspace: Workspace | None = None) -> tzinfo:
        from zoneinfo import ZoneInfo

        from nanoctx import clock

        name = workspace.settings.time_zone if workspace else ""
        return ZoneInfo(name) if name else clock.zone()

    def answer(self, data: Mapping[str, Any], text: str) -> None:
        """Print the answer: the same keys always for programs, plain words for people."""
        click.echo(json.dumps(data, ensure_ascii=False, indent=2) if self.as_json else text)

    def tell(self, data: Mapping[str, Any], text: str) -> None:
        """Print one of many answers, at once; for programs a line each."""
        click.echo(json.dumps(data, ensure_ascii=False) if self.as_json else text)
        sys.stdout.flush()

    def remark(self, text: str) -> None:
        """Say something beside the answer."""
        click.echo(text, err=True)

    @property
    def at_terminal(self) -> bool:
        return sys.stdin.isatty() and sys.stdout.isatty()


def options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--workspace` and `--json`; both may stand before the command's name, too."""
    function = click.option(
        "--json", "as_json", is_flag=True, default=None, expose_value=False, callback=_remember,
        help="Answer in JSON, for programs.",
    )(function)  # fmt: skip
    return click.option(
        "--workspace", "named", metavar="DIR", expose_value=False, callback=_remember,
        help="The workspace to use. Without it: the one this folder belongs to.",
    )(function)  # fmt: skip


def with_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command with both shared options, which gets the `Call` as its first argument."""

    @options
    @click.pass_context
    @functools.wraps(function)
    def run(context: click.Context, /, *args: Any, **values: Any) -> Any:
        call = Call(context.meta.get("nanoctx.named"), bool(context.meta.get("nanoctx.as_json")))
        return function(call, *args, **values)

    return run


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    if value is not None:
        context.meta[f"nanoctx.{parameter.name}"] = value
    return value
