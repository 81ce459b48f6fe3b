"""What was committed since the last session, when HEAD moved and nobody has looked since: one call of git."""

from __future__ import annotations

import os
import time

from nanoctx.core import git_safety

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST = 30
SHOWN = 3
WIDTH = 60


def since(folder: str, answer: Mapping[str, Any], switched: bool, seconds: float) -> str:
    """What External says of commits; "" if git does not answer in time, or there is nothing to say.

    News is what the last session's HEAD did not hold, and was not made by a session. If that HEAD is not
    known, or another branch is checked out, which has many commits of old, the time of a commit decides.
    """
    base, own, at = answer["base"], tuple(answer["commits"]), answer["since"]
    known = git_safety.is_commit_name(base)
    if seconds <= 0.02 or not (known or at):
        return ""
    after = "" if known else time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime(at))
    import subprocess

    try:
        done = subprocess.run(
            git_safety.log(MOST + 1, beyond=base if known else "", since=after),
            cwd=folder,
            env=git_safety.environment(os.environ, folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    entries = done.stdout.decode("utf-8", "replace").split("\0") if not done.returncode else []
    commits = [entry.split(git_safety.FIELD) for entry in entries if entry]
    commits = [one for one in commits if len(one) == 6 and not one[0].startswith(own)]
    if switched or not known:
        commits = [one for one in commits if one[2].isdigit() and int(one[2]) > at]
    return _told(commits) if commits else ""


def _told(commits: list[list[str]]) -> str:
    number = f"{MOST}+" if len(commits) > MOST else str(len(commits))
    subjects = ", ".join(f'"{clean(subject)}"' for *_, subject in commits[:SHOWN])
    more = ", …" if len(commits) > SHOWN else ""
    authors = ", ".join(list(dict.fromkeys(clean(one[3], 24) for one in commits))[:SHOWN])
    noun = "commit" if len(commits) == 1 else "commits"
    return f"{number} {noun} since last session: {subjects}{more} (by {authors})"


def clean(text: str, width: int = WIDTH) -> str:
    """Words of a stranger as part of one line: no break, tag, import, code or quote to get out by."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    for sign, harmless in (("<", "‹"), ("`", "'"), ("@", "＠"), ('"', "'")):
        text = text.replace(sign, harmless)
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
