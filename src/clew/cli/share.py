"""`clew share`: sessions or a search as one file, with a report of what is masked in it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from clew.analytics import given_filters
from clew.archive import Archive, FilterSet, Order
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.options import any_path, archive_option, json_option, root_option
from clew.cli.output import make_console, progress, write_file, write_json
from clew.cli.refresh import no_sync_option
from clew.cli.table import Column, print_table
from clew.cli.temporary_home import session_archive
from clew.cli.text import size, visible
from clew.errors import NotFoundError, UsageError
from clew.figures import plural
from clew.store import SessionOverview
from clew.view import Detail

if TYPE_CHECKING:
    from clew.export import MaskedKind, Share, SharedHits, ShareOptions, ShareReport
    from clew.view import PageIndex

T = TypeVar("T")
_FORMS: Final = ("html", "markdown", "json")
_HELP: Final = """\
Share sessions or a search as one file, with secrets masked.

Writes the sessions with these ids, those that match the filters, or those that a search finds, to
one self-contained file, and reports what was masked in it. A password that one session reveals is
masked in all. If several sessions are too long for one page, the file is a zip of pages.

\b
Examples:
  clew share 3f2a                       write clew-3f2a….html
  clew share 3f2a --dry-run             only report what would be masked
  clew share 3f2a --turns 3-7 -o part.html
  clew share 3f2a 91bc -o both.html     two sessions on one page
  clew share --query "retry" --hits     the hits of a search alone
  clew share --project . --since 7d --format markdown -o week.md

\b
Exit codes:
  0  success
  1  the file cannot be written
  2  usage error, or too much for one file
  3  no such session or turn
"""


@click.command("share", cls=FilteredCommand, help=_HELP)
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@click.option("--query", default="", metavar="QUERY", help="Share what a search finds.")
@click.option("--hits", "only_hits", is_flag=True, help="With --query: the hits alone.")
@click.option("--turns", default="", metavar="N[-M]", help="Only these turns of one session.")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    default="html",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--detail",
    type=click.Choice([detail.label for detail in Detail]),
    default=Detail.EVERYTHING.label,
    show_default=True,
    help="Level of detail; see `clew show --help`.",
)
@click.option("--no-redact", is_flag=True, help="Leave secrets in the file.")
@click.option("--dry-run", is_flag=True, help="Report what would be masked; write nothing.")
@click.option(
    "-o", "--output", type=any_path, metavar="FILE", help="File to write (default: a new name)."
)
@filter_options
@archive_option
@root_option
@no_sync_option
@json_option
def command(sessions: tuple[str, ...], filters: FilterSet, **chosen: Any) -> None:
    """Write the file, and report."""
    from clew.export import ShareOptions, read_turns

    if chosen["only_hits"] and not chosen["query"]:
        raise UsageError("--hits needs --query")
    options = ShareOptions(
        form=chosen["form"],
        detail=Detail[chosen["detail"].upper()],
        is_redacted=not chosen["no_redact"],
        turns=read_turns(chosen["turns"]),
    )
    with session_archive(sessions, chosen["roots"], no_sync=chosen["no_sync"]) as (archive, names):
        found, hits = _find(archive, names, filters, chosen["query"], is_path=names != sessions)
        share = _share(archive, found, options, hits if chosen["only_hits"] else None)
        target = _target(share, chosen)
        pieces = _with_progress(share)
        if target is None:
            for _ in pieces:
                continue
        else:
            write_file(target, pieces)
    if chosen["as_json"]:
        write_json(share.report())
    else:
        _print(share.report(), target)


def _target(share: "Share", chosen: dict[str, Any]) -> Path | None:
    """Return where to write to; a name of our own overwrites nothing."""
    if chosen["dry_run"]:
        return None
    given: Path | None = chosen["output"]
    if given is not None:
        return given
    if Path(share.name).exists():
        raise UsageError(f"{share.name} exists; choose a name with -o")
    return Path(share.name)


def _find(
    archive: Archive, names: Any, filters: FilterSet, query: str, *, is_path: bool
) -> tuple[list[SessionOverview], "SharedHits | None"]:
    """Find what to share: named sessions, those of a search, or those that match the filters."""
    if names and (query or given_filters(filters)):
        raise UsageError("session ids cannot be combined with --query and filters")
    if query:
        return _search(archive, query, filters)
    if names:
        listed = {each.id: each for each in archive.sessions(order=Order(with_hidden=True))}
        wanted = dict.fromkeys(archive.find_session(name) for name in names)
        return [listed[session_id] for session_id in wanted], None
    if not is_path and not given_filters(filters):
        raise UsageError("nothing to share; name a session, or use --query or a filter")
    return list(archive.sessions(filters)), None


def _search(
    archive: Archive, query: str, filters: FilterSet
) -> tuple[list[SessionOverview], "SharedHits"]:
    from clew.export import MAX_HITS, share_hits

    found = archive.search(query, limit=MAX_HITS, filters=filters)
    listed = {each.id: each for each in archive.sessions(order=Order(with_hidden=True))}
    ids = dict.fromkeys(hit.session_id for hit in found.hits)
    hits = share_hits(query, found.hits, found.total, is_exact=found.is_exact)
    return [listed[session_id] for session_id in ids if session_id in listed], hits


def _share(
    archive: Archive,
    sessions: list[SessionOverview],
    options: "ShareOptions",
    hits: "SharedHits | None",
) -> "Share":
    from clew.export import Share, require_shareable
    from clew.view import make_index

    if not sessions:
        raise NotFoundError("no sessions match; `clew list` lists all sessions")
    require_shareable(sessions, options)

    def load(session_id: str, make: "Callable[[PageIndex], T]") -> T:
        conversation = archive.conversation(session_id)
        return make(make_index(conversation, archive.kept_digest(session_id, conversation)))

    return Share(sessions, options, load, hits=hits, is_reporting=True)


def _with_progress(share: "Share") -> Iterator[bytes]:
    # Each session is read twice: for its secrets, and to be written.
    step = max(sum(session.size_bytes for session in share.sessions) // len(share.sessions), 1)
    with progress("Sharing", share.total * step) as advance:
        done = 0
        for piece in share.write():
            advance((share.done - done) * step)
            done = share.done
            yield piece


def _print(report: "ShareReport", target: Path | None) -> None:
    what = plural(len(report.sessions), "session")
    name = "Would write" if target is None else "Wrote"
    path = report.name if target is None else str(target)
    click.echo(f"{name} {what}, {size(report.size_bytes)}: {visible(path)}")
    if not report.kinds:
        click.echo("No secrets found.", err=True)
        return
    is_masked = "Masked" if report.is_redacted else "Not masked:"
    click.echo(f"{is_masked} {plural(report.masked, 'value')}", err=True)
    columns: list[Column[MaskedKind]] = [
        Column("kind", lambda kind: kind.rule),
        Column("found", lambda kind: f"{kind.count:,}", is_number=True),
        Column("different", lambda kind: f"{kind.distinct:,}", is_number=True),
        Column("first", _where, takes_rest=True),
    ]
    print_table(columns, report.kinds, make_console())
    if report.images:
        click.echo(f"{plural(report.images, 'image')} not searched", err=True)


def _where(kind: "MaskedKind") -> str:
    if not kind.places:
        return ""
    place = kind.places[0]
    turn = f"turn {place.turn}, " if place.turn else ""
    return visible(f"{turn}{place.where}: {place.text}")
