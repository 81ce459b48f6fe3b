"""The files that git tracks in a checkout."""

from __future__ import annotations

from pathlib import Path

from nanoctx.core import git_safety
from nanoctx.sources import git
from nanoctx.sources.git_runner import TIMEOUT, run

MOST = 20_000


def paths(folder: Path, *, timeout: float = TIMEOUT) -> tuple[str, ...]:
    """Paths below the top of the checkout; none if there is no repository, or git does not answer."""
    places = git.places(folder)
    if places is None:
        return ()
    told = run(places.top, git_safety.tracked(), timeout=timeout)
    names = told.out.decode("utf-8", "replace").split("\0")[:-1] if told.out else []
    return tuple(names[:MOST])
