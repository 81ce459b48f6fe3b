"""`nanoctx remember`: keep a line for good."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.errors import UsageError

KINDS = ("rule", "pref", "dec", "learn", "fail", "fact", "insight")
SCOPES = ("universal", "project")
_LANGUAGE = "language:"


@click.command("remember", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option(
    "--kind", type=click.Choice(KINDS), metavar="K",
    help=f"What it is: {', '.join(KINDS)}. Without it: a rule if it says always or never, else a fact.",
)  # fmt: skip
@click.option(
    "--scope", metavar="S", default="", help="Where it holds: universal, project or language:NAME."
)  # fmt: skip
@click.option("--project", metavar="P", default="", help="The project it is about.")
@click.option("--by", type=click.Choice(("person", "agent")), default="person", metavar="WHO",
              help="Whose words they are: person, or agent, which sets no rules.")  # fmt: skip
@with_call
def command(call: Call, words: tuple[str, ...], kind: str | None, scope: str, project: str, by: str) -> None:
    """Keep a line for good: it stands in MEMORY.md until you take it out.

    Your words stay as you wrote them, only secrets are taken out. `nanoctx undo` takes the line back.

    \b
    Examples:
      nanoctx remember "Never push on Fridays"
      nanoctx remember --kind dec "The cache stays in memory"
      nanoctx remember --project gauge "Levels are metres above chart datum"
    """
    from nanoctx import byhand

    workspace = call.trusted_workspace()
    text = " ".join(words)
    done = byhand.remember(
        workspace, text, kind=kind or _kind(text, by), scope=_scope(scope),
        project=_project(call, scope, project), by=by, now=call.now(), zone=call.zone(workspace),
    )  # fmt: skip
    data = {
        "text": done.text,
        "section": done.section,
        "observation": done.observation,
        "redacted": done.redacted,
        "page": str(workspace.memory_page),
        "shown": done.shown,
    }
    told = [f"Kept under {done.section}: {done.text}"]
    if done.redacted:
        told.append("What looked like a secret or was private is not in it.")
    if not done.shown:
        told.append(f"{workspace.memory_page} has no room for it; it can be recalled.")
    call.answer(data, "\n".join(told))


def _kind(text: str, by: str) -> str:
    from nanoctx.core import cues

    return "rule" if by == "person" and cues.FOR_EVER.search(text) else "fact"


def _scope(scope: str) -> str:
    if scope in ("", *SCOPES):
        return scope
    from nanoctx.core import languages

    name = scope.removeprefix(_LANGUAGE).lower()
    if not scope.startswith(_LANGUAGE) or name not in languages.BY_ENDING.values():
        raise UsageError(f"`{scope}` is no scope: choose universal, project or language:NAME")
    return _LANGUAGE + name


def _project(call: Call, scope: str, named: str) -> str:
    """The project a line is about: the one named, or, of `--scope project`, the one around this folder."""
    if scope and scope != "project":
        if named:
            raise UsageError(f"--project and --scope {scope} contradict each other: give one of them")
        return ""
    if named or not scope:
        return "-".join(named.split())
    from nanoctx.sources import git

    workspace = call.trusted_workspace()
    return git.slug(workspace.project_root or call.cwd)
