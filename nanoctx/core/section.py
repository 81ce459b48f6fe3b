"""The page as a marked section of a file that is a person's: put in, renewed and taken out as text."""

from __future__ import annotations

import re

BEGIN = "<!-- nanoctx: begin; nanoctx keeps this section up to date, `nanoctx disconnect` takes it out -->"
END = "<!-- nanoctx: end -->"
_BEGIN = re.compile(r"^<!-- nanoctx: begin\b[^\n]*\n", re.MULTILINE)
_END = re.compile(r"^<!-- nanoctx: end -->[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_MARK = "<!-- nanoctx:"


class BrokenSection(ValueError):
    """A beginning without an end, or more of them than one."""


def content(text: str) -> str | None:
    """What stands in the section, with plain ends of lines; None if there is none."""
    place = _place(text)
    if place is None:
        return None
    inner = _END.sub("", _BEGIN.sub("", text[place[0] : place[1]], count=1))
    return inner.replace("\r\n", "\n").strip("\n")


def shown(page: str) -> str:
    """The page as it stands in a section: with no mark that would end it early."""
    return page.replace("\r\n", "\n").replace(_MARK, "<!-- nanoctx :").strip("\n")


def added(text: str, page: str) -> str:
    """A text without a section, and one at its end; a text that did not end its last line still does not."""
    ended = not text or text.endswith("\n")
    block = f"{BEGIN}\n{shown(page)}\n{END}" + ("\n" if ended else "")
    lead = "" if not text else "\n" if ended else "\n\n"
    return text + _in_the_manner_of(text, lead + block)


def renewed(text: str, page: str) -> str:
    """The text with another page in its section; as it is if there is none."""
    place = _place(text)
    if place is None:
        return text
    begin, end = place
    last = "\n" if text[begin:end].endswith("\n") else ""
    block = f"{BEGIN}\n{shown(page)}\n{END}{last}"
    return text[:begin] + _in_the_manner_of(text, block) + text[end:]


def removed(text: str) -> str:
    """The text without the section, and without the empty line that came with it."""
    place = _place(text)
    if place is None:
        return text
    begin, end = place
    before = text[:begin]
    for _ in range(1 if text[:end].endswith("\n") or not before.endswith("\n") else 2):
        before = before.removesuffix("\n").removesuffix("\r")
    return before + text[end:]


def _place(text: str) -> tuple[int, int] | None:
    begins, ends = list(_BEGIN.finditer(text)), list(_END.finditer(text))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        raise BrokenSection
    return begins[0].start(), ends[0].end()


def _in_the_manner_of(text: str, block: str) -> str:
    return block.replace("\n", "\r\n") if "\r\n" in text else block
