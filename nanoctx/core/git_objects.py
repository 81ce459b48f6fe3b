"""
The newest commits out of the objects git keeps loose, without a process of git.

What was committed here lately is one small file a commit. As long as each of them has one parent, and all
are there, they are what `git log ^base HEAD` would list; whenever they are not, git has to be asked. This
module imports nothing that takes time, so that a hook can afford it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Commit = tuple[str, str, str, str, str, str]  # hash, parents, seconds, author, address, subject: as git's log

LARGEST = 65536  # bytes of a commit
_HEX = frozenset("0123456789abcdef")


def between(base: str, head: str, most: int, read: Callable[[str], bytes | None]) -> list[Commit] | None:
    """The commits after `base`, newest first, at most so many; None if loose objects do not tell."""
    found: list[Commit] = []
    while not head.startswith(base):
        if len(head) < 40 or not _HEX.issuperset(head):
            return None
        one = commit(head, read(f"{head[:2]}/{head[2:]}"))
        if one is None or len(found) == most:
            return None  # there may be many more, or another way to the base
        found.append(one)
        head = one[1]
    return found


def commit(name: str, packed: bytes | None) -> Commit | None:
    """A commit with one parent, out of its file; None if it is anything else."""
    from zlib import decompressobj, error

    try:
        whole = decompressobj().decompress(packed or b"", LARGEST)
        kind, _, content = whole.partition(b"\0")
        header, _, message = content.decode().partition("\n\n")
    except (error, UnicodeDecodeError):
        return None
    lines = [line.partition(" ")[::2] for line in header.split("\n") if not line.startswith(" ")]
    fields, parents = dict(lines), [value for key, value in lines if key == "parent"]
    author, _, rest = fields.get("author", "").partition(" <")
    seconds = fields.get("committer", "").rpartition("> ")[2].partition(" ")[0]
    cut = kind != b"commit %d" % len(content)
    if cut or len(parents) != 1 or "encoding" in fields or not seconds.isdigit():
        return None
    lines_of_subject = message.lstrip("\n").partition("\n\n")[0].split("\n")
    subject = " ".join(line.rstrip() for line in lines_of_subject).rstrip()
    return name, parents[0], seconds, author, rest.rpartition("> ")[0], subject
