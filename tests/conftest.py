"""No test sees the home of the person who runs it, and what is random can be repeated."""

from __future__ import annotations

import itertools
import os
import pwd
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_UNHURRIED = (HealthCheck.too_slow,)  # shared machines stall; our own timeout is 10 s per test
settings.register_profile(
    "fast",
    max_examples=25,
    deadline=None,
    derandomize=False,
    print_blob=True,
    suppress_health_check=_UNHURRIED,
)
settings.register_profile("thorough", settings.get_profile("fast"), max_examples=1000)
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fast")
settings.load_profile(_PROFILE)

# Left in the environment for the processes that share the work.
_SEED = os.environ.setdefault("NANOCTX_TEST_SEED", str(random.SystemRandom().randrange(10**9)))
_PERSONAL = (".claude", ".codex", ".config/nanoctx", ".local/share/nanoctx")


class YouForgotToKeepTheTestOutOfTheRealHome(AssertionError):
    pass


def _personal_places() -> tuple[str, ...]:
    """What no test may open, by the names it had before any fixture changed the environment."""
    homes = {Path.home(), Path(pwd.getpwuid(os.getuid()).pw_dir)}
    places = {home / name for home in homes for name in _PERSONAL}
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        if os.environ.get(variable):
            places.add(Path(os.environ[variable], "nanoctx"))
    return tuple(map(str, places | {place.resolve() for place in places}))


_PLACES = _personal_places()
_UNDER = tuple(place + os.sep for place in _PLACES)
_EVENTS = frozenset(
    (
        *("open", "sqlite3.connect", "os.listdir", "os.scandir", "os.mkdir", "os.rmdir", "os.rename"),
        *("os.remove", "os.link", "os.symlink", "os.chmod", "os.truncate"),
    )
)


def _guard(event: str, arguments: tuple[object, ...]) -> None:
    if event not in _EVENTS:
        return
    for argument in arguments[:2]:
        if isinstance(argument, bytes | str | os.PathLike):
            path = os.path.normpath(os.fsdecode(argument))
            if path in _PLACES or path.startswith(_UNDER):
                raise YouForgotToKeepTheTestOutOfTheRealHome(f"{event}: {path}")


# An audit hook sees what any library opens, too. It cannot be taken away again, which is as well.
sys.addaudithook(_guard)


def _fast_folder() -> str | None:
    """Memory that does as a drive, if there is plenty: to make and drop files takes most of the time."""
    try:
        place = os.statvfs("/dev/shm")
    except OSError:
        return None
    plenty = place.f_bavail * place.f_frsize >= 4 << 30
    return "/dev/shm" if plenty and not place.f_flag & (os.ST_NOEXEC | os.ST_RDONLY) else None


if fast := _fast_folder():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", fast)


def pytest_report_header() -> str:
    return f"random seed: NANOCTX_TEST_SEED={_SEED}, hypothesis profile: {_PROFILE}"


_XDG = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
    "XDG_RUNTIME_DIR": "run",
}


@pytest.fixture(scope="session")
def _empty_homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Path]]:
    """Makes homes. Not by `mktemp`, which looks at all that were made before each time."""
    folder = tmp_path_factory.mktemp("homes")
    numbers = itertools.count()

    def make() -> Path:
        home = folder / str(next(numbers))
        for place in _XDG.values():
            (home / place).mkdir(parents=True, mode=0o700)
        return home

    yield make


@pytest.fixture(scope="session")
def _shared_home(_empty_homes: Callable[[], Path]) -> Path:
    return _empty_homes()


@pytest.fixture(autouse=True)
def _a_home_of_its_own(
    request: pytest.FixtureRequest,
    _empty_homes: Callable[[], Path],
    _shared_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Tests without a folder of their own share a home, and leave it empty: most are about words alone."""
    shared = "tmp_path" not in request.fixturenames
    home = _shared_home if shared else _empty_homes()
    for name in list(os.environ):
        if name.startswith(("NANOCTX_", "CLAUDE", "CODEX_", "XDG_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for variable, place in _XDG.items():
        monkeypatch.setenv(variable, str(home / place))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    if shared:
        left = [place for place in home.rglob("*") if not place.is_dir()]
        for place in left:  # one test shall fail for it, not all that follow
            place.unlink()
        assert not left, f"a test that writes into its home takes tmp_path, too: {left}"


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Chance that can be repeated: the seed stands in the header and in the output of a failing test."""
    seed = f"{_SEED}:{request.node.nodeid}"
    print(f"NANOCTX_TEST_SEED={_SEED}")
    return random.Random(seed)
