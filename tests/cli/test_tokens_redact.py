"""`tokens` counts, `redact` cleans, whatever the length of the input."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.cli import redact
from nanoctx.core.redact import redact as clean

from .conftest import Run

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2  # shaped like one, given to nobody
SECRET = TOKEN[:40]


def test_tokens_of_a_file_of_input_and_of_a_view(run: Run, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("some words to count\n")
    said = run("tokens", "a.md")
    assert said.code == 0 and "20 characters: a.md" in said.out
    data = run("tokens", "--json", "-", stdin=b"some words to count\n").data
    assert list(data) == ["name", "tokens", "characters"] and 3 <= data["tokens"] <= 6
    assert run("tokens", "context", "--json", "--workspace", workspace).data["tokens"] > 50


def test_tokens_of_bytes_that_are_no_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    assert run("tokens", "b").code == 0


@pytest.mark.parametrize("name", ["nowhere.md", "."])
def test_tokens_of_something_unreadable_is_one_sentence(run: Run, name: str) -> None:
    said = run("tokens", name)
    assert (
        said.code == 2
        and said.err.startswith(f"nanoctx: {name} cannot be read")
        and said.err.count("\n") == 1
    )


def test_redact_takes_secrets_out_and_leaves_the_rest(run: Run) -> None:
    text = f"before\nexport GITHUB_TOKEN={SECRET}\n<private>mine\nonly</private>after\n"
    said = run("redact", stdin=text.encode())
    assert said.code == 0
    assert SECRET not in said.out and "[secret:" in said.out and "mine" not in said.out
    assert said.out.startswith("before\n") and said.out.endswith("after\n")


def test_redact_leaves_bytes_that_are_no_text_as_they_are() -> None:
    assert "".join(redact.blocks(io.BytesIO(b"a\xffb\n"))).encode("utf-8", "surrogateescape") == b"a\xffb\n"


def test_redact_has_no_json(run: Run) -> None:
    said = run("redact", "--json", stdin=b"x")
    assert said.code == 2 and "--json" in said.err


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "BLOCK", 64)
    monkeypatch.setattr(redact, "LONGEST", 256)


@pytest.mark.usefixtures("small")
def test_a_private_part_over_many_blocks_is_dropped_whole(run: Run) -> None:
    inner = "<private>deep</private>\n" + "secret words\n" * 60
    text = (
        f"one\n<PRIVATE reason='x'>\n{inner}</private>two\n" + "plain\n" * 40 + "<private>never closed\n" * 3
    )
    assert run("redact", stdin=text.encode()).out == "one\ntwo\n" + "plain\n" * 40


@pytest.mark.usefixtures("small")
def test_private_parts_within_private_parts_end_with_the_outermost(run: Run) -> None:
    filling = "filling words\n" * 20
    text = f"a\n<private>\n{filling}<private>\n{filling}</private>\n{filling}</private>b\n"
    assert run("redact", stdin=text.encode()).out == "a\nb\n"


@pytest.mark.usefixtures("small")
def test_a_key_of_several_lines_is_seen_whole(run: Run) -> None:
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQ" + str(number) for number in range(5))
    before = "plain words here\n" * 3
    text = f"{before}-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\nafter\n"
    said = run("redact", stdin=text.encode())
    assert "MIIEvQ" not in said.out and said.out.endswith("after\n")


@pytest.mark.usefixtures("small")
def test_a_line_without_end_is_looked_at_in_pieces() -> None:
    text = ("word " * 400 + "é" * 900 + "x" * 2000).encode()
    pieces = list(redact.blocks(io.BytesIO(text)))
    assert "".join(pieces).encode() == text
    assert max(len(piece.encode()) for piece in pieces) <= 256 + 64


@given(st.text(alphabet="ab \\\n<>é日😀", max_size=400), st.integers(2, 50))
def test_blocks_join_back_to_the_input(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact, "BLOCK", size)
        patch.setattr(redact, "LONGEST", 4 * size)
        assert "".join(redact.blocks(io.BytesIO(text.encode()))) == text


def test_the_command_says_what_the_core_says(run: Run) -> None:
    text = f"token={SECRET}\nnothing here\n" * 50
    assert run("redact", stdin=text.encode()).out == clean(text)
