"""The tools a person described in `tools/*.json`, in the form of JSON Schema, of OpenAI or of MCP."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanoctx.core import escape
from nanoctx.disk import files
from nanoctx.errors import DiskError

MOST_FILES = 200
LARGEST = 256 * 1024
PURPOSE = 100  # characters


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it is for, and its schema as it stands in the file."""

    name: str
    purpose: str
    schema: Mapping[str, Any]
    file: Path


@dataclass(frozen=True, slots=True)
class Loaded:
    tools: tuple[Tool, ...]  # by name
    problems: tuple[str, ...]  # one sentence for each file that is none


def load(root: Path) -> Loaded:
    """All tools of a workspace; a broken file is told of and stops nothing."""
    found: dict[str, Tool] = {}
    problems: list[str] = []
    for path in sorted((root / "tools").glob("*.json"))[:MOST_FILES]:
        try:
            if path.stat().st_size > LARGEST:
                problems.append(f"{path} is larger than {LARGEST // 1024} kB, so it is left out: split it.")
                continue
            told = json.loads(files.read(path).text)
        except (OSError, DiskError) as error:
            problems.append(f"{path} cannot be read ({error}).")
        except (ValueError, RecursionError) as error:
            problems.append(f"{path} is not JSON ({str(error)[:80]}): mend it.")
        else:
            made = list(_tools(told, path))
            if not made:
                problems.append(f"{path} describes no tool: give it a `name` or a `title`.")
            for tool in made:
                found.setdefault(tool.name, tool)
    return Loaded(tuple(found[name] for name in sorted(found)), tuple(problems))


def _tools(told: Any, path: Path) -> Iterator[Tool]:
    """The tools in a file: one, or a list of them as MCP and OpenAI give it."""
    if isinstance(told, dict) and isinstance(told.get("tools"), list):
        told = told["tools"]
    for one in told if isinstance(told, list) else [told]:
        if not isinstance(one, dict):
            continue
        inner = one["function"] if isinstance(one.get("function"), dict) else one
        name = inner.get("name") or inner.get("title")
        is_schema = any(key in inner for key in ("parameters", "inputSchema", "properties", "type"))
        if not isinstance(name, str) and is_schema:
            name = path.stem
        if isinstance(name, str) and name.strip():
            yield Tool(escape.one_line(name, 64), _purpose(inner.get("description")), one, path)


def _purpose(description: object) -> str:
    """The first sentence of what is said of a tool."""
    text = escape.one_line(description) if isinstance(description, str) else ""
    first = text.partition(". ")[0].rstrip(".")
    return escape.shorten(escape.inert(first), PURPOSE)
