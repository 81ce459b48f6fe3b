"""What an agent may ask memory for: preferences, rules, corrections, what to avoid, decisions, learnings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nanoctx.core import cues

CATEGORIES = ("preference", "rule", "correction", "avoid", "decision", "learning")
_KINDS = {
    "rule": ("rule",),
    "decision": ("dec",),
    "learning": ("learn", "insight", "fix", "fact"),
}
_STANDING = ("rule", "pref", "dec")
_PREFERS = re.compile(r"\b(?:prefer\w*|rather|i (?:like|want|love|hate)|favou?r\w*)\b", re.IGNORECASE)
_AVOIDS = re.compile(
    r"\b(?:never|avoid|don'?t|do not|must not|mustn'?t|no longer|not allowed|forbidden|instead of|stop)\b",
    re.IGNORECASE,
)


def fits(
    category: str, *, kind: str, by: str, text: str, refined: Sequence[str] = (), quotes: Sequence[str] = ()
) -> bool:
    """
    Tell whether something that is known belongs to a category.

    `refined` is what its items say of themselves (`kind=avoid`), `quotes` the words it came from.
    """
    if category == "preference":
        return kind == "pref" or (kind == "rule" and bool(_PREFERS.search(text)))
    if category == "correction":
        corrects = any(cues.CORRECTION.search(words) for words in (text, *quotes))
        return by in ("user", "person") and (category in refined or corrects)
    if category == "avoid":
        return kind == "fail" or category in refined or (kind in _STANDING and bool(_AVOIDS.search(text)))
    return kind in _KINDS[category]
