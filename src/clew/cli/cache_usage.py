"""What cache breaks cost, counted in the archive or in transcripts, as tables."""

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from clew.analytics import (
    BreakRow,
    CacheReport,
    CountedBreak,
    FilterSet,
    Pricer,
    cost_of_break,
    find_cache_breaks,
    given_filters,
    request_heads,
    summarise_breaks,
)
from clew.cli.search_paths import no_transcripts
from clew.cli.table import Column, print_table
from clew.errors import UsageError
from clew.render import money_usd, plural, safe_line, scaled

_PERIOD: Final = ("since", "until")


def count_in_archive(
    roots: Sequence[Path], filters: FilterSet, zone: dt.tzinfo, *, no_sync: bool, is_data: bool
) -> CacheReport:
    """Count in the archive, or in what it would have after a sync."""
    from clew.cli.refresh import answer_archive, fill_all

    with answer_archive(roots, fill_all, no_sync=no_sync, is_data=is_data) as archive:
        return archive.cache_usage(filters, zone)


def count_in_paths(paths: Sequence[Path], filters: FilterSet, zone: dt.tzinfo) -> CacheReport:
    """Count in transcripts, without an archive.

    Raises:
        UsageError: A filter needs the archive.
    """
    given = [each.word for each, _ in given_filters(filters) if each.word not in _PERIOD]
    if given:
        raise UsageError(f"--cache with a PATH and --{given[0]} cannot be combined; leave out PATH")
    return summarise_breaks(_find(paths, filters), zone)


def _find(paths: Sequence[Path], filters: FilterSet) -> Iterator[CountedBreak]:
    from clew.conversation import build, is_inherited
    from clew.sessions import gather, group_sessions, link_neighbours
    from clew.source import discover

    files = {file.path: file for path in paths for file in discover(path).files}
    sessions = group_sessions(files.values())
    if not sessions:
        raise no_transcripts(paths)
    pricer = Pricer()
    for session in sessions:
        material = link_neighbours(gather(session), session, files.values())
        conversation = build(material)
        usages = {message.id: message.usage for message in conversation.messages}
        project, branch = conversation.session.project, conversation.session.git_branch or ""
        for found in find_cache_breaks(conversation, request_heads(material)):
            usage = usages[found.message_id]
            is_late = filters.until is not None and found.at >= filters.until
            if usage is None or is_late or found.at < (filters.since or ""):
                continue
            if not is_inherited(usage.quality):
                cost = cost_of_break(found, usage, pricer)
                yield CountedBreak(session.session_id, project, branch, "", found, cost)


def print_cache_usage(report: CacheReport, console: Console) -> None:
    """Print the totals, then a table by cause, project and week."""
    totals = report.totals
    if not totals.breaks:
        console.print("No cache breaks match these filters.")
        return
    pieces = [plural(totals.breaks, "cache break"), _cost(totals)]
    if report.cost_usd:
        share = totals.cost_usd / report.cost_usd
        pieces[-1] += f" of {money_usd(report.cost_usd, 'exact')} ({share:.0%})"
    pieces += [f"{scaled(totals.tokens)} tokens paid again", plural(totals.sessions, "session")]
    console.print(Text(" · ".join(pieces), "bold"), soft_wrap=True)
    for name, rows in (
        ("cause", report.by_cause),
        ("project", report.by_project),
        ("week", report.by_week),
    ):
        console.print()
        print_table(_columns(name), rows, console)
    console.print()
    console.print(Text("Costs are what reading the cache would have saved.", "dim"))


def _columns(name: str) -> list[Column[BreakRow]]:
    return [
        Column(name, lambda row: safe_line(row.label), takes_rest=True, is_path=name == "project"),
        Column("breaks", lambda row: f"{row.breaks:,}", is_number=True),
        Column("sessions", lambda row: f"{row.sessions:,}", 2, is_number=True),
        Column("tokens", lambda row: scaled(row.tokens), 1, is_number=True),
        Column("cost", _cost, is_number=True),
    ]


def _cost(row: BreakRow) -> str:
    if row.unpriced == row.breaks:
        return "unpriced"
    return money_usd(row.cost_usd, "lower_bound" if row.unpriced else "exact")
