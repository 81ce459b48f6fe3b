"""The one place that starts git: hardened, within a time limit, with bounded output, no process left."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from subprocess import Popen

from nanoctx.core import git_safety
from nanoctx.disk import children

TIMEOUT = 5.0  # seconds; a refresh that takes longer is not worth waiting for
MOST_OUTPUT = 4 * 1024 * 1024
GRACE = children.GRACE


class Ran(children.Ran):
    """What a git command came to."""

    __slots__ = ()

    @property
    def refused(self) -> bool:
        return git_safety.is_refusal(self.code, self.told)


NO_GIT = Ran(127, b"", b"git cannot be started", True)


def run(
    top: Path,
    command: Sequence[str],
    *,
    filters: Sequence[str] = (),
    timeout: float = TIMEOUT,
    limit: int = MOST_OUTPUT,
) -> Ran:
    """Run a command of `core.git_safety` in the checkout at `top`."""
    if not _answers(os.environ.get("PATH", "")):
        return NO_GIT
    try:
        # Imported here: it takes longer than most commands of ours that need no git.
        from git import Git
        from git.exc import GitError
    except ImportError:  # GitPython refuses to be imported where there is no git
        return NO_GIT
    wanted = git_safety.environment(os.environ, str(top), filters)
    dropped = [name for name in os.environ if name not in wanted]
    # GitPython adds to the environment and takes nothing away; `env` does.
    unset = ["env", *(word for name in dropped for word in ("-u", name))] if dropped else []

    def start() -> Popen[bytes]:
        begun = Git(top).execute(
            [*unset, *command], as_process=True, env=wanted, shell=False, start_new_session=True
        )
        process = begun.proc
        if process is None:
            raise ChildProcessError("git was not started")
        begun.proc = None  # from here on it is ours to end
        return process

    try:
        process = children.started(start)
    except (GitError, OSError):
        return NO_GIT
    done = children.gathered(process, timeout, limit)
    return Ran(done.code, done.out, done.told, done.whole)


@cache
def _answers(path: str) -> bool:
    """Whether there is a git that ends: GitPython calls it when it is imported, and would wait for ever."""
    wanted = git_safety.environment(os.environ, "/")
    try:
        return children.run(
            ["git", "version"], given=b"", env=wanted, cwd=Path("/"), timeout=TIMEOUT, limit=MOST_OUTPUT
        ).good
    except OSError:
        return False
