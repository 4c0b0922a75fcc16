"""`clew usage`: tokens and cost by day, model, project, session and more."""

import datetime as dt
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from clew.analytics import (
    GROUPS,
    SORTS,
    WORK_GROUPS,
    FilterSet,
    SessionLabel,
    UsageReport,
    UsageRow,
    bucket_letters,
    given_filters,
    sort_rows,
    summarise,
)
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.options import archive_option, json_option, no_sync_option, root_option
from clew.cli.output import make_console, write_json
from clew.cli.search_paths import no_transcripts
from clew.cli.text import visible
from clew.cli.zones import zone_option
from clew.clock import format_time, parse_time
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.preview import ArchivePreview
    from clew.sessions import SessionFiles
    from clew.store import OnProgress

_FEW: Final = 20
_DIGEST: Final = "digest"
_PERIOD: Final = ("since", "until")
_HELP: Final = """\
Show tokens and cost by day, model, project or session.

You can also group by week, month, agent and 5-hour block, and by what came of the work: a commit
gets the calls of its session since the commit before, a pull request those on its branch and those
of the sessions that made it; the rest has a row of its own. Costs are estimates at public API
prices, not a bill. An answer that several sessions contain is counted once, for the session that
made it. `--cache` shows requests that paid again for tokens that the prompt cache had before, and
why. `--by digest` shows what digests by models cost, which no other total contains.
With a PATH, the transcripts there are read directly.

New transcripts are archived first. If there are many, they are counted first, straight from the
files, and archiving follows (on a terminal; Ctrl-C stops it).

\b
In the table:
  hits      share of input tokens that were read from the cache
  ≥         lower bound: an answer is incomplete or a price unknown
  unpriced  no price is known
  (+20%)    change from the period of the same length before --since

\b
Examples:
  clew usage                               show usage by day
  clew usage --by model --since 2026-11-01
  clew usage --by session --project uploader --json
  clew usage --by block                    show usage by 5-hour block
  clew usage --by commit --project .       show what each commit cost
  clew usage ~/backup/projects --by month  read transcripts directly
  clew usage --explain latest              explain the cost of a session
  clew usage --cache --since 30d           show what cache breaks cost

\b
Exit codes:
  0  success
  2  usage error
  3  no transcripts found, or no such session
"""


class UsageOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to group, sort and print."""

    by: str
    zone: dt.tzinfo
    sort: str | None
    limit: int | None
    no_sync: bool
    as_json: bool

    @property
    def most(self) -> int | None:
        """The maximum number of rows: by default, limited for sessions on a terminal."""
        is_long = self.by == "session" and not self.as_json and sys.stdout.isatty()
        return _FEW if self.limit is None and is_long else self.limit or None


@click.command("usage", cls=FilteredCommand, help=_HELP)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option(
    "--by",
    type=click.Choice([*GROUPS, *WORK_GROUPS, _DIGEST]),
    metavar="GROUP",
    default="day",
    show_default=True,
    help=f"Group by {', '.join([*GROUPS, *WORK_GROUPS])} or {_DIGEST}.",
)
@zone_option
@filter_options
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    help="Sort order. Default: key for periods, cost for all others.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Maximum number of rows; 0 for all. Default: {_FEW} sessions on a terminal, else all.",
)
@click.option(
    "--explain",
    "explained",
    metavar="SESSION",
    help="Explain the cost of a session, call by call.",
)
@click.option(
    "--cache",
    "is_cache",
    is_flag=True,
    help="Show what cache breaks cost, by cause, project and week.",
)
@archive_option
@root_option
@no_sync_option
@json_option
def command(
    paths: tuple[Path, ...],
    filters: FilterSet,
    roots: tuple[Path, ...],
    explained: str | None,
    *,
    is_cache: bool,
    **chosen: Any,
) -> None:
    """Print a table or JSON."""
    options = UsageOptions(**chosen)
    if is_cache:
        _require_no_groups(explained, options)
        _count_breaks(paths, roots, filters, options)
    elif explained is not None:
        _require_alone(paths, filters, options)
        _explain(explained, roots, options)
    elif options.by == _DIGEST:
        _count_digests(paths, filters, options)
    elif paths:
        if options.by in WORK_GROUPS:
            hint = "use --root DIR instead of a PATH, which archives it first"
            raise UsageError(f"--by {options.by} needs the archive; {hint}")
        _count_paths([*paths, *roots], filters, options)
    else:
        _count_archive(roots, filters, options)


def before(filters: FilterSet, now: dt.datetime) -> FilterSet | None:
    """Return the filters for the period of the same length just before."""
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
    """Reject options that --explain does not use."""
    if paths:
        raise UsageError("--explain takes one session and no PATH; use `--explain PATH`")
    given = [each.word for each, _ in given_filters(filters)]
    given += [name for name in ("sort", "limit") if getattr(options, name) is not None]
    if given:
        raise UsageError(f"--explain and --{given[0]} cannot be combined")


def _require_no_groups(explained: str | None, options: UsageOptions) -> None:
    """Reject options that --cache does not use."""
    source = click.get_current_context().get_parameter_source("by")
    given = {
        "--explain": explained is not None,
        "--by": source is not click.core.ParameterSource.DEFAULT,
        "--sort": options.sort is not None,
        "--limit": options.limit is not None,
    }
    for name, is_given in given.items():
        if is_given:
            raise UsageError(f"--cache and {name} cannot be combined")


def _count_breaks(
    paths: Sequence[Path], roots: Sequence[Path], filters: FilterSet, options: UsageOptions
) -> None:
    """Show what cache breaks cost."""
    from clew.cli.cache_usage import count_in_archive, count_in_paths, print_cache_usage

    if paths:
        report = count_in_paths([*paths, *roots], filters, options.zone)
    else:
        no_sync, is_data = options.no_sync, options.as_json
        report = count_in_archive(roots, filters, options.zone, no_sync=no_sync, is_data=is_data)
    if options.as_json:
        write_json(report)
    else:
        print_cache_usage(report, make_console())


def _count_archive(roots: Sequence[Path], filters: FilterSet, options: UsageOptions) -> None:
    from clew.cli.refresh import answer_archive, fill_all

    # What sessions committed is known from their rows only.
    fill = fill_all if options.by in WORK_GROUPS else _fill
    with answer_archive(roots, fill, no_sync=options.no_sync, is_data=options.as_json) as archive:
        report = _arrange(archive.usage(filters, options.by, options.zone), options)
        if options.as_json:
            write_json(report)
            return
        earlier = before(filters, dt.datetime.now(dt.UTC))
        then = None if earlier is None else archive.usage(earlier, "model").totals
        shown = [row.key for row in report.rows[: options.most]]
        labels = archive.session_labels(shown) if options.by == "session" else {}
        _print(report, labels, then, options)


def _fill(preview: "ArchivePreview", on_progress: "OnProgress") -> None:
    """Add what is not archived yet, unless it is counted straight from the files."""
    if not preview.is_all_on_disk:
        preview.add_all(on_progress)


def _count_paths(paths: Sequence[Path], filters: FilterSet, options: UsageOptions) -> None:
    from clew.analytics import ScanOptions, label_sessions, scan

    query = ScanOptions(
        filters=filters,
        letters=bucket_letters(options.zone),
        with_agents=options.by == "agent" or filters.agent is not None,
        find_outcome=_outcome_finder(filters),
    )
    found = scan(paths, query)
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


def _outcome_finder(filters: FilterSet) -> "Callable[[SessionFiles], str] | None":
    """Return what finds the outcomes of sessions, if they are filtered by them."""
    if filters.outcome is None:
        return None
    from clew.digest import outcome_of_files

    return outcome_of_files


def _count_digests(paths: Sequence[Path], filters: FilterSet, options: UsageOptions) -> None:
    """Show what digests cost, which no other count contains."""
    from clew.archive import open_archive
    from clew.cli.digest_usage import DIGEST_USAGE_SCHEMA, print_digest_usage

    given = [each.word for each, _ in given_filters(filters) if each.word not in _PERIOD]
    if paths or given:
        what = f"--{given[0]}" if given else "a PATH"
        raise UsageError(f"--by {_DIGEST} and {what} cannot be combined; use --since and --until")
    with open_archive() as archive:
        rows = archive.digest_usage(filters) if archive.exists else []
    if options.as_json:
        write_json({"schema": DIGEST_USAGE_SCHEMA, "rows": rows})
    elif rows:
        print_digest_usage(rows, make_console())
    else:
        click.echo("No model has written a digest in this period.", err=True)


def _explain(session: str, roots: Sequence[Path], options: UsageOptions) -> None:
    from clew.analytics import explain
    from clew.cli.explain_table import print_explanation
    from clew.cli.show import load

    explanation = explain(load(session, roots))
    if options.as_json:
        write_json(explanation)
    else:
        print_explanation(explanation, make_console(), options.zone)


def _arrange(report: UsageReport, options: UsageOptions) -> UsageReport:
    """Sort the rows, if requested."""
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

    if not report.rows:
        click.echo("No model calls match these filters.", err=True)
        return
    print_usage(report, UsageContext(labels=labels, before=earlier), options.most, make_console())
    total = len(report.rows)
    if options.most and total > options.most:
        click.echo(f"Showing {options.most:,} of {total:,} (`--limit 0` for all)", err=True)
