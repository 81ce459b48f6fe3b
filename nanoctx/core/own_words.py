"""A prompt's own words: what the person typed, apart from what they pasted."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import lru_cache

from nanoctx.core import cues, prose

FEW_WORDS, FEW_SIGNS = 5, 6  # that may follow a yes without saying more
LONG = 900  # a longer prompt is mostly pasted: only its edges are taken as the person's own
_OUTPUT_MARK = re.compile(
    r"^(?:hint|error|warning|note|traceback|info|debug|fatal|warn|at )\b\s*[:\[]", re.IGNORECASE
)
_PRINTED = re.compile(
    r"\[[^\]]+\]$|[$>%] |\S+@\S+[:~]|\d{4}-\d\d-\d\d[T ]\d\d:|diff --git|@@ |\+\+\+ |--- "
)
_DRAWN = re.compile(r"[│╭╰├┌└┃║▐█⏺⎿●✻]|\[\+\d+")
_SHELL_PROMPT = re.compile(r"(?:[➜❯λ»]|[$%] |\S+@\S+[:~ ]|\(\w+\) [$%❯]|PS [A-Z]:\\)")
_MENTION = re.compile(r"@(?<!\w@)(?=[\w./-]+)")
_REVIEW = re.compile(r"^\s*(?:#{1,4} |\*\*[^*]+\*\*\s*$|\d+\.\s+\*\*|```|\| )", re.MULTILINE)
# A reviewer's comment names a file and its lines; people who type say "there".
_POINTS_AT_LINES = re.compile(
    r"[\w/-]+\.\w{1,5}\b[^\n]{0,40}\blines? \d+ ?(?:to|-|–|and) ?\d+", re.IGNORECASE
)
_NUMBER_OF_LINE = re.compile(r"lines? \d")
# Many words of code are plain English, too: "let's return early", "public is fine".
_CODE = re.compile(
    r"if \(|for \(|<\w+|import [\w.]+(?: as \w+)?$"
    r"|(?:const|let|var|def|func|class|import|return|public|private)\s(?:.*[=(){}<>;\[\]]|.*:$)|[\w.]+\(.*\)$"
)
_CODE_ENDS = (";", "{", "}", "=>")
_RUN_ON = re.compile(r"(?<=[a-z]{2})\.{2,4}([a-z])(?=[a-z])")  # "that was it..now the next"
_SMALL_BEGINNING = re.compile(r"(?<=[a-z]{3}[.!?]) +(?=[a-z])(?<!etc. )(?<!approx. )")  # typed in haste
_MARKS = re.compile(r"[^\w ]|[\d_]")
_LETTERS = str.maketrans("", "", string.ascii_letters + " ")  # all that is no mark in ASCII
# A screen pasted behind a person's words: a gap that nobody types, or a line that was drawn.
_SCREEN = re.compile(
    r"(?<=\S)(?: {6,}|\t{2,}| *[│┃║▐█╭╰├└┌]| \w[\w.-]*@[\w.-]+[ :][^%$#]{0,60}[%$#](?: |$)).*"
)
_PATH = re.compile(r"\s*(?:~|\.{0,2}|[A-Za-z]:)?[\\/]\S+\s*$")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences a person typed; `pasted` when most of the prompt is not theirs."""

    sentences: tuple[str, ...]
    pasted: bool
    heading: str = ""  # title of the pasted document, a name for the topic

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@lru_cache(maxsize=512)
def own_words(prompt: str) -> Words:
    text = prose.spoken(prompt)
    if ".." in text:
        text = _RUN_ON.sub(lambda found: f". {found[1].upper()}", text)
    plan = cues.PLAN_TEMPLATE.match(text)
    title = re.search(r"^#{1,3}\s+(.+)$", text, re.MULTILINE)
    heading = prose.plain(title[1]) if title else ""
    if plan:
        return Words((), True, re.sub(r"^Plan:\s*", "", heading, flags=re.IGNORECASE))
    typed = [_without_screen(line) for line in _MENTION.sub("", text).split("\n")]
    lines = _unwrapped([line for line in typed if not _is_output(line)])
    terminal = bool(_SHELL_PROMPT.match(text.lstrip())) or _is_output(text.lstrip().partition("\n")[0])
    pasted = terminal or len(text) > LONG or len(_REVIEW.findall(text)) >= 3 or _points_at_lines(text)
    if pasted:
        lines = [line for line in _edges(lines, terminal) if not _points_at_lines(line)]
    found: list[str] = []
    for line in lines:
        found += [line] if _BULLET.match(line) else _sentences(line)
    tidied = (prose.tidy(sentence) for sentence in found)
    return Words(tuple(sentence for sentence in tidied if sentence), pasted, heading)


def asks(sentence: str) -> bool:
    return sentence.rstrip(" *_`)\"'。.").endswith(("?", "？", "吗", "呢", "ですか", "ますか", "까"))


def approves(prompt: str) -> bool:
    """It says yes and adds nothing: "yes, please do", "okay go forth"."""
    text = prompt.strip()
    if cues.APPROVAL.match(text):
        return True
    assent = cues.ASSENT.match(text)
    rest = text[assent.end() :].strip() if assent else text
    if not assent or asks(rest) or len(rest.split()) > FEW_WORDS:
        return False
    return not prose.has_words(rest, 2) if rest.isascii() else len(rest) <= FEW_SIGNS


def substantive(prompt: str) -> bool:
    """It says something by itself: not "yes", "continue", "2"."""
    text = prompt.strip()
    if approves(text):
        return False
    return prose.has_words(text[:600], 2) or (not text.isascii() and len(text) >= 8)


def is_rule(sentence: str) -> bool:
    """A standing wish, not an order for this one task, a question or a report."""
    if asks(sentence) or cues.ONE_OFF.search(sentence):
        return False
    at_its_head = cues.STANDING.search(cues.without_filler(sentence)[:24])
    if not at_its_head and not cues.FOR_EVER.search(sentence):
        return False
    if cues.FIRST_PERSON_REPORT.match(sentence) and not cues.OWN_HABIT.match(sentence):
        return False
    return 3 <= len(sentence.split()) <= 32


def only_rules(prompt: str) -> bool:
    """Nothing but standing wishes: they hold for any work and are no work themselves."""
    own = own_words(prompt)
    return not own.pasted and bool(own.sentences) and all(map(is_rule, own.sentences))


def _sentences(line: str) -> list[str]:
    return [part for sentence in prose.sentences(line) for part in _SMALL_BEGINNING.split(sentence)]


def _points_at_lines(text: str) -> bool:
    return bool(_NUMBER_OF_LINE.search(text.lower()) and _POINTS_AT_LINES.search(text))


def _without_screen(line: str) -> str:
    may_hold_one = not line.isascii() or "@" in line or "      " in line or "\t\t" in line
    return _SCREEN.sub("", line) if may_hold_one else line


def _is_output(line: str) -> bool:
    text = line.strip()
    if not text:
        return True
    marks = text.translate(_LETTERS) if text.isascii() else _MARKS.findall(text)
    letters = len(text) - len(marks)
    indented = line.startswith(("   ", "\t")) and not _BULLET.match(line)
    return bool(
        indented
        or letters < 0.62 * len(text)
        or _OUTPUT_MARK.match(text)
        or _PRINTED.match(text)
        or ((not text.isascii() or "[+" in text) and _DRAWN.search(text))
        or text.endswith(_CODE_ENDS)
        or _CODE.match(text)
        or _PATH.match(text)
    )


def _unwrapped(lines: list[str]) -> list[str]:
    """A sentence that an editor broke over lines is one line again."""
    joined: list[str] = []
    for line in lines:
        before = joined[-1] if joined else ""
        if len(before) > 55 and re.match(r"[a-z(]", line) and not re.search(r"[.!?:]$", before):
            joined[-1] = f"{before} {line.strip()}"
        else:
            joined.append(line)
    return joined


def _edges(lines: list[str], terminal: bool) -> list[str]:
    """First and last lines of a long prompt: the person speaks before and after what they pasted.

    What begins with the prompt of a shell begins with what was pasted.
    """
    head = [] if terminal else lines[:1]
    first = [line for line in head if len(line) < 400 and not re.match(r"\s*(?:#|\*\*)", line)]
    last = (
        [line for line in lines[-1:] if len(line) < 300 and not re.match(r"\s*[-*#|>\d+]", line)]
        if len(lines) > 1
        else []
    )
    asked = [
        line
        for line in last
        if asks(line)
        or (
            cues.IMPERATIVE.search(line)
            and len(line) < 160
            and re.match(r"\s*(?:please|can|could|let|fix|address|make|i |we )", line, re.IGNORECASE)
        )
    ]
    return first + asked
