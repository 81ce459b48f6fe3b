from __future__ import annotations

from nanoctx.daemon.debounce import Debounce


def test_what_is_marked_is_given_once_it_was_quiet_for_200_ms() -> None:
    held: Debounce[str] = Debounce()
    held.mark("page", 10.0)
    held.mark("page", 10.15)
    assert held.due(10.3) == []
    assert held.next() is not None and abs(held.next() - 10.35) < 1e-9  # type: ignore[operator]
    assert held.due(10.36) == [("page", 10.0)]  # with the moment of the first mark: lag counts from there
    assert held.due(20.0) == [] and held.next() is None and not len(held)


def test_what_never_is_quiet_is_given_after_two_seconds() -> None:
    held: Debounce[str] = Debounce()
    given = []
    for step in range(60):  # a mark each 100 ms, for six seconds
        at = 10.0 + step / 10
        held.mark("log", at)
        given += [round(at - first, 3) for _, first in held.due(at)]
    assert len(given) == 2 and all(1.95 <= waited <= 2.05 for waited in given)


def test_one_thing_waits_for_no_other() -> None:
    held: Debounce[str] = Debounce()
    held.mark("page", 10.0)
    held.mark("log", 10.19)
    assert [key for key, _ in held.due(10.21)] == ["page"]
