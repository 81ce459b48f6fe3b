"""A second copy of a repository's observations, out of reach of `git clean -fdx`, and the way back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from nanoctx.disk import files, registry

_INSIDE = ".nanoctx"  # only a workspace inside a repository can be cleaned away with it


def folder(root: Path, env: Mapping[str, str]) -> Path | None:
    """Where the copies of a workspace are; None for one that needs none."""
    if root.name != _INSIDE:
        return None
    name = re.sub(r"[^\w.-]+", "-", root.parent.name).strip("-.").lower() or "project"
    place = sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return folders(env) / f"{name}-{place}"


def folders(env: Mapping[str, str]) -> Path:
    """Where the copies of all workspaces are."""
    base = env.get("XDG_DATA_HOME", "")
    # The XDG rule: a relative path there is to be ignored.
    data = Path(base) if base.startswith("/") else registry.home(env) / ".local" / "share"
    return data / "nanoctx"


def keep(root: Path, path: Path, text: str, env: Mapping[str, str]) -> None:
    """Copy an observation that was just saved at `path`."""
    copies = folder(root, env)
    if copies is not None:
        target = copies / path.relative_to(root)
        files.make_folder(target.parent, private=True)
        files.write(target, text, private=True)


def is_kept(root: Path, env: Mapping[str, str]) -> bool:
    """Whether there are copies of a workspace's observations."""
    copies = folder(root, env)
    return copies is not None and any(copies.glob("observations/*/*/*.md"))


def restore(root: Path, env: Mapping[str, str]) -> int:
    """Bring the observations back if all are gone; how many came.

    A single file that is missing was taken away by somebody who meant it.
    """
    copies = folder(root, env)
    unfinished = root / ".state" / "restoring"
    if copies is None or not copies.is_dir():
        return 0
    if (root / "observations").exists() and not unfinished.exists():
        return 0
    kept = [one for one in sorted(copies.glob("observations/*/*/*.md")) if not one.name.startswith(".")]
    missing = [(one, root / one.relative_to(copies)) for one in kept]
    missing = [(one, target) for one, target in missing if not target.exists()]
    if missing:
        files.make_folder(unfinished.parent)
        files.write(unfinished, "")
    for one, target in missing:
        files.make_folder(target.parent)
        files.write(target, one.read_text(encoding="utf-8"))
    if unfinished.exists():
        files.remove(unfinished)
    return len(missing)
