"""Interim: to be replaced by the full module."""

from __future__ import annotations

import re


def one_line(text: str, limit: int | None = None) -> str:
    text = re.sub(r"\s+", " ", text.encode("utf-8", "replace").decode()).strip()
    return text if limit is None else text[:limit]


def inert(text: str) -> str:
    return one_line(text)
