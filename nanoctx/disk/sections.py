"""Renews the page where it stands as a section in a person's file, if `connect` put it there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from nanoctx.core import section
from nanoctx.disk import backups, files
from nanoctx.errors import DiskError

NAME = "AGENTS.md"


def renew(folder: Path, page: Path, env: Mapping[str, str]) -> bool:
    """Whether there was something to renew; what came with a clone has no record of ours, and stays."""
    file = (folder / NAME).resolve()
    if backups.load(file, env) is None:
        return False
    try:
        before = files.read(file)
        after = section.renewed(before.text, files.read(page).text)
        if after == before.text:
            return False
        files.exchange(file, after, before)
    except (section.BrokenSection, DiskError):
        return False  # somebody is at it: the next look comes soon
    return True
