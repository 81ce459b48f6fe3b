"""`nanoctx observe`, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import RECORDED, Run, tree

ONE_LOG = ("--agent", "claude-code", "--log", RECORDED)


def test_a_log_becomes_an_observation_and_a_page(run: Run, tmp_path: Path) -> None:
    run("init", tmp_path / "w")
    said = run("observe", "--workspace", tmp_path / "w", *ONE_LOG)
    assert said.code == 0 and said.err == ""
    assert "1 session" in said.out and "CONTEXT.md was rewritten" in said.out
    (observation,) = (tmp_path / "w" / "observations").rglob("*.md")
    assert "prompts: 5" in observation.read_text()
    assert "alarm" in (tmp_path / "w" / "CONTEXT.md").read_text()


def test_a_second_look_changes_nothing(run: Run, workspace: Path) -> None:
    before = tree(workspace)
    said = run("observe", "--workspace", workspace, "--json", *ONE_LOG)
    assert said.code == 0 and said.data["page_changed"] is False
    kept = {name: raw for name, raw in tree(workspace).items() if not name.startswith(".state")}
    assert kept == {name: raw for name, raw in before.items() if not name.startswith(".state")}


def test_until_line_stops_there(run: Run, tmp_path: Path) -> None:
    run("init", tmp_path / "w")
    said = run("observe", "--workspace", tmp_path / "w", *ONE_LOG, "--until-line", 20, "--json")
    assert said.code == 0 and said.data["sessions"] == 1
    (observation,) = (tmp_path / "w" / "observations").rglob("*.md")
    assert "prompts: 1\n" in observation.read_text()


def test_the_answer_for_programs_has_fixed_keys(run: Run, workspace: Path) -> None:
    data = run("observe", "--json", "--workspace", workspace, *ONE_LOG).data
    assert list(data) == [
        "workspace", "sessions", "changed", "skipped", "problems", "page", "page_changed", "conflict",
        "warnings",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--agent", "claude-code"], "go together"),
        (["--log", "x.jsonl"], "go together"),
        (["--until-line", "3"], "--log"),
        (["--agent", "hal", "--log", "x.jsonl"], "claude-code"),
        ([*ONE_LOG, "--until-line", "0"], "until-line"),
    ],
)
def test_options_that_make_no_sense_change_nothing(
    run: Run, workspace: Path, options: list[str], named: str
) -> None:
    before = tree(workspace)
    said = run("observe", "--workspace", workspace, *options)
    assert (said.code, said.out) == (2, "") and named in said.err and said.err.count("\n") == 1
    assert tree(workspace) == before


def test_a_log_that_is_not_there_is_one_sentence(run: Run, workspace: Path) -> None:
    before = tree(workspace)
    said = run("observe", "--workspace", workspace, "--agent", "claude-code", "--log", "nowhere.jsonl")
    assert said.code == 1 and "nowhere.jsonl" in said.err and said.err.count("\n") == 1
    after = {name: content for name, content in tree(workspace).items() if "/catalogue/" not in name}
    assert after == before  # but for what is remembered of the observations that were read


def test_a_folder_in_place_of_a_log_is_one_sentence(run: Run, workspace: Path, tmp_path: Path) -> None:
    said = run("observe", "--workspace", workspace, "--agent", "claude-code", "--log", tmp_path)
    assert said.code == 1 and said.err.count("\n") == 1 and "bug" not in said.err


def test_a_workspace_from_a_clone_is_not_used_before_init(run: Run, repo: Path) -> None:
    (repo / ".nanoctx").mkdir()
    (repo / ".nanoctx" / "nanoctx.toml").write_text("")
    before = tree(repo)
    said = run("observe", cwd=repo)
    assert said.code == 3 and "nanoctx init" in said.err and tree(repo) == before
    assert run("init").code == 0 and run("observe").code == 0


def test_switched_off_it_looks_at_nothing(run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOCTX_OFF", "1")
    before = tree(workspace)
    said = run("observe", "--workspace", workspace)
    assert said.code == 0 and "NANOCTX_OFF" in said.err and tree(workspace) == before


def test_unknown_settings_are_named(run: Run, workspace: Path) -> None:
    (workspace / "nanoctx.toml").write_text("[page]\nbuget = 3\n")
    said = run("observe", "--workspace", workspace, *ONE_LOG)
    assert said.code == 0 and "page.buget" in said.err
