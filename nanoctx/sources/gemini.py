"""Gemini CLI's session logs: where they are and what they say."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.json import Decoder

from nanoctx.model import Batch, Cursor
from nanoctx.sources import folders
from nanoctx.sources.decoding import decoded
from nanoctx.sources.whole import read_document, read_lines

if TYPE_CHECKING:
    from nanoctx.sources.gemini_events import Conversation

NAME = "gemini"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """Main sessions only. GEMINI_CLI_HOME stands for the home folder, as for the host itself."""
    yield from logs_below((folders.given(home, env, "GEMINI_CLI_HOME") or home) / ".gemini", projects)


def logs_below(root: Path, projects: Sequence[Path] | None) -> Iterator[Path]:
    """A project's folder is known by a file in it, by the registry, or by the hash of the project's path."""
    paths = [path for project in projects or () for path in (str(project), os.path.realpath(project))]
    hashes = {sha256(path.encode()).hexdigest() for path in paths}
    for folder in folders.entries(root / "tmp"):
        if folder.name in hashes or folders.began_in(project_of(folder), projects):
            logs = [log for log in folders.entries(folder / "chats") if log.suffix in (".json", ".jsonl")]
            for log in logs:
                # A resumed log of the old kind is carried over to a new one, and both stay.
                outdated = log.suffix == ".json" and log.with_suffix(".jsonl") in logs
                if not outdated and not _is_of_subagent(log):
                    yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    from nanoctx.sources.gemini_events import Conversation

    conversation = Conversation(log.stem, project_of(log.parent.parent))
    if log.suffix == ".json":
        return _read_document(log, cursor, until_line, conversation)
    new, skipped = read_lines(log, cursor, until_line, conversation.take)
    if skipped is None:
        return Batch((), new)
    skipped += conversation.skipped
    return Batch(conversation.finish(), new, skipped, restarted=cursor.offset > 0, at_end=True)


def project_of(folder: Path) -> str:
    """The project whose logs are in this folder; empty if nothing tells."""
    try:
        return (folder / ".project_root").read_text().strip()
    except (OSError, ValueError):
        pass
    try:
        registry = decoded((folder.parent.parent / "projects.json").read_bytes(), _REGISTRY)
    except OSError:
        return ""
    for path, name in (registry.projects if registry else {}).items():
        if folder.name in (name, sha256(path.encode()).hexdigest()):
            return path
    return ""


def _read_document(log: Path, cursor: Cursor, until_line: int | None, conversation: Conversation) -> Batch:
    """The old kind of log, saved anew at each change; one that is just being saved is waited for."""
    from nanoctx.sources.gemini_events import RECORD

    given = read_document(log, cursor, until_line)
    document = decoded(given[0], RECORD) if given else None
    if given is None or document is None:
        return Batch((), cursor)
    messages = document.messages or []
    conversation.begin(1, document)
    for number, message in enumerate(messages, 1):
        conversation.take(number, message)
    new = replace(given[1], lines=max(1, len(messages)))
    return Batch(conversation.finish(), new, conversation.skipped, restarted=cursor.offset > 0, at_end=True)


def _is_of_subagent(log: Path) -> bool:
    """The kind stands in the head of a log; in the old logs also behind the messages."""
    try:
        with open(log, "rb", opener=folders.unwaiting) as file:
            head = file.read(_PEEK)
            file.seek(max(0, log.stat().st_size - _PEEK))
            tail = file.read()
    except OSError:
        return False
    if log.suffix == ".jsonl":
        return b'"kind":"subagent"' in head.partition(b"\n")[0]
    return b'\n  "kind": "subagent"' in head or b'\n  "kind": "subagent"' in tail


class _Registry(Struct, gc=False):
    projects: dict[str, str]


_REGISTRY = Decoder(_Registry)
_PEEK = 4096
