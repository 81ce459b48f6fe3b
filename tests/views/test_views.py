"""Views within their budgets, whatever the workspace holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources.plain_git import plain

from nanoctx import views
from nanoctx.core import tokens
from nanoctx.model import Item

from .conftest import NOW, Place

DAY = timedelta(days=1)
SECTIONED = ("prompt", "project", "combined", "startup", "memory", "query", "bundle")


def rule(text: str, **more: str) -> Item:
    return Item("rule", text, 1, by="user", more=more)


# -- any workspace, any budget -----------------------------------------------------------------------------

WORDS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60)
SIGNS = ["keep", "the", "gauge", "quiet", "<b>", "&", "]]>", "⭐", '"', "'", "```", "@x"]
PLAIN = st.lists(st.sampled_from(SIGNS), min_size=2, max_size=20).map(" ".join)
TOLD = st.lists(
    st.tuples(
        st.sampled_from(["rule", "dec", "learn", "next", "block", "impl", "fail", "task"]),
        WORDS | PLAIN,
        st.sampled_from(["user", "agent"]),
        st.sampled_from(["universal", "project"]),
    ),
    max_size=8,
)


def filled(place: Place, sessions: list[list[tuple[str, str, str, str]]]) -> None:
    for number, told in enumerate(sessions):
        place.session(
            *(
                Item(kind, text, at, "verified", by, {"scope": scope})
                for at, (kind, text, by, scope) in enumerate(told)
            ),
            age=timedelta(hours=number + 1),
            files=("src/gauge.py", "src/quay.py"),
            summary=" ".join(text for _, text, _, _ in told)[:200],
        )


@settings(max_examples=15)
@given(sessions=st.lists(TOLD, max_size=4), budget=st.integers(20, 10_000), view=st.sampled_from(SECTIONED))
def test_a_view_never_takes_more_than_its_budget_and_is_well_formed(
    make_place: Callable[[], Place], sessions: list[list[tuple[str, str, str, str]]], budget: int, view: str
) -> None:
    place = make_place()
    filled(place, sessions)
    for form in views.FORMS:
        built = place.show(view, budget=budget, form=form, query="gauge")
        assert not built.failed
        assert tokens.count(built.text) == built.tokens <= budget
        if form == "xml" and built.text:
            ElementTree.fromstring(built.text)
        if form == "json" and built.text:
            json.loads(built.text)


@settings(max_examples=10)
@given(
    sessions=st.lists(TOLD, min_size=1, max_size=4),
    small=st.integers(20, 9000),
    more=st.integers(1, 5000),
    view=st.sampled_from(SECTIONED),
)
def test_a_smaller_budget_shows_the_beginning_of_each_layer(
    make_place: Callable[[], Place],
    sessions: list[list[tuple[str, str, str, str]]],
    small: int,
    more: int,
    view: str,
) -> None:
    place = make_place()
    filled(place, sessions)
    less, all_of_it = (
        json.loads(built.text) if built.text and not built.cut else {}
        for built in (
            place.show(view, budget=budget, form="json", query="gauge") for budget in (small, small + more)
        )
    )
    for name, entries in less.items():
        if isinstance(entries, list) and name != "metadata":  # which tells of the budget
            assert entries == all_of_it[name][: len(entries)]


@settings(max_examples=6)
@given(budget=st.integers(20, 10_000), view=st.sampled_from(("combined", "memory", "bundle")))
def test_what_is_marked_is_shown_whole_or_stands_alone(marked: Place, budget: int, view: str) -> None:
    built = marked.show(view, budget=budget)
    whole = "village sleeps until six" in built.text and "Sirens are for storms only" in built.text
    assert whole or built.cut
    if built.cut:
        assert "reader keeps every reading" not in built.text


@pytest.fixture(scope="session")
def marked(make_place: Callable[[], Place]) -> Place:
    place = make_place()
    place.session(Item("impl", "The reader keeps every reading", 1))
    place.remember(
        "Facts and insights: 📌 The village sleeps until six", "Decisions: ⭐ Sirens are for storms only"
    )
    return place


# fmt: off
LONG = [
    "harbour", "lantern", "mooring", "anchor", "capstan", "ballast", "rudder", "compass", "beacon", "breaker",
    "channel", "current", "eddy", "ferry", "galley", "hatch", "island", "jetty", "keel", "ledge", "marina",
]
# fmt: on

# -- cases -------------------------------------------------------------------------------------------------


def test_an_empty_workspace_has_nothing_to_say(place: Place) -> None:
    for view in ("startup", "memory", "query"):
        assert place.show(view, query="anything").text == ""
    assert (
        place.show("project").text == '<PROJECT status="none">\n<NOTE>No active project.</NOTE>\n</PROJECT>\n'
    )


def test_the_project_stays_within_its_budget_and_keeps_its_name(place: Place) -> None:
    place.session(
        *(
            Item("next", f"Step {number} of the long way to a warning that wakes nobody", number)
            for number in range(9)
        ),
        summary="The reader was rewritten so that nothing is lost. " * 8,
        files=tuple(f"src/deep/folder/file{number}.py" for number in range(9)),
    )
    built = place.show("project")
    assert built.tokens <= 200
    root = ElementTree.fromstring(built.text)
    assert root.attrib == {"name": "tides", "status": "active"}
    assert (root.findtext("LAST_SESSION") or "").startswith(
        "The reader was rewritten so that nothing is lost."
    )
    assert root.findtext("FILES") == "file0.py, file1.py"
    assert ElementTree.fromstring(place.show("project", budget=20).text).attrib["name"]


def test_todos_are_told_by_urgency(place: Place) -> None:
    place.session(
        Item("next", "Tidy the names", 1, more={"prio": "3"}),
        Item("next", "Mend the alarm", 2, more={"prio": "1"}),
    )
    root = ElementTree.fromstring(place.show("project").text)
    assert [one.text for one in root.iter("TODO")] == ["[HIGH] Mend the alarm", "[LOW] Tidy the names"]


def test_a_project_says_how_it_stands_and_which_others_are_under_way(place: Place) -> None:
    place.session(Item("block", "The harbour office has to answer", 1))
    place.session(project="nets", age=DAY)
    place.session(project="ropes", age=30 * DAY)
    root = ElementTree.fromstring(place.show("project").text)
    assert (root.attrib["status"], root.attrib["role"]) == ("blocked", "primary")
    assert [one.attrib["name"] for one in root.iter("OTHER")] == ["nets"]
    page = place.ws.projects / "tides" / "project.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(
        "# Project\n\n- Name: Tides\n- Status: completed\n- Mission:\n\n## Notes\n- Kept for the archive\n"
    )
    root = ElementTree.fromstring(place.show("project").text)
    assert (root.attrib["name"], root.attrib["status"]) == ("Tides", "completed")
    assert root.find("TODO") is None and root.findtext("NOTE") == "Kept for the archive"


def test_the_project_is_the_one_named_then_spoken_of_then_worked_in_then_the_latest(place: Place) -> None:
    place.session(project="nets", cwd="/home/dev/nets", age=3 * DAY)
    place.session(project="net", cwd="/home/dev/net", age=4 * DAY)
    place.session(project="tides", cwd="/home/dev/tides", age=2 * DAY)
    place.session(project="dev", cwd="/home/dev", files=("notes.md", "net/a.py"), age=DAY / 48)

    def project(query: str = "", cwd: str = "/srv") -> str:
        return place.desk(query=query, cwd=Path(cwd)).project

    assert project("why do nets tear", "/home/dev/tides") == "nets"
    assert project("netting, and /home/dev/net/knots.py:12", "/home/dev/tides") == "net"
    assert project("tear", "/home/dev/tides/src/deep") == "tides"
    assert project("", "/home/dev") == "net"  # what the session there was at a moment ago
    assert project("internets") == "dev"
    assert place.desk(query="nets", project="tides").project == "tides"


def test_changed_functions_are_told_of_the_repository_the_caller_stands_in(
    place: Place, tmp_path: Path
) -> None:
    folder = tmp_path / "tides"
    folder.mkdir()
    plain(folder, "init", "-q", "-b", "main")
    (folder / "gauge.py").write_text("def level(at):\n    return at\n")
    when = NOW.isoformat()
    plain(folder, "add", "-A")
    plain(folder, "commit", "-q", "-m", "First", GIT_COMMITTER_DATE=when, GIT_AUTHOR_DATE=when)
    place.session(cwd=str(folder))
    assert "def level(at) [NEW]" in place.show("startup", cwd=folder).text
    assert "def level" not in place.show("startup", cwd=tmp_path).text
    place.session(project="nets", cwd="/home/dev/nets")
    assert "def level" not in place.show("startup", cwd=folder, project="nets").text


def test_combined_tells_nothing_twice(place: Place) -> None:
    place.session(rule("Never use tables in reports", scope="universal"))
    place.session(Item("next", "Send the report by mail every morning", 1))
    place.remember("Facts and insights: Send the report by mail every morning")
    page = place.ws.projects / "tides" / "project.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("# Project\n\n- Name: Tides\n\n## Notes\n- Never use tables in reports\n")
    root = ElementTree.fromstring(place.show("combined").text)
    assert [one.text for one in root.iter("fact")] == ["Never use tables in reports"]
    assert [one.text for one in root.iter("TODO")] == ["Send the report by mail every morning"]
    assert root.find(".//NOTE") is None
    assert place.show("combined").tokens <= 500


def test_of_many_rules_the_best_within_the_budget_are_shown(place: Place) -> None:
    told = [
        f"Never {' '.join(f'{word}{chr(97 + number % 26)}{number // 26}' for word in LONG)}"
        for number in range(50)
    ]
    assert tokens.count("\n".join(told)) > 2600
    for number, text in enumerate(told):
        place.session(rule(text, scope="universal"), age=timedelta(days=number))
    for _ in range(3):  # said again and again: that is the one
        place.session(rule(told[40], scope="universal"), age=DAY)
    built = place.show("memory")
    assert built.tokens <= 2000 and built.left_out["universal"] > 30
    first = next(line for line in built.text.splitlines() if line.startswith("- "))
    assert "harbouro1" in first


def test_rules_of_another_language_are_not_shown(place: Place) -> None:
    for number in range(3):
        place.session(
            rule(f"In Go wrap errors with the name of quay {number}", scope="language"), project="nets",
            files=("a.go", "b.go"), age=2 * DAY,
        )  # fmt: skip
    place.session(rule("Always speak of metres", scope="universal"), files=("gauge.py",))
    text = place.show("memory").text
    assert "metres" in text and "Go wrap" not in text


def test_where_nothing_is_detected_only_what_holds_everywhere_is_shown(place: Place) -> None:
    place.session(rule("Always speak of metres", scope="universal"), project="", files=())
    place.session(rule("Call the gauge by its short name"), project="nets", files=("a.go",), age=DAY)
    text = place.show("memory", project="unknown").text
    assert "metres" in text and "short name" not in text


def test_a_rule_of_long_ago_still_holds(place: Place) -> None:
    place.session(rule("Never push on a Friday evening", scope="universal"), age=200 * DAY)
    place.session(Item("impl", "The reader keeps every reading", 1))
    assert "Never push on a Friday evening" in place.show("memory").text


def test_what_a_person_marked_is_never_left_out_of_the_bundle(place: Place) -> None:
    place.session(Item("impl", "The reader keeps every reading", 1))
    place.remember(
        "Facts and insights: 📌 The village sleeps until six", "Decisions: ⭐ Sirens are for storms only"
    )
    for budget in (80, 400, 3999, 8000):
        text = place.show("bundle", budget=budget).text
        assert "village sleeps" in text and "Sirens are for storms" in text
    text = place.show("bundle", budget=20).text
    assert text == "" or ElementTree.fromstring(text) is not None


def test_the_bundle_has_its_parts_and_grows_with_its_budget(place: Place) -> None:
    for number in range(6):
        place.session(
            Item("dec", f"Keep the log of quay {number} for a year", 1, "verified", "user"), age=number * DAY
        )
    knowledge = place.ws.root / "knowledge"
    knowledge.mkdir(exist_ok=True)
    (knowledge / "session.md").write_text(
        "# Session\n\nA session that went well is one in which nothing was lost.\n"
    )
    small, large = (ElementTree.fromstring(place.show("bundle", budget=n).text) for n in (3000, 8000))
    parts = [
        "context_reading_guide", "background_information", "semantic_memory", "episodic_memory",
        "external_knowledge", "metadata",
    ]  # fmt: skip
    assert [one.tag for one in large] == [name for name in parts if name in {one.tag for one in large}]
    assert {"context_reading_guide", "semantic_memory", "external_knowledge", "metadata"} <= {
        one.tag for one in large
    }
    assert len(list(small.iter("fact"))) == 3 and len(list(large.iter("fact"))) == 6
    assert small.find("external_knowledge") is None
    one = next(large.iter("fact"))
    assert set(one.attrib) == {"id", "subject", "source", "date", "level", "importance"}
    assert one.attrib["level"] == "decision"


def test_however_much_is_known_the_bundle_says_what_the_project_is_and_what_documents_hold(
    place: Place,
) -> None:
    for number in range(40):
        place.session(
            *(
                Item("learn", " ".join(f"{word}{number}x{at}" for word in LONG), at, "verified", "agent")
                for at in range(6)
            ),
            age=number * DAY,
        )
    page = place.ws.projects / "tides" / "project.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("# Project\n\n- Name: Tides\n- Mission: Warn the village\n")
    (place.ws.root / "knowledge").mkdir(exist_ok=True)
    (place.ws.root / "knowledge" / "siren.md").write_text("The siren is heard in the whole village.\n")
    built = place.show("bundle", query="siren village")
    root = ElementTree.fromstring(built.text)
    assert built.left_out["semantic_memory"] > 10 and built.tokens <= 8000
    assert root.findtext(".//mission") == "Warn the village"
    assert "whole village" in root.findtext(".//chunk", "")
    stats = root.find(".//stats")
    assert stats is not None and int(stats.attrib["found"]) > 0


def test_a_layer_that_fails_is_left_out_while_the_others_appear(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nanoctx.views import startup

    place.session(Item("learn", "The gauge repeats its last line", 1, "verified"))

    def fail(desk: object) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(startup, "changed_functions", fail)
    built = place.show("startup")
    assert list(built.failed.values()) == ["RuntimeError: no such thing"]
    assert "Last sessions" in built.text


def test_startup_tells_what_bears_on_the_last_session_but_makes_no_index_for_it(place: Place) -> None:
    place.session(Item("impl", "The siren is tested on Mondays", 1, "verified"), age=9 * DAY)
    for number in range(1, 9):
        place.session(Item("impl", f"Painted the {LONG[number]} of boat {number}", 1), age=number * DAY)
    place.session(summary="The siren was tested for the storm.")
    assert "siren is tested" in place.show("startup").text  # by recency
    assert not (place.ws.state / "recall").exists()
    assert place.show("query", query="siren").text
    lines = place.show("startup").text.partition("## From earlier sessions\n")[2].splitlines()
    assert "siren is tested on Mondays" in lines[0]


def test_startup_has_no_tables_ids_or_pictures(place: Place) -> None:
    place.session(
        Item("learn", "🚀 The gauge | repeats | its last line", 1, "verified"), summary="✅ Done 🎉 at last"
    )
    text = place.show("startup").text
    assert "Done at last" in text
    assert not set("🚀✅🎉^") & set(text)


def test_a_question_finds_facts_first_and_then_what_else_is_known(place: Place) -> None:
    place.session(rule("Never ring the siren at night", scope="universal"))
    place.session(Item("impl", "The siren is tested every Monday at noon", 1), age=DAY)
    text = place.show("query", query="siren").text
    assert (
        text.index("Relevant Memory:") < text.index("Never ring the siren") < text.index("Related Context:")
    )
    assert "every Monday" in text and place.show("query", query="submarine").text == ""


def test_long_pages_of_the_person_are_cut_and_it_says_so(place: Place) -> None:
    (place.ws.root / "SOUL.md").write_text("# Soul\n\n" + "Speaks plainly and asks before it acts. " * 100)
    text = place.show("prompt").text
    assert "(cut to 200 tokens; SOUL.md has all of it)" in text
    assert place.show("prompt").tokens <= 2000
