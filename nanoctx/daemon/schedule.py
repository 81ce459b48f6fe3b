"""When things are due by the clock: cycles, the page's words about time, a look at everything."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.executors.base import BaseExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger

_ALWAYS: dict[str, Any] = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}


class Schedule:
    """A due moment only makes a mark. All in UTC, where no hour is missing and none comes twice."""

    def __init__(self, due: Callable[[str, str], None]) -> None:
        self._due = due
        self._scheduler = BackgroundScheduler(
            timezone=UTC, job_defaults=_ALWAYS, executors={"default": _AtOnce()}
        )
        self._every: dict[str, timedelta] = {}
        logging.getLogger("apscheduler").setLevel(logging.ERROR)

    def start(self) -> None:
        self._scheduler.start()

    def stop(self) -> None:
        self._scheduler.shutdown(wait=False)

    def every(self, what: str, owner: str, period: timedelta, now: datetime) -> None:
        """Mark it each time a period has passed; the same period leaves the present one running."""
        name = f"{what}:{owner}"
        if self._every.get(name) != period:
            self._every[name] = period
            self._add(
                name,
                IntervalTrigger(seconds=int(period.total_seconds()), start_date=now + period, timezone=UTC),
                what,
                owner,
            )

    def at(self, what: str, owner: str, moment: datetime) -> None:
        """Mark it once, then."""
        self._add(f"{what}:{owner}", DateTrigger(moment, timezone=UTC), what, owner)

    def drop(self, owner: str) -> None:
        for job in self._scheduler.get_jobs():
            if job.id.partition(":")[2] == owner:
                job.remove()
                self._every.pop(job.id, None)

    def next(self, what: str, owner: str) -> datetime | None:
        job = self._scheduler.get_job(f"{what}:{owner}")
        return job.next_run_time if job else None

    def clock_was_set(self, now: datetime) -> None:
        """Count all periods from now on: what was due by the old clock may be years away by the new one."""
        for name, period in list(self._every.items()):
            del self._every[name]
            what, _, owner = name.partition(":")
            self.every(what, owner, period, now)
        self._scheduler.wakeup()

    def _add(self, name: str, trigger: Any, what: str, owner: str) -> None:
        self._scheduler.add_job(self._due, trigger, (what, owner), id=name, replace_existing=True)


class _AtOnce(BaseExecutor):  # type: ignore[misc]
    """A mark takes no time, so it needs no threads of its own."""

    def _do_submit_job(self, job: Any, run_times: list[datetime]) -> None:
        job.func(*job.args)
        self._run_job_success(job.id, [])
