from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from story_builder import about, answer, edit, plan, prompt, reject, say, shell, story, tell, usage

from nanoctx.core.turns import Story, grow
from nanoctx.disk import stories

LOG = "/logs/one.jsonl"


def a_story() -> Story:
    return story(
        about(cwd="/work/tides", branch="moon"),
        prompt("print the moon 🌙", queued=True),
        plan(("Read", "completed"), ("Print", "in_progress")),
        edit("src/moon.py", "def moon(): ..."),
        shell("pytest", "1 failed", ok=False),
        reject("rm build", "keep it"),
        answer("Which colour?", "blue"),
        usage(80_000),
        say("潮汐 \u2028 “done”\x00"),
    )


def test_a_story_comes_back_as_it_was(tmp_path: Path) -> None:
    told = {"s1": a_story(), "s2": Story("s2")}
    stories.save(tmp_path, LOG, told)
    assert stories.load(tmp_path, LOG) == told


def test_a_story_that_came_back_grows_as_if_it_had_never_left(tmp_path: Path) -> None:
    events = tell(
        prompt("print the moon"), edit("src/moon.py"), shell("pytest", "1 failed", ok=False), say("Hm.")
    )
    stories.save(tmp_path, LOG, {"s1": grow(Story("s1"), events[:3])})
    loaded = stories.load(tmp_path, LOG)
    assert loaded is not None
    assert grow(loaded["s1"], events[3:]) == grow(Story("s1"), events)


def test_logs_do_not_share_their_stories(tmp_path: Path) -> None:
    stories.save(tmp_path, LOG, {"s1": a_story()})
    stories.save(tmp_path, "/logs/two.jsonl", {"s2": Story("s2")})
    loaded = stories.load(tmp_path, LOG)
    assert loaded is not None and list(loaded) == ["s1"]


def test_what_was_never_saved_is_not_known(tmp_path: Path) -> None:
    assert stories.load(tmp_path, LOG) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"v":1}',
        b'{"v":99,"stories":{}}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"v":1,"stories":[1]}',
    ],
)
def test_a_damaged_or_foreign_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    stories.save(tmp_path, LOG, {})
    [path] = (tmp_path / "stories").iterdir()
    path.write_bytes(content)
    assert stories.load(tmp_path, LOG) is None


def test_a_log_whose_name_is_no_text_has_stories_too(tmp_path: Path) -> None:
    name = b"/logs/\xff.jsonl".decode("utf-8", "surrogateescape")
    stories.save(tmp_path, name, {"s1": Story("s1")})
    assert stories.load(tmp_path, name) == {"s1": Story("s1")}


def test_only_its_owner_can_read_a_story(tmp_path: Path) -> None:
    stories.save(tmp_path, LOG, {"s1": a_story()})
    [path] = (tmp_path / "stories").iterdir()
    assert path.stat().st_mode & 0o077 == 0


@given(st.text(max_size=60))
def test_any_words_come_back(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    folder = tmp_path_factory.mktemp("state")
    told = {"s1": story(prompt(words), say(words), edit(words))}
    stories.save(folder, LOG, told)
    assert stories.load(folder, LOG) == told
