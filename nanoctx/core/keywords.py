"""The words that a stretch of talk is about: those that it keeps coming back to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from math import log1p

from nanoctx.core import prose

MOST_TIMES = 3  # a word said more often in one part says no more
PAIRS = 40
LONGEST = 30  # characters of a word; a longer one names no topic
_TOKEN = re.compile(r"(?<!\w)[^\W\d_][\w.-]*[^\W_]|[.,;:!?()\[\]\n|]")


_NAME = re.compile(r"[._/-]|[a-z][A-Z]|\d|^[A-Z]{2}")
_BEGINS = frozenset(".:;!?\n|([")  # after one of these a capital says nothing
# How something is done, the rest of "couldn't", and what is done to everything: none names a topic.
_NO_NAME = re.compile(
    rf"{prose.SHA.pattern}|.*ly|hmm+|(?:could|did|does|was|is|are|do|won|ca|has|have|should|would)n?"
    r"|(?:commit|push)(?:s|ed|ted|ing|ting)?|(?:verif|creat|complet|updat|continu|wait|finish|start|tak)(?:y|e|ed|ied|es|s|ing)?"
    r"|ran|done|passed|indeed|success(?:ful)?|errored|goes|going|true|false|status|summary|notes?|review(?:ed)?|missing|fixed",
    re.IGNORECASE,
)


class Talk:
    """What was heard in the parts of a talk, each of which comes with how much it counts.

    A word, stemmed, counts by the parts that it stands in, and a little by how often (`score`).
    """

    def __init__(self, parts: Iterable[tuple[str, float]]) -> None:
        self.score: dict[str, float] = {}
        self._times: Counter[str] = Counter()
        self._parts: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._named: set[str] = set()
        for text, weight in parts:
            if text:
                self._hear(text, weight)
        for word, count in self._times.items():
            self.score[word] += log1p(count)

    def keywords(self, most: int = 14) -> list[str]:
        """Words and pairs of words, most telling first."""
        score, times = self.score, self._times
        found: dict[str, float] = {}
        used: set[str] = set()
        often = [pair for pair, together in self._pairs.items() if together > 1]
        often.sort(key=lambda pair: (-(score[pair[0]] + score[pair[1]]), pair))
        for first, second in often[:PAIRS]:
            # Two words that stand together about as often as apart are one term.
            rare = self._pairs[first, second] < 0.5 * min(times[first], times[second])
            if rare or first in used or second in used:
                continue
            found[f"{self._usual(first)} {self._usual(second)}"] = max(score[first], score[second])
            used |= {first, second}
        # A plain word that only one part has may be anything; a name is one wherever it stands.
        single = (word for word in score if word not in used)
        telling = (word for word in single if self._parts[word] > 1 or self._is_name(word))
        best = sorted(telling, key=lambda word: (-score[word], word))
        found |= {self._usual(word): score[word] for word in best[:most]}
        return sorted(found, key=lambda word: (-found[word], word))[:most]

    def _hear(self, text: str, weight: float) -> None:
        wide = prose.may_be_wide(text)
        tokens = _TOKEN.findall(prose.parted(text))
        words = list(map(_content, tokens))
        before = "\n"
        for word, token in zip(words, tokens, strict=True):
            if word:
                self._spelled[word][token] += 1
                # Among signs of another script each word in Latin letters is a name.
                if (token.isascii() if wide else token[0].isupper() and before not in _BEGINS):
                    self._named.add(word)
            before = token
        self._pairs.update(pair for pair in pairwise(words) if pair[0] and pair[1] and pair[0] != pair[1])
        for word, count in Counter(filter(None, words)).items():
            self.score[word] = self.score.get(word, 0.0) + weight
            self._times[word] += min(MOST_TIMES, count)
            self._parts[word] += 1

    def _is_name(self, word: str) -> bool:
        """A capital makes a name, unless it is only that of a beginning."""
        return word in self._named or bool(_NAME.search(self._usual(word)))

    def _usual(self, word: str) -> str:
        """As it is spelled most often."""
        spelled = self._spelled[word]
        return min(spelled, key=lambda token: (-spelled[token], len(token), token)).strip(".-")


@lru_cache(maxsize=16384)
def _content(token: str) -> str:
    """The stem of a word that says something; "" for any other token."""
    if not 2 < len(token) <= LONGEST or token.lower() in prose.STOP or _NO_NAME.fullmatch(token):
        return ""
    stem = prose.stem(token)
    return "" if stem in prose.STOP else stem
