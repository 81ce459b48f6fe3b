"""How much a fact matters here and now: scope, how often it was seen, how recently, and the task at hand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from nanoctx.core import facts
from nanoctx.core.facts import Fact

SCOPE, FREQUENCY, RECENCY, TASK = 0.4, 0.3, 0.2, 0.1
NEVER_BELOW = 0.7  # a person's rules and corrections, and what they marked
_SCOPES = {facts.UNIVERSAL: 0.4, facts.LANGUAGE: 0.7, facts.PROJECT: 1.0}
_AGES = ((7, 1.0), (30, 0.8), (90, 0.6), (180, 0.4))
_OLD, _UNKNOWN = 0.2, 0.5
OFTEN = 10
_TASKS = {
    "debugging": r"bug|error|fail\w*|crash\w*|debug\w*|trace\w*|log\w*|exception|broken|hang\w*|race|flak\w*",
    "documentation": r"docs?|document\w*|readme|changelog|comment\w*|markdown|docstring\w*|wording",
    "architecture": r"architect\w*|design\w*|module\w*|layer\w*|schema|interface\w*|depend\w*|migrat\w*",
    "coding": r"code|implement\w*|function\w*|class\w*|test\w*|refactor\w*|type\w*|lint\w*|format\w*|api",
}
_TASK_WORDS = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _TASKS.items()}
TASKS = tuple(_TASKS)


def score(fact: Fact, *, now: datetime, task: str = "") -> float:
    """Between 0 and 1; `task` is one of TASKS, "" when it is not known."""
    return value(fact.scope, fact.seen, fact.last, _is_theirs(fact), now, _fit(fact, task))


def value(
    scope: str, seen: int, last: datetime | None, theirs: bool, now: datetime, fit: float = _UNKNOWN
) -> float:
    """The same of what a fact would be; `theirs` is a person's rule, or what they marked."""
    found = (
        SCOPE * _SCOPES[scope]
        + FREQUENCY * min(seen / OFTEN, 1.0)
        + RECENCY * _recency(last, now)
        + TASK * fit
    )
    return max(found, NEVER_BELOW) if theirs else found


def applies(fact: Fact, *, project: str = "", languages: Iterable[str] = ()) -> bool:
    """Whether a fact is one of this project and its languages, or of all."""
    if fact.scope == facts.PROJECT and fact.project and project and fact.project != project:
        return False
    spoken = set(languages)
    return not (fact.scope == facts.LANGUAGE and spoken and fact.language not in spoken)


def task_of(text: str) -> str:
    """The kind of task that words speak of most; "" for none."""
    counts = {name: len(words.findall(text)) for name, words in _TASK_WORDS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


def _is_theirs(fact: Fact) -> bool:
    said = fact.by in ("user", "person") and fact.section == facts.RULES
    return said or bool(fact.mark) or fact.accepted or fact.by == "person"


def _recency(last: datetime | None, now: datetime) -> float:
    if last is None:
        return _UNKNOWN
    days = (now.astimezone(UTC).date() - last.astimezone(UTC).date()).days
    return next((value for limit, value in _AGES if days < limit), _OLD)


def _fit(fact: Fact, task: str) -> float:
    if not task:
        return _UNKNOWN
    return 1.0 if _TASK_WORDS[task].search(fact.text) else 0.0
