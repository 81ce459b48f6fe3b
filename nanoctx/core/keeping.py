"""
Which items are worth keeping for longer than a session, and which of their words.

Junk in memory costs more than a line that is missing: every later session reads it. So a line enters at once
only if it stands by itself and says how things are to be, or why something did not work. What is less plain
(`weak`) enters when another session says the same. All the rest stays in the observation, to be recalled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nanoctx.core import cues, lessons, prose, signs
from nanoctx.core.escape import one_line
from nanoctx.model import Item

REFUTED = "refuted"
LONGEST, SHORTEST = 32, 3  # words of a sentence
FEWEST_SIGNS = 6  # of a script that does not part words
_BROADEST = 2  # sentences of one item


@dataclass(frozen=True, slots=True)
class Kept:
    """What of an item is kept, and as what."""

    text: str
    kind: str
    weak: bool = False  # only together with what another session said


def kept(item: Item, *, headless: bool) -> Kept | None:
    """Judge an item; None for what is only worth recalling. `headless` prompts are a program's words."""
    if item.by == "user" and headless:
        return None
    if item.more.get("page") == "no":  # told in passing: for recall, unless it says what will break next time
        lesson = _lesson(item) if item.by == "agent" else None
        return lesson if lesson is not None and _is_sized(lesson.text) else None
    judge = _JUDGES.get(item.kind)
    found = judge(item) if judge is not None else None
    return None if found is None or not _is_sized(found.text) else found


def _rule(item: Item) -> Kept | None:
    if item.by not in ("user", "person"):
        return None
    found = [_standing(part) for part in signs.SENTENCES.split(one_line(item.text))]
    text = ". ".join(part.rstrip(".") for part in found if part)
    if not text:
        return None
    for_ever = bool(cues.FOR_EVER.search(text))
    once = (
        (signs.ONCE.search(text) and not for_ever)
        or signs.NOT_FOR_EVER.search(text)
        or cues.ONE_OFF.search(text)
    )
    of_its_answer = signs.THIS_ANSWER.search(text) and not for_ever
    return Kept(text, item.kind, weak=bool(once or of_its_answer or signs.HEDGE.search(text)))


def _standing(text: str) -> str:
    """A sentence as far as it holds for ever; "" for one that does not."""
    if signs.QUESTION.search(text):
        return ""
    if signs.ORDER.search(text) and (after := signs.AND_ALWAYS.search(text)):
        text = signs.begun(after[1])
    holds = signs.STANDING_START.search(text) or cues.FOR_EVER.search(text) or cues.OWN_HABIT.match(text)
    return text if holds and not signs.TELLS_OF.search(text) else ""


def _dec(item: Item) -> Kept | None:
    if item.by not in ("user", "person"):
        return _agents(item)
    text = one_line(item.text)
    if text.startswith("Approved: "):
        return _approved(text.removeprefix("Approved: "))
    if answered := signs.ANSWERED.match(text):
        settled = not signs.POINTS.search(answered[1]) and not signs.POINTS.search(answered[2])
        return Kept(text, "dec") if settled and not signs.ORDER.search(answered[2]) else None
    return _decided(text)


def _decided(text: str, *, refused: bool = False) -> Kept | None:
    """Of what a person said, or why they refused something, the sentences that say how things are to be."""
    found = [one for one in _sentences(text) if _is_norm(one, refused=refused)]
    if not found:
        return None
    words = "; ".join(found[:_BROADEST])
    return Kept(
        words,
        "dec",
        weak=any(sign.search(words) for sign in (signs.HEDGE, signs.MORE, signs.NEEDLESS, signs.OF_A_TEST)),
    )


def _approved(text: str) -> Kept | None:
    """What the agent proposed and the person said yes to: kept if it names a choice."""
    if (
        "?" in text
        or "？" in text
        or signs.OFFER.search(text)
        or signs.POINTS.search(text)
        or signs.TELLS.search(text)
    ):
        return None
    chosen = signs.NORM.search(text) or cues.DECISION.search(text)
    return Kept(text, "dec", weak=not chosen or " / " in text)  # a list of headings says little


def _lesson(item: Item) -> Kept | None:
    if item.by == "tool" or item.grade in (REFUTED, "hypothesis"):
        return None
    text = lessons.lesson(signs.LABEL.sub("", one_line(item.text)))
    return Kept(text, "learn") if text else None


def _agents(item: Item) -> Kept | None:
    """An agent's own words: a lesson at once, a choice when it was checked or is made again."""
    if (lesson := _lesson(item)) is not None:
        return lesson
    text = signs.LABEL.sub("", one_line(item.text))
    if not _stands_alone(text) or item.grade == "hypothesis":
        return None
    if signs.LESSON.search(item.text) and prose.count_names(text):
        return Kept(text, "learn")
    if signs.ORDER.search(text) or not (cues.DECISION.search(text) or signs.NORM.search(text)):
        return None
    return Kept(text, "dec", weak=item.grade != "verified")


def _learned(item: Item) -> Kept | None:
    text = signs.LABEL.sub("", one_line(item.text))
    if not _stands_alone(text):
        return None
    theirs = item.by in ("user", "person")
    general = bool(prose.count_names(text)) or item.grade == "verified"
    return Kept(text, item.kind, weak=not (theirs or general))


def _fact(item: Item) -> Kept | None:
    """A fact by itself is for recall; it is memory if it says why, or once two sessions found it."""
    text = signs.LABEL.sub("", one_line(item.text))
    if item.by in ("user", "person"):
        return _decided(text)
    if (lesson := _lesson(item)) is not None:
        return lesson
    if not _stands_alone(text) or "; " in text or ": " in text:
        return None
    if signs.LESSON.search(item.text) and prose.count_names(text):
        return Kept(text, "learn")
    if signs.STATE.search(text) or not prose.count_names(text) or item.grade == "hypothesis":
        return None
    return Kept(text, item.kind, weak=True)


def _fail(item: Item) -> Kept | None:
    text = one_line(item.text)
    if item.by in ("user", "person"):
        reason = signs.REJECTED.match(text)
        return _decided(reason[1], refused=True) if reason else None
    if text.startswith("Passed later") or item.by == "tool":
        return None
    if (lesson := _lesson(item)) is not None:
        return lesson
    text = signs.LABEL.sub("", text)
    if not _stands_alone(text) or item.grade == "hypothesis" or not signs.CAUSE.search(text):
        return None
    if signs.LESSON.search(item.text):
        return Kept(text, "learn", weak=not prose.count_names(text))
    return Kept(text, "fail", weak=not (cues.FAILED.search(text) and prose.count_names(text)))


def _fix(item: Item) -> Kept | None:
    text = signs.LABEL.sub("", one_line(item.text))
    if not _stands_alone(text) or not signs.CAUSE.search(text):
        return None
    return Kept(text, "fix", weak=item.grade != "verified" or not prose.count_names(text))


_JUDGES = {
    "rule": _rule,
    "pref": _rule,
    "dec": _dec,
    "learn": _learned,
    "insight": _learned,
    "fact": _fact,
    "fail": _fail,
    "fix": _fix,
}


def _sentences(text: str) -> Iterator[str]:
    for part in signs.PARTS.split(text):
        part = signs.SAID_AGAIN.sub("", part.lstrip(" ,;").rstrip(" .,;"))
        if not part:
            continue
        clauses = signs.CLAUSES.split(part)
        # "can we …, don't want …": the question is none of ours, what is wanted is.
        is_asking = bool(signs.QUESTION.search(part) or signs.ORDER.search(part))
        yield signs.begun(clauses[-1] if len(clauses) > 1 and is_asking else part)


def _is_norm(text: str, *, refused: bool) -> bool:
    is_order = signs.ORDER.search(text) and not (refused and signs.WE_SHOULD.search(text))
    return (
        _stands_alone(text, further_on=True)
        and bool(signs.NORM.search(text))
        and not (is_order or signs.ONCE.search(text) or cues.ONE_OFF.search(text))
    )


def _stands_alone(text: str, *, further_on: bool = False) -> bool:
    """Whether a sentence says something to somebody who was not there; `further_on` what it named is "it"."""
    if not _is_sized(text) or signs.QUESTION.search(text) or "?" in text or "？" in text:
        return False
    points = signs.points_out(text) if further_on else signs.POINTS.search(text)
    against = (signs.TELLS, signs.HANGS_ON, cues.INTENT)
    return not points and not any(sign.search(text) for sign in against)


def _is_sized(text: str) -> bool:
    if signs.WIDE.search(text):
        return FEWEST_SIGNS <= len(text) <= 200
    return SHORTEST <= len(text.split()) <= LONGEST
