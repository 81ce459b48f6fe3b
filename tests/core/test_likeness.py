"""Lines that hold no word must not stop the fold that compares them."""

import pytest

from nanoctx.core import likeness


@pytest.mark.parametrize("text", ["", "' ' '", "— …"])
def test_a_line_without_words_is_like_nothing_and_stops_nothing(text: str) -> None:
    assert likeness.saying(text, "rule", "p").terms == ()
