"""A session's story into its observation: what it was about, what came of it, and the words that show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from nanoctx.core import blockers, candidates, continuity, prose, ranking, timeline
from nanoctx.core.candidate import Candidate
from nanoctx.core.deeds import Deeds, deeds
from nanoctx.core.escape import inert, one_line
from nanoctx.core.focus import focus, talk
from nanoctx.core.named import Named
from nanoctx.core.task import task
from nanoctx.core.turns import Story
from nanoctx.model import Evidence, Item, Observation

ITEM = 240
QUOTE = 160
FILES = 20
FEW_FILES = 14
COMMITS = 20
_FAR_AWAY = 2e11  # the year 8307


def distill(
    story: Story, *, id: str, agent: str, now: datetime, idle_minutes: float, zone: tzinfo = UTC
) -> Observation:
    """Everything but project, head and log, which the observer knows."""
    done = deeds(story.turns)
    heard = talk(story, done)
    topic = focus(story, done, heard)
    step = task(story, done, topic.text if topic else "")
    if step is not None:
        topic = focus(story, done, heard, step.text)
    block = blockers.blocked(done)
    kept = ranking.keep(candidates.candidates(done, story.cwd), len(done), heard.score)
    items = [_named("focus", topic, zone), _named("task", step, zone), _named("block", block, zone)]
    items += [_item(one, zone) for one in kept]
    whole = [_since(item, done) for item in items if item is not None and item.text]
    evidence = _evidence(kept, [named for named in (topic, step, block) if named is not None])
    files, edited = _files(story)
    ended_by = story.ended_by or ("idle" if _idle(story, now, idle_minutes) else "")
    return Observation(
        id=id,
        agent=agent,
        session=story.session,
        cwd=one_line(story.facts.get("cwd", "") or story.cwd),
        branch=one_line(story.facts.get("branch", "")),
        started=_time(story.started),
        last=_time(story.last),
        ended=_time(story.last) if ended_by else None,
        ended_by=ended_by,
        prompts=story.prompts,
        pattern=timeline.pattern(
            story.active / 60, story.prompts, story.edits, story.reads, story.commands, story.failures
        ),
        context_used=round(min(1.0, story.used / story.window), 2) if story.used and story.window else None,
        summary=_summary(done, topic, kept),
        files=files,
        commits=tuple(dict.fromkeys(commit.sha for one in done for commit in one.commits if commit.sha))[
            -COMMITS:
        ],
        title=inert(prose.cut(topic.text, 100)) if topic else "Session without a human prompt",
        items=tuple(whole),
        evidence=tuple(evidence),
        more=_marks(story, edited),
    )


def _marks(story: Story, edited: int) -> dict[str, object]:
    """How many files were edited; of some sessions, that a program ran them or `/clear` began them."""
    marks: dict[str, object] = {"edited": edited}
    if story.facts.get("headless"):
        marks["headless"] = True
    return marks | ({"began": story.facts["began"]} if "began" in story.facts else {})


def _named(kind: str, named: Named | None, zone: tzinfo) -> Item | None:
    if named is None:
        return None
    return Item(
        kind,
        _worded(named.text, named.at, zone),
        named.pos,
        by="user" if named.who == "user" else "agent" if named.who == "agent" else "tool",
    )


def _since(item: Item, done: Sequence[Deeds]) -> Item:
    """A focus with the time its topic was opened: until then reaches what a person wrote about it by hand."""
    opener = continuity.beginning(done, item.pos) if item.kind == "focus" and item.pos is not None else None
    at = _time(opener.at) if opener is not None else None
    return replace(item, more={"since": f"{at:%Y-%m-%dT%H:%M:%SZ}"}) if at else item


def _item(one: Candidate, zone: tzinfo) -> Item:
    more = {"scope": one.scope} if one.scope else {}
    if one.sort in ranking.NOT_FOR_THE_PAGE:
        more["page"] = "no"
    return Item(
        one.kind,
        _worded(one.text, one.at, zone),
        one.pos,
        one.grade if one.kind not in ("rule", "next") else "",
        one.by,
        more,
    )


def _worded(text: str, said: float | None, zone: tzinfo) -> str:
    """The words of an item: one harmless line, with "tomorrow" as the day it meant."""
    line = one_line(text)
    at = _time(said)
    return inert(prose.cut(timeline.absolute_dates(line, at, zone) if at else line, ITEM))


def _evidence(kept: Sequence[Candidate], named: Sequence[Named]) -> list[Evidence]:
    """The words of each item; several items may rest on one message, each on other words of it."""
    sources: list[Named | Candidate] = [*named, *kept]
    found = dict.fromkeys(
        Evidence(source.pos, _time(source.at), source.who, _quoted(source.quote)) for source in sources
    )
    return sorted(found, key=lambda one: one.pos)


def _quoted(said: str) -> str:
    """The beginning of what was said, in one line; a long message is not tidied to its end for that."""
    beginning = one_line(said[: 4 * QUOTE])
    return (beginning if len(beginning) > QUOTE else one_line(said))[:QUOTE]


def _summary(done: Sequence[Deeds], topic: Named | None, kept: Sequence[Candidate]) -> str:
    """One or two sentences: the best outcome, else the topic."""
    outcome = next(
        (
            one.text
            for one in kept
            if one.kind in ("impl", "fix")
            and not one.sort.startswith("open-edits")
            and one.grade != "refuted"
        ),
        "",
    )
    parts = [prose.cut(outcome, 160)] if outcome else [prose.cut(topic.text, 120)] if topic else []
    if outcome and done and not done[-1].finished and topic:
        parts.append(f"Open: {prose.cut(topic.text, 90)}")
    return inert(". ".join(part.rstrip(". ") for part in parts) + "." if parts else "")


def _files(story: Story) -> tuple[tuple[str, ...], int]:
    """Files by their path below the project, edited ones first, and how many these are; last touched first.

    Few edits are filled up with what was read: it tells where the session was at work.
    """
    edited = _below(story.cwd, story.files)[:FILES]
    read = [path for path in _below(story.cwd, story.looked) if path not in edited]
    return (*edited, *read[: max(0, FEW_FILES - len(edited))]), len(edited)


def _below(root: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Paths as git writes them: below the project, with `/` whatever the machine of the log used."""
    folder = _slashed(root).rstrip("/") + "/"
    names = (_slashed(path) for path in paths)
    below = (name[len(folder) :] if len(folder) > 1 and name.startswith(folder) else name for name in names)
    return tuple(one_line(name) for name in dict.fromkeys(below))


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if "/" not in path else path


def _idle(story: Story, now: datetime, idle_minutes: float) -> bool:
    return story.last is not None and now.timestamp() - story.last > idle_minutes * 60


def _time(seconds: float | None) -> datetime | None:
    """A moment; None for one that a broken clock made up, which no zone could show."""
    if seconds is None or not 0 < seconds < _FAR_AWAY:
        return None
    return datetime.fromtimestamp(int(seconds), UTC)
