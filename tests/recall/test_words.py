"""Which words a text is found by, and which a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.recall import words


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("OrderRepository.fetch_page_after", "fetch page"),
        ("OrderRepository.fetch_page_after", "order repository"),
        ("HTTPServer2 in src/net/http_server.py", "http server"),
        ("the readings were doubled", "reading doubles"),
        ("we went with SQLite", "going"),
        ("注文のキャンセルは出荷前のみ", "キャンセル"),
        ("El año pasado", "ano"),
        ("the person's choice", "person"),
    ],
)
def test_a_text_is_found_by_its_words_in_another_form(text: str, query: str) -> None:
    assert set(words.asked(query)) & set(words.terms(text))


def test_stop_words_are_left_out_of_the_question_only() -> None:
    assert words.asked("what is the level of the gauge") == ["level", "gaug"]
    assert "the" in words.terms("the gauge")
    assert words.asked("to be or not to be") != []


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("def fetch_page(after):\n    pass", "fetch"),
        ("    async def go_on(self,\n        a):\n", "go_on"),
        ("func (s *Store) ReadAll(x int) error {\n", "readall"),
        ("public static int countRows(int x) {\n", "count"),
        ("export class TideTable extends Table {\n", "tide"),
        ("static int *find_it(int a,\n    int b)\n", "find_it"),
    ],
)
def test_code_is_known_by_what_it_defines(code: str, name: str) -> None:
    assert name in words.defined(code)


@pytest.mark.parametrize(
    "text", ["The class struggled: nobody came", "Ana: I (nearly) fell, but", "see call(x)", "", "{"]
)
def test_prose_defines_nothing(text: str) -> None:
    assert words.defined(text) == ()


@given(st.text(max_size=200))
def test_any_text_is_found_by_each_of_its_own_words(text: str) -> None:
    held = set(words.terms(text))
    assert set(words.asked(text)) <= held and set(words.defined(text)) <= held
