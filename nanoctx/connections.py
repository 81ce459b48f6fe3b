"""Connecting an agent: plan an edit of its settings, show it, carry it out; and the way back."""

from __future__ import annotations

import difflib
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from nanoctx.clients.base import SCRIPT, Cargo, Client, Desk, Hindrance, NotUnderstood, Scope
from nanoctx.disk import backups, files, snapshots
from nanoctx.errors import ClientError, DiskError


@dataclass(frozen=True, slots=True)
class Plan:
    """What a settings file says and what it shall say; `after` is None where it is to go."""

    settings: Path
    before: files.Snapshot
    after: str | None

    @property
    def changes(self) -> bool:
        return self.after != (self.before.text if self.before.stamp else None)

    @property
    def diff(self) -> str:
        old = str(self.settings) if self.before.stamp else "/dev/null"
        new = str(self.settings) if self.after is not None else "/dev/null"
        lines = difflib.unified_diff(
            self.before.text.splitlines(), (self.after or "").splitlines(), old, new, lineterm=""
        )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Connection:
    """How an agent is connected in one of its settings files."""

    scope: Scope
    settings: Path
    ours: tuple[str, ...]
    complete: bool  # all that `connect` would put there stands there
    hindrance: Hindrance | None
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A line that includes a page in the agent's prompt by itself."""

    file: Path
    line: int
    words: str


def cargo(page: Path | None = None) -> Cargo:
    """What agents are to take now: the script beside the Python that runs this, or a page."""
    return Cargo(Path(sys.executable).with_name(SCRIPT), page, files.read(page).text if page else "")


def found(client: Client, desk: Desk, load: Cargo) -> tuple[Connection, ...]:
    """Where an agent takes the page now; raises ClientError for settings that cannot be read."""
    return tuple(one for scope in client.scopes if (one := connection(client, scope, desk, load)).ours)


def connection(client: Client, scope: Scope, desk: Desk, load: Cargo) -> Connection:
    settings = client.settings(scope, desk)
    text = files.read(settings).text
    kept = backups.load(_real(settings), desk.env)
    with _understood(settings):
        return Connection(
            scope,
            settings,
            client.ours(text),
            client.complete(text, load),
            client.hindrance(text, settings),
            kept.at if kept else None,
        )


def shared(client: Client, desk: Desk) -> Iterator[tuple[Path, bool, Hindrance | None]]:
    """Settings that are not ours to write: whether they hold the same as well, and what hinders it there."""
    for settings in client.shared_settings(desk):
        with _understood(settings):
            text = files.read(settings).text
            yield settings, bool(client.ours(text)), client.hindrance(text, settings)


def to_connect(client: Client, scope: Scope, desk: Desk, load: Cargo) -> Plan:
    settings = _real(client.settings(scope, desk))
    before = files.read(settings)
    if load.page is None:
        _require_script(load)
    with _understood(settings):
        if client.complete(before.text, load):
            return Plan(settings, before, before.text)
        # What an older nanoctx put there is replaced, not doubled.
        clean = client.disconnected(before.text)
        return Plan(settings, before, client.connected(clean, _with_status_line(client, before.text, load)))


def to_disconnect(client: Client, scope: Scope, desk: Desk, load: Cargo) -> Plan:
    settings = _real(client.settings(scope, desk))
    before = files.read(settings)
    with _understood(settings):
        if not client.ours(before.text):
            return Plan(settings, before, before.text if before.stamp else None)
        kept = backups.load(settings, desk.env)
        rest = client.disconnected(before.text)
        load = _with_status_line(client, before.text, load)
        if kept and (kept.written == before.stamp or rest == _left(client, kept, load)):
            return Plan(settings, before, kept.before)
        return Plan(settings, before, rest if rest or not client.whole_file else None)


def _with_status_line(client: Client, text: str, load: Cargo) -> Cargo:
    """The cargo that settings hold: a status line once asked for is not lost by connecting again."""
    return replace(load, status_line=load.status_line or client.calls_from_status_line(text))


def _left(client: Client, kept: backups.Backup, load: Cargo) -> str:
    """What would be left of a file, if nobody but us had changed it since it was kept."""
    return client.disconnected(client.connected(kept.before or "", load))


def connect(plan: Plan, desk: Desk, client: Client, now: datetime) -> None:
    """Carry a plan out; what stood there is kept first."""
    _require_writable(plan.settings)
    assert plan.after is not None
    made_folder = not plan.settings.parent.is_dir()
    kept = backups.load(plan.settings, desk.env)
    original: str | None = plan.before.text if plan.before.stamp else None
    if kept and kept.written == plan.before.stamp:
        original, made_folder = kept.before, kept.made_folder
    elif original is not None:
        original = client.disconnected(original)
    files.make_folder(plan.settings.parent)
    written = snapshots.stamp(snapshots.encoded(plan.after))
    backups.save(backups.Backup(plan.settings, original, written, made_folder, now), desk.env)
    files.exchange(plan.settings, plan.after, plan.before)


def disconnect(plan: Plan, desk: Desk) -> None:
    _require_writable(plan.settings)
    kept = backups.load(plan.settings, desk.env)
    if plan.after is None:
        files.remove(plan.settings, expect=plan.before)
        if kept and kept.made_folder:
            files.remove_if_empty(plan.settings.parent)
    else:
        files.exchange(plan.settings, plan.after, plan.before)
    backups.drop(plan.settings, desk.env)


def inclusions(client: Client, desk: Desk, pages: Iterable[Path]) -> tuple[Inclusion, ...]:
    """The lines by which an agent's instructions include one of these pages: it would come twice."""
    wanted = {page.resolve() for page in pages}
    return tuple(
        Inclusion(file, number, f"@{name}")
        for file in client.instructions(desk)
        for number, line in enumerate(_lines(file), 1)
        for name in client.includes.findall(line)
        if _target(name, client.included_from(file, desk), desk.home) in wanted
    )


def _target(name: str, folder: Path, home: Path) -> Path:
    return (home / name[2:] if name.startswith("~/") else folder / name).resolve()


def _lines(file: Path) -> list[str]:
    try:
        return files.read(file).text.splitlines()
    except DiskError:
        return []


def _real(settings: Path) -> Path:
    """The file itself: people keep their settings in one place and link to it."""
    return settings.resolve()


def _require_script(load: Cargo) -> None:
    if not load.script.is_file():
        raise ClientError(f"{load.script} is missing: install nanoctx again, then connect")


def _require_writable(settings: Path) -> None:
    # A file replaced by rename loses its write protection, which somebody set on purpose.
    if settings.exists() and not stat.S_IMODE(settings.stat().st_mode) & stat.S_IWUSR:
        raise ClientError(f"{settings} is write-protected: make it writable (chmod u+w), then run this again")


@contextmanager
def _understood(settings: Path) -> Iterator[None]:
    try:
        yield
    except NotUnderstood as error:
        raise ClientError(f"{settings} is {error}: nothing was changed; mend it first") from None
