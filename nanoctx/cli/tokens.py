"""`nanoctx tokens`: how many tokens a text takes."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from nanoctx.cli.call import Call, with_call
from nanoctx.cli.show import VIEWS, built_view
from nanoctx.errors import UsageError


@click.command("tokens")
@click.argument("name", metavar="FILE|VIEW")
@with_call
def command(call: Call, name: str) -> None:
    """Count the tokens of a file, of standard input (-), or of a view (context, startup …).

    It is an estimate: within about 10 % of what Claude's published tokenizer counts, and of what GPT's do on
    English and code. Of paths, Chinese, Japanese and Korean GPT's newest one makes fewer, up to two fifths.

    \b
    Examples:
      nanoctx tokens README.md
      nanoctx tokens context
      git diff | nanoctx tokens -
    """
    from nanoctx.core import tokens

    text = _view(call, name) if name in VIEWS else _file(call, name)
    count = tokens.count(text)
    data = {"name": name, "tokens": count, "characters": len(text)}
    call.answer(data, f"{count} tokens, {len(text)} characters: {name}")


def _view(call: Call, name: str) -> str:
    return built_view(call, call.trusted_workspace(), name).text


def _file(call: Call, name: str) -> str:
    if name == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    path = call.cwd / Path(name)
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"{name} cannot be read ({error.strerror}): name a file, or a view ({', '.join(VIEWS)})"
        ) from error
