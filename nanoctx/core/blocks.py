"""
What stands below one of our headings, as blocks: the units in which a person adds and takes out.

A bullet's line is a block, what is indented below it is another, and so is a paragraph, or a `###` heading
with all that follows it. Blank lines part blocks; a fence is never parted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_SUBHEADING = re.compile(r" {0,3}#{3,6}(?:[ \t]|$)")
_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,}).*")
_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)", re.ASCII)


def blocks(body: str, known: Collection[str] = ()) -> tuple[str, ...]:
    """
    Read the body of a section.

    A line that is `known` is a block of its own wherever it stands, so that what a person wrote around a line
    of ours does not take that line in.
    """
    lines = [line.rstrip("\r") for line in body.split("\n")]
    found: list[list[str]] = []
    is_open = below_heading = False
    place = 0
    while place < len(lines):
        line = lines[place]
        end = fence_end(lines, place) or place + 1
        is_fence = end > place + 1
        if _SUBHEADING.match(line):
            found.append([line])
            is_open = below_heading = True
        elif line.rstrip(" \t") in known and not is_fence:
            found.append([line])
            is_open = below_heading = False
        elif below_heading:
            found[-1] += lines[place:end]
        elif not line.strip():
            is_open = False
        elif is_bullet(line) and not is_fence:
            found.append([line])
            is_open = False
        elif is_open:
            found[-1] += lines[place:end]
        else:
            found.append(lines[place:end])
            is_open = True
        place = end
    return tuple("\n".join(block).rstrip(" \t\n") for block in found)


def section(heading: str, content: Sequence[str]) -> str:
    """Write blocks as a section that reads back as the same blocks."""
    # Whatever stands below a subheading belongs to it, so these come last.
    ordered = sorted(content, key=lambda block: bool(_SUBHEADING.match(block)))
    text, before = f"## {heading}\n", ""
    for block in ordered:
        text += ("\n" if before and not _may_touch(before, block) else "") + block + "\n"
        before = block
    return text


def fence_end(lines: Sequence[str], place: int) -> int | None:
    """Give the place after the fence that opens here; None if none does, or if it is never closed."""
    opening = _FENCE.fullmatch(lines[place])
    if not opening:
        return None
    sign = opening[1]
    for end in range(place + 1, len(lines)):
        inner = lines[end].strip()
        if len(inner) >= len(sign) and set(inner) == {sign[0]}:
            return end + 1
    return None


def is_bullet(text: str) -> bool:
    return bool(_BULLET.match(text))


def _may_touch(before: str, block: str) -> bool:
    """Tell whether two blocks stay two, and look right, without a blank line between them."""
    if is_bullet(block):
        return is_bullet(before) or before[0] in " \t"
    return is_bullet(before) and block[0] in " \t"
