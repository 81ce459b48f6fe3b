"""What later events say about earlier ones: commits taken back, checks that failed, words put right."""

from __future__ import annotations

from collections.abc import Sequence

from nanoctx.core import cues, shell
from nanoctx.core.deeds import Deeds, Run


def undone(story: Sequence[Deeds], index: int, commit: shell.Commit) -> Run | None:
    """The command that took this commit back."""
    made = [
        one.pos for deeds in story[index:] for one in deeds.commits if one.subject and one.pos > commit.pos
    ]
    for run in (run for deeds in story[index:] for run in deeds.runs if run.pos > commit.pos and run.ok):
        if shell.takes_back(run.command, commit.sha, sum(pos < run.pos for pos in made)):
            return run
    return None


def cured(story: Sequence[Deeds], index: int, failure: Run) -> bool:
    """The same command passed later; or, for a build, another check, which needs what is built."""
    built = shell.is_build(failure.command)
    later = (run for deeds in story[index:] for run in deeds.runs if run.pos > failure.pos and run.ok)
    return any(run.family == failure.family or (built and shell.is_check(run.command)) for run in later)


def failed_since(story: Sequence[Deeds], index: int) -> bool:
    """A check that had passed failed in a later turn, with nothing edited in between."""
    passed = {run.family for run in story[index].runs if run.ok and shell.is_check(run.command)}
    for deeds in story[index + 1 :]:
        edited = deeds.edits[0].pos if deeds.edits else None
        before = (run for run in deeds.runs if edited is None or run.pos < edited)
        if any(not run.ok and run.family in passed for run in before):
            return True
        if edited is not None:
            return False
    return False


def corrected(story: Sequence[Deeds]) -> set[int]:
    """Turns after which the person put something right: what was said there counts for less."""
    return {index for index, reply in _replies(story) if cues.CORRECTION.search(reply[:120])}


def misread(story: Sequence[Deeds]) -> set[int]:
    """Turns in which nothing was done but answering what the person had not asked."""
    missed = {index for index, reply in _replies(story) if cues.MISREAD.search(reply[:120])}
    return {index for index in missed if not story[index].worked}


def refuted(story: Sequence[Deeds]) -> set[int]:
    """Turns whose work was called wrong by the person, or thrown away."""
    wrong = {index for index, reply in _replies(story) if cues.REFUTATION.search(reply[:120])}
    return wrong | {
        index for index, deeds in enumerate(story) if deeds.commits and _thrown_away(story, index)
    }


def lost_commits(story: Sequence[Deeds]) -> set[str]:
    """What the commits that were taken back are called."""
    commits = ((index, commit) for index, deeds in enumerate(story) for commit in deeds.commits if commit.sha)
    return {commit.sha[:7] for index, commit in commits if undone(story, index, commit)}


def _replies(story: Sequence[Deeds]) -> list[tuple[int, str]]:
    """Each turn with the short words that the person answered it with."""
    prompts = ((index, deeds.turn.prompt) for index, deeds in enumerate(story[1:]))
    return [
        (index, prompt.text) for index, prompt in prompts if prompt is not None and len(prompt.text) < 400
    ]


def _thrown_away(story: Sequence[Deeds], index: int) -> bool:
    runs = [undone(story, index, commit) for commit in story[index].commits]
    return all(run is not None and ("--hard" in run.command or "revert" in run.command) for run in runs)
