"""What people ask of a workspace: the page, how fresh it is, and where a line came from."""

from __future__ import annotations

from pathlib import Path

from .conftest import Run, tree


def test_show_prints_the_page_with_live_time_and_changes_nothing(run: Run, workspace: Path) -> None:
    before = tree(workspace)
    said = run("show", "context", "--workspace", workspace)
    assert said.code == 0 and said.out.startswith("# Context\n")
    assert "2026-02-12 10:00" in said.out
    data = run("show", "context", "--json", "--workspace", workspace).data
    assert list(data) == [
        "view", "workspace", "form", "tokens", "characters", "budget", "layers", "left_out", "cut",
        "build_ms", "text",
    ]  # fmt: skip
    assert data["tokens"] <= 500 and data["text"].rstrip() == said.out.rstrip()
    after = tree(workspace)
    assert '"view": "context"' in after.pop(".state/injections.jsonl").decode()  # it tells when it was asked
    assert after == before


def test_a_page_that_cannot_be_read_is_said_in_one_sentence(run: Run, workspace: Path) -> None:
    page = workspace / "CONTEXT.md"
    page.unlink()
    page.mkdir()
    said = run("show", "context", "--workspace", workspace)
    assert (said.code, said.out) == (1, "")
    reason = f"{page} is not a plain file, so move it out of the way."
    assert said.err == f"nanoctx: a part is left out: {reason}\n"


def test_status_says_what_is_watched_and_how_fresh(run: Run, workspace: Path) -> None:
    said = run("status", "--workspace", workspace)
    assert said.code == 0
    assert "claude-code" in said.out and "Sessions:  1" in said.out and "of 500 tokens" in said.out
    data = run("status", "--json", "--workspace", workspace).data
    assert list(data) == [
        "workspace", "kind", "project", "trusted", "agents", "sessions", "unreadable", "last_session", "page",
        "conflicts", "process", "warnings",
    ]  # fmt: skip
    assert data["last_session"]["ended"].startswith("2026-02-12T09:5")


def test_status_of_a_new_workspace(run: Run, tmp_path: Path) -> None:
    run("init", tmp_path / "w")
    said = run("status", "--workspace", tmp_path / "w")
    assert said.code == 0 and "no session seen yet" in said.out


def test_status_warns_of_what_is_wrong(run: Run, workspace: Path) -> None:
    page = workspace / "CONTEXT.md"
    page.write_text(page.read_text() + "\n## Mine\n" + "many words of my own\n" * 200)
    (workspace / "observations" / "2026" / "02" / "20260201T000000Z-x-000000000000.md").write_text("not one")
    (workspace / "nanoctx.toml").write_text("colour = 1\n")
    said = run("status", "--workspace", workspace)
    assert said.code == 0
    for word in ("over its budget", "cannot be read", "colour"):
        assert word in said.out


def test_why_names_the_words_a_line_came_from(run: Run, workspace: Path) -> None:
    page = (workspace / "CONTEXT.md").read_text()
    focus = next(line for line in page.splitlines() if line.startswith("- Focus: "))
    said = run("why", focus, "--workspace", workspace)
    assert said.code == 0, said.err
    assert "user, 2026-02-12" in said.out and "line " in said.out
    data = run("why", "--json", "--workspace", workspace, "Focus").data
    assert list(data) == ["query", "explanations"]
    assert list(data["explanations"][0]["items"][0]) == [
        "observation",
        "kind",
        "pos",
        "at",
        "who",
        "quote",
        "log",
    ]


def test_why_of_something_unknown_says_so(run: Run, workspace: Path) -> None:
    said = run("why", "purple elephants", "--workspace", workspace)
    assert said.code == 1 and "purple elephants" in said.err and said.err.count("\n") == 1
