"""The pages of a static site that list the sessions: all sessions, usage, search."""

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from clew.analytics import FilterSet, SessionLabel
from clew.archive import Archive
from clew.clock import LocalZone
from clew.export.file_names import file_stem
from clew.export.options import ExportOptions
from clew.export.search_texts import join_packed, read_packed, remove_all_texts
from clew.export.session_file import names_in
from clew.export.writing import write_text
from clew.redact import Redactor, redact_tree
from clew.render.site import (
    SITE,
    BasePage,
    ListPage,
    UsagePage,
    render_sessions,
    render_site_search,
    render_usage,
)
from clew.store import SessionOverview, ToolStats

START: Final = "index.html"
_MOST_TOOLS: Final = 100


class SitePages(msgspec.Struct, frozen=True):
    """The pages that list the sessions, drawn."""

    start: str
    usage: str


def draw_site(
    archive: Archive,
    sessions: Sequence[SessionOverview],
    options: ExportOptions,
    listing_texts: Mapping[str, tuple[str, ...]],
) -> SitePages:
    """Draw the pages that list the sessions.

    `listing_texts` are the results of `listing_texts_of`, masked, by session id.
    """
    base = BasePage(urls=SITE)
    zone = LocalZone()
    usage = _usage(archive, sessions, zone)
    shapes = archive.shapes(session.id for session in sessions)
    # On these pages a session goes by the name of its file, which links lead to.
    shown = [msgspec.structs.replace(each, id=file_stem(each.id)) for each in sessions]
    if options.is_redacted:
        redactor = Redactor(
            names_in(path for each in sessions for path in (each.cwd, each.project))
        )
        shown, labels = _masked_overviews(sessions, shown, usage.labels, listing_texts)
        usage = msgspec.structs.replace(usage, labels=labels)
        shown, usage = redact_tree(shown, redactor), redact_tree(usage, redactor)
    page = ListPage(
        sessions=shown,
        zone=zone,
        shapes={file_stem(name): shape for name, shape in shapes.items()},
    )
    return SitePages(render_sessions(page, base), render_usage(usage, base))


def write_site(pages: SitePages, sessions: Sequence[SessionOverview], folder: Path) -> Path:
    """Write these pages and the search, whose texts are stored; return the start page."""
    write_text(folder / START, pages.start, folder)
    write_text(folder / SITE.usage, pages.usage, folder)
    texts = join_packed(read_packed(folder, (session.id for session in sessions)))
    write_text(folder / SITE.search, render_site_search(texts, BasePage(urls=SITE)), folder)
    return folder / START


def remove_site(folder: Path) -> None:
    """Remove these pages, and the texts for their search."""
    for name in (START, SITE.usage, SITE.search):
        (folder / name).unlink(missing_ok=True)
    remove_all_texts(folder)


def listing_texts_of(session: SessionOverview) -> tuple[str, ...]:
    """Return the texts of a session that the pages listing it show."""
    return (
        session.title,
        session.first_prompt,
        session.git_branch or "",
        session.project,
        session.cwd,
        session.description,
    )


def _masked_overviews(
    sessions: Sequence[SessionOverview],
    shown: Sequence[SessionOverview],
    labels: Mapping[str, SessionLabel],
    listing_texts: Mapping[str, tuple[str, ...]],
) -> tuple[list[SessionOverview], dict[str, SessionLabel]]:
    """Use the texts that each session's page masked: it knows more secrets than a title shows."""
    retold, named = [], dict(labels)
    for session, view in zip(sessions, shown, strict=True):
        words, known = listing_texts_of(session), listing_texts.get(session.id, ())
        # A manifest that somebody has changed may tell anything.
        told = known if len(known) == len(words) else words
        title, prompt, branch, project, cwd, description = told
        retold.append(
            msgspec.structs.replace(
                view,
                title=title,
                first_prompt=prompt,
                git_branch=branch or None,
                project=project,
                cwd=cwd,
                description=description,
            )
        )
        if session.id in named:
            named[session.id] = msgspec.structs.replace(named[session.id], title=title)
    return retold, named


def _usage(archive: Archive, sessions: Sequence[SessionOverview], zone: dt.tzinfo) -> UsagePage:
    """Count these sessions alone: an export of a few must not reveal the others."""
    wanted = {session.id for session in sessions}
    return UsagePage(
        overview=archive.usage_of_sessions(wanted, zone),
        tools=_tools(archive, wanted),
        labels={name: label for name, label in archive.session_labels().items() if name in wanted},
    )


def _tools(archive: Archive, wanted: set[str]) -> list[ToolStats]:
    """Count the tools of these sessions, the one called most first."""
    if wanted.issuperset(session.id for session in archive.sessions()):
        return list(archive.tool_stats())
    merged: dict[str, ToolStats] = {}
    for name in sorted(wanted):
        for stats in archive.tool_stats(FilterSet(session=name)):
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
