"""Naming what a session is about now: the person's words, and what the talk keeps coming back to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from nanoctx.core import cues, prose, topics
from nanoctx.core.deeds import Deeds
from nanoctx.core.keywords import Talk
from nanoctx.core.named import Named, by
from nanoctx.core.own_words import own_words, substantive
from nanoctx.core.phrases import capital, overlap, request, shortened, size, without_asides
from nanoctx.core.turns import Story

FOCUS = 120
PLAIN = 84  # an ask so short is given as it was said, one that cannot be parted is cut there
SAID_ALREADY = 0.6  # share of a commit's subject that the ask has said
PHRASE = 60  # of the Focus: the person's words; the rest names what it is about
ANCHORED = 84  # a short ask and what it points at
SUBJECT = 50  # of a commit's subject
FEW = 5  # words; a prompt with more says by itself what it is about
TALKED = 8  # turns before it in which mere talk may have come back to the same
NEAR = 6  # turns before the topic that may have spoken of the same
SAME = 0.34  # share of its words that they have in common then
THINGS = 8  # words and names beside the phrase
_URL = re.compile(r"(?:https?://|\b[\w-]+\.(?:com|org|net|io|dev)/)\S+")
_NOT_A_THING = re.compile(r"[A-Z]{2,3}|[0-9a-f]{7,40}|.*[\s*]|.*\s.*|--\w+|.*/")
_TICKET = re.compile(r"#\d+")  # what they call the matter where it is kept
_EITHER_OR = re.compile(r"[A-Za-z]+/[A-Za-z]+")  # "read/write" as often as a path: must be said more often
# What is said of any work tells none from another.
_ANY_WORK = prose.words(
    "apply approach branch bug changes commit create error feature idea implement implementation issue option"
    " plan problem recommendations refactor review separate solution step suggestions task way write"
)
_MAIN_BRANCHES = frozenset(("", "main", "master", "HEAD", "develop", "trunk"))


def talk(story: Story, done: Sequence[Deeds]) -> Talk:
    """What is being talked about: words, each with how much."""
    return Talk(_talk(story, done, topics.topic(done) or 0) if done else ())


def focus(story: Story, done: Sequence[Deeds], heard: Talk, said: str = "") -> Named | None:
    """The last topic a person opened, named by their words and by things that are not `said` beside it."""
    opener = topics.topic(done)
    if not done or opener is None:
        return _unprompted(story, done, heard)
    prompt = done[opener].turn.prompt
    assert prompt is not None
    weights = heard.score
    offer = topics.approved(done, opener)
    if offer and _says_little(offer[0]):
        offer = None  # "proceed with removing this file"
    own = own_words(prompt.text)
    if offer:
        phrase = offer[0]
    elif own.pasted and not own.sentences and story.facts.get("title"):
        phrase = story.facts["title"]
    else:
        phrase = without_asides(request(prompt, PHRASE, weights, PLAIN))
    source = offer[1] if offer else prompt
    subjects = _commit_subjects(done, opener)
    subject = subjects[-1] if subjects else ""
    anchored = ""
    named = topics.referred(done, opener) if not offer else ""
    if named:
        anchored = phrase = _joined(shortened(phrase, PHRASE), named)
    elif not subject and (_says_little(phrase) or cues.SUPPOSES.match(phrase)):
        anchored = phrase = _anchored(phrase, done, opener, weights)
    if not phrase.strip():
        return _unprompted(story, done, heard)
    went_on = _went_on(subjects, own.text)
    if subject and not offer and (went_on or re.search(r"[?？]", phrase)):
        phrase = shortened(subject, PLAIN)  # the work answered what was asked, or is at something else since
        said = f"{said} {own.text}" if went_on else said
    elif overlap(subject, phrase) < SAID_ALREADY:
        phrase = f"{shortened(phrase, PHRASE - 10)} — {shortened(subject, SUBJECT)}"
    elif len(phrase) > PLAIN and phrase != anchored:
        phrase = shortened(phrase, PHRASE)
    if state := _state(done, opener):
        phrase = f"{phrase}, {state}" if " — " in phrase else f"{phrase} — {state}"
    phrase = _with_things(phrase, story, heard, done[_began(done, opener, phrase) :], said)
    return Named(capital(phrase), source.pos, source.at, "agent" if offer else "user", source.text)


def _says_little(phrase: str) -> bool:
    """Few words that tell a topic, and not many others around them, or one of them points elsewhere."""
    telling = prose.words(phrase)
    if cues.DEICTIC.search(phrase):
        return len(telling - _ANY_WORK) < 4
    return len(telling) < 3 and size(phrase) <= FEW + 3


def _anchored(phrase: str, done: Sequence[Deeds], opener: int, weights: Mapping[str, float]) -> str:
    """A phrase like "try that" named by what stood before it: what was asked, or else committed."""
    for index in range(opener - 1, max(-1, opener - 6), -1):
        prompt, earlier = done[index].turn.prompt, ""
        opens, near = topics.opens_topic(done, index), index == opener - 1
        # A question that led to no work names nothing, but what comes right after its answer is about that.
        opens &= near or done[index].worked or not topics.only_asks(done, index)
        if prompt is not None and opens:
            earlier = request(prompt, PHRASE, weights)
        subjects = [commit.subject for commit in done[index].commits if commit.subject]
        for name in (earlier, *subjects[-1:]):
            fresh = len(prose.words(name) - prose.words(phrase))
            if fresh >= (2 if near else 3) or size(name) > len(name.split()) + 2:
                return _joined(shortened(phrase, 45), name)
    return phrase


def _joined(phrase: str, name: str) -> str:
    """What was asked and what that points at; the better of the two if they say the same."""
    if max(overlap(phrase, name), overlap(name, phrase)) >= SAID_ALREADY:
        return shortened(max(phrase, name, key=len), ANCHORED)
    return f"{phrase} — {shortened(name, ANCHORED - len(phrase))}"


def _commit_subjects(done: Sequence[Deeds], opener: int) -> list[str]:
    subjects: list[str] = []
    for deeds in done[opener:]:
        if subjects and deeds.turn.prompt is not None and topics.opens(deeds.turn.prompt.text):
            return []  # they went on from what was committed
        subjects += [commit.subject for commit in deeds.commits if commit.subject]
    return [re.sub(r"^\w+(?:\([\w/-]+\))?!?:\s+", "", subject) for subject in subjects]


def _went_on(subjects: Sequence[str], asked: str) -> bool:
    """What was asked for is committed, and later commits are about something else."""
    near = [overlap(subject, asked) for subject in subjects]
    return any(share >= SAID_ALREADY for share in near[:-1]) and not near[-1]


def _state(done: Sequence[Deeds], opener: int) -> str:
    """Where the work went when a commit was its end: whoever reads on must not do it again."""
    made = [commit for deeds in done[opener:] for commit in deeds.commits]
    if not made or not done[-1].finished:
        return ""
    last = made[-1]
    if any(edit.pos > last.pos for deeds in done[opener:] for edit in deeds.edits):
        return ""
    name = f"PR #{last.pull}" if last.pull else last.sha[:7]
    verb = "opened" if last.pull else "pushed" if last.pushed else "committed"
    return f"{verb} {name}".strip()


def _began(done: Sequence[Deeds], opener: int, phrase: str) -> int:
    """Where a topic begins: in the turn before only if that spoke of the same, lest an old topic leaks in."""
    before = done[opener - 1] if opener else None
    if before is None or before.turn.prompt is None:
        return opener
    said = f"{before.turn.prompt.text[:800]} {before.final.text[:1500] if before.final else ''}"
    return opener - 1 if _answers(done, opener) or overlap(phrase, said) >= 0.3 else opener


def _answers(done: Sequence[Deeds], opener: int) -> bool:
    """It speaks of what was said before: a guess; if nobody answered yet, what is short or takes it up."""
    own = _own(done[opener])
    if cues.SUPPOSES.match(own):
        return True
    told = any(deeds.final is not None for deeds in done[opener:])
    if not told and len(prose.words(own)) < FEW:
        return True
    answered = any(deeds.worked or (deeds.finished and deeds.final is not None) for deeds in done[opener:])
    before = done[opener - 1].final if opener else None
    taken_up = len(prose.words(own) & prose.words(before.text)) if before is not None else 0
    return not answered and taken_up >= max(2, SAME * len(prose.words(own)))


# -- what the talk keeps coming back to --------------------------------------------------------------------


def _talk(story: Story, done: Sequence[Deeds], opener: int) -> Iterator[tuple[str, float]]:
    """The parts of a session, each with how often its words turn out to name the topic (measured).

    What was said before the topic was opened counts only if it spoke of the same: an old topic must not leak.
    """
    finals = [deeds.final for deeds in done[opener:] if deeds.final is not None][-3:]
    if finals:
        yield finals[-1].text[:300], 1.4
        yield finals[-1].text[300:2500], 0.8
    for say in done[-1].says[:-1][-12:]:
        yield say.text[:600], 0.08
    for final in finals[:-1]:
        yield final.text[:600], 0.15
    asked = [own for own in map(_own, done[opener:]) if substantive(own)]
    yield from zip(reversed(asked[-3:]), (0.9, 0.75, 0.5), strict=False)
    yield _own(done[opener]), 1.1
    prompt, says = done[opener].turn.prompt, done[opener].says
    if prompt is not None:
        yield prompt.text[:1500], 0.2  # what was pasted, too: an error names what it is about
    if len(says) > 1:
        yield says[0].text[:300], 0.3  # an agent begins by saying what it understood
    for commit in [commit for deeds in done[max(opener, len(done) - 2) :] for commit in deeds.commits][-3:]:
        yield commit.subject, 0.6
    said = prose.words(" ".join([*asked, *(final.text[:1500] for final in finals)]))
    if story.plan_turn > opener + story.turns_begun - len(done):
        # A plan may hold steps of an older topic: done ones count only if they speak of this one.
        steps = (step for step in story.plan if step.status != "completed" or prose.words(step.text) & said)
        yield " ".join(step.text for step in steps), 0.6
    if story.facts.get("branch") not in _MAIN_BRANCHES:
        yield story.facts.get("branch", "").replace("/", " "), 0.85
    yield " ".join(_base(edit.path) for deeds in done[opener:] for edit in deeds.edits[-6:]), 0.5
    files = {_base(edit.path) for deeds in done[opener:] for edit in deeds.edits}
    for index in range(max(0, opener - NEAR), opener):
        deeds = done[index]
        if (index == opener - 1 and _answers(done, opener)) or _speaks_of(deeds, said, files):
            yield _own(deeds), 0.7
            if deeds.final is not None:
                yield deeds.final.text[:600], 0.3 if finals else 1.0
    if not any(deeds.worked for deeds in done[opener:]):
        # Mere talk: what it speaks of counts for more where it was spoken of before; nothing else comes in.
        for deeds in done[max(0, opener - TALKED) : opener]:
            yield " ".join(word for word in _own(deeds).split() if prose.words(word) & said), 0.2
    if overlap(story.facts.get("title", ""), " ".join(asked)) >= SAME:
        yield story.facts.get("title", ""), 0.5


def _own(deeds: Deeds) -> str:
    if deeds.turn.prompt is None:
        return ""
    own = own_words(deeds.turn.prompt.text)
    return without_asides(own.text[:800]) or own.heading


def _speaks_of(deeds: Deeds, about: frozenset[str], files: set[str]) -> bool:
    """Whether an earlier turn was about the same: by its words, or by the files it touched."""
    said = prose.words(_own(deeds))
    shared = len(said & about)
    return shared >= max(2, SAME * len(said)) or any(_base(edit.path) in files for edit in deeds.edits)


def _base(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _with_things(phrase: str, story: Story, heard: Talk, recent: Sequence[Deeds], said: str = "") -> str:
    """The phrase with words and names from the talk that it does not say yet, while there is room."""
    branch = story.facts.get("branch", "")
    counted = _things(recent)
    names = sorted(
        counted, key=lambda name: (not _TICKET.fullmatch(name), -counted[name] / (len(name) + 8), name)
    )[:30]
    if branch not in _MAIN_BRANCHES and len(branch) <= 40:
        names.insert(1, branch)
    project = story.cwd.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    chosen = [project] if 2 < len(project) <= 24 and not prose.words(project) & prose.words(phrase) else []
    known = set(prose.words(" ".join([phrase, *chosen, said])))
    room = FOCUS - len(phrase) - 3
    for name in _alternating(heard.keywords(), names):
        fresh = name if not prose.words(name) & known else _fresh_part(name, known)
        if not fresh or sum(len(other) + 2 for other in chosen) + len(fresh) > room:
            continue
        chosen.append(fresh)
        known |= prose.words(fresh)
        if len(chosen) == THINGS:
            break
    return f"{phrase} ({', '.join(chosen)})" if chosen else phrase


def _alternating(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """Two words for each name: words say what it is about, names where."""
    order: list[str] = []
    for at in range(max(len(words), len(names))):
        order += [*words[2 * at : 2 * at + 2], *names[at : at + 1]]
    return order


def _fresh_part(name: str, known: set[str]) -> str:
    """Of a pair of words, the one that has not been said."""
    parts = [part for part in name.split(" ") if " " in name and not prose.words(part) & known]
    return parts[0] if len(parts) == 1 else ""


def _things(recent: Sequence[Deeds]) -> Counter[str]:
    """Files and symbols of the last turns, by how much was made of them."""
    counted: Counter[str] = Counter()
    for deeds in recent[-6:]:
        for edit in deeds.edits:
            counted[_base(edit.path)] += 2
            counted.update({symbol: 1 for symbol in edit.facts.get("symbols", "").split(",")[:6] if symbol})
        texts = [(say.text[:1500], 1) for say in deeds.says[-2:]]
        if deeds.turn.prompt is not None:
            texts.append((own_words(deeds.turn.prompt.text).text[:800], 3))
        for text, weight in texts:
            parted = prose.parted(prose.without_homes(_URL.sub(" ", text)))
            counted.update(dict.fromkeys(_named(parted), weight))
    return Counter(
        {name: count for name, count in counted.items() if count >= (4 if _EITHER_OR.fullmatch(name) else 2)}
    )


def _named(text: str) -> list[str]:
    return [
        name for name in prose.identifiers(text) if 3 <= len(name) <= 40 and not _NOT_A_THING.fullmatch(name)
    ]


# -- nobody asked ------------------------------------------------------------------------------------------


def _unprompted(story: Story, done: Sequence[Deeds], heard: Talk) -> Named | None:
    """A session without human words (a slice, a headless run): its job, else its last commit or report."""
    found = None
    if done and story.facts.get("title_by") == "schedule":
        job = story.facts["title"]
        found = Named(prose.cut(prose.tidy(job), PLAIN), int(story.facts["title_pos"]), None, "tool", job)
    for deeds in reversed(done if found is None else ()):
        commit = next((one for one in reversed(deeds.commits) if one.subject), None)
        if commit is not None:
            found = Named(prose.cut(commit.subject, PHRASE), commit.pos, None, "tool", commit.subject)
        elif deeds.final is not None:
            found = by("agent", deeds.final, _headline(deeds.final.text), PHRASE, deeds.final.text)
        if found is not None and found.text:
            break
    if found is None or not found.text:
        return None
    text = _with_things(found.text, story, heard, done[-2:])
    return Named(capital(text), found.pos, found.at, found.who, found.quote)


def _headline(report: str) -> str:
    title = re.match(r"\s*#{1,3}\s+(.+)", report)
    if title:
        return prose.plain(title[1])
    for block in prose.blocks(report):
        if block.heading and not cues.DULL_HEADING.match(block.heading):
            return block.heading
        for part in block.parts:
            if prose.has_words(part.text, 3):
                return prose.tidy(part.text)
    return ""
