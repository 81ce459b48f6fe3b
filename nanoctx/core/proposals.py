"""What a short "yes" or "2" says yes to: the proposal at the end of the message before it."""

from __future__ import annotations

import re

from nanoctx.core import cues, prose
from nanoctx.core.own_words import asks

_OPTION = re.compile(r"^\W{0,3}(?:option |number )?(\d)\b", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}\s+(.+)$|^\*\*([^*\n]{4,80})\*\*:?\s*$", re.MULTILINE)


def proposal(text: str, reply: str, *, brief: bool = False) -> str:
    """The option that was chosen, else the last question and the headings it is about; "" if none."""
    parts = prose.blocks(text)
    chosen = _OPTION.match(reply)
    if chosen:
        for block in reversed(parts):
            for part in block.parts:
                if re.match(rf"\s*\W*{chosen[1]}[.)]\s", part.text):
                    lead = (
                        "" if cues.LEAD_IN.match(block.heading) or not block.heading else f"{block.heading}: "
                    )
                    return lead + prose.tidy(part.text)
    questions = [prose.tidy(part.text) for block in parts for part in block.parts if asks(part.text)]
    question = cues.without_offer(questions[-1]) if questions else ""
    headings = [prose.plain(first or second).rstrip(":") for first, second in _HEADING.findall(text)]
    headings = [
        title
        for title in dict.fromkeys(headings)
        if not cues.LEAD_IN.match(title) and not cues.NEXT_HEADING.search(title)
    ]
    topics = headings[-1:] if brief else headings[:6]
    said = " — ".join(part for part in (question, " / ".join(topics)) if part)
    if said:
        return said
    first = [prose.tidy(part.text) for block in parts for part in block.parts]
    return first[-1] if brief and first else first[0] if first else ""
