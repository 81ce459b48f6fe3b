"""Which turn opened what is being worked on now."""

from __future__ import annotations

from collections.abc import Sequence

from nanoctx.core import cues, proposals, prose
from nanoctx.core.deeds import Deeds
from nanoctx.core.own_words import Words, approves, asks, only_rules, own_words, substantive
from nanoctx.core.phrases import size
from nanoctx.core.proposals import proposal
from nanoctx.model import Event

CHORE_WORDS = 12
REPLY_WORDS = 25  # a longer answer to a question opens a topic of its own
ASIDE_WORDS = 14
_NOTHING_SAID = Words((), False), Words((), True)
ASIDES = 3  # turns over which a side question keeps its topic


def topic(done: Sequence[Deeds]) -> int | None:
    """The turn whose prompt opened what is being worked on."""
    prompted = [index for index in reversed(range(len(done))) if done[index].turn.prompt is not None]
    openers = (index for index in prompted if opens_topic(done, index))  # sought only as far as needed
    latest = next(openers, None)
    if latest is None:
        openers = (index for index in prompted if _is_substantive(done[index]))
        latest = next(openers, None)
    if latest is None:
        return prompted[0] if prompted else None
    if is_side_question(done, latest) and not _leads_on(done, latest):
        asked = next((index for index in openers if not is_side_question(done, index)), None)
        if asked is not None and latest - asked <= ASIDES:
            return asked
    return latest


def approved(done: Sequence[Deeds], opener: int) -> tuple[str, Event] | None:
    """A later "yes" to a proposal: the proposal is the topic now."""
    for index in range(len(done) - 1, opener, -1):
        prompt = done[index].turn.prompt
        if prompt is not None and substantive(prompt.text) and not _is_chore(prompt.text):
            return None  # they went on from there
        if found := taken_up(done, index):
            return found
    return None


def taken_up(done: Sequence[Deeds], index: int) -> tuple[str, Event] | None:
    """What a "yes", or "phase 2", took up of the agent's last message."""
    prompt, before = done[index].turn.prompt, done[index - 1].final if index else None
    if prompt is None or before is None:
        return None
    if not approves(prompt.text) and not proposals.referred(before.text, prompt.text):
        return None
    offered = proposal(before.text, prompt.text, brief=True)
    return (cues.without_offer(offered), before) if prose.has_words(offered, 3) else None


def referred(done: Sequence[Deeds], index: int) -> str:
    """The part of the agent's last message that a short prompt names: "do phase 2"."""
    prompt, before = done[index].turn.prompt, done[index - 1].final if index else None
    if prompt is None or before is None or size(prompt.text) > REPLY_WORDS:
        return ""
    return proposals.referred(before.text, prompt.text)


def opens(prompt: str) -> bool:
    return substantive(prompt) and not _is_chore(prompt) and prompt.strip() != "[image]"


def is_side_question(done: Sequence[Deeds], index: int) -> bool:
    """A short question that was answered without touching anything."""
    prompt = done[index].turn.prompt
    if prompt is None or done[index].worked or not done[index].finished:
        return False
    return size(prompt.text) < ASIDE_WORDS and only_asks(done, index)


def _leads_on(done: Sequence[Deeds], index: int) -> bool:
    """The answer to the last question ends with one to the person: that is where they go on."""
    final = done[index].final
    if index != len(done) - 1 or final is None:
        return False
    end = final.text.rstrip().rpartition("\n")[2]
    return asks(end) and not (cues.COURTESY.search(end) or cues.ASKS_LEAVE.match(end))


def only_asks(done: Sequence[Deeds], index: int) -> bool:
    """A prompt of nothing but questions."""
    prompt = done[index].turn.prompt
    own = own_words(prompt.text).sentences if prompt is not None else ()
    return bool(own) and all(map(asks, own))


def _is_substantive(deeds: Deeds) -> bool:
    return deeds.turn.prompt is not None and substantive(deeds.turn.prompt.text)


def opens_topic(done: Sequence[Deeds], index: int) -> bool:
    """A prompt that starts something, rather than a short reply to the agent's own question."""
    prompt = done[index].turn.prompt
    if prompt is None or not opens(prompt.text):
        return False
    own = own_words(prompt.text)
    if index and own in _NOTHING_SAID:
        return False  # only pasted: it answers what stood before
    if only_rules(prompt.text) and not done[index].worked:
        return False
    said = cues.without_filler(prompt.text.strip())
    unanswered = index == len(done) - 1 and not done[index].finished
    if index and not unanswered and (cues.SUPPOSES.match(said) or _agrees(prompt.text, said)):
        return False
    orders = cues.ORDERS.match(said) or cues.ASKS_FOR.match(prompt.text)
    if not unanswered and _is_remark(done, index) and not orders:
        return False
    return bool(orders or cues.WISH.search(said)) or not _replies(done, index)


def _agrees(prompt: str, said: str) -> bool:
    """ "Yeah that should be so": a word more on what was spoken of."""
    return bool(cues.YES.match(prompt)) and size(prompt) < CHORE_WORDS and not cues.IMPERATIVE.match(said)


def _replies(done: Sequence[Deeds], index: int) -> bool:
    before = done[index - 1].final if index else None
    prompt = done[index].turn.prompt
    assert prompt is not None
    short = size(prompt.text) < (REPLY_WORDS if prompt.text.isascii() else REPLY_WORDS // 5)
    if before is None or not short:
        return False
    said = own_words(prompt.text).sentences
    if said and asks(said[-1]):
        return False  # who asks back does not answer
    end = before.text.rstrip()[-200:].rpartition("\n")[2]
    return (asks(end) and not cues.COURTESY.search(end)) or bool(cues.CONFIRM.search(end))


def _is_remark(done: Sequence[Deeds], index: int) -> bool:
    """A word thrown in while the agent was at work, which then went on."""
    before = done[index - 1] if index else None
    if before is None or (before.last is not None and before.last.kind in ("reject", "interrupt")):
        return False  # they stopped it to say this
    return before.worked and not before.finished


def _is_chore(prompt: str) -> bool:
    """ "Commit and push": a request that begins so and goes on is more than that."""
    return len(prompt.split()) <= CHORE_WORDS and bool(cues.CHORE.match(prompt.strip()))
