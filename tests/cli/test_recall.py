"""`nanoctx recall`, as a person runs it."""

from __future__ import annotations

from pathlib import Path

from .conftest import Run


def test_a_session_is_found_with_its_source_age_and_score(run: Run, workspace: Path) -> None:
    found = run("recall", "--workspace", workspace, "--json", "gauge")
    assert found.code == 0
    first = found.data["hits"][0]
    assert "gauge" in first["text"].lower()
    assert first["source"].startswith("observations/") and first["age_seconds"] > 0 and first["score"] > 0


def test_what_has_nothing_to_do_with_anything_is_not_found(run: Run, workspace: Path) -> None:
    found = run("recall", "--workspace", workspace, "kubernetes", "ingress")
    assert found.code == 1
    assert found.out.startswith("nothing found in ")


def test_only_what_is_no_older_is_found(run: Run, workspace: Path) -> None:
    assert run("recall", "--workspace", workspace, "gauge", "--since", "20y").code == 0
    assert run("recall", "--workspace", workspace, "gauge", "--since", "now").code == 1
    refused = run("recall", "--workspace", workspace, "gauge", "--since", "soon")
    assert refused.code == 2
    assert "--since 'soon' is no time" in refused.err
