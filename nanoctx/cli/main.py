"""The command line: finds the command asked for, and turns every error into a sentence and a code."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence

import click

from nanoctx import __version__
from nanoctx.cli import call
from nanoctx.errors import NanoctxError

# A command's module has its name and is imported when it is used, so `--help` stays quick.
COMMANDS = {
    "init": "Make a workspace: in this repository, or in a folder of yours.",
    "observe": "Look at what agents did and bring CONTEXT.md up to date.",
    "reflect": "Fold what sessions came to into MEMORY.md.",
    "verify": "Check memory against the repository.",
    "show": "Print what an agent would be given.",
    "recall": "Search what is known here: sessions, facts, documents.",
    "run": "Keep all pages right, in the foreground until you end it.",
    "up": "Start the background process, now and at each login.",
    "down": "End the background process, and take back what `up` did.",
    "watch": "See live what the background process does.",
    "status": "Say what is watched and how fresh the page is.",
    "why": "Show which words of which session a line came from.",
    "remember": "Keep a line for good.",
    "forget": "Take a text out of everything that is kept, for good.",
    "pin": "Hold a line whatever happens.",
    "unpin": "Let go of a line that was pinned.",
    "accept": "Vouch for a line that an agent or a machine wrote.",
    "history": "Say what changed on the pages, when and by whom.",
    "undo": "Take back what was done by hand, or bring a page back.",
    "project": "Say which projects there are, and set how one stands.",
    "check": "Prove that the workspace is whole; change nothing.",
    "doctor": "Look for what could be wrong and say how to mend it.",
    "connect": "Let an agent call nanoctx, so that its sessions begin with the page.",
    "disconnect": "Take out of an agent's settings what `connect` put there.",
    "mcp": "Serve memory to an agent by MCP, on standard input and output.",
    "hook": "Answer an event of an agent; agents call this.",
    "tools": "Say which tools are described, and print one schema.",
    "import": "Take over what another program remembers.",
    "export": "Put a workspace into one archive.",
    "uninstall": "Take back all that nanoctx did outside workspaces.",
    "tokens": "Count the tokens of a file or of the page.",
    "redact": "Copy standard input to output without its secrets.",
    "demo": "See it work: a recorded session in a scratch folder.",
}

EPILOG = "Begin with `nanoctx demo`; then, in a repository of yours, `nanoctx init`, `observe` and `connect`."

# New objects after which Python looks for cycles among them. A command lives for a moment and makes few.
OBJECTS = 50_000


class Commands(click.Group):
    """The commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"nanoctx.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, invoke_without_command=True, epilog=EPILOG)
@click.version_option(__version__, message="nanoctx %(version)s")
@call.options
@click.pass_context
def nanoctx(context: click.Context) -> None:
    """Keep one small page true: CONTEXT.md.

    nanoctx reads the session logs your coding agents write and keeps a page of at most 500 tokens: what
    you are doing now, how much time has passed, what came out of the last sessions. Include that page in
    the agent's prompt, and the next session knows where the last one ended. No model, no key, no network.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A page holds arrows and people's alphabets; a terminal that cannot show them is no reason to fail.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    gc.set_threshold(OBJECTS)
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _reader_left()
    finally:
        if arguments is None:  # the program ends here: nobody has to look through all it made once more
            gc.freeze()


def _run(arguments: list[str]) -> int:
    try:
        with nanoctx.make_context("nanoctx", arguments) as context:
            result = nanoctx.invoke(context)
            return result if isinstance(result, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "nanoctx"
        message = " ".join(error.format_message().split()).rstrip(".")
        return _failed(f"{message}; see `{where} --help`", 2)
    except NanoctxError as error:
        return _failed(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _failed("stopped", 130)
    except BrokenPipeError:
        raise
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _failed(f"{place}{error.strerror or error}", 1)
    except Exception as error:
        return _failed(f"{_bug(error)}; run it again with NANOCTX_DEBUG=1 to see all of it", 1)


def _failed(sentence: str, code: int) -> int:
    if os.environ.get("NANOCTX_DEBUG"):
        import traceback  # for those who look for a fault, not for every command

        traceback.print_exc()
    click.echo(f"nanoctx: {sentence}", err=True)
    return code


def _bug(error: Exception) -> str:
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)} line {frame.lineno}"  # noqa: PTH119
    return f"this is a bug in nanoctx ({type(error).__name__} in {place}: {str(error)[:200]})"


def _reader_left() -> int:
    # `nanoctx show context | head -1`: nothing failed. Python would complain once more while closing.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
