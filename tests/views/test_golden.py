"""What people see of the example workspace, in every form. NANOCTX_GOLDEN=write writes the files anew."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanoctx import reflector, views
from nanoctx.disk import packaged, workspace
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


@pytest.fixture
def desk_of(tmp_path: Path):
    root = tmp_path / "w"
    shutil.copytree(packaged.folder("workspace-example"), root)
    shutil.rmtree(root / ".state", ignore_errors=True)
    made = workspace.init(root, tmp_path, {"HOME": str(tmp_path)}).workspace
    reflector.reflect(made, now=NOW, zone=UTC)
    then = NOW.timestamp()
    for path in root.rglob("*"):
        os.utime(path, (then, then), follow_symlinks=False)
    return lambda query: Desk(made, now=NOW, zone=UTC, query=query)


@pytest.mark.parametrize(("view", "form", "query"), CASES)
def test_a_view_of_the_example_is_as_it_was(desk_of, view: str, form: str, query: str) -> None:
    text = views.build(view, desk_of(query), form=form).text
    path = GOLDEN / f"{view}.{ENDINGS[form]}"
    if WRITE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
