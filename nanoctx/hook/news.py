"""What was committed since the last session, when HEAD moved and nobody has looked since: one call of git."""

from __future__ import annotations

import os

from nanoctx.core import git_safety

MOST = 30
SHOWN = 3
WIDTH = 60


def since(folder: str, base: str, own: list[str], seconds: float) -> list[str]:
    """Lines for External; none if git does not answer in time, or `base` is not in this history.

    `own` are the commits that sessions made: those are no news from outside.
    """
    if seconds <= 0.02 or not git_safety.is_commit_name(base):
        return []
    import subprocess

    try:
        done = subprocess.run(
            git_safety.log(MOST + 1, beyond=base),
            cwd=folder,
            env=git_safety.environment(os.environ, folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    entries = done.stdout.decode("utf-8", "replace").split("\0") if not done.returncode else []
    commits = [entry.split(git_safety.FIELD) for entry in entries if entry]
    return _line([one for one in commits if len(one) == 6 and not one[0].startswith(tuple(own))])


def _line(commits: list[list[str]]) -> list[str]:
    if not commits:
        return []
    number = f"{MOST}+" if len(commits) > MOST else str(len(commits))
    subjects = ", ".join(f'"{clean(subject)}"' for *_, subject in commits[:SHOWN])
    more = ", …" if len(commits) > SHOWN else ""
    authors = ", ".join(list(dict.fromkeys(clean(one[3], 24) for one in commits))[:SHOWN])
    noun = "commit" if len(commits) == 1 else "commits"
    return [f"{number} {noun} since last session: {subjects}{more} (by {authors})"]


def clean(text: str, width: int = WIDTH) -> str:
    """Words of a stranger as part of one line: no break, tag, import, code or quote to get out by."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    for sign, harmless in (("<", "‹"), ("`", "'"), ("@", "＠"), ('"', "'")):
        text = text.replace(sign, harmless)
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
