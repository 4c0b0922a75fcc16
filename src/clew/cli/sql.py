"""`clew sql`: query the archive with SQL, read-only."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Final

import click

from clew.cli.list_formats import write_csv, write_json_list
from clew.cli.options import archive_option, json_option, root_option
from clew.cli.output import make_console
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.sql_schema import print_schema
from clew.cli.sql_table import print_answer
from clew.cli.text import visible
from clew.errors import UsageError
from clew.store import QueryResult, UnreadableFilesError, Value

_SECONDS: Final = 30
_HELP: Final = """\
Query the archive with SQL.

QUERY is one read-only statement, or - to read it from stdin, in the SQL of the archive's database:
SQLite or PostgreSQL. --schema describes the tables, views and functions. Queries cannot change the
archive or access files, other databases or extensions.

`tool_call.input` is the complete input of a tool call as JSON. tool_result(session_key, call_id)
returns its complete result, and raw_line(session_key, transcript, offset_bytes) a line of a
transcript.

\b
Examples:
  clew sql "SELECT input ->> 'command' FROM tool_call
            WHERE tool = 'Bash' AND status = 'failed'"
  clew sql "SELECT day, sum(cost_usd) FROM daily_cost GROUP BY day"
  clew sql "SELECT tool, count(*) FROM tool_call GROUP BY tool ORDER BY 2"
  clew sql --csv - < query.sql > rows.csv
  clew sql --schema              describe all tables, views and functions
  clew sql --schema tool_call    describe one table

\b
Exit codes:
  0  success
  1  timeout, or archived files that the query needs cannot be read
  2  invalid query, or not allowed
  3  the archive is empty
"""


@click.command("sql", help=_HELP)
@click.argument("query", required=False)
@click.option(
    "--schema",
    "is_schema",
    is_flag=True,
    help="Describe all tables, views and functions, or the one table QUERY.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Time limit in seconds.",
)
@archive_option
@root_option
@no_sync_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with a header line.")
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
    """Run a query, and print the result."""
    if is_schema:
        print_schema(query, as_json=as_json)
        return
    if as_json and as_csv:
        raise UsageError("--json and --csv cannot be combined")
    if query is None:
        raise UsageError(
            "missing QUERY; use - to read it from stdin, or --schema to list the tables"
        )
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
    """Explain what to do when a value is not valid text."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(
            "the result has bytes that are not text; use hex(x), or uuid(x) for ids"
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
