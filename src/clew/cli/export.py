"""`clew export`: sessions as HTML, Markdown, JSON, transcripts or Parquet."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from clew.analytics import given_filters
from clew.archive import Archive, FilterSet, Order
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.options import (
    archive_option,
    json_option,
    output_option,
    overwrite_option,
    root_option,
)
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
Export sessions to files.

Formats: a web site, Markdown, JSON, the original transcripts, and Parquet tables.

\b
Examples:
  clew export html -o site              a site of all sessions, with search
  clew export html 3f2a --redact -o DIR one session, with secrets masked
  clew export html a.jsonl -o DIR       a transcript, or a directory of them
  clew export markdown --since 7d -o notes
  clew export jsonl 3f2a -o DIR         the original files of a session
  clew export jsonl --project . -o DIR  all sessions of this project
  clew export parquet -o DIR            all tables, one file each
  clew export parquet -o s3://bucket/lake

\b
Exit codes:
  0  success
  1  a file already exists, or pyarrow is not installed
  2  usage error
  3  no transcripts found, or no such session
"""
_HTML: Final = """\
Export a web site: a list of projects and sessions, a page per session, usage charts and search.

It needs no server and no network. When you run it again, it writes only what has changed.
"""
_MARKDOWN: Final = """\
Export one Markdown file per session, with front matter and images, in a directory per project.

When you run it again, it writes only what has changed.
"""
_JSON: Final = """\
Export one JSON file per session, in the format of `clew show --format json`.
"""
_JSONL: Final = """\
Export the original files of sessions, byte for byte.

Writes transcripts, agent transcripts and sidecar files, with Claude Code's directory structure.
"""
_PARQUET: Final = """\
Export all tables and views as Parquet, for pandas, polars or DuckDB.

Requires pyarrow: install `clew[parquet]`. `clew sql --schema` describes the tables. Times are
timestamps, flags are booleans, lists are lists, and tool inputs are complete JSON.

A directory gets one file per table. With --partition, and always in a bucket, files are partitioned
by month and project, and an export to the same place writes only the sessions that changed.

\b
Examples:
  clew export parquet -o DIR
  clew export parquet --partition -o lake
  clew export parquet -o s3://bucket/prefix
"""
_S3: Final = "s3://"


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
                "--all", "is_all", is_flag=True, help="Include sessions without a conversation."
            ),
            click.option(
                "--rewrite", "is_new", is_flag=True, help="Also write files that have not changed."
            ),
            archive_option,
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
    help="Level of detail; see `clew show --help`.",
)


@command.command("html", cls=FilteredCommand, help=_HTML, short_help="Export a web site.")
@_page_options
@_detail_option
def html(**chosen: Any) -> None:
    """Write a site."""
    _export_pages("html", chosen)


@command.command(
    "markdown", cls=FilteredCommand, help=_MARKDOWN, short_help="Export Markdown files."
)
@_page_options
@_detail_option
def markdown(**chosen: Any) -> None:
    """Write Markdown."""
    _export_pages("markdown", chosen)


@command.command(
    "json", cls=FilteredCommand, help=_JSON, short_help="Export conversations as JSON."
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
            raise NotFoundError(
                f"no sessions with a conversation; use --all to include {hidden:,} without one"
            )
        with _bar() as advance:
            report = export(archive, sessions, chosen["output"], options, advance)
    report.hidden = hidden
    if chosen["as_json"]:
        write_json(report)
        return
    _print_report(report)


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
        raise UsageError("session ids and filters cannot be combined")


def _print_report(report: "ExportReport") -> None:
    from clew.cli.session_formats import report_secrets

    same = f", {report.unchanged:,} unchanged" if report.unchanged else ""
    gone = f", {report.removed:,} removed" if report.removed else ""
    done = f"{plural(report.written, 'session')}{same}{gone}"
    click.echo(f"Exported {done}: {visible(report.start or report.folder)}")
    secrets = {secret.rule: secret.count for secret in report.secrets}
    report_secrets(secrets, is_redacted=report.is_redacted)
    if report.hidden:
        click.echo(_hidden_note(report.hidden), err=True)


def _hidden_note(count: int) -> str:
    return f"Skipped {plural(count, 'session')} without a conversation (`--all` to include)"


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar on a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("Exporting"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@command.command(
    "jsonl", cls=FilteredCommand, help=_JSONL, short_help="Export the original transcripts."
)
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@output_option
@filter_options
@overwrite_option
@archive_option
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
            raise NotFoundError("no sessions match these filters; `clew list` lists all sessions")
        for file in archive.restore(output, sessions=names, overwrite=chosen["overwrite"]):
            files += 1
            written += file.size_bytes
    if chosen["as_json"]:
        found = {"schema": "clew.export/1", "folder": str(output), "sessions": len(names)}
        write_json({**found, "files": files, "bytes": written})
    else:
        done = f"{plural(len(names), 'session')}, {plural(files, 'file')}, {size(written)}"
        click.echo(f"Exported {done}: {visible(str(output))}")


@command.command("parquet", help=_PARQUET, short_help="Export all tables as Parquet.")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR|S3",
    help="Directory or s3://BUCKET/PREFIX to write to.",
)
@click.option(
    "--partition", is_flag=True, help="Write files by month and project, only those that changed."
)
@click.option(
    "--rewrite", is_flag=True, help="With --partition: also write files that have not changed."
)
@overwrite_option
@archive_option
@root_option
@no_sync_option
@json_option
def parquet(output: str, roots: tuple[Path, ...], **chosen: Any) -> None:
    """Write all tables."""
    is_lake = chosen["partition"] or output.startswith(_S3)
    if is_lake and chosen["overwrite"]:
        raise UsageError("--overwrite is for one file per table; use --rewrite")
    if chosen["rewrite"] and not is_lake:
        raise UsageError("--rewrite needs --partition; use --overwrite")
    with fresh_archive(roots, no_sync=chosen["no_sync"]) as archive:
        if is_lake:
            faults = _export_lake(archive, output, chosen)
        else:
            faults = _export_tables(archive, Path(output), chosen)
    if faults:
        raise UnreadableFilesError([visible(fault) for fault in faults])


def _export_tables(archive: Archive, output: Path, chosen: dict[str, Any]) -> list[str]:
    """Write one file per table; return what could not be read."""
    tables = list(archive.export_parquet(output, overwrite=chosen["overwrite"]))
    if chosen["as_json"]:
        found = [
            {"table": each.table, "path": str(each.path), "rows": each.rows} for each in tables
        ]
        write_json({"schema": "clew.export/1", "folder": str(output), "tables": found})
    else:
        _print_tables(tables)
    return [fault for each in tables for fault in each.faults]


def _export_lake(archive: Archive, output: str, chosen: dict[str, Any]) -> list[str]:
    """Write files by month and project; return what could not be read."""
    with _bar() as advance:
        report = archive.export_lake(output, rewrite=chosen["rewrite"], on_sessions=advance)
    if chosen["as_json"]:
        write_json(report)
    else:
        same = f", {report.unchanged:,} unchanged" if report.unchanged else ""
        gone = f", {report.removed:,} removed" if report.removed else ""
        files = f"{plural(report.files_written, 'file')}, {size(report.bytes_written)}"
        done = f"{plural(report.written, 'session')}{same}{gone} ({files})"
        click.echo(f"Exported {done}: {visible(report.folder)}")
    return report.faults


def _print_tables(tables: Sequence[ExportedTable]) -> None:
    columns: list[Column[ExportedTable]] = [
        Column("file", lambda each: each.path.name),
        Column("rows", lambda each: f"{each.rows:,}", is_number=True),
        Column("size", lambda each: size(each.path.stat().st_size), is_number=True),
    ]
    print_table(columns, tables, make_console())
