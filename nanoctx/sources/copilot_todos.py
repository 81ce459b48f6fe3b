"""The plan of a Copilot CLI session: the agent keeps it in a table, by SQL; once it was a checklist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanoctx.model import Step


def todos_in(query: str) -> tuple[Step, ...]:
    """The steps that these statements add, change or delete, as far as they name them."""
    if len(query) > _LONGEST_QUERY:
        return ()
    strings: list[str] = []

    def number(text: re.Match[str]) -> str:
        strings.append(text[0][1:-1].replace("''", "'"))
        return f"'{len(strings) - 1}'"

    # With every string made a number, no text can be taken for SQL.
    bare = _STRING.sub(number, query)
    return tuple(step for statement in bare.split(";") for step in _steps(statement, strings))


def checklist(text: str) -> tuple[Step, ...]:
    boxes = [box for line in text.splitlines() if (box := _BOX.match(line))]
    return tuple(
        Step(str(number), box[2].strip(), "completed" if box[1] in "xX" else "pending")
        for number, box in enumerate(boxes, 1)
    )


def _steps(statement: str, strings: list[str]) -> Iterator[Step]:
    if added := _INSERT.match(statement):
        columns = [name.strip(' "`') for name in added[1].split(",")]
        for row in _ROW.finditer(added[2]):
            values = dict(zip(columns, (_value(cell, strings) for cell in row[1].split(",")), strict=False))
            if values.get("id"):
                status = _STATUS.get(values.get("status", ""), "pending")
                yield Step(values["id"], values.get("title", ""), status)
    elif changed := _UPDATE.match(statement):
        status = _STATUS.get(_value(changed[1], strings), "")
        for id in _QUOTED.findall(changed[2]):
            yield Step(_value(id, strings), "", status)
    elif gone := _DELETE.match(statement):
        for id in _QUOTED.findall(gone[1]):
            yield Step(_value(id, strings), "", "deleted")


def _value(cell: str, strings: list[str]) -> str:
    cell = cell.strip()
    return strings[int(cell[1:-1])] if _QUOTED.fullmatch(cell) else cell


_LONGEST_QUERY = 100_000
_STRING = re.compile(r"'(?:[^']|'')*'")
_QUOTED = re.compile(r"'\d+'")
_IDS = r"WHERE\s+id\s*(?:=|IN)\s*(\(?[\s\d',]+\)?)\s*$"
_INSERT = re.compile(
    r"\s*INSERT\s+(?:OR\s+\w+\s+)?INTO\s+todos\s*\(([^()]+)\)\s*VALUES\s*(.+)", re.DOTALL | re.IGNORECASE
)
_ROW = re.compile(r"\(([^()]*)\)")
_UPDATE = re.compile(
    rf"\s*UPDATE\s+todos\s+SET\s[^;]*?\bstatus\s*=\s*('\d+').*?\b{_IDS}", re.DOTALL | re.IGNORECASE
)
_DELETE = re.compile(rf"\s*DELETE\s+FROM\s+todos\s+{_IDS}", re.DOTALL | re.IGNORECASE)
_BOX = re.compile(r"\s*(?:[-*]|\d+\.)\s*\[([ xX])\]\s*(.+)")
_STATUS = {"pending": "pending", "in_progress": "in_progress", "done": "completed", "blocked": "pending"}
