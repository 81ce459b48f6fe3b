"""What a tool call of Gemini CLI or Qwen Code means, and what its result says."""

from __future__ import annotations

import re

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.model import Step
from nanoctx.sources.base import clip
from nanoctx.sources.calls import Call
from nanoctx.sources.decoding import decoded
from nanoctx.sources.gemini_parts import FunctionResponse, without
from nanoctx.sources.limits import (
    LONGEST_COMMAND,
    LONGEST_PROMPT,
    LONGEST_RESULT,
    LONGEST_SHOWN,
    LONGEST_TEXT,
)
from nanoctx.sources.telling import At, Telling


def tell_call(telling: Telling, at: At, tool: str, call: str, arguments: Raw) -> None:
    meant = call_of(tool, arguments)
    telling.add(
        "tool",
        at,
        text=meant.text,
        name=meant.name,
        call=call,
        command=meant.command,
        path=meant.path,
        facts={"tool": tool} | ({"background": "1"} if meant.background else {}),
    )


def tell_result(
    telling: Telling, at: At, tool: str, call: str, status: str, text: str, answers: list[tuple[str, str]]
) -> None:
    """How a call ended: by the person's refusal or answers, or with what the tool gave back."""
    # Only these words are the host's: any other result may quote them.
    asked = status == "cancelled" or TOOLS.get(tool) in ("ask", "plan")
    reason = refusal(text) if asked else None
    if reason is not None:
        telling.add("reject", at, text=clip(reason, LONGEST_PROMPT), call=call)
        return
    for question, answer in answers:
        telling.add("answer", at, text=clip(answer, LONGEST_PROMPT), call=call, facts={"question": question})
    if answers:
        return
    ok, is_shell, facts = status == "success", TOOLS.get(tool) == "shell", dict[str, str]()
    if is_shell:
        text, code = shell_outcome(text)
        facts = {"exit": code} if code else {}
        ok = ok and code in ("", "0")
    if status == "cancelled":
        facts["interrupted"] = "1"
    elif status == "error" and _DENIED.search(text[:400]):
        facts["denied"] = "1"
    limit = LONGEST_RESULT if is_shell or not ok else LONGEST_SHOWN
    telling.add("result", at, text=clip(text, limit), call=call, ok=ok, facts=facts)


def call_of(tool: str, arguments: Raw) -> Call:
    """Arguments of an unexpected shape leave a call without details."""
    name = TOOLS.get(tool, "other")
    given = decoded(arguments, _ARGUMENTS)
    if given is None:
        return Call(name)
    path = given.file_path or given.absolute_path or given.dir_path or given.path or ""
    match name:
        case "shell":
            command = clip(given.command or "", LONGEST_COMMAND)
            return Call(name, given.description or "", command, background=bool(given.is_background))
        case "edit" | "write":
            return Call(name, clip(given.new_string or given.content or "", LONGEST_TEXT), path=path)
        case "read":
            return Call(name, path=path)
        case "search":
            return Call(name, given.pattern or "", path=path)
        case "web":
            return Call(name, clip(given.url or given.query or given.prompt or "", LONGEST_TEXT))
        case "ask":
            return Call(name, clip("\n".join(questions_in(arguments)), LONGEST_TEXT))
        case _:
            return Call(name, clip(given.description or given.objective or given.fact or "", LONGEST_TEXT))


def questions_in(arguments: Raw) -> list[str]:
    asked = decoded(arguments, _QUESTIONS)
    return [question.question or "" for question in asked.questions] if asked else []


def answers_in(result: str, questions: list[str]) -> list[tuple[str, str]]:
    """Questions and answers; the result names a question by its number."""
    given = decoded(result.encode(), _ANSWERS)
    return [
        (questions[int(number)] if number.isdigit() and int(number) < len(questions) else "", answer)
        for number, answer in (given.answers if given else {}).items()
    ]


def steps_in(todos: Raw) -> tuple[Step, ...] | None:
    """The whole plan, as it was set; None if this is none."""
    given = decoded(todos, _TODOS)
    if given is None:
        return None
    return tuple(
        Step(str(number), todo.description or todo.content or "", _STATUS.get(todo.status or "", "pending"))
        for number, todo in enumerate(given.todos, 1)
    )


def tracked_step(tool: str, arguments: Raw, result: str) -> Step | None:
    """The step that a call of the task tracker made or changed; a new one's id stands only in the result."""
    given = decoded(arguments, _TRACKED) or _Tracked()
    made = _MADE.search(result) if tool == "tracker_create_task" else None
    if made:
        return Step(made[1], given.title or "", "pending")
    if tool == "tracker_update_task" and given.id:
        return Step(given.id, given.title or "", _STATUS.get(given.status or "", ""))
    return None


def output_of(response: FunctionResponse) -> str:
    """What a tool gave back: its output, or why it failed."""
    given = decoded(response.response, _RESPONSE) or _Response()
    text = given.output or given.error or ""
    if "<" in text:
        text = text.replace("<untrusted_context>\n", "").replace("\n</untrusted_context>", "")
        text = without(text, "hook_context")
    return text.strip()


def shell_outcome(text: str) -> tuple[str, str]:
    """The output of a command without the host's frame, and the exit code, if the frame tells it."""
    frame = None
    for frame in _SHELL_FRAME.finditer(text):  # noqa: B007, the last one is the host's
        pass
    output = _SHELL_HEAD.sub("", text[: frame.start()] if frame else text, count=1).strip()
    code = _EXIT_CODE.search(frame[0]) if frame else None
    error = _ERROR.search(frame[0]) if frame else None
    if error and error[1] != "(none)":
        output = f"{output}\n{error[1]}".strip()
    return output, code[1] if code else ""


def refusal(text: str) -> str | None:
    """Why a person refused a call, empty if they did not say; None if they did not refuse it."""
    if text.startswith("Plan rejected."):
        return text.partition("User feedback: ")[2].partition("\n\nThe plan is stored at:")[0].strip()
    return "" if _REFUSED.search(text[:200]) else None


class _Arguments(Struct, gc=False):
    command: str | None = None
    description: str | None = None
    is_background: bool | None = None
    file_path: str | None = None
    absolute_path: str | None = None
    dir_path: str | None = None
    path: str | None = None
    content: str | None = None
    new_string: str | None = None
    pattern: str | None = None
    url: str | None = None
    query: str | None = None
    prompt: str | None = None
    objective: str | None = None
    fact: str | None = None


class _Question(Struct, gc=False):
    question: str | None = None


class _Questions(Struct, gc=False):
    questions: list[_Question]


class _Answers(Struct, gc=False):
    answers: dict[str, str]


class _Todo(Struct, gc=False):
    description: str | None = None
    content: str | None = None
    status: str | None = None


class _Todos(Struct, gc=False):
    todos: list[_Todo]


class _Tracked(Struct, gc=False):
    id: str | None = None
    title: str | None = None
    status: str | None = None


class _Response(Struct, gc=False):
    output: str | None = None
    error: str | None = None


TOOLS = {
    "run_shell_command": "shell",
    "replace": "edit",
    "edit": "edit",
    "write_file": "write",
    "read_file": "read",
    "read_many_files": "read",
    "list_directory": "search",
    "glob": "search",
    "grep_search": "search",
    "search_file_content": "search",
    "web_fetch": "web",
    "google_web_search": "web",
    "web_search": "web",
    "ask_user": "ask",
    "ask_user_question": "ask",
    "write_todos": "plan",
    "todo_write": "plan",
    "tracker_create_task": "plan",
    "tracker_update_task": "plan",
    "enter_plan_mode": "plan",
    "exit_plan_mode": "plan",
    "delegate_to_agent": "agent",
    "invoke_agent": "agent",
    "codebase_investigator": "agent",
    "generalist": "agent",
    "agent": "agent",
    "task": "agent",
}
_ARGUMENTS = Decoder(_Arguments)
_QUESTIONS = Decoder(_Questions)
_ANSWERS = Decoder(_Answers)
_TODOS = Decoder(_Todos)
_TRACKED = Decoder(_Tracked)
_RESPONSE = Decoder(_Response)
_STATUS = {
    "pending": "pending",
    "open": "pending",
    "blocked": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
    "closed": "completed",
    "cancelled": "deleted",
}
_MADE = re.compile(r"\bCreated task (\S+?):")
_SHELL_HEAD = re.compile(r"\A(?:Command: .*?\n)?(?:Directory: [^\n]*\n)?(?:Output|Stdout): ", re.DOTALL)
_SHELL_FRAME = re.compile(
    r"(?:^(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*(?:\n|\Z))+", re.MULTILINE
)
_EXIT_CODE = re.compile(r"^Exit Code: (-?\d+)", re.MULTILINE)
_ERROR = re.compile(r"^Error: ([^\n]*)", re.MULTILINE)
_REFUSED = re.compile(
    r"User denied execution|User did not allow|Reason: Denied|User dismissed|User has declined|User declined"
    r"|User cancelled the plan approval"
)
_DENIED = re.compile(
    r"denied by policy|not supported in non-interactive mode|requires user (?:confirmation|approval)"
)
