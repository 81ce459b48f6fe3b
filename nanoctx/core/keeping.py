"""
Which items are worth keeping for longer than a session, and which of their words.

Junk in memory costs more than a line that is missing: every later session reads it. So a line enters at once
only if it stands by itself and says how things are to be, or why something did not work. What is less plain
(`weak`) enters when another session says the same. All the rest stays in the observation, to be recalled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nanoctx.core import cues, prose
from nanoctx.core.escape import one_line
from nanoctx.model import Item

REFUTED = "refuted"
LONGEST, SHORTEST = 32, 3  # words of a sentence
FEWEST_SIGNS = 6  # of a script that does not part words
_BROADEST = 2  # sentences of one item

_PARTS = re.compile(r"(?<=[.!?。！？])\s+|\s*;\s+|(?<=[。！？])|\s*\.{2,}\s*|\s+[—–]\s+|\n")
_CLAUSES = re.compile(
    r",\s+(?=(?:i |we )?(?:don'?t|do not|never|always|no longer|must|should)\b)", re.IGNORECASE
)
_QUESTION = re.compile(
    r"[?？]\s*$|^\W*(?:(?:and|but|so|ok(?:ay)?|then|also|yes|no|wait|oh|hmm+|well)[\s,]+)*"
    r"(?:can|could|should|shall|do|does|did|is|are|was|were|will|would|won'?t|what|why|how|where"
    r"|when (?:do|is|are|will)"
    r"|which|who|whose|any|have|has|am|may|might|isn'?t|aren'?t|don'?t (?:we|you)|doesn'?t)\b(?! not\b"
    r"| never\b)",
    re.IGNORECASE,
)  # fmt: skip
_POINTS = re.compile(
    r"\b(?:it|it'?s|its|this|these|those|them|they|here|again|same|so far|earlier"
    r"|(?:the|see|as|shown|listed|described) (?:above|below)"
    r"|previous(?:ly)?"
    r"|latest|last (?:one|time|run)|the (?:other|rest|following|former|latter|first|second|third|next"
    r"|screenshot\w*)"
    r"|now|today|tonight|yesterday|tomorrow|currently|just|still|already|later|meanwhile|one more)\b"
    r"|^\W*that\b|\bthat'?s\b|\b(?:to|in|of|for|on|from|with|do|like|than|as|about) that\b|\bthat[,.!]?$"
    r"|#\d",
    re.IGNORECASE,
)
_TASK = (
    r"(?:add|allow|analy[sz]e|answer|apply|approve|ask|attach|build|bump|capture|change|check|clean|clear"
    r"|clone|close"
    r"|combine|comment|commit|compare|configure|confirm|consider|continue|convert|copy|create|debug|delete"
    r"|deploy|describe"
    r"|design|discuss|do|document|drop|enable|disable|ensure we|enhance|evaluate|examine|execute|expand"
    r"|explain|explore"
    r"|extend|extract|figure|find|finish|fix|generate|get|give|go|have a|help|implement|improve|include"
    r"|inspect|install"
    r"|integrate|investigate|keep (?:an eye|going|in mind|monitoring|working|it up)|kill|launch|let|list"
    r"|load|look|make|merge|migrate|move|open|optimi[sz]e|organi[sz]e|perform"
    r"|plan|polish|prepare|print|proceed|produce|provide|publish|pull|push|put|re-?\w+|read|record"
    r"|refactor|release|remove"
    r"|rename|reorder|replace|report|research|resolve|restart|restore|resume|retry|revert|review|rewrite"
    r"|run|save|scan"
    r"|search|see|send|separate|set|set ?up|share|ship|show|simplify|skip|spawn|split|stage|start|stop"
    r"|store|study"
    r"|suggest|summari[sz]e|support|switch|sync|take|tell|test|think|translate|try|undo|unify|update"
    r"|upgrade|upload|use a"
    r"|validate|verify|wait|watch|work|wrap|write)\b"
)
_FILLED = r"^\W*(?:(?:please|pls|ok(?:ay)?|and|then|also|so|but|yes|yeah|no|now|next|first|finally|alternatively|just|maybe|great|cool|perfect|hey|oh|well|wait)[\s,!.]+)*"  # noqa: E501
_FILLER = re.compile(_FILLED, re.IGNORECASE)
_ORDER = re.compile(
    _FILLED
    + r"(?:(?:let'?s|lets|let me|we|you|i|i'?d like(?: you)?|we'?d like|i want(?: you)?|i need(?: you)?"
    r"|go ahead and"
    r"|feel free|be sure|make sure)"
    r"[\s,]+(?:(?:should|must|need|needs|have|want|will|would|could|can|might|may|also|just|really|then"
    r"|only|to)[\s,]+)*"
    r"(?:not )?)?" + _TASK,
    re.IGNORECASE,
)  # fmt: skip
_ONCE = re.compile(
    r"\b(?:do not|don'?t|no need to|(?:don'?t|do not|doesn'?t) (?:need|want|have) to)\s+"
    r"(?:ever\s+)?(?:change|touch|modify|edit|remove|delete|commit|push|do|run|start|implement|write|merge"
    r"|worry|forget|stop"
    r"|continue|wait|open|close|overwhelm|move|rename|create|spawn|ask)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    _FILLED + r"(?:i(?:'m|'ve|'d|'ll| am| have| had| did| do| just| thought| think| meant?| see| saw| got"
    r"| get| guess"
    r"| believe| know| cannot| can'?t| could| was| tried| noticed| wonder| want to| hope| understand| need"
    r"| found| ran"
    r"| updated| changed| added| made)\b|there(?:'s| is| are| was)|here(?:'s| is)|we(?:'re|'ve| are| were"
    r"| have| had| got)\b"
    r"|you(?:'re| are| have| did| can| could| may)\b|looking|noticed|given\b|according|based on|if you"
    r"|let me know)",
    re.IGNORECASE,
)  # fmt: skip
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|might|could be|i (?:think|guess|suppose|wonder)|seems?|alternatively"
    r"|not sure|or should"
    r"|what if|possibly|would be (?:nice|good|great|awesome))\b",
    re.IGNORECASE,
)
_NORM = re.compile(
    r"\b(?:should(?:n'?t)?|must(?:n'?t)?|never|always|only|no longer|no need|(?:don'?t|do not|doesn'?t"
    r"|dont) (?:need|want|use"
    r"|support|like)|instead of|rather than|in favou?r of|prefer\w*|avoid|required?|supposed to|has to be"
    r"|have to be|needs? to be"
    r"|not allowed|forbidden|may not|from now on|stick (?:to|with)|use(?= \w+ (?:for|as|not|over"
    r"|and not)\b)"
    r"|keep(?= \w+ (?:\w+ ){0,6}(?:on|off|as|in|out|for|under|below|separate)\b)"
    r"|(?:switch|move|migrate)d? (?:from|to)|decided|agreed|going with|went with|chose|settled on"
    r"|immer|nie(?:mals)?|soll(?:te|en)?|muss|müssen|toujours|jamais|doit|siempre|nunca|debe)\b"
    r"|应该|必须|不要|不能|没有必要|无需|不需要|统一|始终|总是|禁止|不再|只支持|仅支持"
    r"|べき|してはいけない|必要はない|해야|하지 ?마",
    re.IGNORECASE,
)  # fmt: skip
_CAUSE = re.compile(
    r"\b(?:root cause|because|since|due to|turns? out|the key insight|the trick|caused by|the reason"
    r"|only works"
    r"|(?:doesn'?t|does not|don'?t|do not|cannot|can'?t) (?:work|support|exist|see|read|get|handle|run)"
    r"|(?:fails?|crash\w*|hangs?|breaks?) (?:when|if|unless|without|on|with|under)|must be|requires?"
    r"|needs? to be|so)\b",
    re.IGNORECASE,
)
_LESSON = re.compile(
    r"\b(?:root cause|(?:the )?key insight|turns? out|gotcha|caveat|the trick|pitfall|lesson|beware"
    r"|surprising\w*)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:approved|root cause(?: (?:&|and) fix summary)?|(?:the )?key insight(?: (?:is|was)(?: that)?)?"
    r"|key design decisions?"
    r"|fix summary|caveat|one caveat|gotcha|note|decision|decided|reasoning|summary|tl;?dr|learned"
    r"|lesson)\s*:\s*",
    re.IGNORECASE,
)  # fmt: skip
_REJECTED = re.compile(r"^Rejected by the user: .{0,80}? — (.+)$", re.DOTALL)
_ANSWERED = re.compile(r"^(.{8,200}\?)\)?.{0,120} → (.{2,160})$", re.DOTALL)
_STANDING_START = re.compile(
    r"^\W*(?:please\s+)?(?:always|never|avoid|prefer|don'?t|do not|be |keep|ensure|make sure|stick|use|for"
    r"|when|whenever"
    r"|every|each|no |only|all|from now|remember)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[^\d\W][.!?])\s+|(?<=[)\"'][.!?])\s+|(?<=[。！？])|\n")
_TELLS_OF = re.compile(r"^\W*(?:there|here)\b", re.IGNORECASE)
_STATE = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|clean|green|complete[d]?|ready|done|committed|pushed|deployed|merged|works?"
    r"|working"
    r"|finished|running|reviewed|added|updated|fixed|tests?)\b",
    re.IGNORECASE,
)
_AND_ALWAYS = re.compile(
    r"(?:,|\band|\bbut)\s+((?:make sure|be sure|ensure|always|never|from now on|don'?t|do not)\b.*)$",
    re.IGNORECASE,
)
# In a rule "it" may be what the rule is about; these point at what was there when it was said.
_NOT_FOR_EVER = re.compile(
    r"\b(?:this|these|those|(?:the|see|as|shown|listed) (?:above|below)|again|now|today|tonight|tomorrow"
    r"|currently|so far"
    r"|the screenshot\w*)\b"
    r"|^\W*(?:it|that|they)\b",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:more|less|better|worse|different)\b(?!.*\bthan\b)", re.IGNORECASE)
_WIDE = re.compile(prose.WIDE)
_OFFER = re.compile(
    r"\b(?:go ahead|continue|proceed|implement (?:this|it)|look right|sound good|do you)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Kept:
    """What of an item is kept, and as what."""

    text: str
    kind: str
    weak: bool = False  # only together with what another session said


def kept(item: Item, *, headless: bool) -> Kept | None:
    """Judge an item; None for what is only worth recalling. `headless` prompts are a program's words."""
    if item.more.get("page") == "no" or (item.by == "user" and headless):
        return None
    judge = _JUDGES.get(item.kind)
    found = judge(item) if judge is not None else None
    return None if found is None or not _is_sized(found.text) else found


def _rule(item: Item) -> Kept | None:
    if item.by not in ("user", "person"):
        return None
    found = [_standing(part) for part in _SENTENCES.split(one_line(item.text))]
    text = ". ".join(part.rstrip(".") for part in found if part)
    if not text:
        return None
    for_ever = bool(cues.FOR_EVER.search(text))
    once = (_ONCE.search(text) and not for_ever) or _NOT_FOR_EVER.search(text) or cues.ONE_OFF.search(text)
    return Kept(text, item.kind, weak=bool(once or _HEDGE.search(text)))


def _standing(text: str) -> str:
    """A sentence as far as it holds for ever; "" for one that does not."""
    if _QUESTION.search(text):
        return ""
    if _ORDER.search(text) and (after := _AND_ALWAYS.search(text)):
        text = _begun(after[1])
    holds = _STANDING_START.search(text) or cues.FOR_EVER.search(text) or cues.OWN_HABIT.match(text)
    return text if holds and not _TELLS_OF.search(text) else ""


def _dec(item: Item) -> Kept | None:
    if item.by not in ("user", "person"):
        return _agents(item)
    text = one_line(item.text)
    if text.startswith("Approved: "):
        return _approved(text.removeprefix("Approved: "))
    if answered := _ANSWERED.match(text):
        settled = not _POINTS.search(answered[1]) and not _POINTS.search(answered[2])
        return Kept(text, "dec") if settled and not _ORDER.search(answered[2]) else None
    return _decided(text)


def _decided(text: str) -> Kept | None:
    """Of what a person said, the sentences that say how things are to be."""
    found = [one for one in _sentences(text) if _is_norm(one)]
    if not found:
        return None
    words = "; ".join(found[:_BROADEST])
    return Kept(words, "dec", weak=bool(_HEDGE.search(words) or _MORE.search(words)))


def _approved(text: str) -> Kept | None:
    """What the agent proposed and the person said yes to: kept if it names a choice."""
    if "?" in text or "？" in text or _OFFER.search(text) or _POINTS.search(text) or _TELLS.search(text):
        return None
    chosen = _NORM.search(text) or cues.DECISION.search(text)
    return Kept(text, "dec", weak=not chosen or " / " in text)  # a list of headings says little


def _agents(item: Item) -> Kept | None:
    """An agent's own words: a lesson at once, a choice when it was checked or is made again."""
    text = _LABEL.sub("", one_line(item.text))
    if not _stands_alone(text) or item.grade == "hypothesis":
        return None
    if _LESSON.search(item.text) and prose.count_names(text):
        return Kept(text, "learn")
    if _ORDER.search(text) or not (cues.DECISION.search(text) or _NORM.search(text)):
        return None
    return Kept(text, "dec", weak=item.grade != "verified")


def _learned(item: Item) -> Kept | None:
    text = _LABEL.sub("", one_line(item.text))
    if not _stands_alone(text):
        return None
    theirs = item.by in ("user", "person")
    general = bool(prose.count_names(text)) or item.grade == "verified"
    return Kept(text, item.kind, weak=not (theirs or general))


def _fact(item: Item) -> Kept | None:
    """A fact by itself is for recall; it is memory if it says why, or once two sessions found it."""
    text = _LABEL.sub("", one_line(item.text))
    if item.by in ("user", "person"):
        return _decided(text)
    if not _stands_alone(text) or "; " in text or ": " in text:
        return None
    if _LESSON.search(item.text) and prose.count_names(text):
        return Kept(text, "learn")
    if _STATE.search(text) or not prose.count_names(text) or item.grade == "hypothesis":
        return None
    return Kept(text, item.kind, weak=True)


def _fail(item: Item) -> Kept | None:
    text = one_line(item.text)
    if item.by in ("user", "person"):
        reason = _REJECTED.match(text)
        return _decided(reason[1]) if reason else None
    if text.startswith("Passed later") or item.by == "tool":
        return None
    text = _LABEL.sub("", text)
    if not _stands_alone(text) or item.grade == "hypothesis" or not _CAUSE.search(text):
        return None
    if _LESSON.search(item.text):
        return Kept(text, "learn", weak=not prose.count_names(text))
    return Kept(text, "fail", weak=not (cues.FAILED.search(text) and prose.count_names(text)))


def _fix(item: Item) -> Kept | None:
    text = _LABEL.sub("", one_line(item.text))
    if not _stands_alone(text) or not _CAUSE.search(text):
        return None
    return Kept(text, "fix", weak=item.grade != "verified" or not prose.count_names(text))


_JUDGES = {
    "rule": _rule,
    "pref": _rule,
    "dec": _dec,
    "learn": _learned,
    "insight": _learned,
    "fact": _fact,
    "fail": _fail,
    "fix": _fix,
}


def _sentences(text: str) -> Iterator[str]:
    for part in _PARTS.split(text):
        part = part.strip(" .,;")
        if not part:
            continue
        clauses = _CLAUSES.split(part)
        # "can we …, don't want …": the question is none of ours, what is wanted is.
        is_asking = bool(_QUESTION.search(part) or _ORDER.search(part))
        yield _begun(clauses[-1] if len(clauses) > 1 and is_asking else part)


def _begun(text: str) -> str:
    """A sentence without "yeah, and" before it."""
    text = text[_FILLER.match(text).end() :]  # type: ignore[union-attr]  # it matches nothing, too
    return text[:1].upper() + text[1:]


def _is_norm(text: str) -> bool:
    return (
        _stands_alone(text)
        and bool(_NORM.search(text))
        and not (_ORDER.search(text) or _ONCE.search(text) or cues.ONE_OFF.search(text))
    )


def _stands_alone(text: str) -> bool:
    """Whether a sentence says something to somebody who was not there."""
    if not _is_sized(text) or _QUESTION.search(text) or "?" in text or "？" in text:
        return False
    return not (_POINTS.search(text) or _TELLS.search(text) or cues.INTENT.search(text))


def _is_sized(text: str) -> bool:
    if _WIDE.search(text):
        return FEWEST_SIGNS <= len(text) <= 200
    return SHORTEST <= len(text.split()) <= LONGEST
