"""What people see of the example workspace, in every form. NANOCTX_GOLDEN=write writes the files anew."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanoctx import observer, reflector, views
from nanoctx.core import tokens
from nanoctx.disk import observations, packaged, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Observation
from nanoctx.recall import search
from nanoctx.views.desk import Desk

NOW = datetime(2026, 2, 11, 14, tzinfo=UTC)
WRITE = os.environ.get("NANOCTX_GOLDEN") == "write"  # no test sees the environment it was started in
GOLDEN = Path(__file__).parent / "golden"
ENDINGS = {"md": "md", "xml": "xml", "json": "json"}
CASES = [
    (view, form, query)
    for view, query in (
        ("context", ""), ("prompt", "gauge restarts"), ("project", ""), ("combined", ""), ("startup", ""),
        ("memory", ""), ("query", "gauge restarts"), ("bundle", "gauge restarts"),
    )
    for form in ENDINGS
]  # fmt: skip


# What a project can be like, beside active: the example with another page, other sessions or none.
PROJECTS = ("minimal", "none-active", "blocked", "completed", "several")
BUDGETS = (500, 3000, 4000, 6000)
AFTER_RECORDED = datetime(2026, 2, 12, 11, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    shutil.copytree(
        packaged.folder("workspace-example"), root, ignore=shutil.ignore_patterns(".state", "recorded")
    )
    return root


@pytest.fixture
def made(root: Path, tmp_path: Path) -> Workspace:
    made = workspace.init(root, tmp_path, {"HOME": str(tmp_path)}).workspace
    reflector.reflect(made, now=NOW, zone=UTC)
    search.search(made, "gauge", now=NOW)  # the index is made by whoever searches first
    return made


def desk(ws: Workspace, query: str = "", now: datetime = NOW) -> Desk:
    then = NOW.timestamp()
    for path in ws.root.rglob("*"):
        os.utime(path, (then, then), follow_symlinks=False)
    return Desk(ws, now=now, zone=UTC, query=query)


def compare(name: str, text: str) -> None:
    path = GOLDEN / name
    if WRITE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("view", "form", "query"), CASES)
def test_a_view_of_the_example_is_as_it_was(made: Workspace, view: str, form: str, query: str) -> None:
    compare(f"{view}.{ENDINGS[form]}", views.build(view, desk(made, query), form=form).text)


@pytest.mark.parametrize("form", ENDINGS)
@pytest.mark.parametrize("kind", PROJECTS)
def test_a_project_of_each_kind_is_as_it_was(made: Workspace, kind: str, form: str) -> None:
    page = made.projects / "tidewatch" / "project.md"
    told = page.read_text(encoding="utf-8")
    if kind in ("minimal", "none-active"):
        shutil.rmtree(made.observations)
        shutil.rmtree(made.projects)
    if kind == "minimal":
        page.parent.mkdir(parents=True)
        page.write_text("# Project\n\n- Name: tidewatch\n", encoding="utf-8")
    if kind == "blocked":
        told = told.replace("Status: active", "Status:")  # it is told by what is in the way
        page.write_text(told.replace("## Blockers\n", "## Blockers\n- No list of who gets the mail\n"))
    if kind == "completed":
        page.write_text(told.replace("Status: active", "Status: completed"))
    if kind == "several":
        for number, name in enumerate(("moorings", "pilots")):
            at = NOW - timedelta(days=number + 1)
            one = Observation(
                id=f"{number:012x}", agent="codex", session=name, project=name, started=at, last=at, ended=at,
                prompts=2, summary=f"The {name} are listed.",
            )  # fmt: skip
            observations.save(made.root, one)
    text = views.build("project", desk(made), form=form).text
    assert tokens.count(text) <= 200
    compare(f"project-{kind}.{ENDINGS[form]}", text)


@pytest.mark.parametrize("form", ENDINGS)
@pytest.mark.parametrize("budget", BUDGETS)
def test_a_bundle_of_each_size_is_as_it_was(made: Workspace, budget: int, form: str) -> None:
    """After the recorded session, so that its last messages are there."""
    log = made.root.parent / "tidewatch.jsonl"
    shutil.copy(packaged.folder("workspace-example") / "recorded" / "tidewatch.jsonl", log)
    observer.observe(made, now=AFTER_RECORDED, zone=UTC, agent="claude-code", log=log)
    text = views.build("bundle", desk(made, now=AFTER_RECORDED), budget=budget, form=form).text
    assert tokens.count(text) <= budget
    compare(f"bundle-{budget}.{ENDINGS[form]}", text)
