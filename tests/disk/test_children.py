"""Programs we start end before we do."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from subprocess import Popen

import pytest

from nanoctx.disk import children


def test_when_all_are_ended_none_is_started_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_over", threading.Event())
    monkeypatch.setattr(children, "_alive", set())
    found: list[children.Ran] = []

    def waits() -> None:
        found.append(children.run(["sleep", "30"], given=b"", env={}, cwd=Path("/"), timeout=20.0, limit=10))

    thread = threading.Thread(target=waits)
    thread.start()
    while not children._alive:
        time.sleep(0.01)
    begun = time.monotonic()
    children.end_all()
    thread.join(5.0)
    assert time.monotonic() - begun < 2.0 and found[0].code == -9
    with pytest.raises(OSError, match="about to go"):
        children.started(lambda: Popen(["true"]))
    assert not children._alive
