"""
Everything nanoctx raises on purpose. A message says what is wrong and what to do.

* NanoctxError              exit 1   something to look at
  + UsageError              exit 2   the command was called wrongly
  + WorkspaceError          exit 3   the workspace is absent or broken
  |  + NotAWorkspace                 nothing here was made by `nanoctx init`
  |  |  + WorkspaceRemoved           it was, and is gone from a repository that is there
  |  + SettingsError                 nanoctx.toml cannot be read
  + LogUnreadable           exit 1   a session log that cannot be opened or understood
  + DiskError               exit 1   the system refused a write; the old file stands
  + ChangedOnDisk           exit 1   a file moved under us; read it again
  + ClientError             exit 1   an agent's settings that cannot be edited as they are
  + Busy                    exit 1   another nanoctx holds the lock
"""

from __future__ import annotations

from pathlib import Path


class NanoctxError(Exception):
    """Shown to the person as one sentence, without a traceback."""

    exit_code = 1


class UsageError(NanoctxError):
    exit_code = 2


class WorkspaceError(NanoctxError):
    exit_code = 3


class NotAWorkspace(WorkspaceError):
    pass


class WorkspaceRemoved(NotAWorkspace):
    """`root` is where it was: `git clean` takes ignored folders away."""

    def __init__(self, root: Path) -> None:
        super().__init__(f"the workspace {root} was removed: run `nanoctx init` in {root.parent} again")
        self.root = root


class SettingsError(WorkspaceError):
    pass


class LogUnreadable(NanoctxError):
    pass


class DiskError(NanoctxError):
    pass


class ChangedOnDisk(NanoctxError):
    """`found` is a person's text that stands no longer at its path, `kept` the file it was put in."""

    found: str | None = None
    kept: Path | None = None


class ClientError(NanoctxError):
    pass


class Busy(NanoctxError):
    pass
