"""The parts of a message of Gemini CLI or Qwen Code, and whose words they are."""

from __future__ import annotations

import re

from msgspec import Raw, Struct
from msgspec.json import Decoder

from nanoctx.sources.decoding import NOTHING, decoded


class FunctionCall(Struct, gc=False):
    id: str | None = None
    name: str | None = None
    args: Raw = NOTHING


class FunctionResponse(Struct, gc=False):
    id: str | None = None
    name: str | None = None
    response: Raw = NOTHING


class Part(Struct, gc=False):
    text: str | None = None
    thought: bool | str | None = None
    functionCall: FunctionCall | None = None
    functionResponse: FunctionResponse | None = None
    inlineData: Raw = NOTHING
    fileData: Raw = NOTHING


def parts_of(content: Raw) -> list[Part]:
    """Content is a text, a part or a list of both."""
    found = decoded(content, _CONTENT)
    several = found if isinstance(found, list) else [found]
    return [Part(one) if isinstance(one, str) else one for one in several if one is not None]


def text_in(parts: list[Part]) -> str:
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def has_image(parts: list[Part]) -> bool:
    return any(len(bytes(part.inlineData)) or len(bytes(part.fileData)) for part in parts)


def human(text: str) -> str:
    """What the person wrote, without what the host put around it; empty if it is all the host's."""
    for tag in _INJECTED if "<" in text else ():
        text = without(text, tag)
    text = text.partition(_REFERENCED_FILES)[0].strip()
    return "" if text.startswith(_HOST_WORDS) or text in _HOST_LINES else text


def slash(text: str) -> tuple[str, str] | None:
    """A command for the host and its arguments. A path at the start of a sentence is none."""
    command = _COMMAND.match(text)
    return (command[0].strip(), text[command.end() :].strip()) if command else None


def own_command(text: str) -> tuple[str, str] | None:
    """A shell command that the person ran with `!`, and what it gave."""
    ran = _OWN_COMMAND.match(text)
    return (ran[1].strip(), ran[2]) if ran else None


def without(text: str, tag: str) -> str:
    """Searched by hand: a regular expression takes quadratic time on marks that are never closed."""
    begin, end, kept, at = f"<{tag}>", f"</{tag}>", [], 0
    while (opened := text.find(begin, at)) >= 0 and (closed := text.find(end, opened)) >= 0:
        kept.append(text[at:opened])
        at = closed + len(end)
    return "".join((*kept, text[at:]))


_CONTENT: Decoder[str | Part | list[str | Part] | None] = Decoder(str | Part | list[str | Part] | None)
_INJECTED = (
    "session_context",
    "hook_context",
    "system-reminder",
    "qwen:user-prompt-submit-context",
    "qwen:session-start-context",
)
_REFERENCED_FILES = "--- Content from referenced files ---"
_HOST_WORDS = (
    "?",
    "<session_context>",
    "<hook_context>",
    "System: Potential loop detected",
    "System: Please continue",
    "Here is the user's editor context",
    "Here is a summary of changes in the user's editor context",
)
_HOST_LINES = frozenset(("Please continue.",))
_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")
_OWN_COMMAND = re.compile(
    r"I ran the following shell command:\n```sh\n(.*?)\n```\n+"
    r"This produced the following result:\n```\n?(.*?)(?:\n?```)?\Z",
    re.DOTALL,
)
