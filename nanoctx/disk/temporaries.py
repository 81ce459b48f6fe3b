"""The files a write makes on its way: how they are named, and whether what they hold may go."""

from __future__ import annotations

import os
import re
from pathlib import Path

from nanoctx.disk.refusals import refusals

SUFFIX = ".nanoctx-tmp"

_NAME = re.compile(
    r"\..*?(\.(?P<why>swap|kept)-(?P<expected>[0-9a-f]{16})-(?P<fresh>[0-9a-f]{16}))?\.[0-9a-f]{16}"
    + re.escape(SUFFIX),
    re.DOTALL,
)


def new_name(name: str) -> str:
    """A free name beside `name`."""
    return _named(name, "")


def new_swap_name(name: str, expected: str, fresh: str) -> str:
    """A name for a file that changes places with `name`; it tells which two versions we know."""
    return _named(name, f".swap-{expected[:16]}-{fresh[:16]}")


def new_kept_name(name: str, expected: str, fresh: str) -> str:
    """A second name for the old version, where files cannot change places."""
    return _named(name, f".kept-{expected[:16]}-{fresh[:16]}")


def was_swapped(name: str) -> bool:
    ours = _NAME.fullmatch(name)
    return ours is not None and ours["why"] == "swap"


def is_known(name: str, stamp: str) -> bool:
    """
    Tell whether a temporary holds a text that we wrote or have read.

    Always so for a plain one. One that stood at a page's place may hold what a person saved meanwhile.
    """
    ours = _NAME.fullmatch(name)
    return ours is not None and (not ours["why"] or stamp[:16] in (ours["expected"], ours["fresh"]))


def left_in(folder: Path) -> list[Path]:
    """The temporaries in a folder, sorted; a folder that is not there has none."""
    with refusals(folder, "read"):
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
        except FileNotFoundError:
            return []
    return [folder / name for name in names if _NAME.fullmatch(name)]


def _named(name: str, mark: str) -> str:
    # Long names are cut, so that the temporary's fits wherever the file's own does.
    short = os.fsencode(name)[:60].decode("utf-8", "ignore")
    return f".{short}{mark}.{os.urandom(8).hex()}{SUFFIX}"
