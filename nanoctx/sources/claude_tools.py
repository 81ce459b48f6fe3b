"""What a tool call of Claude Code means, whatever its name in the version at hand."""

from __future__ import annotations

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.model import Step
from nanoctx.sources.base import clip
from nanoctx.sources.calls import Call
from nanoctx.sources.claude_records import value_of
from nanoctx.sources.limits import LONGEST_COMMAND, LONGEST_TEXT


def call_of(tool: str, arguments: Raw) -> Call:
    """Arguments of an unexpected shape leave a call without details."""
    name = _NAMES.get(tool, "other")
    given = value_of(arguments, _INPUT) if tool in _NAMES or tool == "Skill" else None
    if given is None:
        return Call(name)
    match name:
        case "shell":
            return Call(
                name,
                clip(given.description or "", LONGEST_TEXT),
                clip(given.command or "", LONGEST_COMMAND),
                background=bool(given.run_in_background),
            )
        case "edit" | "write" | "read":
            path = given.file_path or given.notebook_path or ""
            return Call(name, clip(_new_text(given), LONGEST_TEXT), path=path)
        case "search":
            return Call(name, given.pattern or "", path=given.path or "")
        case "web":
            return Call(name, given.url or given.query or "")
        case "ask":
            return Call(name, clip("\n".join(q.question or "" for q in given.questions or ()), LONGEST_TEXT))
        case "plan":
            return _plan(tool, given)
        case _:
            return Call(name, clip(given.description or given.skill or "", LONGEST_TEXT))


def created_step(result: bytes) -> Step | None:
    """The step a TaskCreate made; its id stands only in the result."""
    if not result.startswith(b'{"task":') or (made := value_of(result, _CREATED)) is None:
        return None
    return Step(str(made.task.id), made.task.subject or "", "pending")


def answers_in(result: bytes) -> list[tuple[str, str]]:
    """Questions and answers of an AskUserQuestion."""
    if b'"answers":' not in result or (asked := value_of(result, _ASKED)) is None:
        return []
    questions = [question.question for question in asked.questions]
    return [
        (question, answer if isinstance(answer, str) else ", ".join(answer))
        for question, answer in asked.answers.items()
        if question in questions
    ]


def _plan(tool: str, given: _Input) -> Call:
    if tool == "TodoWrite":
        steps = tuple(
            Step(str(number), todo.content or "", todo.status or "pending")
            for number, todo in enumerate(given.todos or (), 1)
        )
        return Call("plan", plan="replace", steps=steps)
    if tool == "TaskUpdate" and given.taskId is not None:
        step = Step(str(given.taskId), given.subject or "", given.status or "")
        return Call("plan", plan="merge", steps=(step,))
    return Call("plan", clip(given.plan or given.subject or "", LONGEST_TEXT))


def _new_text(given: _Input) -> str:
    if given.edits is not None:
        return "\n".join(edit.new_string or "" for edit in given.edits)
    return given.new_string or given.new_source or given.content or ""


class _Todo(Struct, gc=False):
    content: str | None = None
    status: str | None = None


class _Edit(Struct, gc=False):
    new_string: str | None = None


class _Question(Struct, gc=False):
    question: str | None = None


class _Input(Struct, gc=False):
    command: str | None = None
    description: str | None = None
    run_in_background: bool | None = None
    file_path: str | None = None
    notebook_path: str | None = None
    path: str | None = None
    pattern: str | None = None
    content: str | None = None
    new_string: str | None = None
    new_source: str | None = None
    edits: list[_Edit] | None = None
    url: str | None = None
    query: str | None = None
    todos: list[_Todo] | None = None
    taskId: str | int | None = None
    subject: str | None = None
    status: str | None = None
    plan: str | None = None
    questions: list[_Question] | None = None
    skill: str | None = None


class _Task(Struct, gc=False):
    id: str | int
    subject: str | None = None


class _Created(Struct, gc=False):
    task: _Task


class _Asked(Struct, gc=False):
    questions: list[_Question]
    answers: dict[str, str | list[str]]


_INPUT = Decoder(_Input)
_ASKED = Decoder(_Asked)
_CREATED = Decoder(_Created)
_NAMES = {
    "Bash": "shell",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Write": "write",
    "Read": "read",
    "NotebookRead": "read",
    "Grep": "search",
    "Glob": "search",
    "LS": "search",
    "WebFetch": "web",
    "WebSearch": "web",
    "AskUserQuestion": "ask",
    "TodoWrite": "plan",
    "TaskCreate": "plan",
    "TaskUpdate": "plan",
    "TaskList": "plan",
    "TaskGet": "plan",
    "EnterPlanMode": "plan",
    "ExitPlanMode": "plan",
    "Task": "agent",
    "Agent": "agent",
}
