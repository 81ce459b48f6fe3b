"""The background process from its start to its end."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import select
import signal
import sys
from collections.abc import Mapping

from nanoctx import clock
from nanoctx.daemon import journal
from nanoctx.daemon.control import Bell, Control
from nanoctx.daemon.keeper import Keeper
from nanoctx.disk import children, files, lock, runtime

PATIENCE = 1.2  # seconds for what is under way when we are told to go
_ARENAS = 2  # of memory: one for each thread would keep what it once needed
_M_ARENA_MAX = -8


def run(env: Mapping[str, str], *, echo: bool) -> None:
    """Keep all workspaces until told to go; raises Busy if another process of this user does."""
    files.make_folder(runtime.folder(env), private=True)
    with lock.hold(runtime.lock(env), wait=0.0, purpose="run"):
        os.chdir("/")  # we stand in nobody's way who wants to unmount something
        _spare_memory()
        bell = Bell()
        leave = _listen(bell)
        with journal.kept(runtime.log(env), echo):
            files.write(runtime.pid(env), f"{os.getpid()}\n", durable=False)
            control = Control(runtime.socket(env))
            try:
                _keep(env, control, bell, leave)
            finally:
                control.close()
                files.remove(runtime.pid(env))
                children.end_all()
    # What is still under way can be stopped at any moment, and would keep us from leaving.
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)


class _Leave:
    """Whether we were told to go."""

    told = False

    def __call__(self, *_: object) -> None:
        self.told = True


def _keep(env: Mapping[str, str], control: Control, bell: Bell, leave: _Leave) -> None:
    keeper = Keeper(env, now=clock.now, elapsed=clock.elapsed, wake=bell.ring)
    journal.log.info("begun, process %d", os.getpid())
    keeper.start()
    gc.freeze()
    asked = control.fileno()
    waiting = [bell.fileno(), *([asked] if asked is not None else [])]
    while not leave.told:
        ready, _, _ = select.select(waiting, [], [], keeper.patience())
        bell.silence()
        if asked in ready:
            control.answer(keeper.told())
        keeper.step()
    journal.log.info("told to go")
    if not keeper.stop(PATIENCE):
        journal.log.info("gone before a look was done: the next one begins anew")


def _listen(bell: Bell) -> _Leave:
    leave = _Leave()
    signal.set_wakeup_fd(bell.cord(), warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, leave)
    return leave


def _spare_memory() -> None:
    """Keep what threads once needed from being held for ever; only where the C library can be told."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)
