"""`clew export`: what is kept, as files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from clew.archive import Filters, Order
from clew.cli.filters import filter_options
from clew.cli.options import json_option, root_option
from clew.cli.output import make_console, write_json
from clew.cli.quiet import fresh_archive, no_sync_option
from clew.cli.table import Column, print_table
from clew.cli.text import plural, size, visible
from clew.errors import NotFoundError, UsageError
from clew.store import Exported

_HELP: Final = """\
Write what is kept to files.

Original transcripts, or rows for data frames.

\b
Examples:
  clew export jsonl 3f2a -o DIR         one session's files, as Claude Code wrote them
  clew export jsonl --project . -o DIR  all sessions of this project
  clew export parquet -o DIR            all rows, one file per table

\b
Exit codes:
  0  done
  1  a file is there already, or what it takes is not installed
  2  wrong use
  3  no transcripts, or no such session
"""
_JSONL: Final = """\
Give the original files of sessions back, byte for byte: those named, or those the filters choose.

Transcripts, agent runs and sidecars come in the folders in which Claude Code had them.
"""
_PARQUET: Final = """\
Write all rows as Parquet, one file per table, for pandas, polars or DuckDB.

Needs pyarrow, which comes with `clew[parquet]`. docs/schema.md tells what the tables hold; times
are timestamps here, flags are booleans, lists are lists.
"""
_output_option: Final = click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder to write to; it is made when it is not there.",
)
_overwrite_option: Final = click.option(
    "--overwrite", is_flag=True, help="Write over files that are there already."
)


@click.group("export", help=_HELP)
def command() -> None:
    """Group the formats."""


@command.command("jsonl", help=_JSONL, short_help="The original files of sessions.")
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@_output_option
@filter_options
@_overwrite_option
@root_option
@no_sync_option
@json_option
def jsonl(sessions: tuple[str, ...], output: Path, filters: Filters, **chosen: Any) -> None:
    """Write the files of some sessions."""
    if sessions and filters != Filters():
        raise UsageError("name sessions or choose them by filters, not both")
    files = written = 0
    with fresh_archive(chosen["roots"], no_sync=chosen["no_sync"]) as archive:
        order = Order(with_hidden=True)
        names = sessions or [session.id for session in archive.sessions(filters, order)]
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
@_output_option
@_overwrite_option
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
        return
    _print_tables(tables)


def _print_tables(tables: Sequence[Exported]) -> None:
    columns: list[Column[Exported]] = [
        Column("file", lambda each: each.path.name),
        Column("rows", lambda each: f"{each.rows:,}", is_number=True),
        Column("size", lambda each: size(each.path.stat().st_size), is_number=True),
    ]
    print_table(columns, tables, make_console())
