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
SURER, SURE = 0.1, 3  # what standing as a noun adds to a plain word, each time, and how often it does
LONGEST = 30  # characters of a word; a longer one names no topic
_TOKEN = re.compile(r"(?<!\w)[^\W\d_][\w.-]*[^\W_]|\b[aiI]\b|[.,;:!?()\[\]\n|]")
# What stands before the name of a thing, and what before something that is done.
_BEFORE_NOUN = frozenset(
    """
    the a an this that these those each every any no some its our your my their of for in on with from by per
    via into about between without new current existing old all both
    """.split()  # noqa: SIM905
)
_BEFORE_VERB = frozenset(
    """
    to will can could should would must not don t i we you it they let s lets please now then also
    """.split()  # noqa: SIM905
)
_DOING = re.compile(r".{2,}(?:ed|ing)", re.IGNORECASE)

_NAME = re.compile(r"[._/-]|[a-z][A-Z]|\d|^[A-Z]{2}")
_BEGINS = frozenset(".:;!?\n|([")  # after one of these a capital says nothing
# How something is done, the rest of "couldn't", and what is done to everything: none names a topic.
_NO_NAME = re.compile(
    rf"{prose.SHA.pattern}|.*ly|hmm+|[\w.-]+\.(?:com|org|net|io)|(?:could|did|does|was|is|are|do|won|ca|has|have|should|would)n?"
    r"|(?:commit|push)(?:s|ed|ted|ing|ting)?|(?:verif|creat|complet|updat|continu|wait|finish|start|tak)(?:y|e|ed|ied|es|s|ing)?"
    r"|today|tonight|tomorrow|yesterday|morning|evening|ran|done|passed|indeed|success(?:ful)?|errored|goes|going|true|false|status|summary|notes?|review(?:ed)?|missing|fixed",
    re.IGNORECASE,
)


class Talk:
    """What was heard in the parts of a talk, each of which comes with how much it counts.

    A word, stemmed, counts by the parts that it stands in, and a little by how often (`score`).
    """

    def __init__(self, parts: Iterable[tuple[str, float]]) -> None:
        self.score: dict[str, float] = {}
        self._times: defaultdict[str, int] = defaultdict(int)
        self._parts: defaultdict[str, int] = defaultdict(int)
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._spelled: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._named: set[str] = set()
        self._noun: defaultdict[str, int] = defaultdict(int)  # how much more often a noun than a verb
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
            # It takes the room of two, so both must be worth it.
            found[f"{self._usual(first)} {self._usual(second)}"] = min(score[first], score[second])
            used |= {first, second}
        single = {word: self._telling(word) for word in score if word not in used}
        # Of equals comes first what was heard first.
        best = sorted((word for word in single if single[word] > 0), key=lambda word: -single[word])
        found |= {self._usual(word): single[word] for word in best[:most]}
        return sorted(found, key=lambda word: -found[word])[:most]

    def _telling(self, word: str) -> float:
        """What a word by itself counts as the name of a topic; 0 if it is none."""
        if self._is_name(word):
            return self.score[word]  # wherever it stands
        noun = self._noun[word]
        if self._parts[word] < 2 or noun < 0 or (noun == 0 and _DOING.fullmatch(self._usual(word))):
            return 0.0  # what only one part has may be anything; what is done names nothing
        return self.score[word] * (1 + SURER * min(SURE, noun))

    def _hear(self, text: str, weight: float) -> None:
        wide = prose.may_be_wide(text)
        tokens = _TOKEN.findall(prose.parted(prose.without_homes(text)))
        words = list(map(_content, tokens))
        before = "\n"
        for word, token in zip(words, tokens, strict=True):
            if word:
                spelled = self._spelled[word]
                spelled[token] = spelled.get(token, 0) + 1
                # Among signs of another script each word in Latin letters is a name.
                if (token.isascii() if wide else token[0].isupper() and before not in _BEGINS):
                    self._named.add(word)
                stood_after = before.lower()
                self._noun[word] += (stood_after in _BEFORE_NOUN) - (stood_after in _BEFORE_VERB)
            before = token
        self._pairs.update([pair for pair in pairwise(words) if pair[0] and pair[1] and pair[0] != pair[1]])
        for word, count in Counter(filter(None, words)).items():
            self.score[word] = self.score.get(word, 0.0) + weight
            self._times[word] += min(MOST_TIMES, count)
            self._parts[word] += 1

    def _is_name(self, word: str) -> bool:
        """A capital makes a name, unless it is only that of a beginning."""
        usual = self._usual(word)
        if usual.isupper() and usual.lower() in self._spelled[word]:
            return False  # written large to be heard
        return word in self._named or bool(_NAME.search(usual))

    def _usual(self, word: str) -> str:
        """As it is spelled most often."""
        spelled = self._spelled[word]
        if len(spelled) == 1:
            return next(iter(spelled)).strip(".-")
        return min(spelled, key=lambda token: (-spelled[token], len(token), token)).strip(".-")


@lru_cache(maxsize=16384)
def _content(token: str) -> str:
    """The stem of a word that says something; "" for any other token."""
    if not 2 < len(token) <= LONGEST or token.lower() in prose.STOP or _NO_NAME.fullmatch(token):
        return ""
    stem = prose.stem(token)
    return "" if stem in prose.STOP else stem
