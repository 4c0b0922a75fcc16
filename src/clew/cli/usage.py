"""`clew usage`: tokens and cost, by whatever is asked."""

import datetime as dt
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from clew.analytics import (
    GROUPS,
    SORTS,
    FilterSet,
    ScanOptions,
    SessionLabel,
    UsageReport,
    UsageRow,
    bucket_letters,
    explain,
    given_filters,
    label_sessions,
    scan,
    sort_rows,
    summarise,
)
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.options import json_option, no_sync_option, root_option
from clew.cli.output import make_console, write_json
from clew.cli.search_paths import no_transcripts
from clew.cli.text import visible
from clew.cli.zones import zone_option
from clew.clock import format_time, parse_time
from clew.errors import UsageError

_FEW: Final = 20
_HELP: Final = """\
Count tokens and cost, by day, model, project or session.

Weeks, months, agents and 5-hour blocks are groups, too. Costs are API-equivalent estimates from
public list prices, never a bill. An answer that several sessions hold is counted once, for the
session that made it. What is new is taken into the archive first; with a PATH, the transcripts
there are counted themselves, and no archive is needed.

\b
In the table:
  hits      how much of what models read came from their cache
  ≥         a lower bound: an answer or a price is not fully known
  unpriced  no call has a known price
  (+20%)    against as long a time just before --since

\b
Examples:
  clew usage                               by day
  clew usage --by model --since 2026-11-01
  clew usage --by session --project uploader --json
  clew usage --by block                    5-hour blocks
  clew usage ~/backup/projects --by month  without an archive
  clew usage --explain latest              every dollar led back to its calls

\b
Exit codes:
  0  done
  2  wrong use
  3  no transcripts there, or no such session
"""


class UsageOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to group and order, and in which form."""

    by: str
    zone: dt.tzinfo
    sort: str | None
    limit: int | None
    no_sync: bool
    as_json: bool

    @property
    def most(self) -> int | None:
        """How many rows to show: of sessions, on a terminal, the first of them."""
        is_long = self.by == "session" and not self.as_json and sys.stdout.isatty()
        return _FEW if self.limit is None and is_long else self.limit or None


@click.command("usage", cls=FilteredCommand, help=_HELP)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option(
    "--by", type=click.Choice(GROUPS), default="day", show_default=True, help="What a row is."
)
@zone_option
@filter_options
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    help="What comes first: the key, or the most. By default times by key, all else by cost.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"How many rows at most; by default {_FEW} sessions on a terminal, else all. 0 is all.",
)
@click.option(
    "--explain",
    "explained",
    metavar="SESSION",
    help="Lead the cost of one session back to its calls, prices and lines.",
)
@root_option
@no_sync_option
@json_option
def command(
    paths: tuple[Path, ...],
    filters: FilterSet,
    roots: tuple[Path, ...],
    explained: str | None,
    **chosen: Any,
) -> None:
    """Count, and print a table or JSON."""
    options = UsageOptions(**chosen)
    if explained is not None:
        _require_alone(paths, filters, options)
        _explain(explained, roots, options)
    elif paths:
        _count_paths([*paths, *roots], filters, options)
    else:
        _count_archive(roots, filters, options)


def before(filters: FilterSet, now: dt.datetime) -> FilterSet | None:
    """Give the filters for as long a time just before the one that is asked for."""
    since = parse_time(filters.since or "")
    until = parse_time(filters.until or "") or now
    if since is None or until <= since:
        return None
    try:
        start = format_time(since - (until - since))
    except OverflowError:
        return None
    return msgspec.structs.replace(filters, since=start, until=filters.since)


def _require_alone(paths: Sequence[Path], filters: FilterSet, options: UsageOptions) -> None:
    """Refuse what would have no effect on an explanation."""
    if paths:
        raise UsageError("--explain is about one session; give its path as SESSION")
    given = [each.word for each, _ in given_filters(filters)]
    given += [name for name in ("sort", "limit") if getattr(options, name) is not None]
    if given:
        raise UsageError(f"--explain is about one whole session; leave out --{given[0]}")


def _count_archive(roots: Sequence[Path], filters: FilterSet, options: UsageOptions) -> None:
    from clew.cli.refresh import fresh_archive

    with fresh_archive(roots, no_sync=options.no_sync) as archive:
        report = _arrange(archive.usage(filters, options.by, options.zone), options)
        if options.as_json:
            write_json(report)
            return
        earlier = before(filters, dt.datetime.now(dt.UTC))
        then = None if earlier is None else archive.usage(earlier, "model").totals
        labels = archive.session_labels() if options.by == "session" else {}
    _print(report, labels, then, options)


def _count_paths(paths: Sequence[Path], filters: FilterSet, options: UsageOptions) -> None:
    asked = ScanOptions(
        filters=filters,
        letters=bucket_letters(options.zone),
        with_agents=options.by == "agent" or filters.agent is not None,
    )
    found = scan(paths, asked)
    if not found.files:
        raise no_transcripts(paths)
    report = summarise(
        found.sums, options.by, options.zone, filters, found.client_costs, found.hours
    )
    for problem in found.problems:
        click.echo(visible(problem), err=True)
    report = _arrange(report, options)
    if options.as_json:
        write_json(report)
        return
    shown = report.rows[: options.most] if options.by == "session" else []
    _print(report, label_sessions(found, [row.key for row in shown]), None, options)


def _explain(session: str, roots: Sequence[Path], options: UsageOptions) -> None:
    from clew.cli.explain_table import print_explanation
    from clew.cli.show import load

    explanation = explain(load(session, roots))
    if options.as_json:
        write_json(explanation)
    else:
        print_explanation(explanation, make_console(), options.zone)


def _arrange(report: UsageReport, options: UsageOptions) -> UsageReport:
    """Put the rows in the order that is asked for; without one they stay as they come."""
    if options.sort is not None:
        report.rows = sort_rows(report.rows, options.sort)
    if options.as_json:
        report.rows = report.rows[: options.most]
    return report


def _print(
    report: UsageReport,
    labels: dict[str, SessionLabel],
    earlier: UsageRow | None,
    options: UsageOptions,
) -> None:
    from clew.cli.usage_table import UsageContext, print_usage
    from clew.render import plural

    if not report.rows:
        click.echo("no model call is as asked for", err=True)
        return
    print_usage(report, UsageContext(labels=labels, before=earlier), options.most, make_console())
    hidden = len(report.rows[options.most :]) if options.most else 0
    if hidden:
        click.echo(f"{plural(hidden, 'more row')}; --limit 0 shows all", err=True)
