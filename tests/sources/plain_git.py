"""Git as anybody calls it, to set scenes: nothing of the machine's own settings takes part."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def plain(folder: Path, *arguments: str, check: bool = True, **more: str) -> str:
    """Run git with nothing made safe."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, **more}
    for role in ("AUTHOR", "COMMITTER"):
        environment.setdefault(f"GIT_{role}_NAME", "Mira")
        environment.setdefault(f"GIT_{role}_EMAIL", "mira@example.org")
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=check
    )
    return done.stdout.strip()
