"""A person's JSON is edited as text: the value changes as asked, and taking it out again leaves no trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import json_text

OURS = {"hooks": [{"type": "command", "command": "x", "timeout": 5}]}
NOTES = [" // note\n", '// "x", {  \n', " /* note */ "]
SPACE = st.sampled_from(["", " ", "\n", "\t", "\r\n", "  ", "\n  ", *NOTES])


@st.composite
def written(draw: st.DrawFn, depth: int = 3) -> str:
    """JSON with space and comments anywhere, and now and then a comma too many."""
    space = draw(SPACE) + "{}" + draw(SPACE)
    kind = draw(st.sampled_from(["leaf", "object", "array"] if depth else ["leaf"]))
    if kind == "leaf":
        leaf = draw(st.none() | st.booleans() | st.integers() | st.text(max_size=6))
        return space.replace("{}", json.dumps(leaf, ensure_ascii=draw(st.booleans())))
    return space.replace("{}", draw(containers(kind, depth)))


@st.composite
def containers(draw: st.DrawFn, kind: str = "object", depth: int = 3) -> str:
    parts = draw(st.lists(written(depth=depth - 1), max_size=3))
    if kind == "object":
        names = draw(st.lists(st.text(max_size=5), min_size=len(parts), max_size=len(parts), unique=True))
        parts = [
            f"{draw(SPACE)}{json.dumps(name)}{draw(SPACE)}:{part}"
            for name, part in zip(names, parts, strict=True)
        ]
    body = ",".join(parts) + (draw(st.sampled_from(["", ",", ",\n"])) if parts else "")
    return ("{%s}" if kind == "object" else "[%s]") % body


@given(containers("object"))
def test_a_member_added_is_there_and_removed_leaves_the_same_bytes(text: str) -> None:
    _round_trip(text, "ours-and-nobody-elses")


@given(containers("array"))
def test_an_element_added_is_there_and_removed_leaves_the_same_bytes(text: str) -> None:
    _round_trip(text, "")


def _round_trip(text: str, key: str) -> None:
    before = json_text.parse(text)
    added = json_text.add(text, before, OURS, key)
    after = json_text.parse(added)
    expected: Any = {**before.value, key: OURS} if key else [*before.value, OURS]
    assert after.value == expected
    assert json_text.remove(added, after, len(after.items) - 1) == text


@given(containers("object"), st.data())
def test_removing_any_member_leaves_the_others(text: str, data: st.DataObject) -> None:
    node = json_text.parse(text)
    if node.items:
        index = data.draw(st.integers(0, len(node.items) - 1))
        left = json_text.parse(json_text.remove(text, node, index)).value
        assert left == {key: value for key, value in node.value.items() if key != node.items[index].key}


@given(st.recursive(st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.text(), st.lists))
def test_what_json_can_write_is_read_alike(value: Any) -> None:
    assert json_text.parse(json.dumps(value)).value == value


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{}", '{"k": [1]}'),
        ('{"a":1}', '{"a":1, "k":[1]}'),
        ('{"a":1,"b":2}', '{"a":1,"b":2,"k":[1]}'),
        ('{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "k": [\n        1\n    ]\n}\n'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"k": [\r\n\t\t1\r\n\t]\r\n}'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "k": [\n    1\n  ]\n}'),
        ('{\n  "a": 1,\n}', '{\n  "a": 1,\n  "k": [\n    1\n  ],\n}'),
        ('\ufeff{\n  "a": 1\n}', '\ufeff{\n  "a": 1,\n  "k": [\n    1\n  ]\n}'),
    ],
)
def test_what_is_added_looks_like_its_neighbours(text: str, result: str) -> None:
    assert json_text.add(text, json_text.parse(text), [1], "k") == result


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("", 1, 1), ("{", 1, 2), ('{"a": 1\n "b"}', 2, 2), ("{}\n}", 2, 1), ("[01]", 1, 2), ("/* x", 1, 1)],
)
def test_what_is_no_json_is_named_by_line_and_column(text: str, line: int, column: int) -> None:
    with pytest.raises(json_text.NotJson) as caught:
        json_text.parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
