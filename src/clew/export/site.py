"""The pages around the sessions of a site: all sessions, usage, search."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from clew.analytics import Filters, bucket_letters, make_overview
from clew.archive import Archive
from clew.clock import LocalZone
from clew.export.names import file_stem
from clew.export.options import ExportOptions
from clew.export.searched import pack_searched, read_searched
from clew.export.writing import write_text
from clew.redact import Redactor, find_names, redact_tree
from clew.render.site import (
    SITE,
    ListPage,
    Shell,
    UsagePage,
    render_sessions,
    render_site_search,
    render_usage,
)
from clew.store import SessionOverview, ToolStats

START: Final = "index.html"
_MOST_TOOLS: Final = 100


def write_site(
    archive: Archive, sessions: Sequence[SessionOverview], folder: Path, options: ExportOptions
) -> Path:
    """Write the pages that lead to the sessions; give the one to begin with."""
    shell = Shell(places=SITE)
    zone = LocalZone()
    usage = _usage(archive, sessions, zone)
    shapes = archive.shapes(session.id for session in sessions)
    # On these pages a session goes by the name of its file, which links lead to.
    shown = [msgspec.structs.replace(each, id=file_stem(each.id)) for each in sessions]
    if options.is_redacted:
        redactor = Redactor(find_names(session.cwd for session in sessions))
        shown, usage = redact_tree(shown, redactor), redact_tree(usage, redactor)
    page = ListPage(
        sessions=shown,
        total=len(shown),
        zone=zone,
        shapes={file_stem(name): shape for name, shape in shapes.items()},
    )
    write_text(folder / START, render_sessions(page, shell))
    write_text(folder / SITE.usage, render_usage(usage, shell))
    found = pack_searched(read_searched(folder, (session.id for session in sessions)))
    write_text(folder / SITE.search, render_site_search(found, shell))
    return folder / START


def _usage(archive: Archive, sessions: Sequence[SessionOverview], zone: dt.tzinfo) -> UsagePage:
    """Count these sessions alone: whoever is given a few must not learn of the others."""
    wanted = {session.id for session in sessions}
    reader = archive.reader
    sums = reader.counted_calls(Filters(), bucket_letters(zone))
    costs = {name: cost for name, cost in reader.client_costs().items() if name in wanted}
    return UsagePage(
        overview=make_overview(
            [calls for calls in sums if calls.session_id in wanted], zone, Filters(), costs
        ),
        tools=_tools(archive, wanted),
        labels={name: told for name, told in archive.session_labels().items() if name in wanted},
    )


def _tools(archive: Archive, wanted: set[str]) -> list[ToolStats]:
    """Count the tools of these sessions, the one called most first."""
    if wanted.issuperset(session.id for session in archive.sessions()):
        return list(archive.tool_stats())
    merged: dict[str, ToolStats] = {}
    for name in sorted(wanted):
        for stats in archive.tool_stats(Filters(session=name)):
            before = merged.get(stats.tool)
            merged[stats.tool] = stats if before is None else _added(before, stats)
    return sorted(merged.values(), key=lambda stats: (-stats.calls, stats.tool))[:_MOST_TOOLS]


def _added(one: ToolStats, other: ToolStats) -> ToolStats:
    return ToolStats(
        tool=one.tool,
        calls=one.calls + other.calls,
        errors=one.errors + other.errors,
        denied=one.denied + other.denied,
        total_ms=one.total_ms + other.total_ms,
        longest_ms=max(one.longest_ms, other.longest_ms),
        sessions=one.sessions + other.sessions,
    )
