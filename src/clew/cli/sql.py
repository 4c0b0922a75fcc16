"""`clew sql`: one query over the rows, which cannot change anything."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Final

import click

from clew.cli.list_formats import write_csv, write_json_list
from clew.cli.options import json_option, root_option
from clew.cli.output import make_console
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.sql_schema import print_schema
from clew.cli.sql_table import print_answer
from clew.cli.text import visible
from clew.errors import UsageError
from clew.store import QueryResult, UnreadableFilesError, Value

_SECONDS: Final = 30
_HELP: Final = """\
Ask the rows anything in SQL.

Nothing can be changed by it. QUERY is one statement in SQLite's SQL, or - to read it from stdin. It
may read the tables and views that --schema explains, and compute; files, other databases and
extensions are out of reach.

`tool_call.input` is a tool's whole input as JSON, tool_result(session_key, call_id) its whole
result, and raw_line(session_key, transcript, offset_bytes) a line of a transcript.

\b
Examples:
  clew sql "SELECT input ->> 'command' FROM tool_call
            WHERE tool = 'Bash' AND status = 'failed'"
  clew sql "SELECT day, sum(cost_usd) FROM daily_cost GROUP BY day"
  clew sql "SELECT tool, count(*) FROM tool_call GROUP BY tool ORDER BY 2"
  clew sql --csv - < query.sql > rows.csv
  clew sql --schema              all tables, views and functions, explained
  clew sql --schema tool_call    one of them

\b
Exit codes:
  0  done
  1  it took too long, or kept files that it needed cannot be read
  2  SQLite cannot run it, or it may not do what it asks for
  3  nothing is kept yet
"""


@click.command("sql", help=_HELP)
@click.argument("query", required=False)
@click.option(
    "--schema",
    "is_schema",
    is_flag=True,
    help="Explain tables, views, columns and functions: all, or the table that QUERY names.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long it may take.",
)
@root_option
@no_sync_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with a line of names.")
def command(
    query: str | None,
    timeout: float,
    roots: tuple[Path, ...],
    *,
    is_schema: bool,
    no_sync: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Run a query, and print what it gives."""
    if is_schema:
        print_schema(query, as_json=as_json)
        return
    if as_json and as_csv:
        raise UsageError("--json and --csv are two forms of one answer; give one of them")
    if query is None:
        raise UsageError("give a QUERY, - to read it from stdin, or --schema")
    text = sys.stdin.read() if query == "-" else query
    with fresh_archive(roots, no_sync=no_sync) as archive, _readable():
        answer = archive.query(text, timeout)
        if as_json:
            write_json_list("clew.sql/1", "rows", _objects(answer))
        elif as_csv:
            write_csv(answer.columns, answer.rows)
        else:
            print_answer(answer, make_console())
    if answer.faults:
        raise UnreadableFilesError([visible(fault) for fault in answer.faults])


@contextmanager
def _readable() -> Iterator[None]:
    """Tell what to do when bytes that are no text are asked for as text."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(
            "the answer has bytes for text that are none; print them with hex(x), ids with uuid(x)"
        ) from error


def _objects(answer: QueryResult) -> Iterator[dict[str, Value]]:
    names = _unique_names(answer.columns)
    for row in answer.rows:
        values = (value.hex() if isinstance(value, bytes) else value for value in row)
        yield dict(zip(names, values, strict=True))


def _unique_names(names: tuple[str, ...]) -> list[str]:
    """Number the columns that have the name of an earlier one."""
    found: list[str] = []
    for name in names:
        others = (f"{name}_{number}" for number in count(2))
        taken = {*found, *names} if name in found else set()
        found.append(next(other for other in chain([name], others) if other not in taken))
    return found
