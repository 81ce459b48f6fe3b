"""How much of each text of a log is kept."""

from __future__ import annotations

LONGEST_PROMPT = 16_000
LONGEST_SAY = 8_000
LONGEST_RESULT = 3_000
LONGEST_SHOWN = 500  # of a file or a listing that the agent only looked at
LONGEST_SUMMARY = 4_000
LONGEST_COMMAND = 4_000
LONGEST_TEXT = 4_000  # that an edit wrote, or that says what a call is for
LONGEST_TITLE = 200
