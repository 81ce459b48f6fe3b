"""`nanoctx tools`: the tools a person described, by name; one schema at a time."""

from __future__ import annotations

import click

from nanoctx.cli.call import Call, options, with_call


@click.group("tools", invoke_without_command=True)
@options
@click.pass_context
def command(context: click.Context) -> None:
    """Say which tools are described in tools/*.json, and print one of their schemas.

    An agent is given the names only, and loads the schema of the tool it needs. Schemas may be in the form of
    JSON Schema, of OpenAI functions or of MCP.

    \b
    Examples:
      nanoctx tools list
      nanoctx tools show tide_level
    """
    if context.invoked_subcommand is None:
        context.invoke(list_command)


@command.command("list")
@with_call
def list_command(call: Call) -> int:
    """Print the name of each tool and what it is for."""
    from nanoctx.views import schemas

    workspace = call.trusted_workspace()
    found = schemas.load(workspace.root)
    for problem in found.problems:
        call.remark(problem)
    rows = [{"name": tool.name, "purpose": tool.purpose, "file": str(tool.file)} for tool in found.tools]
    lines = [f"{tool.name}: {tool.purpose}".rstrip(": ") for tool in found.tools]
    data = {"tools": rows, "problems": list(found.problems)}
    call.answer(data, "\n".join(lines) or f"No tool is described in {workspace.root / 'tools'}.")
    return 1 if found.problems else 0


@command.command("show")
@click.argument("name", metavar="NAME")
@with_call
def show_command(call: Call, name: str) -> None:
    """Print the schema of one tool, as it stands in its file."""
    import json

    from nanoctx.errors import UsageError
    from nanoctx.views import schemas

    found = schemas.load(call.trusted_workspace().root)
    tool = next((one for one in found.tools if one.name == name), None)
    if tool is None:
        known = ", ".join(one.name for one in found.tools[:12]) or "none is described in tools/"
        raise UsageError(f"there is no tool `{name[:60]}`: choose one of {known}")
    schema = dict(tool.schema)
    call.answer(
        {"name": tool.name, "schema": schema, "file": str(tool.file)},
        json.dumps(schema, ensure_ascii=False, indent=2),
    )
