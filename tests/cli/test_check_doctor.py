"""`check` proves and `doctor` diagnoses; neither changes anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run, tree


def _observation(workspace: Path) -> Path:
    return next((workspace / "observations").rglob("*.md"))


def test_a_whole_workspace_is_found_whole(run: Run, workspace: Path) -> None:
    before = tree(workspace)
    said = run("check", "--workspace", workspace)
    assert said.code == 0 and "is whole" in said.out, said.out
    data = run("check", "--workspace", workspace, "--json").data
    assert data == {"workspace": str(workspace), "ok": True, "observations": 1, "findings": []}
    assert tree(workspace) == before


def _torn(workspace: Path) -> None:
    file = _observation(workspace)
    file.write_bytes(file.read_bytes()[:40])


def _no_evidence(workspace: Path) -> None:
    file = _observation(workspace)
    file.write_text(file.read_text().split("## Evidence")[0])


def _renamed(workspace: Path) -> None:
    file = _observation(workspace)
    file.rename(file.with_name("20260212T091204Z-claude-code-aaaaaaaaaaaa.md"))


def _wrong_month(workspace: Path) -> None:
    file = _observation(workspace)
    (workspace / "observations" / "2025" / "01").mkdir(parents=True)
    file.rename(workspace / "observations" / "2025" / "01" / file.name)


def _too_many(workspace: Path) -> None:
    file = _observation(workspace)
    head, tail = file.read_text().split("\n## Evidence", 1)
    file.write_text(head + "- fact: one more\n" * 61 + "\n## Evidence" + tail)


def _page_missing(workspace: Path) -> None:
    (workspace / "CONTEXT.md").unlink()


def _page_without_section(workspace: Path) -> None:
    page = workspace / "CONTEXT.md"
    page.write_text(page.read_text().replace("## Recent", "## Recently"))


def _page_too_long(workspace: Path) -> None:
    with (workspace / "CONTEXT.md").open("a") as page:
        page.write("\n## Mine\n" + "many words of my own\n" * 200)


def _page_too_wide(workspace: Path) -> None:
    with (workspace / "CONTEXT.md").open("a") as page:
        page.write("\n## Mine\n" + " " * 3000 + ".\n")


def _half_written(workspace: Path) -> None:
    (workspace / ".CONTEXT.md.0123456789abcdef.nanoctx-tmp").write_text("# Con")


def _cursors_damaged(workspace: Path) -> None:
    (workspace / ".state").mkdir(exist_ok=True)
    (workspace / ".state" / "cursors.json").write_text("{")


def _unknown_setting(workspace: Path) -> None:
    (workspace / "nanoctx.toml").write_text("[page]\nbuget = 1\n")


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        (_torn, "cannot be read"),
        (_no_evidence, "has no evidence"),
        (_renamed, "do not agree"),
        (_wrong_month, "another month"),
        (_too_many, "items"),
        (_page_missing, "missing or empty"),
        (_page_without_section, "sections"),
        (_page_too_long, "tokens, over"),
        (_page_too_wide, "over"),
        (_half_written, "cut short"),
        (_cursors_damaged, "cannot be understood"),
        (_unknown_setting, "page.buget"),
    ],
)
def test_harm_is_found_named_and_left_alone(run: Run, workspace: Path, harm: object, named: str) -> None:
    assert callable(harm)
    harm(workspace)
    before = tree(workspace)
    said = run("check", "--workspace", workspace)
    assert said.code == 1 and named in said.out
    data = run("check", "--workspace", workspace, "--json").data
    assert not data["ok"] and list(data["findings"][0]) == ["file", "what", "cure"]
    assert tree(workspace) == before


def test_the_doctor_finds_all_well(
    run: Run, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "claude" / "projects" / "-home-dev-tidewatch"
    logs.mkdir(parents=True)
    (logs / "5d0b7c1e-42f3-4c7a-9b56-0c9a51d7e2f4.jsonl").write_text("{}\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    before = tree(tmp_path)
    said = run("doctor", "--workspace", workspace)
    assert said.code == 0, said.out
    assert "1 session log in" in said.out and "LOOK" not in said.out
    assert tree(tmp_path) == before


def test_the_doctor_names_what_is_missing_and_the_cure(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said = run("doctor")
    assert said.code == 1
    assert "install git" in said.out and "nanoctx init" in said.out and "no session logs" in said.out
    data = run("doctor", "--json").data
    assert list(data) == ["ok", "version", "signs"] and list(data["signs"][0]) == [
        "name",
        "ok",
        "text",
        "cure",
    ]
    assert json.dumps(data)


def test_the_doctor_names_broken_and_unknown_settings(run: Run, workspace: Path) -> None:
    (workspace / "nanoctx.toml").write_text('colour = 1\n[watch]\nagents = ["codex"]\n')
    said = run("doctor", "--workspace", workspace)
    assert said.code == 1 and "colour" in said.out and "codex" in said.out
    (workspace / "nanoctx.toml").write_text("[page\n")
    said = run("doctor", "--workspace", workspace)
    assert said.code == 1 and "not valid TOML" in said.out
