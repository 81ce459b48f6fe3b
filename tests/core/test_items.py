"""An observation file says what it was given, whatever that was, and loses nothing a person put in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import identity, items
from nanoctx.model import Evidence, Item, Observation

EXAMPLE = """\
---
v: 1
id: 7f3a9c21d04e
session: 3b1f0c52-77aa
agent: claude-code
project: session-bridge
cwd: /home/dev/session-bridge
branch: main
head: 1a2b3c4
started: 2026-02-12T02:49:00Z
ended: 2026-02-12T03:34:00Z
ended_by: exit
prompts: 12
pattern: deep work
context_used: 0.83
summary: Lean prompt builder done, 15k → 1.9k tokens; streaming reader still hangs.
files: [src/views/budget.py, tests/test_budget.py]
commits: [4be1f02]
---
# Testing a small model's performance

- focus: Optimise context usage for small models  @812
- impl: Labels and separators are shown  @640 verified
- rule: Never use tables in CONTEXT.md  @77 by=user scope=universal
- learn: get_by_email() returns None on database errors  @433 kind=gotcha

## Evidence
- @812 2026-02-12T03:20:11Z user: "let's get the prompt under 2k for the small models"
"""

# Any text at all, but for halves of surrogate pairs, which no file can hold.
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
lines = words.map(lambda text: " ".join(text.split())).map(items._one_line)
values = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True).filter(lambda name: name != "by")
moments = (
    st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2200, 1, 1), timezones=st.just(UTC))
    | st.none()
)
any_item = st.builds(
    Item,
    kind=st.from_regex(r"[a-z]{1,8}", fullmatch=True),
    text=lines,
    pos=st.none() | st.integers(0, 10**9),
    grade=st.sampled_from(("", *items.GRADES)),
    by=values,
    more=st.dictionaries(names, values, max_size=3),
)
any_evidence = st.builds(Evidence, st.integers(0, 10**9), moments, values, lines)
any_observation = st.builds(
    Observation,
    id=words.filter(bool),
    agent=words.filter(bool),
    session=words,
    project=words,
    cwd=words,
    branch=words,
    head=words,
    log=words,
    started=moments,
    ended=moments,
    last=moments,
    ended_by=words,
    prompts=st.integers(0, 10**6),
    pattern=words,
    context_used=st.none() | st.integers(1, 10_000).map(lambda share: share / 10_000),
    summary=words,
    files=st.lists(words, max_size=4).map(tuple),
    commits=st.lists(words, max_size=2).map(tuple),
    title=lines,
    items=st.lists(any_item, max_size=4).map(tuple),
    evidence=st.lists(any_evidence, max_size=3).map(tuple),
    more=st.dictionaries(
        names.filter(lambda name: name not in items._FIELDS and name != "v"),
        words | st.integers() | st.booleans() | st.lists(words, max_size=2),
        max_size=2,
    ),
)


def test_the_example_of_the_format_reads_and_writes_to_the_same_bytes():
    seen = items.parse(EXAMPLE)
    assert items.render(seen) == EXAMPLE
    assert seen.items[2] == Item(
        "rule", "Never use tables in CONTEXT.md", 77, "", "user", {"scope": "universal"}
    )
    assert seen.started == datetime(2026, 2, 12, 2, 49, tzinfo=UTC)
    assert seen.evidence[0].quote == "let's get the prompt under 2k for the small models"


@given(any_observation)
def test_an_observation_survives_its_file(seen):
    text = items.render(seen)
    assert items.parse(text) == seen
    assert items.render(items.parse(text)) == text


@given(any_observation)
def test_any_reader_of_frontmatter_finds_the_same_fields(seen):
    found = frontmatter.loads(items.render(seen)).metadata
    assert found["id"] == seen.id
    assert found.get("summary", "") == seen.summary
    assert tuple(found.get("files", ())) == seen.files
    assert found.get("started") == seen.started


@given(any_item)
def test_an_item_survives_its_line(item):
    line = items.render_item(item)
    assert "\n" not in line
    assert items.parse_item(line) == item


@given(st.text(max_size=80))
def test_any_text_gives_one_line_that_reads_back_to_itself(text):
    line = items.render_item(Item("dec", text))
    assert len(line.splitlines()) == 1
    line.encode()
    again = items.parse_item(line)
    assert again is not None
    assert items.render_item(again) == line


@given(st.text(max_size=400))
def test_any_file_is_read_or_refused_with_a_reason(text):
    for whole in (text, f"---\n{text}\n---\n", f"---\nid: a\nagent: b\n---\n{text}"):
        try:
            seen = items.parse(whole)
        except ValueError as error:
            assert str(error)
        else:
            assert items.parse(items.render(seen)) == seen


@pytest.mark.parametrize(
    ("line", "text", "more"),
    [
        ("- dec: Keep a=b in the file", "Keep a=b in the file", {}),
        ("- dec: Keep  a=b  scope=universal", "Keep  a=b", {"scope": "universal"}),
        ("- dec: Two  spaces and words", "Two  spaces and words", {}),
        ("- dec: Twice  a=1 a=2", "Twice  a=1 a=2", {}),
        ("- dec: A path  at=my%20laptop%25", "A path", {"at": "my laptop%"}),
    ],
)
def test_attributes_are_read_from_the_right(line, text, more):
    item = items.parse_item(line)
    assert item is not None
    assert (item.text, dict(item.more)) == (text, more)
    assert items.render_item(item) == line


@pytest.mark.parametrize(
    "line", ["", "- ", "- Dec: x", "dec: x", "- dec:x", "* dec: x", "- [ ] dec: x", "  - dec: x"]
)
def test_other_lines_are_no_items(line):
    assert items.parse_item(line) is None


def test_long_texts_are_cut_with_a_sign():
    seen = Observation(
        "a", "b", items=(Item("dec", "x" * 500),), evidence=(Evidence(1, None, "user", "y" * 500),)
    )
    again = items.parse(items.render(seen))
    assert len(again.items[0].text) == 240
    assert len(again.evidence[0].quote) == 160
    assert again.items[0].text.endswith("…")


def test_what_a_person_wrote_into_the_file_stays_in_it():
    text = EXAMPLE.replace("- rule:", "This one is mine.\n- rule:").replace(
        "prompts: 12", "prompts: 12\nmood: good"
    )
    text += "- @x broken evidence\n\n## My thoughts\n\n- dec: not an item, it is under my heading\n\n  code\n"
    seen = items.parse(text)
    assert seen.more == {"mood": "good"}
    assert len(seen.items) == 4
    for theirs in (
        "This one is mine.",
        "- @x broken evidence",
        "## My thoughts\n\n- dec: not an item",
        "\n\n  code",
    ):
        assert theirs in seen.notes
    assert items.parse(items.render(seen)) == seen


def test_an_item_a_person_appends_at_the_end_is_an_item():
    assert items.parse(EXAMPLE + "- rule: Always run the tests  by=person\n").items[-1].by == "person"


def test_comments_quotes_and_windows_line_ends_are_understood():
    text = EXAMPLE.replace("branch: main", "branch: 'main'   # the usual").replace("\n", "\r\n")
    assert items.parse("\ufeff" + text) == items.parse(EXAMPLE)


def test_the_delimiter_counts_only_on_its_own_line():
    seen = Observation("a", "b", summary="one --- two\n---\nthree", title="--- x")
    assert items.parse(items.render(seen)) == seen


def test_a_file_of_a_later_version_stays_one():
    assert "v: 2\n" in items.render(items.parse(EXAMPLE.replace("v: 1", "v: 2")))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "does not begin"),
        ("# no fields\n", "does not begin"),
        ("---\nid: a\n", "does not begin"),
        ("---\nid: [a\n---\n", "not YAML"),
        ("---\n- a\n---\n", "not pairs"),
        ("---\nagent: x\n---\n", "no field `id`"),
        ("---\nid: x\n---\n", "no field `agent`"),
        ("---\nid: x\nagent: y\nstarted: soon\n---\n", "is not a time"),
        ("---\nid: x\nagent: y\nprompts: many\n---\n", "is not a count"),
        ("---\nid: !!python/object/apply:os.getcwd []\nagent: y\n---\n", "not YAML"),
    ],
)
def test_a_broken_file_is_refused_with_its_reason(text, reason):
    with pytest.raises(ValueError, match=reason):
        items.parse(text)


def test_times_are_written_in_utc_with_a_fraction_only_if_there_is_one():
    east = timezone(timedelta(hours=9))
    seen = Observation("a", "b", started=datetime(2026, 2, 12, 11, 49, tzinfo=east))
    assert "started: 2026-02-12T02:49:00Z\n" in items.render(seen)
    seen = Observation("a", "b", started=datetime(2026, 2, 12, 2, 49, 0, 5, tzinfo=UTC))
    assert "started: 2026-02-12T02:49:00.000005Z\n" in items.render(seen)
    assert items.parse("---\nid: a\nagent: b\nstarted: 2026-02-12\n---\n").started == datetime(
        2026, 2, 12, tzinfo=UTC
    )


def test_the_same_session_is_always_the_same_file():
    assert identity.observation_id("codex", "s1") == items.observation_id("codex", "s1")
    assert identity.observation_id("codex", "s1") != items.observation_id("codexs", "1")
    assert len(identity.observation_id("codex", "s1")) == 12


def test_a_file_is_named_by_its_beginning_in_utc_and_filed_by_month():
    west = timezone(timedelta(hours=-3))
    seen = Observation("0123456789ab", "claude-code", started=datetime(2026, 1, 31, 23, 30, tzinfo=west))
    assert items.file_name(seen) == "20260201T023000Z-claude-code-0123456789ab.md"
    assert items.folder(seen) == "observations/2026/02"
    assert items.file_name(Observation("x", "../Odd agent")) == "19700101T000000Z-odd-agent-x.md"


def test_the_example_in_the_docs_is_what_we_write():
    docs = Path(__file__).parents[2] / "docs" / "format.md"
    example = docs.read_text(encoding="utf-8").partition("```markdown\n")[2].partition("```")[0]
    assert items.render(items.parse(example)) == example
