"""What other hosts than Claude Code call things, and in what form they want to be answered."""

from __future__ import annotations

from nanoctx.hook import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLAUDE = "claude-code"
PLAIN = ("opencode", "pi")  # our own extension inside them calls us, and takes the text as it is
# In the folder of a session's log others write only theirs of the same project; these keep all in one.
OF_ALL_PROJECTS = ("codex",)
_NAMES = {"sessionId": "session_id", "hookEventName": "hook_event_name", "transcriptPath": "transcript_path"}
_SOURCES = {"new": "startup"}
_EVENTS = {("gemini", "UserPromptSubmit"): "BeforeAgent"}
_HOOKS_SAID = "</hook_context>"  # after it Gemini CLI's prompt begins, once hooks have said something


def understood(payload: dict[str, Any], client: str) -> dict[str, Any]:
    """What a host says, in the words of Claude Code."""
    told = {_NAMES.get(name, name): value for name, value in payload.items()}
    source = told.get("source")
    if isinstance(source, str) and source in _SOURCES:
        told["source"] = _SOURCES[source]
    prompt = told.get("prompt")
    if client == "gemini" and isinstance(prompt, str) and prompt.startswith("<hook_context>"):
        told["prompt"] = prompt.rpartition(_HOOKS_SAID)[2].lstrip()
    return told


def answer(text: str, client: str, event: str) -> str:
    """The text for an event in the form that this host takes."""
    if client in PLAIN:
        return text
    if client == "copilot":
        return f'{{"additionalContext":{reading.quoted(text)}}}'
    return (
        f'{{"hookSpecificOutput":{{"hookEventName":"{_EVENTS.get((client, event), event)}",'
        f'"additionalContext":{reading.quoted(text)}}}}}'
    )
