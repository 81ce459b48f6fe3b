"""Where a topic began: prompts that go on about the same thing do not open another one."""

from __future__ import annotations

from collections.abc import Sequence

from nanoctx.core import prose
from nanoctx.core.deeds import Deeds
from nanoctx.core.own_words import own_words, substantive
from nanoctx.model import Event

SHARED = 2  # words in common that make two prompts one topic
FEW_WORDS = 3  # a prompt so short needs only one


def beginning(done: Sequence[Deeds], pos: int) -> Event | None:
    """The prompt that opened the topic that was talked of at `pos`; None if nobody had said anything yet."""
    prompts = [
        deeds.turn.prompt
        for deeds in done
        if deeds.turn.prompt is not None
        and deeds.turn.prompt.pos <= pos
        and substantive(deeds.turn.prompt.text)
    ]
    if not prompts:
        return None
    first = prompts.pop()
    while prompts and _goes_on(first.text, prompts[-1].text):
        first = prompts.pop()
    return first


def _goes_on(prompt: str, before: str) -> bool:
    said, earlier = _words(prompt), _words(before)
    shared = len(said & earlier)
    return shared >= SHARED or (shared > 0 and len(said) <= FEW_WORDS)


def _words(prompt: str) -> frozenset[str]:
    own = own_words(prompt)
    return prose.words(f"{own.text} {own.heading}")
