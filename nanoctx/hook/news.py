"""What was committed since the last session, when HEAD moved and nobody has looked since: one call of git."""

from __future__ import annotations

import os

from nanoctx.core import git_safety

MOST = 30
SHOWN = 3
WIDTH = 60


def since(folder: str, base: str, sha: str, seconds: float) -> list[str]:
    """Lines for External; none if git does not answer in time, or `base` is not in this history."""
    if seconds <= 0.02 or not (base.isalnum() and sha.isalnum()):
        return []
    import subprocess

    form = (f"--max-count={MOST + 1}", "-z", "--format=%an%x1f%s")
    command = git_safety.arguments("log", *form, f"{base}..{sha}")
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=git_safety.environment(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    if done.returncode:
        return []
    entries = done.stdout.decode("utf-8", "replace").split("\0")
    commits = [entry.partition("\x1f") for entry in entries if entry]
    if not commits:
        return []
    number = f"{MOST}+" if len(commits) > MOST else str(len(commits))
    subjects = [f'"{clean(subject)}"' for _, _, subject in commits[:SHOWN]]
    more = ", …" if len(commits) > SHOWN else ""
    authors = list(dict.fromkeys(clean(author, 24) for author, _, _ in commits))[:SHOWN]
    noun = "commit" if len(commits) == 1 else "commits"
    return [f"{number} {noun} since last session: {', '.join(subjects)}{more} (by {', '.join(authors)})"]


def clean(text: str, width: int = WIDTH) -> str:
    """Words of a stranger as part of one line: no break, tag, import, code or quote to get out by."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    for sign, harmless in (("<", "‹"), ("`", "'"), ("@", "＠"), ('"', "'")):
        text = text.replace(sign, harmless)
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
