"""Naming what a session is about now: Focus, the open Task, and what blocks it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from nanoctx.core import cues, prose
from nanoctx.core.deeds import Deeds
from nanoctx.core.named import Named, by
from nanoctx.core.own_words import asks, only_rules, own_words, substantive
from nanoctx.core.proposals import proposal
from nanoctx.core.turns import Story
from nanoctx.model import Event, Step

FOCUS = 120
TASK = 160
PHRASE = 100  # of the Focus: the person's words; the rest names the things
PLAIN = 64  # an ask so short is given as it was said, small words and all
ANCHORED = 72  # a short ask and the one before it
PLAN_STALE_TURNS = 2  # a plan not touched for longer says nothing about now
_LOOKING = re.compile(r"(?i)^(?:check|look|read|see|find|explore|examine|search|view|understand)\b")
_ABOUT_TO = re.compile(
    r"^.*?\b(?:let me|i'?ll|i will|let's|i need to|i should|i'm going to|now)\s+", re.IGNORECASE
)
_URL = re.compile(r"https?://\S+")
_PAIR = re.compile(r"(?=\b([A-Za-z][a-z]{2,}[ -][a-z]{3,})\b)")
_NOT_A_THING = re.compile(r"[A-Z]{2,3}|[0-9a-f]{7,40}|.*[\s*]|.*\s.*|--\w+|.*/")
_EITHER_OR = re.compile(r"[A-Za-z]+/[A-Za-z]+")  # "read/write" as often as a path: must be said more often
_MAIN_BRANCHES = frozenset(("", "main", "master", "HEAD", "develop", "trunk"))


def focus(story: Story, done: Sequence[Deeds]) -> Named | None:
    """The last topic a person opened, named by their words and the things worked on."""
    topic = _topic(done)
    if topic is None:
        return _unprompted(done)
    prompt = done[topic].turn.prompt
    assert prompt is not None
    approved = _approved(done, topic)
    phrase = approved[0] if approved else _ask(prompt)
    source = approved[1] if approved else prompt
    if len(prose.words(phrase)) < (4 if cues.DEICTIC.search(phrase) else 3):
        phrase = _anchored(phrase, done, topic)
    if not phrase.strip():
        return _unprompted(done)
    subject = _commit_subject(done, topic)
    if subject:
        phrase = f"{prose.cut(phrase, 50)} — {prose.cut(subject, PHRASE - 3 - min(50, len(phrase)))}"
    phrase = _with_things(prose.cut(phrase, PHRASE), story, done[_began(done, topic, phrase) :])
    return Named(_capital(phrase), source.pos, source.at, "agent" if approved else "user", source.text)


def task(story: Story, done: Sequence[Deeds], focus_text: str) -> Named | None:
    """The step still open; None when the agent finished what was asked."""
    if not done:
        return None
    last = done[-1]
    step = _open_step(story, done)
    if last.finished:
        return step or _announced_next(last)
    if step is not None:
        return step
    said = _intention(last)
    if said is not None and not _LOOKING.match(said.text):
        return said
    prompt = last.turn.prompt
    asked = _ask(prompt, TASK * 10) if prompt is not None and substantive(prompt.text) else ""
    rest = _beyond(asked, focus_text) if asked else ""
    was = f"was about to {said.text[:1].lower()}{said.text[1:]}" if said is not None else ""
    text = " — ".join(part for part in (prose.cut(rest, 100 if was else TASK), was) if part)
    source = prompt if rest else None
    if not text:
        return None
    if source is not None:
        return by("user", source, _capital(text), TASK, source.text)
    assert said is not None
    return Named(prose.cut(_capital(text), TASK), said.pos, said.at, said.who, said.quote)


def _beyond(request: str, shown: str) -> str:
    """The part of a request that the Focus had no room for; all of it if that is too little."""
    clauses = re.split(r"(?<=[.;!?,]) ", request)
    rest = " ".join(clause for clause in clauses if _overlap(clause, shown) < 0.7)
    return rest if prose.has_words(rest, 4) else request


# -- focus -------------------------------------------------------------------------------------------------


def _topic(done: Sequence[Deeds]) -> int | None:
    """The turn whose prompt opened what is being worked on."""
    prompted = [index for index in reversed(range(len(done))) if done[index].turn.prompt is not None]
    openers = (index for index in prompted if _opens_topic(done, index))  # sought only as far as needed
    latest = next(openers, None)
    if latest is None:
        openers = (index for index in prompted if _is_substantive(done[index]))
        latest = next(openers, None)
    if latest is None:
        return prompted[0] if prompted else None
    if _is_side_question(done, latest):
        task = next((index for index in openers if not _is_side_question(done, index)), None)
        if task is not None and latest - task <= 3:
            return task
    return latest


def _is_substantive(deeds: Deeds) -> bool:
    return deeds.turn.prompt is not None and substantive(deeds.turn.prompt.text)


def _opens_topic(done: Sequence[Deeds], index: int) -> bool:
    """A prompt that starts something, rather than a short reply to the agent's own question."""
    prompt = done[index].turn.prompt
    if prompt is None or not _opens(prompt.text):
        return False
    if only_rules(prompt.text) and not done[index].worked:
        return False
    before = done[index - 1].final if index else None
    replies = before is not None and asks(before.text.rstrip()[-200:]) and len(prompt.text.split()) < 25
    return not replies or bool(cues.WISH.search(cues.without_filler(prompt.text.strip())))


def _opens(prompt: str) -> bool:
    return substantive(prompt) and not cues.CHORE.match(prompt.strip()) and prompt.strip() != "[image]"


def _is_side_question(done: Sequence[Deeds], index: int) -> bool:
    """A short question that was answered without touching anything."""
    prompt = done[index].turn.prompt
    if prompt is None or done[index].worked or not done[index].finished:
        return False
    own = own_words(prompt.text)
    return (
        len(prompt.text.split()) < 14
        and bool(own.sentences)
        and all(asks(sentence) for sentence in own.sentences)
    )


def _ask(prompt: Event, room: int = PLAIN) -> str:
    """The person's request in one phrase, without "can you please"; a headline if there is little room."""
    own = own_words(prompt.text)
    asked = [sentence for sentence in own.sentences if cues.IMPERATIVE.search(sentence) or asks(sentence)]
    asked += [sentence for sentence in own.sentences if sentence not in asked]
    if own.heading and own.pasted:
        return " ".join(part for part in (_bare_ask(asked[0]) if asked else "", own.heading) if part)
    asked = asked or [prose.tidy(prompt.text)]
    phrases = [cues.without_filler(sentence).strip(" .,:;") for sentence in asked]
    whole = "; ".join(phrase for phrase in phrases if prose.words(phrase)) or phrases[0]
    return whole if len(whole) <= room else "; ".join(map(_bare_ask, phrases))


def _bare_ask(sentence: str) -> str:
    """Headline style: without politeness and small words, so that more of the matter fits."""
    bare = cues.SMALL_WORDS.sub("", cues.without_filler(sentence)).strip(" .,:;")
    return bare or sentence


def _approved(done: Sequence[Deeds], topic: int) -> tuple[str, Event] | None:
    """A later "yes" to a proposal: the proposal is the topic now."""
    for index in range(len(done) - 1, topic, -1):
        prompt, before = done[index].turn.prompt, done[index - 1]
        if prompt is None or substantive(prompt.text) or before.final is None:
            continue
        offered = proposal(before.final.text, prompt.text, brief=True)
        if prose.has_words(offered, 3):
            return cues.without_filler(offered), before.final
    return None


def _anchored(phrase: str, done: Sequence[Deeds], topic: int) -> str:
    """A phrase like "try that" named by what stood before it."""
    for index in range(topic - 1, max(-1, topic - 6), -1):
        prompt = done[index].turn.prompt
        if prompt is not None and _opens(prompt.text) and not _is_side_question(done, index):
            earlier = _ask(prompt)
            new = prose.words(earlier) - prose.words(phrase)
            if len(new) >= 3:
                return f"{prose.cut(phrase, 45)} — {prose.cut(earlier, ANCHORED - min(45, len(phrase)))}"
    return phrase


def _commit_subject(done: Sequence[Deeds], topic: int) -> str:
    subjects = [commit.subject for deeds in done[topic:] for commit in deeds.commits if commit.subject]
    return re.sub(r"^\w+(?:\([\w/-]+\))?!?:\s+", "", subjects[-1]) if subjects else ""


def _began(done: Sequence[Deeds], topic: int, phrase: str) -> int:
    """Where a topic begins: in the turn before only if that spoke of the same, lest an old topic leaks in."""
    before = done[topic - 1] if topic else None
    if before is None or before.turn.prompt is None:
        return topic
    said = f"{before.turn.prompt.text[:800]} {before.final.text[:1500] if before.final else ''}"
    return topic - 1 if _overlap(phrase, said) >= 0.3 else topic


def _with_things(phrase: str, story: Story, recent: Sequence[Deeds]) -> str:
    """The phrase with the branch and the things that were worked on, while there is room."""
    branch = story.facts.get("branch", "")
    counted = _things(recent)
    names = sorted(counted, key=lambda name: (-counted[name] / (len(name) + 8), name))[:30]
    chosen: list[str] = []
    if branch not in _MAIN_BRANCHES and len(branch) <= 40:
        names.insert(1, branch)
    for name in names:
        clash = any(
            name.lower() in other.lower() or other.lower() in name.lower() for other in (phrase, *chosen)
        )
        if not clash and len(phrase) + 3 + sum(len(other) + 2 for other in chosen) + len(name) <= FOCUS:
            chosen.append(name)
        if len(chosen) == 5:
            break
    return f"{phrase} ({', '.join(chosen)})" if chosen else phrase


def _things(recent: Sequence[Deeds]) -> Counter[str]:
    """Files, symbols and terms of the last turns, by how much was made of them."""
    counted: Counter[str] = Counter()
    for deeds in recent[-6:]:
        for edit in deeds.edits:
            counted[edit.path.replace("\\", "/").rsplit("/", 1)[-1]] += 2
            counted.update({symbol: 1 for symbol in edit.facts.get("symbols", "").split(",")[:6] if symbol})
        texts = [(say.text[:1500], 1) for say in deeds.says[-2:]]
        if deeds.turn.prompt is not None:
            texts.append((own_words(deeds.turn.prompt.text).text[:800], 3))
        for text, weight in texts:
            text = _URL.sub(" ", text)
            counted.update(dict.fromkeys(_named(text), weight))
            counted.update(dict.fromkeys(_terms(text), weight))
    return Counter(
        {name: count for name, count in counted.items() if count >= (4 if _EITHER_OR.fullmatch(name) else 2)}
    )


def _named(text: str) -> list[str]:
    return [
        name for name in prose.identifiers(text) if 3 <= len(name) <= 40 and not _NOT_A_THING.fullmatch(name)
    ]


def _terms(text: str) -> set[str]:
    """Two-word terms such as "repo root" that the text uses at least twice."""
    pairs = Counter(pair.lower() for pair in _PAIR.findall(text))
    return {pair for pair, count in pairs.items() if count >= 2 and len(prose.words(pair)) == 2}


def _unprompted(done: Sequence[Deeds]) -> Named | None:
    """A session without human words (a slice, a headless run): its last commit or report."""
    for deeds in reversed(done):
        for commit in reversed(deeds.commits):
            if commit.subject:
                return Named(prose.cut(commit.subject, FOCUS), commit.pos, None, "tool", commit.subject)
        if deeds.final is not None and deeds.finished:
            parts = prose.blocks(deeds.final.text)
            text = prose.tidy(parts[0].parts[0].text) if parts else ""
            if text:
                return by("agent", deeds.final, text, FOCUS, deeds.final.text)
    return None


# -- task --------------------------------------------------------------------------------------------------


def _open_step(story: Story, done: Sequence[Deeds]) -> Named | None:
    """The plan's active step, if the plan was touched lately."""
    if not story.plan or story.turns_begun - story.plan_turn >= PLAN_STALE_TURNS:
        return None
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
    if not plans:
        return None
    step = _ABOUT_TO.sub("", plans[-1], count=1)
    step = re.sub(r"^(?:also|now|then|first|just)\s+", "", step, flags=re.IGNORECASE).rstrip(":. ")
    return by("agent", last.final, _capital(step), TASK, plans[-1]) if len(step) > 8 else None


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


def _overlap(text: str, other: str) -> float:
    have = prose.words(text)
    return len(have & prose.words(other)) / len(have) if have else 1.0


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if re.match(r"[a-z]+ ", text) else text
