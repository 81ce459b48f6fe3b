"""Prose as people and agents write it: Markdown into headings, bullets and sentences, made short."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import chain
from operator import itemgetter

import msgspec

STOP = frozenset(
    """
    a about above actually add added after again all already also am an and any anything are around as at
    back be because been before being below best better between both but by can change changed changes check
    code could current currently did do does doing done down each else even every everything exactly few
    file files find first fix for found from full get getting give go going good got great had has have he
    help her here his how i if in instead into is it its just keep kind know last less let lets like line
    lines ll look looking made main make makes making many maybe me mean might more most much must my need
    needed needs never new next no not nothing now of off ok okay old on once one only or other our out over
    own part per please point possible probably put really re right run running s same say see seems set
    should show since so some something still such sure t take test tests than that thats the their them
    then there these they thing things think this those though through to too try two under until up update
    updated us use used using ve very via want wants was way we well were what when where whether which
    while who why will with within without won work working works would yes yet you your
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"[^\W\d_][\w./-]*|\d[\w.]*", re.UNICODE)
_CAMEL = re.compile(r"[a-z0-9][A-Z]")
_MARKED_OR_CAMEL = re.compile(rf"\w[_/]\w|\w\.[a-z]{{1,5}}\b|#\d|^\W?--\w|^\(?[A-Z]{{2,}}\b|{_CAMEL.pattern}")
_ENDS = ".,;:!?)"
_SUFFIXES = {"s": ("ings", "es", "s"), "g": ("ing",), "d": ("ed",), "y": ("edly",)}  # by their last letter
_SEPARATORS = re.compile(r"[./_-]+")

IDENTIFIER = re.compile(
    r"`[^`\n]{2,60}`"
    r"|\b(?:[\w-]++(?:(?:/[\w.-]+)+"
    r"|\.(?:astro|c|cc|cpp|cs|css|ex|go|gradle|h|hpp|html|java|js|json|jsx|kt|lock|lua|md|mjs"
    r"|php|properties|proto"
    r"|py|rb|rs|scala|sh|sql|svelte|swift|tf|toml|ts|tsx|txt|vue|xml|ya?ml|zig)\b)"
    r"|[a-z]++[A-Z]\w+|[A-Z][a-z0-9]++[A-Z]\w+|[A-Za-z][^\W_]*+_\w+|[A-Z]{2,}[0-9_]*\b)|#\d+|--[a-z][\w-]+"
)
SHA = re.compile(r"^[0-9a-f]{7,40}$")
_FULL_SHA = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{32}\b")
_LONG_HEX = re.compile("[0-9a-f]{40}")  # found, or not, in half the time
_first = itemgetter(1)  # group of a match; a template in its place is looked up each time, match or not

_NOT_PLAIN = re.compile(r"[^ !-)+-.0-\[\]^_a-~]")  # one of *, /, \, ` or beyond ASCII
_EMOJI = re.compile("[\U0001f000-\U0001faff☀-➿⬀-⯿\ufe0f\u200d]")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]\n]+)\]\((?:[^()\n]|\([^)\n]*\))*\)")
_EMPHASIS = re.compile(r"__(?:(?<!\w__)|(?!\w))|\*(?:(?<![\w*]\*)(?=\S)|(?<=\S\*)(?![\w*]))")
_BEYOND = re.compile("[^\0-\u303f]")
WIDE = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_MARKER = re.compile(r"^\s*(?:#{1,6}|>+|[-*+•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_URL_PULL = re.compile(r"https?://[\w.-]+/[\w.-]+/[\w.-]+/(?:pull|issues|-/merge_requests)/(\d+)\S*")
_URL = re.compile(r"https?://(?:www\.)?([\w.-]+(?::\d+)?(?:/[\w.-]+)?)[^\s)\]>\"']*")
_HOME = r"/(?:Users|home|root|var|tmp|opt|private|mnt|workspace|workspaces)"
_INSIDE = r"(?:[/\\][\w.@+-]+)*[/\\]([\w.@+-]+)"
_HOME_PATH = re.compile(_HOME + _INSIDE)
_PATH_ON_DRIVE = re.compile(rf"(?:{_HOME}|[A-Z]:){_INSIDE}")  # slow, as it has no first sign to look for
_PLEASANTRY = re.compile(
    r"^(?:(?:perfect|great|excellent|good|nice|done|awesome|sure|okay?|yes|yep|got it|right|absolutely"
    r"|understood|certainly|of course"
    r"|you(?:'?re| are) (?:absolutely |totally |quite )?(?:right|correct)"
    r"|good (?:point|question|catch|news|idea)"
    r"|great (?:question|point|news)|thanks?|thank you"
    r"|exactly|fantastic|wonderful|makes sense|sounds good|no problem|hmm+|oh|ah|well|so|alright"
    r"|interesting)\s*[!.,:—–-]+\s*)+",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"^(?:I'?ve|I have|We'?ve|We have|I)\s+(?:also |now |just |successfully |already "
    r"|then )*(?=(?:\w+ed|wrote|built|made|ran|set|put|found|split|took|gave|cut)\b)",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"^(?:(?:i think|i'd say|it (?:seems|looks)(?: like)?(?: that)?|basically|essentially|so|and|but|also"
    r"|then|now|finally|overall|in short|as you can see)\b\s*,?\s+){1,2}",
    re.IGNORECASE,
)
_SMALL_FIRST = re.compile(r"[a-z]+(?:'[a-z]+)?[ ,:]")
_SENTENCE_END = re.compile(r"[.!?]([\"')\]]*\s+)(?=[\"'(\[`*A-Z0-9À-ÖØ-Þ])")
_WIDE_END = re.compile("(?<=[。！？])")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_THINKING = re.compile(r"<(think|thinking|system-reminder|analysis)>.*?(?:</\1>|\Z)", re.DOTALL)
_PATCH = re.compile(r"^<{5,9} SEARCH.*?(?:^>{5,9} REPLACE|\Z)", re.DOTALL | re.MULTILINE)
_RULES = "-=*_|:+─═"
_RULED = re.compile(rf"^[\s{re.escape(_RULES)}]+$")
_NUMBERED = re.compile(r"#?\d{1,3}\.?")  # which row of a table it is
_BULLETS = "-*+•"
_BULLET = re.compile(rf"^(\s*)(?:[{re.escape(_BULLETS)}]|\d{{1,2}}[.)])\s+")
_HEADING = re.compile(r"^(?:#{1,6}\s+(.+)|\*\*([^*]+)\*\*:?|([^.!?`|]{3,70}):)$")
_BOLD_HEAD = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])?\s*\*\*([^*]{4,})\*\*")
_CLAUSE = re.compile(r" — | – | -> | → |: | - |\. |; | \(")


class Part(msgspec.Struct, frozen=True, gc=False):
    """A bullet or a sentence of a message, under its heading."""

    text: str
    bullet: bool


class Block(msgspec.Struct, frozen=True, gc=False):
    """A heading (or "") and what stands under it."""

    heading: str
    parts: tuple[Part, ...]


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """One line without Markdown: links by their words, paths by their names."""
    if len(text) >= 40 and _LONG_HEX.search(text):
        text = _FULL_SHA.sub(_first, text)  # as git shows it in a list: the rest tells nobody anything
    marked = _NOT_PLAIN.search(text) or "](" in text or "__" in text
    if marked or "  " in text or text != text.strip():
        text = _made_plain(text)
    return text if text[:1].isalpha() else without_start(_MARKER, text)


def _made_plain(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(_first, _IMAGE.sub("", text))
    if "://" in text:
        text = _URL.sub(_first, _URL_PULL.sub(r"#\1", text))
    text = text.replace("**", "").replace("`", "").replace("’", "'")
    if "*" in text or "__" in text:
        text = _EMPHASIS.sub("", text)
    text = _without_emoji(text)
    text = parted(text)
    return " ".join(without_homes(text).split())


def without_homes(text: str) -> str:
    """Files of a machine by their names: where somebody's home is tells nobody anything."""
    if ":/" in text or ":\\" in text:
        return _PATH_ON_DRIVE.sub(_first, text)
    return _HOME_PATH.sub(_first, text) if "/" in text else text


def parted(text: str) -> str:
    """With a blank where scripts meet: a name inside a sentence without blanks is to be found."""
    if not may_be_wide(text):
        return text
    return _wide_run().sub(lambda run: " ".join(filter(None, (run[1], run[2]))) + " " * bool(run[3]), text)


def count_wide(text: str) -> int:
    """How many signs are of a script that does not part its words."""
    return sum(len(run[2]) for run in _wide_run().finditer(text)) if may_be_wide(text) else 0


@cache
def _wide_run() -> re.Pattern[str]:
    """Such signs, with what of Latin script they touch. Compiled when a text needs it: that takes long."""
    return re.compile(rf"([A-Za-z0-9`]?)({WIDE}+)(?=([A-Za-z0-9`-]?))")


def may_be_wide(text: str) -> bool:
    """Whether a text may hold signs of a script that does not part its words by blanks."""
    return not text.isascii() and bool(_BEYOND.search(text))


@lru_cache(maxsize=4096)
def opening(text: str) -> str:
    """A sentence as it begins once the pleasantries are over: "Now let me …" still says so."""
    text = plain(text)
    return without_start(_PLEASANTRY, text) or text


@lru_cache(maxsize=4096)
def tidy(text: str) -> str:
    """A sentence reduced to what it says: no greeting, no "I have now", first letter large."""
    text = without_start(_HEDGE, without_start(_FIRST_PERSON, opening(text))).strip(" \t;,")
    return text[:1].upper() + text[1:] if _SMALL_FIRST.match(text) else text


def without_start(pattern: re.Pattern[str], text: str) -> str:
    """What follows a match at the start; `sub` would go on to try every other place of the text."""
    found = pattern.match(text)
    return text[found.end() :] if found else text


def sentences(text: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        parts.append(text[start : end.start(1)])
        start = end.end()
    parts.append(text[start:])
    if not text.isascii():
        parts = [part for whole in parts for part in _WIDE_END.split(whole)]
    found: list[str] = []
    for part in (part for part in parts if part and not part.isspace()):
        if found and found[-1].count('"') % 2 and '"' in part:
            found[-1] = f"{found[-1]} {part}"  # the end of a sentence that is quoted ends none
        else:
            found.append(part)
    return found


def cut(text: str, limit: int, clause: float = 0.6) -> str:
    """At most `limit` characters, ending where a word ends, or a clause if that leaves so great a part."""
    if len(text) <= limit:
        return text
    for separator in (". ", "; ", " — ", ", ", " "):
        at = text.rfind(separator, 0, limit + len(separator))
        if at > limit * (0.4 if separator == " " else clause):
            return _closed(text[:at].rstrip(" ,;:—-("))
    return _closed(text[:limit].rstrip())


def _closed(text: str) -> str:
    """Without a bracket that the cut left open near the end."""
    for opened, closes in ("()", "[]"):
        at = text.rfind(opened)
        if at > len(text) * 0.5 and closes not in text[at:]:
            inside = text[at:].rsplit(",", 1)[0]
            text = f"{text[:at]}{inside}{closes}" if "," in text[at:] else text[:at].rstrip(" ,;:—-")
    return text


def spoken(text: str) -> str:
    """A message without code fences, patches and thinking."""
    if "<" in text:
        if "</think>" in text:
            text = text.rsplit("</think>", 1)[1]
        text = _PATCH.sub("", _THINKING.sub("", text))
    return _FENCE.sub("", text) if "```" in text or "~~~" in text else text


@lru_cache(maxsize=64)  # the end of a session is asked for what it told, asks, awaits and announces
def blocks(text: str) -> tuple[Block, ...]:
    """A spoken message as headings with their bullets and sentences, in order."""
    found: list[Block] = []
    heading = ""
    parts: list[Part] = []
    leads = paused = False  # the heading is a sentence that ends in a colon; a blank line came since
    tabled = header = False  # the line before was a row of a table; its first one

    def close(next_heading: str) -> None:
        nonlocal heading, parts
        if parts:
            found.append(Block(heading, tuple(parts)))
        heading, parts = next_heading, []

    for raw in text.split("\n"):
        line = raw.strip()
        begins = line[:1]
        if not line or (begins in _RULES and _RULED.match(line)):
            if header and begins == "|":
                parts.pop()  # names of columns say nothing
            paused, header, tabled = True, False, tabled and begins == "|"
            continue
        pause, paused = paused, False
        header = begins == "|" and not tabled
        tabled = begins == "|"
        if tabled:
            cells = [plain(cell) for cell in line.strip("|").split("|")]
            told = [cell for cell in cells if cell and not _NUMBERED.fullmatch(cell)]
            parts.append(Part(" - ".join(told), True))
            continue
        bullet = _BULLET.match(raw) if begins in _BULLETS or begins.isdecimal() else None
        title = None if bullet else _heading(line)
        if title:
            close(plain(next(words for words in title.groups() if words)).rstrip(":"))
            leads = title[3] is not None
        elif bullet:
            parts.append(Part(line, True))
        elif parts and parts[-1].bullet and raw[:1].isspace():
            parts[-1] = Part(f"{parts[-1].text} {line}", True)
        else:
            if parts and (parts[-1].bullet or (leads and pause)):
                close("")
            parts.extend(Part(sentence, False) for sentence in sentences(line))
            if line.endswith(":"):
                lead = parts.pop().text
                close(plain(lead).rstrip(":"))
                leads = True
    close("")
    return tuple(found)


def _heading(line: str) -> re.Match[str] | None:
    line = _without_emoji(line).strip()
    return _HEADING.match(line) if line[:1] in ("#", "*") or line[-1:] == ":" else None


def _without_emoji(text: str) -> str:
    return text if text.isascii() else _EMOJI.sub("", text)


def head(part: str) -> str:
    """The telling beginning of a bullet: its bold words, or its first clause."""
    bold = _BOLD_HEAD.match(part)
    if bold:
        return plain(bold[1]).rstrip(":. ")
    text = tidy(part)
    first = _CLAUSE.split(text, maxsplit=1)[0]
    return first if len(first) > 8 else cut(text, 70)


@lru_cache(maxsize=4096)
def words(text: str) -> frozenset[str]:
    """Content words, lower-case, stemmed; identifiers also by their parts."""
    return frozenset(chain.from_iterable(map(_word_parts, _WORD.findall(text))))


def has_words(text: str, fewest: int) -> bool:
    """Whether `words` would give so many; only as much of the text is read as it takes to tell."""
    found: set[str] = set()
    for word in _WORD.finditer(text):
        found.update(_word_parts(word[0]))
        if len(found) >= fewest:
            return True
    return False


@lru_cache(maxsize=16384)
def _word_parts(raw: str) -> tuple[str, ...]:
    parts = (raw,) if raw.isalnum() else (raw, *_SEPARATORS.split(raw))
    return tuple([word for word in map(stem, parts) if len(word) > 1 and word not in STOP])


def stem(word: str) -> str:
    word = word.lower().strip("./-_")
    for suffix in _SUFFIXES.get(word[-1:], ()):
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word


@lru_cache(maxsize=4096)
def count_names(text: str) -> int:
    """About how many names of things a text holds: words with a mark or a capital inside."""
    return sum(map(_is_name, text.split()))


@lru_cache(maxsize=16384)
def _is_name(word: str) -> bool:
    if word.isalpha():
        return not word.islower() and bool(_CAMEL.search(word))
    core = word.rstrip(_ENDS)
    if core.isalpha() and core.islower():
        return False  # a plain word at the end of a clause
    return bool(_MARKED_OR_CAMEL.search(word))


def identifiers(text: str) -> list[str]:
    """Names of things in the text (paths, symbols, flags, numbers of issues), in order, each once."""
    return list(dict.fromkeys(name.strip("`") for name in IDENTIFIER.findall(text)))


def pack(parts: list[str], limit: int, heading: str = "") -> list[str]:
    """Neighbouring sentences joined into lines of at most `limit` characters, each led by the heading."""
    lead = f"{heading}: " if heading else ""
    lines: list[str] = []
    current = ""
    for part in parts:
        part = part if part.endswith("?") else part.rstrip(". ")
        if current and len(lead) + len(current) + len(part) + 2 > limit:
            lines.append(lead + current)
            current = ""
        current = f"{current}{' ' if current.endswith(':') else '; '}{part}" if current else part
    return [*lines, lead + current] if current else lines
