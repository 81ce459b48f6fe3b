"""The step that is still open: of the plan, announced, or asked for and not done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nanoctx.core import cues, prose, topics
from nanoctx.core.blockers import failing
from nanoctx.core.deeds import Deeds
from nanoctx.core.named import Named, by
from nanoctx.core.own_words import asks, substantive
from nanoctx.core.phrases import capital, overlap, request
from nanoctx.core.turns import Story
from nanoctx.model import Step

TASK = 160
SAID = 0.6  # share of its words that Focus has already
PLAN_STALE_TURNS = 2  # a plan not touched for longer says nothing about now
_LOOKING = re.compile(r"(?i)^(?:check|look|read|see|find|explore|examine|search|view|understand)\b")
_ABOUT_TO = re.compile(
    r"^.*?\b(?:let me|i['’]?ll|i will|let's|i need to|i should|i['’]m going to|i['’]m now|i['’]m|now)\s+",
    re.IGNORECASE,
)


def task(story: Story, done: Sequence[Deeds], focus_text: str) -> Named | None:
    """The step still open; None when the agent finished what was asked."""
    if not done:
        return None
    last = done[-1]
    step = _open_step(story, done)
    if last.finished:
        return step or _announced_next(last) or _offered(last)
    if step is not None:
        return step
    said = _intention(last)
    if said is not None and not _LOOKING.match(said.text):
        return said
    broken = failing(last)
    if broken is not None:
        text = prose.cut(f"Mend what fails: {broken.quote}", TASK)
        return Named(text, broken.pos, broken.at, "tool", broken.quote)
    prompt = last.turn.prompt
    wished = prompt is not None and substantive(prompt.text) and not cues.SUPPOSES.match(prompt.text)
    asked = request(prompt, TASK * 10) if prompt is not None and wished else ""
    if asked and (named := topics.referred(done, len(done) - 1)):
        asked = f"{asked} — {named}"
    elif not asked and (offered := topics.taken_up(done, len(done) - 1)):
        asked = offered[0]
    rest = _beyond(asked, focus_text) if asked else ""
    if rest and rest != asked and not (asks(rest) or cues.IMPERATIVE.search(rest)):
        rest = asked  # what is left tells of something and asks for nothing
    was = f"was about to {said.text[:1].lower()}{said.text[1:]}" if said is not None else ""
    if was and overlap(rest, focus_text) >= SAID:
        rest, was = "", said.text if said is not None else ""
    text = " — ".join(part for part in (prose.cut(rest, 100 if was else TASK), was) if part)
    source = prompt if rest else None
    if not text:
        return None
    if source is not None:
        lead = "Answer: " if asks(rest) else ""
        return by("user", source, lead + capital(text), TASK, source.text)
    assert said is not None
    return Named(prose.cut(capital(text), TASK), said.pos, said.at, said.who, said.quote)


def _beyond(request: str, shown: str) -> str:
    """The part of a request that the Focus had no room for; all of it if that is too little."""
    clauses = re.split(r"(?<=[.;!?,]) ", request)
    rest = " ".join(clause for clause in clauses if overlap(clause, shown) < 0.7)
    return rest if prose.has_words(rest, 4) else request


def _open_step(story: Story, done: Sequence[Deeds]) -> Named | None:
    """The plan's active step, if the plan was touched lately."""
    since = story.turns_begun - story.plan_turn
    if not story.plan or since >= PLAN_STALE_TURNS:
        return None
    if 0 < since < len(done) and done[-1 - since].finished:
        return None  # what it was made for is done, and another prompt came
    live = [
        step for step in story.plan if step.status in ("in_progress", "pending") and prose.plain(step.text)
    ]
    active: Step | None = next(
        (step for step in live if step.status == "in_progress"), live[0] if live else None
    )
    if active is None:
        return None
    at = next(
        (
            event.at
            for deeds in reversed(done)
            for event in reversed(deeds.turn.events)
            if event.pos == story.plan_pos
        ),
        None,
    )
    return Named(prose.cut(prose.plain(active.text), TASK), story.plan_pos, at, "agent", active.text)


def _intention(last: Deeds) -> Named | None:
    """What the agent said it would do when the log stopped."""
    if last.final is None:
        return None
    texts = [
        prose.opening(sentence) for line in last.final.text.split("\n") for sentence in prose.sentences(line)
    ]
    plans = [text for text in texts if cues.INTENT.match(text)]
    if not plans or any(edit.pos > last.final.pos for edit in last.edits):
        return None  # what was announced has been written since
    step = _ABOUT_TO.sub("", plans[-1], count=1)
    step = re.sub(r"^(?:also|now|then|first|just)\s+", "", step, flags=re.IGNORECASE).rstrip(":. ")
    if len(step) <= 8 or (cues.DEICTIC.search(step) and not prose.has_words(step, 3)):
        return None  # "clean those up too" says nothing to who did not hear what came before
    return by("agent", last.final, capital(step), TASK, plans[-1])


def _announced_next(last: Deeds) -> Named | None:
    """An explicit list of next steps in the closing report; offers do not count."""
    if last.final is None:
        return None
    found: list[str] = []
    for block in prose.blocks(last.final.text):
        if cues.NEXT_HEADING.search(block.heading) and not cues.OFFER.search(block.heading):
            found += [prose.tidy(part.text) for part in block.parts if not asks(part.text)]
    if not found:
        texts = (prose.tidy(part.text) for block in prose.blocks(last.final.text) for part in block.parts)
        found = [
            text
            for text in texts
            if cues.NEXT.search(text)
            and not cues.OFFER.search(text)
            and not asks(text)
            and not cues.DONE.search(text)
        ][:1]
    if not found:
        return None
    text = "; ".join(part.rstrip(".") for part in found[:3])
    return by("agent", last.final, f"Next: {text}", TASK, found[0])


def _offered(last: Deeds) -> Named | None:
    """What the agent would do next if it were asked to; a question of it blocks and stands there."""
    if last.final is None:
        return None
    found: list[str] = []
    blocks = prose.blocks(last.final.text)
    for block in blocks:
        if cues.NEXT_HEADING.match(block.heading):
            found += [text for part in block.parts if not asks(text := prose.tidy(part.text))]
    if not found:
        ends = (prose.tidy(part.text) for block in blocks[-2:] for part in block.parts[-2:])
        found = [text for text in ends if cues.IF_WANTED.match(text) and not cues.ADVICE.match(text)]
        found = [text for text in found if not asks(text)][-1:]
        found = [text for text in found if prose.has_words(text, 4)]
    if not found:
        return None
    text = "; ".join(part.rstrip(".") for part in found[:3])
    return by("agent", last.final, f"Offered: {text}", TASK, found[0])
