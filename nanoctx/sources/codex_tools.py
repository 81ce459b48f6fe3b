"""What a tool call of Codex means and how it went, whatever its name and form in the version at hand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.model import Step
from nanoctx.sources.base import clip
from nanoctx.sources.calls import Call
from nanoctx.sources.codex_records import NOTHING, value_of
from nanoctx.sources.limits import LONGEST_COMMAND, LONGEST_TEXT


class Arguments(Struct, gc=False):
    """Of any tool, as far as we need them."""

    command: str | list[str] | None = None
    cmd: str | list[str] | None = None
    workdir: str | None = None
    working_directory: str | None = None
    justification: str | None = None
    input: str | None = None
    path: str | None = None
    file_path: str | None = None
    dir_path: str | None = None
    pattern: str | None = None
    query: str | None = None
    url: str | None = None
    message: str | None = None
    session_id: int | str | None = None
    plan: list[_PlanStep] | None = None
    questions: list[_Question] | None = None


class Output(NamedTuple):
    """What a tool gave back."""

    text: str
    ok: bool
    exit: str = ""
    runs_as: str = ""  # the session of a process that still runs


def arguments_of(raw: Raw) -> Arguments:
    """Arguments are JSON in a string, or the object itself. Of an unexpected shape, there are none."""
    text = value_of(raw, _TEXT)
    return value_of(raw if text is None else text, _ARGUMENTS) or Arguments()


def calls_of(tool: str, given: Arguments) -> list[Call]:
    """A call may be several: a patch is one for each file it touches."""
    name = _NAMES.get(tool, "other")
    if name == "shell":
        return list(_shell(given))
    if name == "edit":
        return list(patched(given.input or "", ""))
    if name == "plan":
        steps = (
            Step(str(number), step.step or "", step.status or "pending")
            for number, step in enumerate(given.plan or (), 1)
        )
        return [Call(name, steps=tuple(steps))]
    if name == "ask":
        return [Call(name, clip("\n".join(questions_of(given).values()), LONGEST_TEXT))]
    path = given.path or given.file_path or given.dir_path or ""
    return [
        Call(
            name,
            clip(given.pattern or given.query or given.url or given.message or "", LONGEST_TEXT),
            path=path,
        )
    ]


def questions_of(given: Arguments) -> dict[str, str]:
    return {asked.id or "": asked.question or "" for asked in given.questions or ()}


def answers_of(output: Raw) -> dict[str, str]:
    """Answers by the ids of their questions."""
    text = value_of(output, _TEXT)
    found = value_of(text, _ANSWERED) if text else None
    if found is None:
        return {}
    return {id: ", ".join(answer.answers) for id, answer in found.answers.items() if answer.answers}


def patched(patch: str, folder: str) -> Iterator[Call]:
    """One call for each file of a patch in Codex's own form, with the lines it adds."""
    name = path = ""
    added: list[str] = []
    for line in patch.splitlines():
        mark = _FILE.match(line)
        if mark is None:
            if line.startswith("+"):
                added.append(line[1:])
            continue
        if mark[1] == "Move to":
            path = mark[2]
            continue
        if path:
            yield _change(name, path, added, folder)
        name, path, added = "write" if mark[1] == "Add File" else "edit", mark[2], []
    if path:
        yield _change(name, path, added, folder)


def changed(changes: Raw) -> Iterator[Call]:
    """The same for files that the host says it changed."""
    for path, change in (value_of(changes, _CHANGES) or {}).items():
        if change.content is not None:
            yield _change("write" if change.type == "add" else "edit", path, [change.content], "")
        else:
            lines = (change.unified_diff or "").splitlines()
            added = [line[1:] for line in lines if line.startswith("+")]
            yield _change("edit", change.move_path or path, added, "")


def output_of(raw: Raw, limit: int) -> Output:
    """Of all its forms: text with a head, JSON in a string, an object, a list of parts."""
    text, ok = _unpacked(raw)
    head = text[:_HEAD]
    running = _RUNNING.search(head)
    if running:
        return Output("", True, runs_as=running[1])
    found = _EXIT.search(head)
    if found is None and text.startswith('{"output":'):
        ran = value_of(text, _RAN)
        if ran is not None:
            code = ran.metadata.exit_code
            return Output(clip(ran.output, limit), code == 0, str(code))
    body = head.find(_BODY_MARK)
    if body >= 0 and head.startswith(_HEADS):
        text = text[body + len(_BODY_MARK) :]
    if found is None:
        return Output(clip(text, limit), ok and not text.startswith(_FAILURES))
    return Output(clip(text, limit), found[1] == "0", found[1])


def _unpacked(raw: Raw) -> tuple[str, bool]:
    found = value_of(raw, _OUTPUT)
    if isinstance(found, str):
        return found, True
    if isinstance(found, _Told):
        content = value_of(found.content, _OUTPUT)
        text = content if isinstance(content, str) else _joined(content)
        return text, found.success is not False
    return _joined(found), True


def _joined(parts: object) -> str:
    found = parts if isinstance(parts, list) else ()
    return "\n".join(part.text for part in found if isinstance(part, _Part) and part.text)


def _shell(given: Arguments) -> Iterator[Call]:
    words = given.cmd if given.cmd is not None else given.command
    command = words if isinstance(words, str) else _unwrapped(words or [])
    begin, end = command.find(_PATCH_BEGINS), command.find(_PATCH_ENDS)
    if 0 <= begin < end and _APPLIES.search(command, 0, begin):
        folder = given.workdir or given.working_directory or ""
        yield from patched(command[begin:end], folder)
        before = _APPLIES.sub("", command[:begin])
        behind = _TERMINATOR.sub("", command[end + len(_PATCH_ENDS) :])
        command = "\n".join(part.strip() for part in (before, behind) if part.strip())
        if not command:
            return
    yield Call("shell", clip(given.justification or "", LONGEST_TEXT), clip(command, LONGEST_COMMAND))


def _unwrapped(words: list[str]) -> str:
    """`bash -lc "…"` is the script; other words are joined as one would type them."""
    if len(words) > 2 and words[-2].lower() in _SCRIPT_FLAGS and _SHELL.search(words[0]):
        return words[-1]
    if len(words) == 2 and words[0] == "apply_patch":
        return " ".join(words)
    return shlex.join(words)


def _change(name: str, path: str, added: list[str], folder: str) -> Call:
    path = path.strip().removeprefix("./")
    if folder.startswith("/") and not path.startswith("/"):
        path = f"{folder.rstrip('/')}/{path}"
    return Call(name, clip("\n".join(added), LONGEST_TEXT), path=path)


class _PlanStep(Struct, gc=False):
    step: str | None = None
    status: str | None = None


class _Question(Struct, gc=False):
    id: str | None = None
    question: str | None = None


class _Answer(Struct, gc=False):
    answers: list[str]


class _Answered(Struct, gc=False):
    answers: dict[str, _Answer]


class _Change(Struct, gc=False):
    type: str | None = None
    content: str | None = None
    unified_diff: str | None = None
    move_path: str | None = None


class _Part(Struct, gc=False):
    text: str | None = None


class _Told(Struct, gc=False):
    content: Raw = NOTHING
    success: bool | None = None


class _Metadata(Struct, gc=False):
    exit_code: int


class _Ran(Struct, gc=False):
    output: str
    metadata: _Metadata


_TEXT = Decoder(str)
_ARGUMENTS = Decoder(Arguments)
_ANSWERED = Decoder(_Answered)
_CHANGES = Decoder(dict[str, _Change])
_OUTPUT: Decoder[str | list[_Part] | _Told | None] = Decoder(str | list[_Part] | _Told | None)
_RAN = Decoder(_Ran)
_HEAD = 600
_BODY_MARK = "\nOutput:\n"
_HEADS = ("Chunk ID:", "Exit code:", "Wall time:")
_EXIT = re.compile(
    r"\A(?:failed in sandbox [^\n]*?, exit code: |(?:Chunk ID:[^\n]*\n)?(?:Wall time:[^\n]*\n)?"
    r"(?:Exit code: |Process exited with code ))(-?\d+)"
)
_RUNNING = re.compile(r"\A(?:Chunk ID:[^\n]*\n)?(?:Wall time:[^\n]*\n)?Process running with session ID (\d+)")
_FAILURES = (
    "apply_patch verification failed",
    "unsupported call: ",
    "failed to parse function arguments",
    "exec_command failed",
    "execution error",
    "failed in sandbox",
    "command timed out",
    "aborted",
)
_PATCH_BEGINS, _PATCH_ENDS = "*** Begin Patch", "*** End Patch"
_FILE = re.compile(r"\*\*\* (Add File|Update File|Delete File|Move to): (.+)")
_APPLIES = re.compile(r"(?:cd \S+ && )?(?:apply_patch|applypatch)\b\s*(?:<<-?\s*['\"]?\w+['\"]?\s*)?['\"]?")
_TERMINATOR = re.compile(r"\A['\"]?\s*\w*['\"]?\s*(?:\n|\Z)")
_SHELL = re.compile(r"(?:^|[/\\])(?:bash|zsh|sh|dash|fish|pwsh|powershell|cmd)(?:\.exe)?$", re.IGNORECASE)
_SCRIPT_FLAGS = ("-lc", "-c", "-ic", "-lic", "-command", "/c")
_NAMES = {
    "shell": "shell",
    "shell_command": "shell",
    "exec_command": "shell",
    "container.exec": "shell",
    "local_shell": "shell",
    "apply_patch": "edit",
    "update_plan": "plan",
    "request_user_input": "ask",
    "view_image": "read",
    "read_file": "read",
    "list_dir": "search",
    "grep_files": "search",
    "web_search": "web",
    "spawn_agent": "agent",
    "send_input": "agent",
    "send_message": "agent",
    "followup_task": "agent",
}
