"""Writes what can be told by the program itself: run it by `make docs`; tests/test_docs.py compares."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click
from click.testing import CliRunner

from nanoctx import observer
from nanoctx.cli.main import nanoctx
from nanoctx.disk import settings, workspace

ROOT = Path(__file__).parents[1]
WIDTH = 100
NOON = datetime(2026, 2, 11, 12, tzinfo=UTC)


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Everything that can stand in a workspace's `nanoctx.toml`. Each key has a default, so the file may",
        "be empty or missing. A key nanoctx does not know is named by `nanoctx doctor` and ignored; a value",
        "of the wrong type stops the command with one sentence and changes nothing.",
    ]
    lines += _sections(settings.Settings)
    lines += [
        "",
        "# Your own config",
        "",
        "Some keys are taken only from `$XDG_CONFIG_HOME/nanoctx/config.toml` (else",
        "`~/.config/nanoctx/config.toml`), as a workspace may have come with a clone. In a `nanoctx.toml`",
        "they are named and ignored.",
    ]
    return "\n".join([*lines, *_sections(settings.OwnSettings)]) + "\n"


def _sections(table: type[settings.Settings | settings.OwnSettings]) -> Iterator[str]:
    section = ""
    for entry in settings.entries(table):
        heading, _, name = settings.key(entry).rpartition(".")
        if heading != section:
            section = heading
            yield from ("", f"## [{section}]", "")
        line = f"`{name} = {settings.as_toml(entry.default)}`"
        yield f"- {line}: {entry.metadata['help']}{_range(entry.metadata)}"


def commands_page() -> str:
    root = click.Context(nanoctx, info_name="nanoctx", max_content_width=WIDTH, terminal_width=WIDTH)
    parts = ["# Commands\n\nWhat `nanoctx COMMAND --help` says, for every command.\n"]
    for title, text in _helps(root):
        parts.append(f"## {title}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _range(limits: Mapping[str, Any]) -> str:
    if limits.get("choices"):
        return " One or more of " + ", ".join(f"`{name}`" for name in limits["choices"]) + "."
    return f" From {limits['low']} to {limits['high']}." if "low" in limits else ""


def _helps(root: click.Context) -> Iterator[tuple[str, str]]:
    yield "nanoctx", nanoctx.get_help(root)
    for name in nanoctx.list_commands(root):
        command = nanoctx.get_command(root, name)
        assert command is not None
        context = click.Context(
            command, info_name=name, parent=root, max_content_width=WIDTH, terminal_width=WIDTH
        )
        yield f"nanoctx {name}", command.get_help(context)


def readme() -> str:
    """The README with the page that the demo ends with."""
    answer = CliRunner().invoke(nanoctx, ["demo", "--json"], catch_exceptions=False)
    page = json.loads(answer.stdout)["page"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"(?<=```markdown\n).*?(?=```)", lambda _: page, text, count=1, flags=re.DOTALL)


def example_page() -> str:
    """CONTEXT.md of the example workspace, as it was at noon after its last session."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "workspace"
        shutil.copytree(
            ROOT / "workspace-example", root, ignore=shutil.ignore_patterns("CONTEXT.md", ".state")
        )
        example = workspace.open_at(root, {"HOME": scratch})
        observer.refresh_page(example, now=NOON, zone=ZoneInfo(example.settings.time_zone))
        return example.context_page.read_text(encoding="utf-8")


PAGES = {
    "docs/settings.md": settings_page,
    "docs/commands.md": commands_page,
    "workspace-example/CONTEXT.md": example_page,
    "README.md": readme,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (ROOT / name).write_text(page(), encoding="utf-8")
        sys.stdout.write(f"{name}\n")
