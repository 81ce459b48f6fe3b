"""Text that nobody vouches for, made harmless: it breaks out of no line, fence, heading, tag or import."""

from __future__ import annotations

import re

ELLIPSIS = "…"

# All that ends a line somewhere, all that no person can see, and all that turns the writing direction.
_UNSEEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
)
_NOT_ONE_LINE = re.compile(rf"[\s{_UNSEEN}\ud800-\udfff]")
_DROPPED = re.compile(f"[{_UNSEEN}\U000e0000-\U000e007f]")
_LONE = re.compile("[\ud800-\udfff]")
_SUSPECT = re.compile(r"[<`@\\^#>*+~=|📌⭐🔴]")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_FENCE = re.compile(r"`{3,}|~{3,}")
_IMPORT = re.compile(r"(?<![\w.+-])@(?=[\w~./\\-])")
_MARKS = re.compile("[📌⭐🔴]\ufe0f?")
_BLOCK_ID = re.compile(r"\s*\^[\w-]+\s*$")
_STARTS = re.compile(r"^(?:(?:#{1,6}|[-*+]|\d{1,9}[.)])(?=\s|$)\s*|>\s*|[-=_*\s]+$|\|)+")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def one_line(text: str, limit: int | None = None) -> str:
    """The text as one line that people see as it is: no breaks, no invisible or turning characters."""
    if text.isprintable():  # nothing but spaces to put right
        text = " ".join(text.split())
    elif _NOT_ONE_LINE.search(text):
        text = " ".join(_DROPPED.sub("", _LONE.sub("\ufffd", text)).split())
    return text if limit is None else shorten(text, limit)


def inert(text: str) -> str:
    """The text as words of one Markdown bullet: no structure, no tag, no import, no mark of ours."""
    text = one_line(text)
    begins_plainly = text[:1] not in ("-", "_") and not text[:1].isdecimal()
    if begins_plainly and "__" not in text and not _SUSPECT.search(text):
        return text
    text = _MARKS.sub("", text)
    text = _FENCE.sub(lambda run: run[0][0] * 2, text)
    text = _TAG.sub("‹", text)
    text = _IMPORT.sub("＠", text)
    while (shorter := _STARTS.sub("", _BLOCK_ID.sub("", text.rstrip("\\ "))).strip()) != text:
        text = shorter
    return " ".join(text.split())


def xml(text: str) -> str:
    """The text as the content of an element or an attribute: well-formed whatever it holds."""
    text = _NOT_XML.sub("", text)
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;")):
        text = text.replace(sign, entity)
    return text


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a word, with `…` where something is missing."""
    if len(text) <= limit:
        return text
    if limit < 2:
        return text[:limit]
    head = text[: limit - 1]
    at = head.rfind(" ")
    return (head[:at] if at > limit // 2 else head).rstrip(" ,;:—-") + ELLIPSIS
