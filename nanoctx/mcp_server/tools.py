"""The tools an agent is offered: what each takes, what it may ask for, what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from nanoctx.core.categories import CATEGORIES
from nanoctx.errors import UsageError
from nanoctx.mcp_server.session import Session, built

QUERIES = 2  # of a session; a third is answered by one line
VIEW_TOKENS = 16_000  # of a session, for views by name
REMEMBERED = 20  # lines that an agent may have kept
LONGEST_QUERY = 2000  # characters
LONGEST_LINE = 240
LEAST_VIEW, LARGEST_VIEW = 100, 8000  # tokens
SCOPES = ("universal", "language", "project")
VIEWS = ("context", "project", "combined", "startup", "prompt", "bundle")
KINDS = {"decision": "dec", "learning": "learn", "failure": "fail", "fact": "fact"}
NOT_AN_AGENTS = ("rule", "preference", "correction")
MOST_LINES = 40  # that `why` answers with

LONGEST_PAGE = 64_000  # characters of a page as a resource
TOO_LONG = "(message too long)"  # the call that stands for one

NOTHING = "Nothing is known about this."


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the agent sees it."""

    name: str
    description: str
    arguments: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()
    reads_only: bool = True
    schema: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        schema = {
            "type": "object",
            "properties": {name: dict(about) for name, about in self.arguments.items()},
            "required": list(self.required),
            "additionalProperties": False,
        }
        object.__setattr__(self, "schema", schema)


def call(session: Session, name: str, arguments: Mapping[str, Any]) -> str:
    """What a tool answers; raises NanoctxError with a sentence for the agent."""
    if name == TOO_LONG:
        raise UsageError("that message is longer than a million characters: send less")
    if name not in TOOLS:
        raise UsageError(f"there is no tool {name[:60]}: call {', '.join(TOOLS)}")
    checked = _checked(TOOLS[name], arguments)
    return _ANSWERS[name](session, **checked)


def _memory_context(session: Session, query: str = "", scope: str = "", category: str = "") -> str:
    ws = session.workspace()
    if not query.strip() and not scope and not category:
        return _all_memory(session)
    if session.queries >= QUERIES:
        return (
            f"No more: {QUERIES} questions were answered since the last compaction. Read what they said, or"
            " run `nanoctx recall WORDS` in a shell."
        )
    found = built(session.desk(ws, query=query.strip(), scope=scope, category=category), "query")
    if not found.text:
        return NOTHING  # which costs nothing
    session.queries += 1
    return found.text


def _all_memory(session: Session) -> str:
    if session.memory_given:
        return "You were given it already; ask with a query for what is not in it."
    found = built(session.desk(session.workspace()), "memory")
    session.memory_given = bool(found.text)
    return found.text or "Nothing is known here yet."


def _get_context(session: Session, view: str = "context", budget: int | None = None) -> str:
    ws = session.workspace()
    left = VIEW_TOKENS - session.view_tokens
    if left < LEAST_VIEW:
        return f"No more: views of {VIEW_TOKENS} tokens were given since the last compaction."
    desk = session.desk(ws)
    found = built(desk, view, min(budget or _default(desk.settings, view), left))
    session.view_tokens += found.tokens
    return found.text or "Nothing is known here yet."


def _default(settings: Any, view: str) -> int:
    return int(settings.page_budget if view == "context" else getattr(settings, f"views_{view}_budget"))


def _remember(session: Session, text: str, kind: str = "learning") -> str:
    from nanoctx import byhand

    words = " ".join(text.split())
    ws = session.workspace()
    if words in session.kept:
        return "Kept already."
    if len(session.kept) >= REMEMBERED:
        raise UsageError(f"{REMEMBERED} lines were kept in this session: keep what matters most only")
    desk = session.desk(ws)
    kept = byhand.remember(
        ws, words, kind=KINDS[kind], project=desk.project, by="agent", now=desk.now, zone=desk.zone
    )
    session.kept.add(words)
    redacted = " A secret or private part of it was left out." if kept.redacted else ""
    return f"Kept as a {kind} of the agent's ({kept.observation}): {kept.text}{redacted}"


def _why(session: Session, id: str) -> str:
    from nanoctx import whence

    ws = session.workspace()
    desk = session.desk(ws)
    found = whence.explain(ws, query=id, now=desk.now, zone=desk.zone, project=desk.project or None)
    if not found:
        raise UsageError(f"nothing here is called `{id[:80]}`: give the id of a fact or words of a line")
    lines = list(islice(whence.told(found, desk.zone), MOST_LINES + 1))
    return "\n".join([*lines[:MOST_LINES], "…"] if len(lines) > MOST_LINES else lines)


def page(session: Session, name: str) -> str:
    """A page as a resource: CONTEXT.md with the time told now, MEMORY.md as it stands."""
    ws = session.workspace()
    if name == "CONTEXT.md":
        return built(session.desk(ws), "context").text
    from nanoctx.disk import files

    text = files.read(ws.memory_page).text
    return text if len(text) <= LONGEST_PAGE else text[:LONGEST_PAGE].rpartition("\n")[0] + "\n…\n"


def _checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the tool takes them; what is null counts as not given."""
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given:
        if name not in tool.arguments:
            known = ", ".join(tool.arguments)
            raise UsageError(f"{tool.name} takes no `{name[:60]}`: it takes {known}")
    for name in tool.required:
        if name not in given:
            raise UsageError(f"{tool.name} needs `{name}`")
    for name, value in given.items():
        _check(name, value, tool.arguments[name])
    return given


def _check(name: str, value: Any, about: Mapping[str, Any]) -> None:
    if about["type"] == "integer":
        low, high = about["minimum"], about["maximum"]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise UsageError(f"`{name}` must be a whole number from {low} to {high}")
        return
    if not isinstance(value, str):
        raise UsageError(f"`{name}` must be a text")
    choices: Sequence[str] = about.get("enum", ())
    if name == "kind" and value in NOT_AN_AGENTS:
        raise UsageError("an agent sets no rules: let the person say it, or keep it as a learning")
    if choices and value not in choices:
        raise UsageError(f"`{name}` must be one of {', '.join(choices)}")
    if len(value) > about.get("maxLength", LONGEST_QUERY):
        raise UsageError(f"`{name}` is {len(value)} characters long: at most {about['maxLength']}")
    if about.get("minLength") and not value.strip():
        raise UsageError(f"`{name}` is empty")


def _text(about: str, most: int, least: int = 0) -> dict[str, Any]:
    sizes = {"minLength": least, "maxLength": most} if least else {"maxLength": most}
    return {"type": "string", "description": about, **sizes}


def _one_of(choices: Sequence[str], about: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(choices), "description": about}


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "memory_context",
            "What earlier sessions of this project left: rules, decisions, corrections, what failed, what was"
            " learned. Ask before you decide something, or when you miss the past. Without arguments: what"
            " matters most, once. With a query: what bears on it.",
            {
                "query": _text("A few words or a question.", LONGEST_QUERY),
                "scope": _one_of(SCOPES, "Only what holds there."),
                "category": _one_of(CATEGORIES, "Only of this kind."),
            },
        ),
        Tool(
            "get_context",
            "A page about now. context: focus, task, time, recent outcomes, changes from outside. project:"
            " where it stands. combined: person and project. startup: last sessions, changed functions."
            " bundle: all that may matter, by budget.",
            {
                "view": _one_of(VIEWS, "Default: context."),
                "budget": {
                    "type": "integer",
                    "minimum": LEAST_VIEW,
                    "maximum": LARGEST_VIEW,
                    "description": "Most tokens.",
                },
            },
        ),
        Tool(
            "remember",
            "Keep one line for later sessions: a decision, a learning, something that failed and why, a fact."
            " It is kept as yours, below what the person says; rules are theirs to set. No secrets.",
            {
                "text": _text("One sentence that makes sense on its own.", LONGEST_LINE, 1),
                "kind": _one_of(tuple(KINDS), "Default: learning."),
            },
            required=("text",),
            reads_only=False,
        ),
        Tool(
            "why",
            "Which words of which session a fact or line came from.",
            {"id": _text("Id of a fact (m3f2a7c) or a session, or words of a line.", LONGEST_QUERY, 1)},
            required=("id",),
        ),
    )
}
_ANSWERS: Mapping[str, Callable[..., str]] = {
    "memory_context": _memory_context,
    "get_context": _get_context,
    "remember": _remember,
    "why": _why,
}
