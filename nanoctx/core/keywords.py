"""The words that a stretch of talk is about: those that it keeps coming back to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import log1p

from nanoctx.core import prose

MOST_TIMES = 3  # a word said more often in one part says no more
PAIRS = 40
_TOKEN = re.compile(r"[^\W\d_][\w.-]*[^\W_]|[.,;:!?()\[\]\n|]")


def keywords(parts: Iterable[tuple[str, float]], most: int = 14) -> list[str]:
    """Words and pairs of words, most telling first. Each part of the talk comes with how much it counts."""
    score, times, pairs, spelled = _heard(parts)
    found: dict[str, float] = {}
    used: set[str] = set()
    ranked = sorted(pairs, key=lambda pair: (-(score[pair[0]] + score[pair[1]]), pair))
    for first, second in ranked[:PAIRS]:
        # Two words that stand together about as often as apart are one term.
        together = pairs[first, second]
        if together < 2 or together < 0.5 * min(times[first], times[second]) or {first, second} & used:
            continue
        found[f"{_usual(spelled, first)} {_usual(spelled, second)}"] = max(score[first], score[second])
        used |= {first, second}
    found |= {_usual(spelled, word): value for word, value in score.items() if word not in used}
    return sorted(found, key=lambda word: (-found[word], word))[:most]


def weighed(parts: Iterable[tuple[str, float]]) -> dict[str, float]:
    """How much each word, stemmed, is what the talk is about."""
    return _heard(parts)[0]


def _heard(
    parts: Iterable[tuple[str, float]],
) -> tuple[dict[str, float], Counter[str], Counter[tuple[str, str]], dict[str, Counter[str]]]:
    """A word counts by the parts that it stands in, and a little by how often."""
    score: dict[str, float] = {}
    times: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    spelled: dict[str, Counter[str]] = {}
    for text, weight in parts:
        words, joined = _counted(text, spelled)
        for word, count in words.items():
            score[word] = score.get(word, 0.0) + weight
            times[word] += min(MOST_TIMES, count)
        pairs.update(joined)
    for word, count in times.items():
        score[word] += log1p(count)
    return score, times, pairs, spelled


def _counted(text: str, spelled: dict[str, Counter[str]]) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    words: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    before = ""
    for token in _TOKEN.findall(text):
        stem = prose.stem(token) if len(token) > 2 else ""
        if not stem or stem in prose.STOP or token.lower() in prose.STOP or len(token) > 30:
            before = ""
            continue
        words[stem] += 1
        spelled.setdefault(stem, Counter())[token.strip(".-")] += 1
        if before and before != stem:
            pairs[before, stem] += 1
        before = stem
    return words, pairs


def _usual(spelled: dict[str, Counter[str]], stem: str) -> str:
    return min(spelled[stem], key=lambda word: (-spelled[stem][word], len(word), word))
