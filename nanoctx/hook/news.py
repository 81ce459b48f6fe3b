"""What was committed since the last session, when HEAD moved and nobody has looked since: one call of git."""

from __future__ import annotations

import os
import time

from nanoctx.core import git_objects, git_safety
from nanoctx.hook import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from nanoctx.hook.places import Head

MOST = 30
SHOWN = 3
WIDTH = 60
SHORTEST = 0.02  # seconds in which git may answer
MOST_SAID = 1 << 18  # bytes; thirty commits whose subjects are longer than that have another to look at them


def since(head: Head, answer: Mapping[str, Any], switched: bool, seconds: float) -> str:
    """What External says of commits; "" if git does not answer in time, or there is nothing to say.

    News is what the last session's HEAD did not hold, and was not made by a session. If that HEAD is not
    known, or another branch is checked out, which has many commits of old, the time of a commit decides.
    """
    _, sha, folder, _, objects = head
    base, own, at = answer["base"], tuple(answer["commits"]), answer["since"]
    known = git_safety.is_commit_name(base)
    if not (known or at):
        return ""
    commits = git_objects.between(base, sha, MOST, _reader(objects)) if known else None
    if commits is None and seconds > SHORTEST:
        commits = _asked(folder, base if known else "", at, seconds)
    commits = [one for one in commits or () if not one[0].startswith(own)]
    if switched or not known:
        commits = [one for one in commits if one[2].isdigit() and int(one[2]) > at]
    return _told(commits) if commits else ""


def _reader(objects: str) -> Callable[[str], bytes | None]:
    return lambda name: reading.start(os.path.join(objects, name), git_objects.LARGEST)


def _asked(folder: str, base: str, at: float, seconds: float) -> list[git_objects.Commit]:
    """What git lists, where files did not tell it."""
    after = "" if base else time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime(at))
    git, *words = git_safety.log(MOST + 1, beyond=base, since=after)
    said = _said([git, "-C", folder, *words], git_safety.environment(os.environ, folder), seconds)
    entries = (entry.split(git_safety.FIELD) for entry in said.decode("utf-8", "replace").split("\0"))
    return [(one[0], one[1], one[2], one[3], one[4], one[5]) for one in entries if len(one) == 6]


def _said(command: list[str], env: Mapping[str, str], seconds: float) -> bytes:
    """What a program prints until it ends well; nothing if it fails, takes too long or says too much."""
    import select  # what Python has to run a program with takes longer to load than git to answer

    end, said = time.monotonic() + seconds, b""
    reading, writing = os.pipe()
    streams = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 2)]
    try:
        pid = os.posix_spawnp(
            command[0], command, env, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1), *streams], setsid=True
        )
    except OSError:
        os.close(reading)
        return b""
    finally:
        os.close(writing)
    ended = False
    while not ended and len(said) < MOST_SAID and (left := end - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            block = os.read(reading, MOST_SAID)
            said, ended = said + block, not block
    os.close(reading)
    if not ended:
        os.killpg(pid, 9)
    return said if os.waitpid(pid, 0)[1] == 0 else b""


def _told(commits: list[git_objects.Commit]) -> str:
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
