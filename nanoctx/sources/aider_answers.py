"""An answer of the model as aider wrote it down: its prose, and the text of its edits."""

from __future__ import annotations

import re
from typing import NamedTuple


class Answer(NamedTuple):
    prose: str
    edits: dict[str, str]  # what the model wrote for each file


def answer_of(lines: list[str]) -> Answer:
    """An edit says what to search and what to put there, or is a whole file in a fence below its name."""
    prose: list[str] = []
    edits: dict[str, list[str]] = {}
    path = fence = part = ""  # part of an edit: search | put | file | end
    for line in _without_thoughts(lines):
        if part == "search":
            part = "put" if line.startswith("=======") else part
        elif part == "put" and line.startswith(">>>>>>> "):
            part = "end"
        elif part == "file" and closes(line, fence):
            part = ""
        elif part == "file" and line.startswith("<<<<<<< "):
            part = "search"
        elif part in ("put", "file"):
            edits.setdefault(path, []).append(line)
        elif part == "end" and _CLOSED.fullmatch(line.strip()):
            part = ""
        elif line.startswith("<<<<<<< "):
            path, part = _taken_name(prose) or path, "search"
        elif (opened := fence_of(line)) and (name := _name(prose[-1] if prose else "")):
            path, fence, part = name, opened, "file"
            prose.pop()
        else:
            prose.append(line)
            part = ""
    return Answer("\n".join(prose).strip(), {name: "\n".join(text) for name, text in edits.items()})


def fence_of(line: str) -> str:
    """What will close the fence that this line opens; empty if it opens none."""
    if not line.lstrip().startswith(_FENCE_BEGINS):
        return ""
    found = _FENCE.match(line)
    return found[1] or f"</{found[2]}>" if found else ""


def closes(line: str, fence: str) -> bool:
    text = line.strip()
    return text.startswith(fence) and not text.removeprefix(fence).strip("`~")


def slashed(path: str) -> str:
    """On Windows aider writes backslashes where the model writes slashes."""
    return path.strip().replace("\\", "/")


def _taken_name(prose: list[str]) -> str:
    """The name of the file to edit, which stands above the fence or inside it; both leave the prose."""
    name, fenced = "", False
    while prose:
        if not fenced and fence_of(prose[-1]):
            fenced = True
        elif name or not (name := _name(prose[-1])):
            break
        prose.pop()
    return name


def _name(line: str) -> str:
    name = slashed(line.strip().strip("`*#:"))
    return name if _NAME.fullmatch(name) else ""


def _without_thoughts(lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    if "THINKING" not in text and "<thinking-content-" not in text:
        return lines
    return _THOUGHTS.sub("", text).rpartition("► **ANSWER**")[2].split("\n")


_FENCE_BEGINS = ("```", "~~~", "<")
# Aider asks for tags where a file has backticks of its own.
_FENCE = re.compile(r"\s{0,3}(?:(`{3,}|~{3,})|<(source|code|pre|codeblock|sourcecode)>\s*$)")
_CLOSED = re.compile(r"`{3,}|~{3,}|</(?:source|code|pre|codeblock|sourcecode)>")
_NAME = re.compile(r"(?=.*\w)[\w@+~()\[\]/.-]*[./][\w@+~()\[\]/.-]*[\w)\]]")
_THOUGHTS = re.compile(r"<(thinking-content-\w+)>.*?</\1>", re.DOTALL)
