"""What the program can tell itself is written down as it tells it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def _pages() -> dict[str, Callable[[], str]]:
    spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs" / "make.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: dict[str, Callable[[], str]] = module.PAGES
    return pages


PAGES = _pages()


@pytest.mark.parametrize("name", list(PAGES))
def test_the_file_says_what_the_program_says(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == PAGES[name](), (
        "run `make docs` and look at the difference"
    )
