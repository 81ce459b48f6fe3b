"""The agents whose session logs we can read: each a module of this folder, named with `_` for `-`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

from nanoctx.disk.settings import AGENTS
from nanoctx.sources.base import Source


class _Sources(Mapping[str, Source]):
    """By agent. A module is loaded when it is asked for: most commands need one of them, or none."""

    def __getitem__(self, name: str) -> Source:
        if name not in AGENTS:
            raise KeyError(name)
        return cast(Source, import_module(f"nanoctx.sources.{name.replace('-', '_')}"))

    def __iter__(self) -> Iterator[str]:
        return iter(AGENTS)

    def __len__(self) -> int:
        return len(AGENTS)


SOURCES: Mapping[str, Source] = _Sources()
