"""Where the files that come with nanoctx are: the templates and the example workspace."""

from __future__ import annotations

from pathlib import Path

import nanoctx

PACKAGE = Path(nanoctx.__file__).parent


def folder(name: str) -> Path:
    """`templates` or `workspace-example`: inside an installed package, else beside it in a checkout."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name


def template(name: str) -> str:
    return (folder("templates") / name).read_text(encoding="utf-8")
