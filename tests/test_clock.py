from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from nanoctx import clock
from nanoctx.errors import UsageError


def test_now_is_the_present_in_utc() -> None:
    before = datetime.now(UTC)
    moment = clock.now()
    assert before <= moment <= datetime.now(UTC)
    assert moment.tzinfo is UTC


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2026-02-12T13:49:00Z", datetime(2026, 2, 12, 13, 49, tzinfo=UTC)),
        ("2026-02-12T13:49:00+02:00", datetime(2026, 2, 12, 11, 49, tzinfo=UTC)),
        (" 2026-02-12T13:49 ", datetime(2026, 2, 12, 12, 49, tzinfo=UTC)),
        ("2026-07-12 13:49:00", datetime(2026, 7, 12, 11, 49, tzinfo=UTC)),
        ("2026-02-12", datetime(2026, 2, 11, 23, 0, tzinfo=UTC)),
    ],
)
def test_a_test_can_set_the_clock_in_local_time_or_with_a_zone(
    monkeypatch: pytest.MonkeyPatch, given: str, moment: datetime
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    monkeypatch.setenv("NANOCTX_NOW", given)
    assert clock.now() == moment
    assert clock.now().tzinfo is UTC


@pytest.mark.parametrize("given", ["yesterday", "2026-13-01", "12:00", "0001-01-01T00:00:00+14:00", "1e9"])
def test_a_time_that_is_none_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("NANOCTX_NOW", given)
    with pytest.raises(UsageError, match="NANOCTX_NOW"):
        clock.now()


def test_an_empty_setting_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOCTX_NOW", "")
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize("name", ["Europe/Berlin", ":Europe/Berlin"])
def test_summer_time_is_known_whatever_the_season(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("TZ", name)
    zone = clock.zone()
    assert datetime(2026, 1, 15, 12, tzinfo=zone).utcoffset() == timedelta(hours=1)
    assert datetime(2026, 7, 15, 12, tzinfo=zone).utcoffset() == timedelta(hours=2)
    # The hour that happens twice, on 2026-10-25: its second half is an hour later.
    first = datetime(2026, 10, 25, 2, 30, tzinfo=zone, fold=0).astimezone(UTC)
    second = datetime(2026, 10, 25, 2, 30, tzinfo=zone, fold=1).astimezone(UTC)
    assert second - first == timedelta(hours=1)


@pytest.mark.parametrize(
    ("name", "hours"), [("", 0), ("UTC", 0), ("EST5", -5), ("<+03>-3", 3), ("Europe", 0), ("No/Such", 0)]
)
def test_a_rule_that_is_no_name_gives_the_systems_offset(
    monkeypatch: pytest.MonkeyPatch, name: str, hours: int
) -> None:
    monkeypatch.setenv("TZ", name)
    assert datetime(2026, 1, 15, tzinfo=clock.zone()).utcoffset() == timedelta(hours=hours)


def _zone_file() -> Path:
    for root in ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/var/db/timezone/zoneinfo"):
        file = Path(root, "Europe/Berlin")
        if file.is_file():
            return file
    pytest.skip("this system has no time zone files")


def test_without_a_setting_the_systems_link_names_the_zone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TZ")
    link = tmp_path / "localtime"
    link.symlink_to(_zone_file())
    monkeypatch.setattr(clock, "LOCALTIME", link)
    assert clock.zone() == ZoneInfo("Europe/Berlin")


def test_a_copied_zone_file_knows_its_summer_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy = tmp_path / "localtime"
    copy.write_bytes(_zone_file().read_bytes())
    monkeypatch.setattr(clock, "LOCALTIME", copy)
    for setting in (None, str(copy)):
        if setting:
            monkeypatch.setenv("TZ", setting)
        else:
            monkeypatch.delenv("TZ")
        assert datetime(2026, 7, 15, tzinfo=clock.zone()).utcoffset() == timedelta(hours=2)


def test_a_system_without_a_zone_has_the_clocks_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TZ")
    monkeypatch.setattr(clock, "LOCALTIME", tmp_path / "missing")
    assert datetime(2026, 1, 15, tzinfo=clock.zone()).utcoffset() is not None
