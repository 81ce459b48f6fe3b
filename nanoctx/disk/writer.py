"""The program that a person set to reword lines: how it is asked, and what its last run came to."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nanoctx.disk import children, files, registry, settings
from nanoctx.disk.settings import OwnSettings
from nanoctx.errors import DiskError

PASSED_ON = ("PATH", "HOME", "LANG", "TZ")
_MOST_ASKED = 500
_BYTES_PER_CHARACTER = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """What the program said; `trouble` is why nothing came of it, as words after "the writer"."""

    text: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Notes:
    """What is remembered between two looks. Only a cache."""

    at: str = ""
    trouble: str = ""
    asked: dict[str, str] = field(default_factory=dict)  # by observation: what the program was asked


def own_settings(env: Mapping[str, str]) -> OwnSettings:
    """The person's own settings; those of a workspace may have come with a clone."""
    return settings.load_own(registry.folder(env) / "config.toml")


def program(own: OwnSettings, env: Mapping[str, str]) -> list[str]:
    """The command as words, the program's path first; empty if there is no such program."""
    try:
        words = shlex.split(own.writer_command)
    except ValueError:
        return []
    if not words or "\0" in own.writer_command:
        return []
    import shutil  # most people have no such program

    home = registry.home(env)
    name = str(home / registry.expanded(words[0], env)) if "/" in words[0] else words[0]
    found = shutil.which(name, path=env.get("PATH"))
    return [str(home / found), *words[1:]] if found else []


def ask(own: OwnSettings, request: str, env: Mapping[str, str]) -> Answer:
    """Run the program, with the request on its standard input and nothing else of ours."""
    command = program(own, env)
    if not command:
        return Answer(trouble="was not found or may not be run")
    given = request.encode("utf-8", "replace")
    limit = own.writer_max_characters * _BYTES_PER_CHARACTER
    kept = {name: value for name, value in env.items() if name in PASSED_ON or name.startswith("LC_")}
    try:
        ran = children.run(
            command, given=given, env=kept, cwd=registry.home(env), timeout=own.writer_seconds, limit=limit
        )
    except OSError as error:
        return Answer(trouble=f"could not be started ({error.strerror})")
    text = ran.out.decode("utf-8", "replace")
    if len(ran.out) >= limit or len(text) > own.writer_max_characters:
        return Answer(trouble=f"said more than {own.writer_max_characters} characters")
    if not ran.whole:
        return Answer(trouble=f"did not end within {own.writer_seconds} s")
    return Answer(text) if ran.code == 0 else Answer(trouble=f"failed (exit code {ran.code})")


def load_notes(state: Path) -> Notes:
    try:
        saved = json.loads(files.read(_path(state)).text)
        asked = {str(id): str(name) for id, name in saved["asked"].items()}
        return Notes(str(saved["at"]), str(saved["trouble"]), asked)
    except (DiskError, ValueError, RecursionError, TypeError, LookupError, AttributeError):
        return Notes()


def save_notes(state: Path, now: datetime, trouble: str, asked: Mapping[str, str]) -> None:
    kept = dict(list(asked.items())[-_MOST_ASKED:])
    text = json.dumps({"at": f"{now:%Y-%m-%d %H:%M}", "trouble": trouble, "asked": kept})
    files.write(_path(state), text + "\n", durable=False, private=True)


def _path(state: Path) -> Path:
    return state / "writer.json"
