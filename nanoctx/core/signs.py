"""The signs in a sentence that tell whether it stands for ever, or was for its moment only."""

from __future__ import annotations

import re

from nanoctx.core import prose

PARTS = re.compile(r"(?<=[.!?。！？])\s+|\s*;\s+|(?<=[。！？])|\s*\.{2,}\s*|\s+[—–]\s+|\n")
CLAUSES = re.compile(
    r",\s+(?=(?:i |we )?(?:don'?t|do not|never|always|no longer|must|should)\b)", re.IGNORECASE
)
QUESTION = re.compile(
    r"[?？]\s*$|^\W*(?:(?:and|but|so|ok(?:ay)?|then|also|yes|no|wait|oh|hmm+|well)[\s,]+)*"
    r"(?:can|could|should|shall|do|does|did|is|are|was|were|will|would|won'?t|what|why|how|where"
    r"|when (?:do|is|are|will)"
    r"|which|who|whose|any|have|has|am|may|might|isn'?t|aren'?t|don'?t (?:we|you)|doesn'?t)\b(?! not\b"
    r"| never\b)",
    re.IGNORECASE,
)  # fmt: skip
POINTS = re.compile(
    r"\b(?:it|it'?s|its|this|these|those|them|they|here|again|same(?! as)|so far|earlier"
    r"|(?:the|see|as|shown|listed|described) (?:above|below)"
    r"|previous(?:ly)?"
    r"|latest|last (?:one|time|run)|the (?:other|rest|following|former|latter|first|second|third|next"
    r"|screenshot\w*)"
    r"|now|today|tonight|yesterday|tomorrow|currently|just|still|already|later|meanwhile|one more)\b"
    r"|^\W*that\b|\bthat'?s\b|\b(?:to|in|of|for|on|from|with|do|like|than|as|about) that\b|\bthat[,.!]?$"
    r"|#\d",
    re.IGNORECASE,
)
# These point out of a sentence wherever they stand in it.
POINTS_AFAR = re.compile(
    r"\b(?:here|again|so far|earlier|above|below|previous(?:ly)?|now|today|tonight|yesterday"
    r"|tomorrow|this"
    r"|these)\b|#\d",
    re.IGNORECASE,
)
_FURTHER_ON = 5  # words after which "them" is what the sentence itself named
TASK = (
    r"(?:add|allow|analy[sz]e|answer|apply|approve|ask|attach|build|bump|capture|change|check"
    r"|clean|clear"
    r"|clone|close"
    r"|combine|comment|commit|compare|configure|confirm|consider|continue|convert|copy|create"
    r"|debug|delete"
    r"|deploy|describe"
    r"|design|discuss|do|document|drop|enable|disable|ensure we|enhance|evaluate|examine|execute|expand"
    r"|explain|explore"
    r"|extend|extract|figure|find|finish|fix|generate|get|give|go|have a|help|implement|improve|include"
    r"|inspect|install"
    r"|integrate|investigate|keep (?:an eye|going|in mind|monitoring|working|it up)|kill|launch|let|list"
    r"|load|look|make|merge|migrate|move|open|optimi[sz]e|organi[sz]e|perform"
    r"|plan|polish|prepare|print|proceed|produce|provide|publish|pull|push|put|(?-i:[Rr]e-?[a-z]+)|read|record"
    r"|refactor|release|remove"
    r"|rename|reorder|replace|report|research|resolve|restart|restore|resume|retry|revert|review|rewrite"
    r"|run|save|scan"
    r"|search|see|send|separate|set|set ?up|share|ship|show|simplify|skip|spawn|split|stage|start|stop"
    r"|store|study"
    r"|suggest|summari[sz]e|support|switch|sync|take|tell|test|think|translate|try|undo|unify|update"
    r"|upgrade|upload|use a"
    r"|validate|verify|wait|watch|work|wrap|write)\b(?![./_]\w)"
)
FILLED = r"^\W*(?:(?:please|pls|ok(?:ay)?|and|then|also|so|but|yes|yeah|no|now|next|first|finally|alternatively|just|maybe|great|cool|perfect|hey|oh|well|wait)[\s,!.]+)*"  # noqa: E501
SIGIL = re.compile(r"(?<![.\w])(?:\.{1,2}/|\.|~/|/|@|--?|\$)$")  # what a path, flag or variable begins with
FILLER = re.compile(FILLED, re.IGNORECASE)
ORDER = re.compile(
    FILLED
    + r"(?:(?:let'?s|lets|let me|we|you|i|i'?d like(?: you)?|we'?d like|i want(?: you)?|i need(?: you)?"
    r"|go ahead and"
    r"|feel free|be sure|make sure)"
    r"[\s,]+(?:(?:should|must|need|needs|have|want|will|would|could|can|might|may|also|just|really|then"
    r"|only|to)[\s,]+)*"
    r"(?:not )?)?" + TASK,
    re.IGNORECASE,
)  # fmt: skip
ONCE = re.compile(
    r"\b(?:do not|don'?t|no need to|(?:don'?t|do not|doesn'?t) (?:need|want|have) to)\s+"
    r"(?:ever\s+)?(?:change|touch|modify|edit|remove|delete|commit|push|do|run|start|implement"
    r"|write|merge"
    r"|worry|forget|stop"
    r"|continue|wait|open|close|overwhelm|move|rename|create|spawn|ask)\b",
    re.IGNORECASE,
)
TELLS = re.compile(
    FILLED + r"(?:i(?:'m|'ve|'d|'ll| am| have| had| did| do| just| thought| think| meant?| see| saw| got"
    r"| get| guess"
    r"| believe| know| cannot| can'?t| could| was| tried| noticed| wonder| want to| hope"
    r"| understand| need"
    r"| found| ran"
    r"| updated| changed| added| made)\b|there(?:'s| is| are| was)|here(?:'s| is)|we(?:'re|'ve"
    r"| are| were"
    r"| have| had| got)\b"
    r"|(?:when|if|after) i\b|you(?:'re| are| have| did| can| could| may)\b|looking|noticed|given\b"
    r"|according|based on|if you"
    r"|let me know)",
    re.IGNORECASE,
)  # fmt: skip
SAID_AGAIN = re.compile(
    r"^\W*i (?:thought|said|told you)(?: that)? (?=we (?:no longer|always|never|only|don'?t)\b)",
    re.IGNORECASE,
)
# What is not needed is not done, and that is that; it is a rule when it is said again.
NEEDLESS = re.compile(r"\b(?:don'?t|do not|doesn'?t|dont) need\b", re.IGNORECASE)
HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|might|could be|i (?:think|guess|suppose|wonder)|seems?|alternatively"
    r"|not sure|or should"
    r"|what if|possibly|would be (?:nice|good|great|awesome))\b",
    re.IGNORECASE,
)
NORM = re.compile(
    r"\b(?:should(?:n'?t)?|must(?:n'?t)?|never|always|only|no longer|no need|(?:don'?t|do not|doesn'?t"
    r"|dont) (?:need|want|use"
    r"|support|like)|instead of|rather than|in favou?r of|prefer\w*|avoid|required?|supposed to"
    r"|has to be"
    r"|have to be|needs? to be"
    r"|(?:is|are) not allowed|forbidden|may not|from now on|stick (?:to|with)|use(?= \w+ (?:for|as|not|over"
    r"|and not)\b)"
    r"|keep(?= \w+ (?:\w+ ){0,6}(?:on|off|as|in|out|for|under|below|separate)\b)"
    r"|(?:switch|move|migrate)d? (?:from|to)|decided|agreed|going with|went with|chose|settled on"
    r"|immer|nie(?:mals)?|soll(?:te|en)?|muss|müssen|toujours|jamais|doit|siempre|nunca|debe)\b"
    r"|应该|必须|不要|不能|没有必要|无需|不需要|统一|始终|总是|禁止|不再|只支持|仅支持"
    r"|べき|してはいけない|必要はない|해야|하지 ?마",
    re.IGNORECASE,
)  # fmt: skip
CAUSE = re.compile(
    r"\b(?:root cause|because|since|due to|turns? out|the key insight|the trick|caused by|the reason"
    r"|only works"
    r"|(?:doesn'?t|does not|don'?t|do not|cannot|can'?t) (?:work|support|exist|see|read|get|handle|run)"
    r"|(?:fails?|crash\w*|hangs?|breaks?) (?:when|if|unless|without|on|with|under)|must be|requires?"
    r"|needs? to be|so)\b",
    re.IGNORECASE,
)
LESSON = re.compile(
    r"\b(?:root cause|(?:the )?key insight|turns? out|gotcha|caveat|the trick|pitfall|lesson|beware"
    r"|surprising\w*)\b",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"^(?:approved|root cause(?: (?:&|and) fix summary)?|(?:the )?key insight(?: (?:is|was)(?: that)?)?"
    r"|key design decisions?"
    r"|fix summary|caveat|one caveat|gotcha|note|decision|decided|reasoning|summary|tl;?dr|learned"
    r"|lesson)\s*:\s*",
    re.IGNORECASE,
)  # fmt: skip
REJECTED = re.compile(r"^Rejected by the user: .{0,80}? — (.+)$", re.DOTALL)
ANSWERED = re.compile(r"^(.{8,200}\?)\)?.{0,120} → (.{2,160})$", re.DOTALL)
STANDING_START = re.compile(
    r"^\W*(?:please\s+)?(?:always|never|avoid|prefer|don'?t|do not|be |keep|ensure|make sure"
    r"|stick|use|for"
    r"|when|whenever"
    r"|every|each|no |only|all|from now|remember)\b",
    re.IGNORECASE,
)
SENTENCES = re.compile(r"(?<=[^\d\W][.!?])\s+|(?<=[)\"'][.!?])\s+|(?<=[。！？])|\n")
TELLS_OF = re.compile(r"^\W*(?:there|here)\b", re.IGNORECASE)
STATE = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|clean|green|complete[d]?|ready|done|committed|pushed|deployed"
    r"|merged|works?"
    r"|working"
    r"|finished|running|reviewed|added|updated|fixed|tests?)\b",
    re.IGNORECASE,
)
AND_ALWAYS = re.compile(
    r"(?:,|\band|\bbut)\s+((?:make sure|be sure|ensure|always|never|from now on|don'?t|do not)\b.*)$",
    re.IGNORECASE,
)
# In a rule "it" may be what the rule is about; these point at what was there when it was said.
NOT_FOR_EVER = re.compile(
    r"\b(?:this|these|those|(?:the|see|as|shown|listed) (?:above|below)|again|now|today|tonight|tomorrow"
    r"|currently|so far"
    r"|the screenshot\w*)\b"
    r"|^\W*(?:it|that|they)\b",
    re.IGNORECASE,
)
# A clause that was cut off from what it belongs to.
HANGS_ON = re.compile(
    r"^\W*(?:rather than|instead of|because|so that|which|while|unless|than)\b[^,]*$", re.IGNORECASE
)
# Said of the answer that is asked for: a rule only when it is said another time, too.
THIS_ANSWER = re.compile(
    r"\b(?:in|with|of) (?:the|your) (?:changes?|edits?|answers?|repl(?:y|ies)|responses?|output|summary)\b",
    re.IGNORECASE,
)
# What a test that is to be written must do is done when it is written.
OF_A_TEST = re.compile(r"^\W*the (?:\w+ )?tests? (?:should|must|needs? to) ", re.IGNORECASE)
WE_SHOULD = re.compile(r"^\W*(?:no[\s,]+)?(?:we|you) should (?!have a\b|not\b)", re.IGNORECASE)
MORE = re.compile(r"\b(?:more|less|better|worse|different)\b(?!.*\bthan\b)", re.IGNORECASE)
WIDE = re.compile(prose.WIDE)
PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?(?=[\s,;:!]|\.?(?:\s|$))")
OFFER = re.compile(
    r"\b(?:go ahead|continue|proceed|implement (?:this|it)|look right|sound good|do you)\b", re.IGNORECASE
)


def begun(text: str) -> str:
    """A sentence without "yeah, and" before it. A name at its beginning stays as it is written."""
    end = FILLER.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
    sigil = SIGIL.search(text, 0, end)
    text = text[sigil.start() if sigil else end :]
    word = PLAIN_WORD.match(text)
    is_name = word is None or (not word[0].isupper() and word[0][1:] != word[0][1:].lower())
    return text if is_name else text[:1].upper() + text[1:]


def points_out(text: str) -> bool:
    """Whether a sentence speaks of what is not in it. Further on, "it" is what it named before."""
    beginning = " ".join(text.split()[:_FURTHER_ON])
    return bool(POINTS.search(beginning) or POINTS_AFAR.search(text))
