"""What a tool call of Copilot CLI means, whatever its name in the version at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.sources.base import clip
from nanoctx.sources.calls import Call
from nanoctx.sources.copilot_todos import checklist, todos_in
from nanoctx.sources.decoding import decoded
from nanoctx.sources.limits import LONGEST_COMMAND, LONGEST_TEXT


def calls_of(tool: str, arguments: Raw) -> list[Call]:
    """A patch is one call for each file it touches; arguments of an unexpected shape leave no details."""
    if tool == "apply_patch":
        return list(_patched(question_or_text(arguments))) or [Call("edit")]
    given = decoded(arguments, _INPUT) if tool in _NAMES else None
    name = _NAMES.get(tool, "other")
    if given is None:
        return [Call(name)]
    if tool == "str_replace_editor":
        name = {"view": "read", "create": "write"}.get(given.command or "", "edit")
    path = given.path or ""
    match name:
        case "shell":
            command = clip(given.command or "", LONGEST_COMMAND)
            about = clip(given.description or "", LONGEST_TEXT)
            return [Call(name, about, command, background=given.mode == "async")]
        case "edit" | "write" if _OWN_FILE.search(path):
            return [Call("plan")]  # its notes for itself are no files of the project
        case "edit" | "write":
            return [Call(name, clip(given.new_str or given.file_text or "", LONGEST_TEXT), path=path)]
        case "read" | "search":
            return [Call(name, given.pattern or "", path=path)]
        case "web":
            return [Call(name, given.url or given.query or "")]
        case "ask":
            return [Call(name, clip(given.question or given.message or "", LONGEST_TEXT))]
        case "plan":
            return [_plan(tool, given)]
    return [Call(name, clip(given.intent or given.description or "", LONGEST_TEXT))]


def question_or_text(arguments: Raw) -> str:
    """The question of an ask_user, or arguments that are one text."""
    text = decoded(arguments, _TEXT)
    if text is not None:
        return text
    given = decoded(arguments, _INPUT)
    return (given.question or given.message or given.input or given.patch or "") if given is not None else ""


def _plan(tool: str, given: _Input) -> Call:
    if tool == "update_todo":
        return Call("plan", plan="replace", steps=checklist(given.todos or ""))
    if tool != "sql":
        return Call("plan", clip(given.summary or "", LONGEST_TEXT))
    steps = todos_in(given.query or "")
    return Call("plan", plan="merge", steps=steps) if steps else Call("other")


def _patched(patch: str) -> Iterator[Call]:
    path, added = "", list[str]()
    for line in [*patch.splitlines(), "*** End Patch"]:
        begins = _PATCH_HEADER.match(line)
        if begins and path:
            yield Call("edit", clip("\n".join(added), LONGEST_TEXT), path=path)
        if begins:
            path, added = (begins[1] or "").strip(), []
        elif line.startswith("+"):
            added.append(line[1:])


class _Input(Struct, gc=False):
    command: str | None = None
    description: str | None = None
    mode: str | None = None
    path: str | None = None
    pattern: str | None = None
    new_str: str | None = None
    file_text: str | None = None
    url: str | None = None
    query: str | None = None
    question: str | None = None
    message: str | None = None
    intent: str | None = None
    summary: str | None = None
    todos: str | None = None
    input: str | None = None
    patch: str | None = None


_INPUT = Decoder(_Input)
_TEXT = Decoder(str)
_OWN_FILE = re.compile(r"/session-state/[0-9a-f-]{36}/")
_PATCH_HEADER = re.compile(r"\*\*\* (?:End Patch|(?:Add|Update|Delete) File: (.+))")
_NAMES = {
    "bash": "shell",
    "powershell": "shell",
    "edit": "edit",
    "str_replace_editor": "edit",
    "create": "write",
    "view": "read",
    "grep": "search",
    "rg": "search",
    "glob": "search",
    "web_fetch": "web",
    "web_search": "web",
    "ask_user": "ask",
    "update_todo": "plan",
    "sql": "plan",
    "exit_plan_mode": "plan",
    "task": "agent",
    "report_intent": "other",
}
