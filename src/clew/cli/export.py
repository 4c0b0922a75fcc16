"""`clew export`: what is kept, as files."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from clew.analytics import given_filters
from clew.archive import Archive, FilterSet, Order
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.options import json_option, output_option, overwrite_option, root_option
from clew.cli.output import make_console, write_json
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.table import Column, print_table
from clew.cli.temporary_home import session_archive
from clew.cli.text import size, visible
from clew.errors import NotFoundError, UsageError
from clew.figures import plural
from clew.store import ExportedTable, SessionOverview, UnreadableFilesError
from clew.view import Detail

if TYPE_CHECKING:
    from clew.export import ExportReport, Form

_HELP: Final = """\
Write what is kept to files.

Pages to read, Markdown, JSON, original transcripts, or rows for data frames.

\b
Examples:
  clew export html -o site              a site of all, with search and usage
  clew export html 3f2a --redact -o DIR one session, without secrets
  clew export html a.jsonl -o DIR       any transcript, or a folder of them
  clew export markdown --since 7d -o notes
  clew export jsonl 3f2a -o DIR         one session's files, as they were
  clew export jsonl --project . -o DIR  all sessions of this project
  clew export parquet -o DIR            all rows, one file per table

\b
Exit codes:
  0  done
  1  a file is there already, or what it takes is not installed
  2  wrong use
  3  no transcripts, or no such session
"""
_HTML: Final = """\
Write a site: an index of projects and sessions, a page for each session, usage with charts, and a
search that works from the files alone.

Every page is one file that needs no network. Run it again, and only what changed is written.
"""
_MARKDOWN: Final = """\
Write one Markdown file per session, in a folder per project, with front matter; pictures beside.

Run it again, and only what changed is written.
"""
_JSON: Final = """\
Write the conversation of each session as JSON, one file per session, as `clew show --format json`.
"""
_JSONL: Final = """\
Give the original files of sessions back, byte for byte: those named, or those the filters choose.

Transcripts, agent runs and sidecars come in the folders in which Claude Code had them.
"""
_PARQUET: Final = """\
Write all rows as Parquet, one file per table and view, for pandas, polars or DuckDB.

Needs pyarrow, which comes with `clew[parquet]`. `clew sql --schema` explains the tables; times are
timestamps here, flags are booleans, lists are lists, and inputs of tools are whole, as JSON.
"""


@click.group("export", help=_HELP)
def command() -> None:
    """Group the formats."""


def _page_options(function: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(
        (
            click.argument("sessions", nargs=-1, metavar="[SESSION]..."),
            output_option,
            filter_options,
            click.option(
                "--redact", is_flag=True, help="Mask secrets, names, home paths and addresses."
            ),
            click.option(
                "--all", "is_all", is_flag=True, help="Also write sessions without a conversation."
            ),
            click.option(
                "--rewrite", "is_new", is_flag=True, help="Write again what has not changed."
            ),
            root_option,
            no_sync_option,
            json_option,
        )
    ):
        function = option(function)
    return function


_detail_option: Final = click.option(
    "--detail",
    type=click.Choice([detail.label for detail in Detail]),
    default=Detail.EVERYTHING.label,
    show_default=True,
    help="How much of each session to write.",
)


@command.command(
    "html", cls=FilteredCommand, help=_HTML, short_help="A site of pages, to read and to share."
)
@_page_options
@_detail_option
def html(**chosen: Any) -> None:
    """Write a site."""
    _export_pages("html", chosen)


@command.command(
    "markdown", cls=FilteredCommand, help=_MARKDOWN, short_help="A folder of Markdown files."
)
@_page_options
@_detail_option
def markdown(**chosen: Any) -> None:
    """Write Markdown."""
    _export_pages("markdown", chosen)


@command.command(
    "json", cls=FilteredCommand, help=_JSON, short_help="The conversation of each session as JSON."
)
@_page_options
def json(**chosen: Any) -> None:
    """Write conversations."""
    _export_pages("json", {**chosen, "detail": Detail.EVERYTHING.label})


def _export_pages(form: "Form", chosen: dict[str, Any]) -> None:
    from clew.export import ExportOptions, export

    options = ExportOptions(
        form=form,
        detail=Detail[chosen["detail"].upper()],
        is_redacted=chosen["redact"],
        is_new=chosen["is_new"],
    )
    named, roots = chosen["sessions"], chosen["roots"]
    with session_archive(named, roots, no_sync=chosen["no_sync"]) as (archive, names):
        sessions = _chosen_sessions(archive, names, chosen["filters"], is_all=chosen["is_all"])
        hidden = 0 if names or chosen["is_all"] else archive.hidden_sessions(chosen["filters"])
        if not sessions and hidden:
            raise NotFoundError(_tell_hidden(hidden))
        with _bar() as advance:
            report = export(archive, sessions, chosen["output"], options, advance)
    report.hidden = hidden
    if chosen["as_json"]:
        write_json(report)
        return
    _tell(report)


def _chosen_sessions(
    archive: Archive, names: Sequence[str], filters: FilterSet, *, is_all: bool
) -> list[SessionOverview]:
    _require_one_way(names, filters)
    if not names:
        return list(archive.sessions(filters, Order(with_hidden=is_all)))
    wanted = {archive.find_session(name) for name in names}
    found = archive.sessions(order=Order(with_hidden=True))
    return [session for session in found if session.id in wanted]


def _require_one_way(names: Sequence[str], filters: FilterSet) -> None:
    if names and given_filters(filters):
        raise UsageError("name sessions or choose them by filters, not both")


def _tell(report: "ExportReport") -> None:
    from clew.cli.session_formats import report_secrets

    told = f"{plural(report.written, 'session')} written"
    same = f", {report.unchanged:,} as before" if report.unchanged else ""
    gone = f", {report.removed:,} taken away" if report.removed else ""
    click.echo(f"{told}{same}{gone}: {visible(report.start or report.folder)}")
    secrets = {secret.rule: secret.count for secret in report.secrets}
    report_secrets(secrets, is_redacted=report.is_redacted)
    if report.hidden:
        click.echo(_tell_hidden(report.hidden), err=True)


def _tell_hidden(count: int) -> str:
    left_out = f"{plural(count, 'session')} without a conversation not written"
    return f"{left_out}; --all writes {'it' if count == 1 else 'them'}"


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    """Show how far it is, on a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("Writing"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@command.command(
    "jsonl", cls=FilteredCommand, help=_JSONL, short_help="The original files of sessions."
)
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@output_option
@filter_options
@overwrite_option
@root_option
@no_sync_option
@json_option
def jsonl(sessions: tuple[str, ...], output: Path, filters: FilterSet, **chosen: Any) -> None:
    """Write the files of some sessions."""
    files = written = 0
    with session_archive(sessions, chosen["roots"], no_sync=chosen["no_sync"]) as (archive, named):
        _require_one_way(named, filters)
        order = Order(with_hidden=True)
        names = named or [session.id for session in archive.sessions(filters, order)]
        if not names:
            raise NotFoundError("no session is as asked for; `clew list` shows what there is")
        for file in archive.restore(output, sessions=names, overwrite=chosen["overwrite"]):
            files += 1
            written += file.size_bytes
    if chosen["as_json"]:
        found = {"schema": "clew.export/1", "folder": str(output), "sessions": len(names)}
        write_json({**found, "files": files, "bytes": written})
    else:
        told = f"{plural(len(names), 'session')}, {plural(files, 'file')}, {size(written)}"
        click.echo(f"{told} written to {visible(str(output))}")


@command.command("parquet", help=_PARQUET, short_help="All rows, one file per table.")
@output_option
@overwrite_option
@root_option
@no_sync_option
@json_option
def parquet(output: Path, roots: tuple[Path, ...], **chosen: Any) -> None:
    """Write all tables."""
    with fresh_archive(roots, no_sync=chosen["no_sync"]) as archive:
        tables = list(archive.export_parquet(output, overwrite=chosen["overwrite"]))
    if chosen["as_json"]:
        found = [
            {"table": each.table, "path": str(each.path), "rows": each.rows} for each in tables
        ]
        write_json({"schema": "clew.export/1", "folder": str(output), "tables": found})
    else:
        _print_tables(tables)
    if faults := [visible(fault) for each in tables for fault in each.faults]:
        raise UnreadableFilesError(faults)


def _print_tables(tables: Sequence[ExportedTable]) -> None:
    columns: list[Column[ExportedTable]] = [
        Column("file", lambda each: each.path.name),
        Column("rows", lambda each: f"{each.rows:,}", is_number=True),
        Column("size", lambda each: size(each.path.stat().st_size), is_number=True),
    ]
    print_table(columns, tables, make_console())
