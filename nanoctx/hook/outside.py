"""External when a look did not see what is here: HEAD moved since, or it is another checkout."""

from __future__ import annotations

import os

from nanoctx.hook import news, places, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from nanoctx.hook.places import Head

STALE = ("- No git", "- On ", "- HEAD moved")


def moved(answer: Mapping[str, Any], head: Head, seconds: float) -> list[Any]:
    """HEAD is not where the last look saw it: commits if they are told in time, else the fact."""
    branch, sha, *_ = head
    switch = _switch(answer["branch"], answer["head"], branch, sha) if branch != answer["branch"] else ""
    told = ""
    if answer["head"] and sha and sha != answer["head"]:
        told = news.since(head, answer, bool(switch), seconds)
    old = [one for one in answer["external"] if not one[0].startswith(STALE)]
    if told:
        old = [one for one in old if " commit" not in one[0][:24]]
    elif sha != answer["head"]:
        told = f"HEAD moved {answer['head'][:7] or 'from no commit'} → {sha[:7] or 'to no commit'}"
    return [(_line(told, switch), []), *old]


def elsewhere(answer: dict[str, Any], head: Head, seconds: float) -> list[Any]:
    """A checkout that no look compares: a linked worktree, or a project of a workspace for several.

    It is here, since an agent is. What is known of it is where its own last session left HEAD, or when.
    """
    branch, sha, top, own, _ = head
    before = [one for one in answer["folders"] if places.within(one[0], top)]
    _, was_on, base, since = max(before, key=lambda one: one[3]) if before else ("", "", "", 0.0)
    went_on = not sha.startswith(base) if base else 0 < since < _last_move(own)
    switch = _switch(was_on, base, branch, sha) if was_on not in ("", "HEAD", branch) else ""
    told = ""
    if went_on and sha:
        told = news.since(head, {**answer, "base": base, "since": since}, bool(switch), seconds)
        told = told or (f"HEAD moved {base[:7]} → {sha[:7]}" if base else "")
    where = f"On {news.clean(branch)}" if branch else "On a detached HEAD"
    standing = f"{where} at {sha[:7]}" if sha else f"{where}, no commit yet"
    if since and not went_on:
        standing += "; no new commits since last session"
    news_here: list[Any] = [(_line(told, switch), [])] if told or switch else []
    return [*news_here, (f"- {standing}", [])]


def _line(told: str, switch: str) -> str:
    said = "; ".join(part for part in (told, switch) if part)
    return f"- {said[0].upper()}{said[1:]}"


def _switch(was_on: str, was_at: str, branch: str, sha: str) -> str:
    before, after = (
        news.clean(name) if name else f"detached HEAD at {at[:7]}"
        for name, at in ((was_on, was_at), (branch, sha))
    )
    return f"branch {before} → {after}"


def _last_move(own: str) -> float:
    """When HEAD was last moved in a checkout, by its own log; 0 if that does not say."""
    line = reading.end(os.path.join(own, "logs", "HEAD")).rstrip().rpartition("\n")[2]
    words = line.partition("\t")[0].rpartition("> ")[2].split(" ")
    return float(words[0]) if words[0].isdigit() else 0.0
