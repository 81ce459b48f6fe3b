"""Connecting an agent: plan an edit of its settings, show it, carry it out; and the way back."""

from __future__ import annotations

import difflib
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nanoctx.clients.base import SCOPES, SCRIPT, Client, Desk, NotUnderstood, Scope
from nanoctx.disk import backups, files, snapshots
from nanoctx.errors import ClientError, DiskError

_INCLUDE = re.compile(r"(?:^|\s)@(\S*CONTEXT\.md)\b")


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
    commands: tuple[str, ...]
    complete: bool  # each event calls the script that belongs to this nanoctx
    hindrance: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A line that includes a page in the agent's prompt by itself."""

    file: Path
    line: int
    words: str


def script() -> Path:
    """The script that agents call: installed beside the Python that runs this."""
    found = Path(sys.executable).with_name(SCRIPT)
    if not found.is_file():
        raise ClientError(f"{found} is missing: install nanoctx again, then connect")
    return found


def found(client: Client, desk: Desk) -> tuple[Connection, ...]:
    """Where an agent calls us now; raises ClientError for settings that cannot be read."""
    return tuple(one for scope in SCOPES if (one := connection(client, scope, desk)) and one.commands)


def connection(client: Client, scope: Scope, desk: Desk) -> Connection:
    settings = client.settings(scope, desk)
    text = files.read(settings).text
    ours = Path(sys.executable).with_name(SCRIPT)
    kept = backups.load(_real(settings), desk.env)
    with _understood(settings):
        return Connection(
            scope,
            settings,
            client.commands(text),
            client.calls(text, ours),
            client.hindrance(text),
            kept.at if kept else None,
        )


def shared(client: Client, desk: Desk) -> Iterator[tuple[Path, bool, str]]:
    """Settings that are not ours to write: whether they call us as well, and what hinders hooks there."""
    for settings in client.shared_settings(desk):
        with _understood(settings):
            text = files.read(settings).text
            yield settings, bool(client.commands(text)), client.hindrance(text)


def to_connect(client: Client, scope: Scope, desk: Desk) -> Plan:
    settings = _real(client.settings(scope, desk))
    before = files.read(settings)
    target = script()
    with _understood(settings):
        if client.calls(before.text, target):
            return Plan(settings, before, before.text)
        # Hooks of an older place of the script are replaced, not doubled.
        clean = client.disconnected(before.text)
        return Plan(settings, before, client.connected(clean, target))


def to_disconnect(client: Client, scope: Scope, desk: Desk) -> Plan:
    settings = _real(client.settings(scope, desk))
    before = files.read(settings)
    with _understood(settings):
        if not client.commands(before.text):
            return Plan(settings, before, before.text if before.stamp else None)
        kept = backups.load(settings, desk.env)
        if kept and kept.written == before.stamp:
            return Plan(settings, before, kept.before)
        return Plan(settings, before, client.disconnected(before.text))


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
        for name in _INCLUDE.findall(line)
        if _target(name, file, desk.home) in wanted
    )


def _target(name: str, file: Path, home: Path) -> Path:
    return (home / name[2:] if name.startswith("~/") else file.parent / name).resolve()


def _lines(file: Path) -> list[str]:
    try:
        return files.read(file).text.splitlines()
    except DiskError:
        return []


def _real(settings: Path) -> Path:
    """The file itself: people keep their settings in one place and link to it."""
    return settings.resolve()


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
