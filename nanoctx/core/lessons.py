"""
What an agent found out the hard way: the sentence of a report that will be true next time, too.

"The hook failed" is over. "The linter reads untracked files" is not, until somebody changes it. So a lesson
says why, in the present, and speaks of something that has a name or was called the cause. Of "it fails
because …" only the cause is kept if that says something by itself: who found it out mended what failed.
"""

from __future__ import annotations

import re

from nanoctx.core import cues, prose, signs

# "The issue is that …": what follows is why something did not work.
_LEAD = re.compile(
    r"^[^:;.]{0,50}\b(?:problem|issue|cause|reason|catch|gotcha|caveat):\s+"
    r"|^(?:(?:so|but|and|also|however)[,:]?\s+)?(?:(?:the|one|another|main|real|core|actual|only"
    r"|found the)\s+)+"
    r"(?:root cause|cause|issue|problem|bug|reason|error|test failure|gotcha|caveat|catch|insight"
    r"|finding|lesson)"
    r"(?:\s+(?:is|was|here is))?(?:\s+(?:that|because))?\s*[:,]?\s+",
    re.IGNORECASE,
)
# What code, tools and services are like, until somebody changes it.
_LASTING = re.compile(
    r"\b(?:requires?|expects?|depends? on|only (?:works?|runs?|supports?|accepts?|reads?)"
    r"|(?:does not|doesn'?t|do not|don'?t|cannot|can'?t) (?:work|support|exist|see|read|use|accept"
    r"|handle|run|allow"
    r"|expose|exclude|include|have|contain|return|inherit)"
    r"|(?:fails?|crash\w*|hangs?|breaks?|zeroes out|times? out) (?:when|if|unless|without|because"
    r"|on|with|under)"
    r"|ignores?|rejects?|stores?|overwrites?|must (?:be|not|have)|has to be|have to be|by design)\b",
    re.IGNORECASE,
)
# What was so while it was broken, or at one place of a text.
_MOMENTARY = re.compile(
    r"\b(?:missing|undefined|isn'?t being|not being set|lines? \d+|declared and not used|was|were"
    r"|had|didn'?t|failed"
    r"|i|i'm|you|your|my|we|let'?s|would|could|likely|probably|seems?|appears?|pass(?:es)?"
    r"|currently|right now)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:[:,(—–-]|\b(?:the|a|an|to|of|and|or|for|with|in|on|by|from|that|is|are|its|no))$", re.IGNORECASE
)
FEWEST, FEWEST_OF_CAUSE = 6, 4  # words
_FAULT = re.compile(
    r"^[^,;:]{1,80}\b(?:fails?|breaks?|crash(?:es)?|hangs?|zeroes out|times? out|errors?|panics?)"
    r"(?: \w+){0,3},? (?:because|since)(?: of)? ",
    re.IGNORECASE,
)


def lesson(text: str) -> str:
    """The first such sentence, "" if there is none."""
    for part in signs.PARTS.split(text):
        words = signs.begun(_LEAD.sub("", part).lstrip(" ,;").rstrip(" .,;"))
        is_told = bool(_LEAD.match(part)) or bool(signs.CAUSE.search(words) and prose.count_names(words))
        cause = signs.begun(_FAULT.sub("", words))
        if cause != words and prose.count_names(cause) and _lasts(cause, FEWEST_OF_CAUSE):
            return cause
        if is_told and _lasts(words, FEWEST):
            return words
    return ""


def _lasts(text: str, fewest: int) -> bool:
    words = text.split()
    if _MOMENTARY.search(text) or _DANGLING.search(text) or text.count("(") != text.count(")"):
        return False
    stands = not signs.points_out(text)
    is_report = (
        signs.TELLS.search(text) or signs.ORDER.search(text) or cues.INTENT.search(text) or "?" in text
    )
    return len(words) >= fewest and stands and not is_report and bool(_LASTING.search(text))
