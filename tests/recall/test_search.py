"""Searching a workspace: what is written is found, what is gone is not, and little else is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanoctx.errors import UsageError
from nanoctx.model import Item
from nanoctx.recall import index, search
from nanoctx.recall.opening import path

from .conftest import NOW, Shelf

DAY = timedelta(days=1)
NAMES = ["anchor", "ballast", "capstan", "davit", "eddy", "fender", "galley", "hatch"]


def item(text: str, kind: str = "fact", **more: str) -> Item:
    return Item(kind, text, 1, "verified", "agent", more)


def test_the_first_search_makes_the_index_and_tells_how_far_it_is(shelf: Shelf) -> None:
    shelf.note("rigging.md", "# Rigging\n\nThe capstan is greased in May.\n")
    seen: list[tuple[int, int]] = []
    hits = search.search(shelf.ws, "capstan", now=NOW, progress=lambda done, all: seen.append((done, all)))
    assert [hit.source for hit in hits.hits] == ["knowledge/rigging.md"]
    assert seen and seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# Title\n\nThe davit creaks.\n"),
        ("a.txt", "The davit creaks.\n"),
        ("a.rst", "Title\n=====\n\nThe davit creaks.\n"),
        ("deep/er/a.html", "<title>Title</title><script>eddy()</script><p>The <b>davit</b> creaks.</p>"),
    ],
)
def test_documents_of_each_form_are_found(shelf: Shelf, name: str, text: str) -> None:
    shelf.note(name, text)
    (hit,) = shelf.search("davit").hits
    assert hit.source == f"knowledge/{name}" and "davit creaks" in hit.text and "<" not in hit.text
    assert not shelf.search("eddy").hits


def test_pages_of_people_and_projects_are_found_line_by_line(shelf: Shelf) -> None:
    (shelf.ws.root / "USER.md").write_text("# User\n\n## Likes\n- Short hatches\n- Long galleys\n")
    page = shelf.ws.projects / "tides" / "project.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Project\n\n## Notes\n- The fender is worn\n")
    assert shelf.texts("hatch") == ["Short hatches"]
    assert [(hit.kind, hit.project) for hit in shelf.search("fender").hits] == [("project", "tides")]


def test_a_secret_in_a_document_does_not_get_into_the_index(shelf: Shelf) -> None:
    shelf.note("env.md", "The anchor is set.\n\nDB_PASSWORD=correct7Horse!battery\n")
    assert shelf.texts("anchor") and b"correct7Horse" not in path(shelf.ws.state).read_bytes()


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from(NAMES), max_size=4)), max_size=8))
def test_whatever_is_written_changed_and_deleted_what_is_found_is_what_is_there(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, done: Sequence[tuple[str, list[str]]]
) -> None:
    shelf = Shelf(tmp_path_factory.mktemp("shelf") / "w")
    there: dict[str, list[str]] = {}
    for name, said in done:
        if said:
            shelf.note(f"{name}.md", f"{' '.join(said)}\n")
            there[name] = said
        elif there.pop(name, None):
            (shelf.ws.root / "knowledge" / f"{name}.md").unlink()
        for word in NAMES:
            found = {hit.source for hit in shelf.search(word).hits if word in hit.text}
            alike = {one for hit in shelf.search(word).hits for one in hit.also}
            found |= {one.partition(":")[0] for one in alike}
            assert found == {f"knowledge/{one}.md" for one, held in there.items() if word in held}


def test_filters_leave_only_what_they_name(shelf: Shelf) -> None:
    shelf.session(item("The anchor drags", "fail"), age=40 * DAY)
    shelf.session(item("The anchor holds", "impl"), project="nets")
    shelf.session(item("Anchor everything at night", "rule", scope="universal"), age=2 * DAY)
    shelf.note("anchor.md", "An anchor is heavy.\n")
    assert shelf.texts("anchor", kinds=("fail",)) == ["The anchor drags"]
    assert shelf.texts("anchor", scope="universal", kinds=("rule",)) == ["Anchor everything at night"]
    assert "The anchor drags" not in shelf.texts("anchor", project="nets")
    assert {"The anchor holds", "An anchor is heavy."} <= set(shelf.texts("anchor", project="nets"))
    assert "The anchor drags" not in shelf.texts("anchor", since=NOW - 7 * DAY)


def test_a_question_that_nothing_answers_finds_nothing(shelf: Shelf) -> None:
    shelf.note("a.md", "The anchor holds.\n\nThe hatch is shut.\n")
    assert shelf.search("kubernetes ingress").hits == ()
    assert shelf.search("anchor kubernetes ingress helm istio envoy pod node cluster replica").hits == ()
    with pytest.raises(UsageError, match="no word"):
        shelf.search("?!")


def test_what_says_the_same_is_one_hit(shelf: Shelf) -> None:
    for number in range(4):
        shelf.session(item("The anchor chain has twelve marks"), age=number * DAY)
    shelf.session(item("The anchor chain was painted blue"))
    first, second = shelf.search("anchor chain marks").hits
    assert len(first.also) == 3 and second.text == "The anchor chain was painted blue"


def test_lines_of_a_page_are_not_found_for_their_neighbours(shelf: Shelf) -> None:
    (shelf.ws.root / "USER.md").write_text("# User\n\n- Greases the capstan\n- Hates mushrooms\n")
    assert shelf.texts("capstan") == ["Greases the capstan"]
    shelf.note("talk.md", f"Who greases the capstan?\n\n{'Ana does it in spring. ' * 20}\n")
    assert any(text.startswith("Ana does it") for text in shelf.texts("capstan"))


def test_a_broken_index_is_made_anew_and_a_deleted_one_too(shelf: Shelf) -> None:
    shelf.note("a.md", "The anchor holds.\n")
    assert shelf.texts("anchor")
    file = path(shelf.ws.state)
    for damage in (b"", b"no database at all" * 99, file.read_bytes()[:5000]):
        file.write_bytes(damage)
        assert shelf.texts("anchor") == ["The anchor holds."]
    file.unlink()
    assert shelf.texts("anchor") == ["The anchor holds."]


def test_a_file_that_cannot_be_read_is_told_and_stops_nothing(shelf: Shelf) -> None:
    shelf.note("a.md", "The anchor holds.\n")
    broken = shelf.session(item("The anchor drags"))
    broken = next((shelf.ws.root / "observations").rglob("*.md"))
    broken.write_bytes(b"\0\0\0")
    found = shelf.search("anchor")
    assert [hit.text for hit in found.hits] == ["The anchor holds."]
    assert any("is not searched" in remark for remark in found.remarks)


def test_a_link_out_of_the_folder_is_not_followed(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "private.md").write_text("The anchor is sold.\n")
    shelf.note("a.md", "The anchor holds.\n")
    (shelf.ws.root / "knowledge" / "b.md").symlink_to(tmp_path / "private.md")
    assert shelf.texts("anchor") == ["The anchor holds."]


def test_where_no_index_can_be_kept_it_is_searched_all_the_same(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.note("a.md", "The anchor holds.\n")

    def refuse(*_: object, **__: object) -> None:
        raise OSError("read-only file system")

    monkeypatch.setattr(index, "refresh", refuse)
    found = shelf.search("anchor")
    assert [hit.text for hit in found.hits] == ["The anchor holds."]
    assert any("not kept" in remark for remark in found.remarks)


def test_the_same_files_give_the_same_answer_whatever_the_order_they_came_in(tmp_path: Path) -> None:
    notes = {
        f"{name}.md": f"The {name} of the ship, and its {NAMES[at - 1]}.\n" for at, name in enumerate(NAMES)
    }
    answers = []
    for number, order in enumerate((sorted(notes), sorted(notes, reverse=True))):
        shelf = Shelf(tmp_path / f"w{number}")
        for name in order:
            file = shelf.note(name, notes[name])
            os.utime(file, (NOW.timestamp(), NOW.timestamp()))
        answers.append({(hit.id, hit.score) for hit in shelf.search("hatch of the ship").hits})
    assert answers[0] == answers[1]
