"""Which workspace a hook is called in, and where HEAD stands there: plain reads of small files."""

from __future__ import annotations

import os

from nanoctx.hook import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Branch, commit, top of the checkout; what git keeps of it alone, and the objects that all share.
    Head = tuple[str, str, str, str, str]


def find(cwd: str) -> tuple[str, str, str] | None:
    """The workspace of a folder, its ready answer and the top of the checkout that is asked about.

    Only a workspace that this user made is looked into.
    """
    known = _registered()
    if not known:
        return None
    cwd = os.path.realpath(cwd)
    named = os.environ.get("NANOCTX_WORKSPACE")
    top, nearest = _nearest(cwd, known)
    if named:
        nearest = os.path.realpath(named)
        if nearest not in known and os.path.join(nearest, ".nanoctx") in known:
            nearest = os.path.join(nearest, ".nanoctx")
    if nearest:
        if nearest not in known:
            return None
        if nearest.endswith("/.nanoctx"):
            ready = os.path.join(nearest, ".state/answers/project.json")
            return nearest, ready, os.path.dirname(nearest) if named else top
        known = [nearest]
    found = [match for root in known for match in _matches(root, cwd, top)]
    return (*max(found)[1:], top) if found else None


def _nearest(cwd: str, known: list[str]) -> tuple[str, str]:
    """The top of the repository around a folder, and the `.nanoctx` on the way there; "" for none.

    One that is known and gone counts, too: `git clean` took it away, and a look brings it back.
    """
    folder = cwd
    while True:
        own = os.path.join(folder, ".nanoctx")
        if os.path.isdir(own) and not os.path.islink(own):
            return folder, own
        git = os.path.join(folder, ".git")
        if os.path.exists(git):
            for checkout in (folder, _main_checkout(git)):
                own = os.path.join(checkout, ".nanoctx")
                if checkout and (own in known or os.path.isdir(own)):
                    return folder, "" if os.path.islink(own) else own
            return folder, ""
        above = os.path.dirname(folder)
        if above == folder:
            return "", ""
        folder = above


def _main_checkout(git: str) -> str:
    """The checkout that a linked worktree belongs to; it must name the worktree back."""
    private = _pointer(git, "gitdir:")
    if not private or not os.path.isfile(git):
        return ""
    back, shared = _pointer(os.path.join(private, "gitdir")), _pointer(os.path.join(private, "commondir"))
    same = back and os.path.realpath(back) == os.path.realpath(git)
    return os.path.dirname(shared) if same and os.path.basename(shared) == ".git" else ""


def _pointer(file: str, prefix: str = "") -> str:
    text = reading.small(file).strip()
    if not text.startswith(prefix) or not text:
        return ""
    return os.path.realpath(os.path.join(os.path.dirname(file), text.removeprefix(prefix).strip()))


def _matches(root: str, cwd: str, top: str) -> list[tuple[int, str, str]]:
    """The answers of a workspace for several projects that are about this folder; the narrowest counts."""
    found = []
    if not root.endswith("/.nanoctx"):
        index = reading.json_file(os.path.join(root, ".state/answers/index.json"))
        for folder, name in index.get("projects", []):
            if within(cwd, folder) or (top and within(folder, top)):
                found.append((len(folder), root, os.path.join(root, ".state/answers", name)))
    return found


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _registered() -> list[str]:
    """The paths in the list of workspaces; a TOML parser would take longer than all the rest."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    config = base if base.startswith("/") else os.path.join(os.environ.get("HOME", "/"), ".config")
    found = []
    for line in reading.small(os.path.join(config, "nanoctx/workspaces.toml")).splitlines():
        key, _, value = line.partition("=")
        value = value.strip()
        if key.strip() == "path" and value[:1] == '"':
            found.append(reading.scanner()(value, 0)[0])
        elif key.strip() == "path" and value[:1] == "'":
            found.append(value[1:].partition("'")[0])
    return found


def head(folder: str) -> Head | None:
    """Where HEAD stands in the checkout whose top a folder is, from two small files."""
    git = shared = os.path.join(folder, ".git")
    if os.path.isfile(git):
        git = _pointer(git, "gitdir:")
        shared = _pointer(os.path.join(git, "commondir")) or git  # a linked worktree's branches are there
    objects = os.path.join(shared, "objects")
    text = reading.small(os.path.join(git, "HEAD")).strip()
    if not text.startswith("ref: refs/") or ".." in text:
        return ("", text, folder, git, objects) if len(text) >= 40 and text.isalnum() else None
    ref = text[5:]
    sha = reading.small(os.path.join(shared, ref)).strip() or _packed(shared, ref)
    return ref.removeprefix("refs/heads/"), sha, folder, git, objects


def _packed(git: str, ref: str) -> str:
    for line in reading.small(os.path.join(git, "packed-refs")).splitlines():
        if line.endswith(f" {ref}"):
            return line.partition(" ")[0]
    return ""
