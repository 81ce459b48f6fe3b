"""What a tool call of OpenCode means, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Decoder

from nanoctx.model import Step
from nanoctx.sources.base import clip
from nanoctx.sources.calls import Call
from nanoctx.sources.decoding import NOTHING, decoded
from nanoctx.sources.limits import LONGEST_COMMAND, LONGEST_TEXT
from nanoctx.sources.opencode_records import State


def calls_of(tool: str, arguments: Raw, cwd: str) -> Iterator[Call]:
    """One call, or one for each file of a patch. Unexpected arguments leave it without details."""
    name = _NAMES.get(tool, "other")
    given = decoded(arguments, _INPUT) or _Input()
    match name:
        case "shell":
            description = clip(given.description or "", LONGEST_TEXT)
            yield Call(name, description, clip(given.command or "", LONGEST_COMMAND))
        case "edit" if given.patchText:
            for touched, added in _patched(given.patchText):
                yield Call(name, clip(added, LONGEST_TEXT), path=_in(cwd, touched))
        case "edit" | "write" | "read":
            yield Call(name, clip(_new_text(given), LONGEST_TEXT), path=_in(cwd, given.filePath))
        case "search":
            text = given.pattern or given.query or ""
            yield Call(name, text, path=_in(cwd, given.path))
        case "web":
            yield Call(name, given.url or given.query or "")
        case "ask":
            yield Call(name, clip("\n".join(questions_in(arguments)), LONGEST_TEXT))
        case _:
            yield Call(name, clip(given.description or "", LONGEST_TEXT))


def steps_of(todos: Raw | bytes) -> tuple[Step, ...]:
    """The steps of a todo list; one that was cancelled is no step any more."""
    known = decoded(todos, _TODOS) or []
    return tuple(
        Step(
            str(number),
            todo.content or "",
            "deleted" if todo.status == "cancelled" else todo.status or "pending",
        )
        for number, todo in enumerate(known, 1)
    )


def planned(arguments: Raw) -> tuple[Step, ...] | None:
    """The steps that a call of `todowrite` sets."""
    given = decoded(arguments, _INPUT)
    return steps_of(given.todos) if given is not None and bytes(given.todos) else None


def questions_in(arguments: Raw) -> list[str]:
    asked = decoded(arguments, _ASKED)
    return [question.question or "" for question in asked.questions] if asked is not None else []


def answers_in(state: State) -> list[tuple[str, str]]:
    """Questions and answers, without the questions that were left open."""
    known = decoded(state.metadata, _METADATA)
    answers = known.answers if known is not None else None
    pairs = zip(questions_in(state.input), answers or (), strict=False)
    return [(question, ", ".join(answer)) for question, answer in pairs if answer]


def exit_of(state: State) -> int | UnsetType | None:
    """The exit code of a command; None if it was killed, unset if nobody noted it."""
    known = decoded(state.metadata, _METADATA)
    return known.exit if known is not None else UNSET


def rejection(error: str) -> str | None:
    """The reason of a person who refused this call (empty if none was given); None if nobody did."""
    if not _REJECTED.match(error):
        return None
    return error.partition("feedback: ")[2].strip()


def is_denied(error: str) -> bool:
    return "The user has specified a rule which prevents you" in error[:200]


def is_aborted(text: str) -> bool:
    return text.startswith("Tool execution aborted") or "\nUser aborted the command\n" in text[-200:]


def _patched(patch: str) -> Iterator[tuple[str, str]]:
    """The files that a patch touches, each with the lines added to it."""
    path, added = "", list[str]()
    for line in patch.splitlines():
        head = _PATCH_HEAD.match(line)
        if head is None:
            if line.startswith("+"):
                added.append(line[1:])
        elif head[1] == "Move to":
            path = head[2]
        else:
            if path:
                yield path, "\n".join(added)
            path, added = head[2], []
    if path:
        yield path, "\n".join(added)


def _in(cwd: str, path: str | None) -> str:
    return str(PurePosixPath(cwd, path)) if path else ""


def _new_text(given: _Input) -> str:
    if given.edits is not None:
        return "\n".join(edit.newString or "" for edit in given.edits)
    return given.newString or given.content or ""


class _Todo(Struct, gc=False):
    content: str | None = None
    status: str | None = None


class _Edit(Struct, gc=False):
    newString: str | None = None


class _Input(Struct, gc=False):
    command: str | None = None
    description: str | None = None
    filePath: str | None = None
    path: str | None = None
    pattern: str | None = None
    content: str | None = None
    newString: str | None = None
    edits: list[_Edit] | None = None
    patchText: str | None = None
    url: str | None = None
    query: str | None = None
    todos: Raw = NOTHING


class _Question(Struct, gc=False):
    question: str | None = None


class _Asked(Struct, gc=False):
    questions: list[_Question]


class _Metadata(Struct, gc=False):
    exit: int | UnsetType | None = UNSET
    answers: list[list[str]] | None = None


_INPUT = Decoder(_Input)
_ASKED = Decoder(_Asked)
_METADATA = Decoder(_Metadata)
_TODOS = Decoder(list[_Todo])
_PATCH_HEAD = re.compile(r"\*\*\* (Add File|Update File|Delete File|Move to): (.+)")
_REJECTED = re.compile(r"(?:\w*Error: )*The user (?:rejected permission|dismissed this question)")
_NAMES = {
    "bash": "shell",
    "shell": "shell",
    "edit": "edit",
    "multiedit": "edit",
    "patch": "edit",
    "apply_patch": "edit",
    "write": "write",
    "read": "read",
    "grep": "search",
    "glob": "search",
    "list": "search",
    "codesearch": "search",
    "lsp": "search",
    "webfetch": "web",
    "websearch": "web",
    "question": "ask",
    "todowrite": "plan",
    "todoread": "plan",
    "plan_enter": "plan",
    "plan_exit": "plan",
    "task": "agent",
}
