"""What agents were given: a log of views under `.state`, bounded, for the person to look into."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nanoctx.disk import files
from nanoctx.errors import DiskError

NAME = "injections.jsonl"
LARGEST = 512 * 1024  # bytes; then the older half goes


def note(state: Path, told: Mapping[str, Any]) -> None:
    """Add a line; that it cannot be kept stops nothing."""
    path = state / NAME
    with suppress(DiskError, OSError):
        files.make_folder(state)
        if path.exists() and path.stat().st_size > LARGEST:
            lines = files.read(path).text.splitlines(keepends=True)
            files.write(path, "".join(lines[len(lines) // 2 :]), durable=False)
        files.append(path, json.dumps(told, ensure_ascii=False))
