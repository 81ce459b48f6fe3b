"""`nanoctx recall`: search what is known here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from nanoctx.cli.call import Call, counted, with_call
from nanoctx.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from nanoctx.recall.search import Hit, Hits

BAR = 30


@click.command("recall")
@click.argument("query", metavar="QUERY", nargs=-1, required=True)
@click.option(
    "-k", "count", metavar="N", type=click.IntRange(1, 200), default=10, help="At most so many hits (10)."
)
@click.option("--scope", metavar="S", help="Only what holds there: universal, project or language.")
@click.option(
    "--kind", "kinds", metavar="K", multiple=True,
    help="Only of this kind: dec, fail, rule, learn, fix, fact …, session, document, user or project. May be"
    " given several times.",
)  # fmt: skip
@click.option("--project", metavar="P", help="Only of this project, and what belongs to no project.")
@click.option(
    "--since", metavar="D", help="Only what is no older: 2026-02-01, yesterday, monday, 12h, 7d, 6m or 1y."
)
@with_call
def command(
    call: Call,
    query: tuple[str, ...],
    count: int,
    scope: str | None,
    kinds: tuple[str, ...],
    project: str | None,
    since: str | None,
) -> int:
    """Search observations, MEMORY.md, knowledge/ and the pages of projects, by words and their likes.

    The best hits come first, each with where it stands, how old it is and its score. The index is brought
    up to date first. If nothing here has to do with the query, nothing is shown and the exit code is 1.

    \b
    Examples:
      nanoctx recall "why not postgres"
      nanoctx recall get_by_email -k 3
      nanoctx recall "flaky tests" --kind fail --kind learn --since 30d
    """
    from nanoctx.recall import search

    now, zone = call.now(), call.zone()
    workspace = call.trusted_workspace()
    filters = search.Filters(kinds, scope or "", project or "", _since(since, now, call.zone(workspace)))
    progress = _progress if sys.stderr.isatty() else None
    found = search.search(workspace, " ".join(query), now=now, k=count, filters=filters, progress=progress)
    for remark in (*workspace.settings.warnings, *found.remarks):
        call.remark(f"nanoctx: {remark}")
    call.answer(_data(" ".join(query), found, now), _told(found, now, zone))
    return 0 if found.hits else 1


def _since(given: str | None, now: datetime, zone: tzinfo) -> datetime | None:
    if not given:
        return None
    from nanoctx.core import days

    try:
        return days.since(given, now, zone)
    except (ValueError, OverflowError):
        raise UsageError(
            f"--since {given[:40]!r} is no time: write 2026-02-01, yesterday, monday, 12h, 7d, 3w, 6m or 1y"
        ) from None


def _data(query: str, found: Hits, now: datetime) -> dict[str, object]:
    from nanoctx.recall import search

    return {"query": query, "searched": found.searched, "hits": [search.told(hit, now) for hit in found.hits]}


def _told(found: Hits, now: datetime, zone: tzinfo) -> str:
    if not found.hits:
        return f"nothing found in {counted(found.searched, 'item')}"
    return "\n".join(line for hit in found.hits for line in _lines(hit, now, zone))


def _lines(hit: Hit, now: datetime, zone: tzinfo) -> list[str]:
    from nanoctx.core import gaps

    grade = f" ({hit.grade})" if hit.grade in ("verified", "refuted", "superseded", "hypothesis") else ""
    age = "no date"
    if hit.at:
        days = (now.astimezone(zone).date() - hit.at.astimezone(zone).date()).days
        age = gaps.told((now - hit.at).total_seconds(), days)[0]
    place = f"{hit.source}:{hit.pos}" if hit.pos is not None and not hit.observation else hit.source
    turn = f" @{hit.pos}" if hit.observation and hit.pos is not None else ""
    project = f" · {hit.project}" if hit.project else ""
    more = f" · {counted(len(hit.also), 'more')} alike" if hit.also else ""
    return [
        f"{hit.score:.2f}  {hit.kind}: {hit.text}{grade}",
        f"      {place}{turn} · {age}{project}{more}",
    ]


def _progress(done: int, total: int) -> None:
    full = BAR * done // max(1, total)
    click.echo(f"\rindexing [{'#' * full}{'.' * (BAR - full)}] {done}/{total}", nl=done >= total, err=True)
