"""`nanoctx observe`: one look at what agents did."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, counted, with_call
from nanoctx.errors import UsageError, WorkspaceRemoved

if TYPE_CHECKING:
    from nanoctx.disk.workspace import Workspace
    from nanoctx.observer import Report


@click.command("observe")
@click.option("--agent", metavar="A", help="The agent that wrote the log, such as claude-code.")
@click.option(
    "--log", metavar="FILE", type=click.Path(path_type=Path), help="Look at this one session log only."
)
@click.option(
    "--until-line", metavar="N", type=click.IntRange(min=1), help="Read that log up to its line N only."
)
@click.option("--detached", is_flag=True, hidden=True, help="For hooks: nobody waits for this look.")
@click.option("--ended", metavar="SESSION=HOW", hidden=True, help="For hooks: a session ended (exit, clear).")
@with_call
def command(
    call: Call, agent: str | None, log: Path | None, until_line: int | None, detached: bool, ended: str | None
) -> int:
    """Look at what agents did since the last look, and bring CONTEXT.md up to date.

    Without options it looks at all session logs of the agents it knows, as far as they belong to this
    workspace. Each session becomes one file under observations/. Looking twice changes nothing.

    \b
    Examples:
      nanoctx observe
      nanoctx observe --agent claude-code --log session.jsonl
      nanoctx observe --agent claude-code --log session.jsonl --until-line 200
    """
    _require_both(agent, log, until_line)
    workspace = _workspace(call)
    if call.env.get("NANOCTX_OFF") == "1":
        call.remark("nanoctx: NANOCTX_OFF=1 is set, so nothing was looked at")
        return 0
    if ended:
        _note_ending(call, workspace, ended)
    if detached:
        _require_turn(workspace)
    from nanoctx import observer  # most of what a command loads

    report = observer.observe(
        workspace,
        now=call.now(),
        zone=call.zone(workspace),
        agent=agent,
        log=(call.cwd / log) if log else None,
        until_line=until_line,
        in_turn=detached,
        progress=_progress if sys.stderr.isatty() else None,
    )
    if detached:
        _refresh_index(workspace)
    for problem in (*workspace.settings.warnings, *report.problems):
        call.remark(f"nanoctx: {problem}")
    call.answer(_data(workspace, report), _told(workspace, report))
    return 1 if report.problems else 0


def _refresh_index(workspace: Workspace) -> None:
    """Let the next prompts find what was just learned; nobody waits for it here."""
    from nanoctx.errors import NanoctxError
    from nanoctx.recall import index

    if workspace.settings.hook_turn != "off":
        with suppress(NanoctxError, OSError):
            index.refresh(workspace, wait=0.0)


def _require_turn(workspace: Workspace) -> None:
    """Raise Busy at once if another look waits to begin: it will see whatever this one would."""
    from nanoctx.disk import lock

    with lock.hold(workspace.state / "lock.next", wait=0.0, purpose="asking for a turn"):
        pass


def _workspace(call: Call) -> Workspace:
    """The workspace; one that `git clean` took away is made again, since what it knew is kept elsewhere."""
    try:
        return call.trusted_workspace()
    except WorkspaceRemoved as removed:
        from nanoctx.disk import registry, workspace
        from nanoctx.sources import git

        back = workspace.bring_back(removed, call.env)
        workspace.describe_project(back, git.slug(back.root.parent))
        call.remark(
            f"nanoctx: {back.root} was gone, as after `git clean`: its observations are brought back (to be"
            f" rid of it, take it out of {registry.path(call.env)}, then remove it)"
        )
        return back


def _require_both(agent: str | None, log: Path | None, until_line: int | None) -> None:
    if log is None and until_line is not None:
        raise UsageError("--until-line is about one log: name it with --log FILE")
    if (agent is None) != (log is None):
        raise UsageError("--agent and --log go together: `nanoctx observe --agent claude-code --log FILE`")
    if agent is not None:
        from nanoctx.sources import SOURCES

        if agent not in SOURCES:
            raise UsageError(f"there is no agent `{agent}`: choose one of {', '.join(SOURCES)}")


def _note_ending(call: Call, workspace: Workspace, ended: str) -> None:
    from nanoctx.disk import endings, files

    session, _, how = ended.rpartition("=")
    if not session or how not in endings.HOW:
        raise UsageError(f"--ended is SESSION=HOW, where HOW is one of {', '.join(endings.HOW)}")
    files.make_folder(workspace.state)
    endings.add(workspace.state, session, how, call.now())


def _progress(text: str) -> None:
    click.echo(f"\r\x1b[K{text}", nl=False, err=True)


def _data(workspace: Workspace, report: Report) -> dict[str, object]:
    return {
        "workspace": str(workspace.root),
        "sessions": report.sessions,
        "changed": list(report.changed),
        "skipped": report.skipped,
        "problems": list(report.problems),
        "page": str(workspace.context_page),
        "page_changed": report.page_changed,
        "conflict": str(report.conflict) if report.conflict else None,
        "warnings": list(workspace.settings.warnings),
    }


def _told(workspace: Workspace, report: Report) -> str:
    if report.sessions:
        words = [f"Looked at {counted(report.sessions, 'session')}, {len(report.changed)} with news."]
    else:
        words = ["No session with news."]
    words.append(f"{workspace.context_page} {'was rewritten' if report.page_changed else 'is up to date'}.")
    if report.skipped:
        words.append(f"{counted(report.skipped, 'line')} of the logs could not be read and were skipped.")
    if report.conflict:
        words.append(f"A text of yours that could not be merged is kept in {report.conflict}.")
    return "\n".join(words)
