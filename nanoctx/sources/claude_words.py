"""Tells a person's words in a Claude Code log from what the host puts into the same records."""

from __future__ import annotations

import re
from typing import NamedTuple


class Slash(NamedTuple):
    name: str
    arguments: str
    local: bool  # answered by the host itself; its arguments are not for the agent


def human(text: str) -> str:
    """What the person wrote, without what the host wrapped around it; empty if it is all the host's."""
    if "<" in text:
        for tag in _INJECTED:
            text = _without(text, f"<{tag}>", f"</{tag}>")
    for tail in _INJECTED_TAILS:
        text = text.partition(tail)[0]
    text = text.strip()
    return "" if text.startswith(_HOST_WORDS) or text in _HOST_LINES else text


def queued(text: str) -> str:
    """The same for what waits in the queue, where notices and commands wait too."""
    text = text.strip()
    notice = text.startswith("<") or (text.startswith("{") and text.endswith("}"))
    return "" if notice or _COMMAND.match(text) else human(text)


def slash(text: str) -> Slash | None:
    """The host's command that a record stands for."""
    head = text.lstrip()[:20]
    if not head.startswith(("<command-name>", "<command-message>")):
        return None
    name = _between(text, "<command-name>", "</command-name>")
    arguments = _between(text, "<command-args>", "</command-args>")
    return Slash(name, arguments, local=head.startswith("<command-name>")) if name else None


def interruption(text: str) -> str | None:
    """What follows the mark of an interruption; None if the text does not begin with one."""
    mark = _INTERRUPTED.match(text)
    return text[mark.end() :].strip() if mark else None


def rejection(text: str) -> str | None:
    """The reason a person gave for refusing a tool, empty if none; None if the text is no refusal."""
    if not text.startswith("The user doesn't want to "):
        return None
    reason = _REASON.search(text)
    return reason[1].strip() if reason else ""


def summary(text: str) -> str:
    """The summary in the host's message after a compaction, without the host's frame."""
    begin = _SUMMARY_BEGINS.search(text)
    text = text[begin.end() :] if begin else text
    for end in _SUMMARY_ENDS:
        text = text.partition(end)[0]
    return text.strip()


def _between(text: str, begin: str, end: str) -> str:
    inner, _, _ = text.partition(begin)[2].partition(end)
    return inner.strip()


def _without(text: str, begin: str, end: str) -> str:
    """Searched by hand: a regular expression takes quadratic time on marks that are never closed."""
    kept, at = [], 0
    while (opened := text.find(begin, at)) >= 0 and (closed := text.find(end, opened)) >= 0:
        kept.append(text[at:opened])
        at = closed + len(end)
    return "".join((*kept, text[at:]))


CONTINUED = "This session is being continued from"

_HOST_WORDS = (
    "<command-",
    "<local-command",
    "Caveat: The messages below",
    "<bash-",
    "<task-",
    "<system-reminder>",
    "<teammate-message",
    "<session-start-hook>",
    "<user-prompt-submit-hook>",
    "<tick>",
    "<goal>",
    "<user-memory-input>",
    "[Image: ",
    "[System: ",
    CONTINUED,
    "Stop hook feedback:",
    "Operation stopped by hook:",
    "Base directory for this skill:",
)
_HOST_LINES = frozenset(("Tool loaded.", "(no content)"))
_INJECTED = (
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "new-diagnostics",
    "system-reminder",
    "local-command-caveat",
    "session_context",
    "hook_context",
)
_INJECTED_TAILS = (
    "If you need specific details from before exiting plan mode (",
    "If this plan can be broken down into multiple independent tasks, consider using ",
)
_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")
_INTERRUPTED = re.compile(r"\s*\[Request interrupted by user[^\]\n]*\]")
_REASON = re.compile(
    r"(?:the user said|provided the following reason[^:\n]*):\s*(.+?)(?=\n\nNote: The user's|\Z)", re.DOTALL
)
_SUMMARY_BEGINS = re.compile(r"^(?:Summary:|<summary>)\s*", re.MULTILINE)
_SUMMARY_ENDS = (
    "</summary>",
    "If you need specific details from before compaction (",
    "Please continue the conversation from where",
)
