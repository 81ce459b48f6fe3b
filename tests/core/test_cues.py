"""Cues are found whatever the case of the text."""

from __future__ import annotations

import re

import pytest

from nanoctx.core import cues
from nanoctx.core.cue import Cue

CUES = {name: cue for name, cue in vars(cues).items() if isinstance(cue, Cue)}


@pytest.mark.parametrize("name", sorted(CUES))
def test_a_cue_is_written_in_lower_case(name: str) -> None:
    """The text is made lower-case before it is searched, so a capital in a cue would never be found."""
    written = re.sub(r"\\.", "", CUES[name]._with_signs().pattern)
    assert written == written.lower()


def test_case_makes_no_difference() -> None:
    assert cues.DONE.search("FIXED the reader") and cues.DONE.search("The reader is fixed")
    assert cues.APPROVAL.match("YES") and cues.APPROVAL.match("yes")
    assert cues.IMPERATIVE.search("ÄNDERE den Leser")


def test_signs_of_other_scripts_are_found_with_and_without_words() -> None:
    assert cues.DONE.search("读取器已修正") and cues.DONE.search("reader.py を追加しました")
    assert cues.DONE.search("请看 reader.py, it is fixed")
    assert cues.INTENT.match("让我看看") and not cues.INTENT.match("看看")


def test_words_before_a_request_are_left_out() -> None:
    assert cues.without_filler("Can you please fix the reader") == "fix the reader"
    assert cues.without_filler("Fix it, can you please") == "Fix it, can you please"
