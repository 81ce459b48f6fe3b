"""What a prompt takes up of the message before it: the proposal of a "yes", the part that "for 3" names."""

from __future__ import annotations

import re

from nanoctx.core import cues, prose
from nanoctx.core.own_words import asks

_OPTION = re.compile(r"^\W{0,3}(?:option |number )?(\d)\b", re.IGNORECASE)
_IN_A_LIST = re.compile(
    r"\b(?:for|options?|points?|items?|number|no\.|nr\.) ?#?(\d{1,2})\b|#(\d{1,2})\b", re.IGNORECASE
)
_ITS_NAME = re.compile(
    r"\b(?:phase|step|stage|part|task|feature|schritt|étape|paso|fase) ?(\d{1,2})\b", re.IGNORECASE
)
_LABEL = re.compile(r"^(.*?)\s*(?:[:：(（,，–—]|\s-\s|$)")
_LABEL_WORDS, _LABEL_SIGNS = 2, 3  # that a label must have to be known again
_LEADS_ON = re.compile(r"[,;]?\s+(?:and|or|then|and then|und|dann|et|puis|y)$", re.IGNORECASE)  # to the next
_HEADING = re.compile(r"^#{1,6}\s+(.+)$|^\*\*([^*\n]{4,80})\*\*:?\s*$", re.MULTILINE)


def referred(text: str, reply: str) -> str:
    """The part of a message that a prompt names by its number or label; "" if it names none, or several."""
    parts = []
    for block in prose.blocks(text):
        parts += [part.text for part in block.parts if part.bullet]
        if block.heading:
            parts.append(f"{block.heading}: {prose.tidy(block.parts[0].text)}")
    numbers = {first or second for first, second in _IN_A_LIST.findall(reply)}
    names = {name[0].lower() for name in _ITS_NAME.finditer(reply)}
    meant = (part for part in parts if _is_named(part, reply.lower(), numbers, names))
    named = {_LEADS_ON.sub("", prose.tidy(part)) for part in meant}
    return named.pop() if len(named) == 1 else ""


def _is_named(part: str, reply: str, numbers: set[str], names: set[str]) -> bool:
    number = re.match(r"\W*(\d{1,2})[.)]\s", part)
    if number and number[1] in numbers:
        return True
    found = _LABEL.match(prose.tidy(part))
    label = found[1].lower() if found else ""
    if label in names:
        return True
    long = len(label.split()) >= _LABEL_WORDS if label.isascii() else len(label) >= _LABEL_SIGNS
    return long and label in reply


def proposal(text: str, reply: str, *, brief: bool = False) -> str:
    """The option that was chosen, else the last question and the headings it is about; "" if none."""
    if named := referred(text, reply):
        return named
    parts = prose.blocks(text)
    chosen = _OPTION.match(reply)
    if chosen:
        for block in reversed(parts):
            for part in block.parts:
                if re.match(rf"\s*\W*{chosen[1]}[.)]\s", part.text):
                    lead = (
                        "" if cues.LEAD_IN.match(block.heading) or not block.heading else f"{block.heading}: "
                    )
                    return lead + _LEADS_ON.sub("", prose.tidy(part.text))
    questions = [prose.tidy(part.text) for block in parts for part in block.parts if asks(part.text)]
    naming = [asked for asked in questions if not cues.ASKS_LEAVE.match(asked)]
    if brief and questions and not naming:
        return ""  # a yes to "does this look right?" opens nothing
    question = cues.without_offer(naming[-1]) if naming else ""
    headings = [prose.plain(first or second).rstrip(":") for first, second in _HEADING.findall(text)]
    headings = [
        title
        for title in dict.fromkeys(headings)
        if not (cues.LEAD_IN.match(title) or cues.NEXT_HEADING.search(title) or cues.POINTS_BACK.match(title))
    ]
    topics = headings[-1:] if brief else headings[:6]
    said = " — ".join(part for part in (question, " / ".join(topics)) if part)
    if said:
        return said
    first = [prose.tidy(part.text) for block in parts for part in block.parts]
    first = [said for said in first if not cues.ASKS_LEAVE.match(said)]
    return first[0] if first and not brief else ""
