"""`nanoctx export`: one archive with all that is the workspace's, from which it can be had again."""

from __future__ import annotations

import tarfile
from pathlib import Path

from .conftest import Run, tree


def test_an_archive_holds_all_but_what_can_be_made_anew(run: Run, workspace: Path, tmp_path: Path) -> None:
    for name in ("knowledge/notes/tides.md", "conflicts/mine.md", "sessions/foreign.jsonl"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("Springs follow the new moon.\n")
    said = run("export", tmp_path / "all.tar.gz", "--workspace", workspace, "--json")
    assert said.code == 0 and said.data["left_out"] == []
    with tarfile.open(tmp_path / "all.tar.gz") as archive:
        held = {one.name: archive.extractfile(one).read() for one in archive}  # type: ignore[union-attr]
    whole = tree(workspace)
    assert held == {
        name: data for name, data in whole.items() if not name.startswith((".state/", "sessions/"))
    }
    assert {"CONTEXT.md", "nanoctx.toml", "knowledge/notes/tides.md", "conflicts/mine.md"} <= held.keys()


def test_the_same_content_gives_the_same_bytes(run: Run, workspace: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "one.tar.gz", "--workspace", workspace)
    (workspace / "CONTEXT.md").touch()
    (workspace / ".state" / "more").write_text("")
    run("export", tmp_path / "two.tar.gz", "--workspace", workspace)
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()


def test_unpacked_it_is_the_workspace_again(run: Run, workspace: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "all.tar.gz", "--workspace", workspace)
    again = tmp_path / "again"
    again.mkdir()
    with tarfile.open(tmp_path / "all.tar.gz") as archive:
        archive.extractall(again, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # 3.11.4
    assert run("init", again).code == 0
    assert run("check", "--workspace", again).code == 0
    here, there = (run("show", "context", "--workspace", one).out for one in (workspace, again))
    assert here == there


def test_nothing_is_overwritten_and_the_name_says_what_it_is(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    assert run("export", "--workspace", workspace).code == 0
    made = tmp_path / "nanoctx-w-2026-02-12.tar.gz"
    before = made.read_bytes()
    again = run("export", "--workspace", workspace)
    assert again.code == 2 and "is there already" in again.err and made.read_bytes() == before
    assert run("export", tmp_path / "no" / "x.tar.gz", "--workspace", workspace).code == 2


def test_links_stay_out_and_a_secret_that_a_person_wrote_is_named(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("mine")
    (workspace / "knowledge").mkdir()
    (workspace / "knowledge" / "link.md").symlink_to(tmp_path / "secret.txt")
    (workspace / "knowledge" / "folder").symlink_to(tmp_path)
    (workspace / "USER.md").write_text("DB_PASSWORD=correct7Horse!battery\n")
    said = run("export", tmp_path / "all.tar.gz", "--workspace", workspace, "--json")
    assert said.data["left_out"] == ["knowledge/folder (a link)", "knowledge/link.md (a link)"]
    assert said.data["secrets"] == ["USER.md"]
