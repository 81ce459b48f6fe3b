"""
A Markdown page as sections that join back to the same bytes, and what a person changed in ours.

A page is cut at its headings of the first and second level. The sections named in `ours` are generated; the
first of each name is meant, a second one is the person's, as is everything else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nanoctx.core.blocks import blocks, fence_end, is_bullet, section
from nanoctx.model import Change

OURS = ("Now", "Time", "Recent", "External")
TIME = "Time"  # its lines change by themselves, and nobody types an old one again

_Content = dict[str, tuple[str, ...]]  # section: its blocks


@dataclass(frozen=True, slots=True)
class Section:
    text: str  # its heading's line included
    heading: str = ""
    level: int = 0  # 0 for what stands before the first heading

    def is_one_of(self, names: Collection[str]) -> bool:
        return self.level == 2 and self.heading in names


def split(text: str, ours: Collection[str] = OURS) -> tuple[Section, ...]:
    """Cut a page at its headings. Nothing in a fence is a heading; a fence that is never closed is none."""
    lines = _lines(text)
    starts = list(_headings([line.rstrip("\r\n") for line in lines], ours))
    first = starts[0][0] if starts else len(lines)
    sections = [Section("".join(lines[:first]))] if first else []
    ends = [place for place, *_ in starts[1:]] + [len(lines)]
    for (place, level, heading), end in zip(starts, ends, strict=bool(starts)):
        sections.append(Section("".join(lines[place:end]), heading, level))
    return tuple(sections)


def join(sections: Sequence[Section]) -> str:
    """Give back the page that was cut."""
    return "".join(one.text for one in sections)


def changes(written: Sequence[str], found: str, ours: Sequence[str] = OURS) -> tuple[Change, ...]:
    """
    Tell what a person changed in our sections.

    `written` holds every text of ours that may have been on disk: one, or more after a crash. A block is
    theirs only if none of ours has it, and was taken out only if all of ours have it. A page without any of
    our headings was emptied, which is no wish to see its lines gone.
    """
    after = _bodies(found, ours)
    if not written or not after:
        return ()
    known = _known(written, ours)
    now = _content(after, ours, known)
    olds = _possible([_content(_bodies(text, ours), ours, known) for text in written], now)
    result = []
    for name in ours:
        texts = [old[name] for old in olds]
        added = [block for block in now[name] if not any(block in old for old in texts)]
        kept_by_all = [block for block in texts[0] if all(block in old for old in texts)]
        removed = [block for block in kept_by_all if block not in now[name]]
        if added or removed:
            result.append(Change(name, tuple(dict.fromkeys(added)), tuple(dict.fromkeys(removed))))
    return tuple(result)


def outdated(written: Sequence[str], found: str, older: Sequence[str]) -> str | None:
    """
    Tell which of our older pages a person's editor still had when they saved, if it was an older one.

    It shows by the lines about time: there are some that only the older page has, and none of those that are
    new since. Taken for an edit of the latest page, such a save would seem to undo all that is new. Of
    several older pages with these lines it is the one they changed least.
    """
    now = _times(found)
    latest = [_times(text) for text in written]
    possible = []
    for text in reversed(older):
        times = _times(text)
        if latest and all((times - new) & now and new - times and not (new - times) & now for new in latest):
            possible.append(text)
    return min(possible, key=lambda text: _distance(text, found), default=None)


def _distance(written: str, found: str) -> int:
    return sum(len(change.added) + len(change.removed) for change in changes([written], found))


def separated(found: str, written: Sequence[str], ours: Sequence[str] = OURS) -> str:
    """Part the blocks of our sections as `changes` reads them, so that they can be told without `written`."""
    known = _known(written, ours)
    content = {name: blocks(body, known[name]) for name, body in _bodies(found, ours).items()}
    return replace(found, {name: section(name, content[name]) for name in ours if name in content})


def replace(found: str, ours: Mapping[str, str], title: str = "Context") -> str:
    """Put our sections where they stand, or in their order where they are missing; every other byte stays."""
    newline = "\r\n" if 2 * found.count("\r\n") > found.count("\n") else "\n"
    if ours and not found.strip("\ufeff \t\r\n"):
        found = ("\ufeff" if "\ufeff" in found else "") + f"# {title}" + newline * 2
    content = {name: _content_of(text).replace("\n", newline) for name, text in ours.items()}
    sections: list[Section] = []
    missing = list(ours)
    for one in split(found, ours):
        if one.is_one_of(missing):
            missing.remove(one.heading)
            one = Section(_refilled(one.text, content[one.heading], newline), one.heading, one.level)
        sections.append(one)
    for name in missing:
        _insert(sections, Section(f"## {name}{newline}{content[name]}", name, 2), list(ours), newline)
    return join(sections)


def _headings(lines: Sequence[str], ours: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Find the lines that begin a section: place, level, heading."""
    place = 0
    within_ours = False
    while place < len(lines):
        if end := fence_end(lines, place):
            # In a section of ours, a fence that is just being typed must not swallow the sections below it.
            inner = map(_heading, lines[place:end])
            if not within_ours or not any(one and one[0] == 2 and one[1] in ours for one in inner):
                place = end
                continue
        line = lines[place].removeprefix("\ufeff") if place == 0 else lines[place]
        if found := _heading(line) or _underlined(lines, place):
            within_ours = found[0] == 2 and found[1] in ours
            yield place, *found
        place += 1


def _heading(line: str) -> tuple[int, str] | None:
    """Read a heading of the first or second level: `## Now`, `# Notes #`."""
    text = line.strip()
    level = len(text) - len(text.lstrip("#"))
    if level not in (1, 2) or line[:4].isspace() or text[level : level + 1] not in ("", " ", "\t"):
        return None
    heading = text[level:].strip()
    shorter = heading.rstrip("#")
    return level, shorter.rstrip() if shorter[-1:] in ("", " ", "\t") else heading


def _underlined(lines: Sequence[str], place: int) -> tuple[int, str] | None:
    """Read a heading that is one by the `===` below it."""
    line, below = lines[place].strip(), lines[place + 1].strip() if place + 1 < len(lines) else ""
    if not line or set(below) != {"="} or set(line) == {"="}:
        return None
    return None if lines[place][0].isspace() or is_bullet(line) or line.startswith("#") else (1, line)


def _lines(text: str) -> list[str]:
    """Cut at line feeds only: what Python takes for line ends besides them may stand in a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _bodies(text: str, ours: Collection[str]) -> dict[str, str]:
    bodies: dict[str, str] = {}
    for one in split(text, ours):
        if one.is_one_of(ours):
            bodies.setdefault(one.heading, one.text.partition("\n")[2])
    return bodies


def _times(text: str) -> set[str]:
    return set(blocks(_bodies(text, (TIME,)).get(TIME, "")))


def _known(written: Sequence[str], ours: Sequence[str]) -> _Content:
    contents = [_content(_bodies(text, ours), ours, dict.fromkeys(ours, ())) for text in written]
    return {name: tuple(block for content in contents for block in content[name]) for name in ours}


def _content(bodies: Mapping[str, str], ours: Sequence[str], known: _Content) -> _Content:
    return {name: blocks(bodies.get(name, ""), known[name]) for name in ours}


def _possible(olds: list[_Content], now: _Content) -> list[_Content]:
    """
    Leave out the texts that the found page cannot have come from.

    One is out if the page has something that only another of ours has, and nothing that only this one has
    over that other.
    """
    sets = [{(name, block) for name in old for block in old[name]} for old in olds]
    seen = {(name, block) for name in now for block in now[name]}
    kept = [
        old
        for old, one in zip(olds, sets, strict=True)
        if not any((other - one) & seen and not (one - other) & seen for other in sets)
    ]
    return kept or olds


def _content_of(text: str) -> str:
    """Reduce one of our sections to what stands below its heading."""
    first, _, rest = text.strip("\n").partition("\n")
    return (rest if _heading(first) else f"{first}\n{rest}").strip("\n")


def _refilled(text: str, content: str, newline: str) -> str:
    """Fill a section as it was found: its heading and the blank lines around its content stay."""
    heading, *body = _lines(text)
    full = [place for place, line in enumerate(body) if line.strip()]
    before, after = (body[: full[0]], body[full[-1] + 1 :]) if full else ([], body)
    start = heading if heading.endswith("\n") else heading + newline
    whole = start + "".join(before) + (content + newline if content else "") + "".join(after)
    return whole if text.endswith("\n") else whole.removesuffix(newline)


def _insert(sections: list[Section], new: Section, names: Sequence[str], newline: str) -> None:
    """Add a missing section after the one of ours before it, else before the next one, else at the end."""
    places: dict[str, int] = {}
    for number, one in enumerate(sections):
        if one.is_one_of(names):
            places.setdefault(one.heading, number)
    rank = names.index(new.heading)
    before = [places[name] + 1 for name in names[:rank] if name in places]
    after = [places[name] for name in names[rank + 1 :] if name in places]
    place = before[-1] if before else after[0] if after else len(sections)
    lead = join(sections[:place])
    if lead and not re.search(r"\n[ \t]*\r?\n\Z", lead):
        gap = newline if lead.endswith("\n") else newline * 2
    else:
        gap = ""
    end = newline if place == len(sections) else newline * 2
    sections.insert(place, Section(gap + new.text + end, new.heading, new.level))
