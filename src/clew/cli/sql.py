"""`clew sql`: one query over the rows, which cannot change anything."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, count, islice
from pathlib import Path
from typing import Final, NamedTuple

import click
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from clew.cli.forms import write_csv, write_json_list
from clew.cli.options import json_option, root_option
from clew.cli.output import make_console
from clew.cli.quiet import fresh_archive, no_sync_option
from clew.errors import UsageError
from clew.render import safe_line
from clew.store import Answer, Value

_SECONDS: Final = 30
_LEAST: Final = 8
_GAP: Final = "  "
# Columns are as wide as these rows need; what comes after is printed as it is found.
_MEASURED: Final = 500
_HELP: Final = """\
Ask the rows anything in SQL.

Nothing can be changed by it. QUERY is one statement in SQLite's SQL, or - to read it from stdin. It
may read our tables, which docs/schema.md explains, and compute; files, other databases and
extensions are out of reach.

Ids of entries are kept as 16 bytes: uuid(x) prints one, and uuid_bytes('…') gives one to compare.

\b
Examples:
  clew sql "SELECT title FROM session ORDER BY ended_at DESC LIMIT 5"
  clew sql "SELECT tool, count(*) FROM tool_call GROUP BY tool ORDER BY 2"
  clew sql "SELECT name, sql FROM sqlite_schema WHERE type = 'table'"
  clew sql --csv - < query.sql > rows.csv

\b
Exit codes:
  0  done
  1  it took too long
  2  SQLite cannot run it, or it may not do what it asks for
  3  nothing is kept yet
"""


class _Column(NamedTuple):
    """How wide a column is, and whether it holds numbers alone."""

    width: int
    is_number: bool


@click.command("sql", help=_HELP)
@click.argument("query")
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
    query: str,
    timeout: float,
    roots: tuple[Path, ...],
    *,
    no_sync: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Run a query, and print what it gives."""
    if as_json and as_csv:
        raise UsageError("--json and --csv are two forms of one answer; give one of them")
    text = sys.stdin.read() if query == "-" else query
    with fresh_archive(roots, no_sync=no_sync) as archive, _readable():
        answer = archive.query(text, timeout)
        if as_json:
            write_json_list("clew.sql/1", "rows", _objects(answer))
        elif as_csv:
            write_csv(answer.columns, answer.rows)
        else:
            print_answer(answer, make_console())


@contextmanager
def _readable() -> Iterator[None]:
    """Tell what to do when bytes that are no text are asked for as text."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(
            "the answer has bytes for text that are none; print them with hex(x), ids with uuid(x)"
        ) from error


def print_answer(answer: Answer, console: Console) -> None:
    """Print rows below the names of their columns: cut to a terminal's width, whole elsewhere."""
    first = list(islice(answer.rows, _MEASURED))
    names = [safe_line(name) for name in answer.columns]
    columns = [
        _Column(_widest(name, values), all(isinstance(v, int | float | None) for v in values))
        for name, *values in zip(names, *first, strict=True)
    ]
    if console.is_terminal:
        widths = fit_widths([column.width for column in columns], console.width)
        columns = [_Column(w, c.is_number) for w, c in zip(widths, columns, strict=True)]
    console.print(Text(_line(names, columns, console), "dim"), soft_wrap=True)
    for row in chain(first, answer.rows):
        console.print(Text(_line(map(_text, row), columns, console)), soft_wrap=True)
    if not first and console.is_terminal:
        click.echo("no rows", err=True)


def fit_widths(widths: list[int], room: int) -> list[int]:
    """Take from the widest columns until all fit, or none can be narrower."""
    fitted = list(widths)
    left = room - len(_GAP) * (len(fitted) - 1)
    while sum(fitted) > left and max(fitted) > _LEAST:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _widest(name: str, values: list[Value]) -> int:
    return max(map(cell_len, [name, *map(_text, values)]))


def _line(texts: Iterable[str], columns: list[_Column], console: Console) -> str:
    pieces = []
    for text, column in zip(texts, columns, strict=True):
        room = " " * (column.width - cell_len(text))
        if cell_len(text) > column.width and console.is_terminal:
            pieces.append(set_cell_size(text, column.width - 1) + "…")
        else:
            pieces.append(room + text if column.is_number else text + room)
    return _GAP.join(pieces).rstrip()


def _text(value: Value) -> str:
    match value:
        case None:
            return ""
        case bytes():
            return value.hex()
        case _:
            return safe_line(str(value))


def _objects(answer: Answer) -> Iterator[dict[str, Value]]:
    names = _told_apart(answer.columns)
    for row in answer.rows:
        values = (value.hex() if isinstance(value, bytes) else value for value in row)
        yield dict(zip(names, values, strict=True))


def _told_apart(names: tuple[str, ...]) -> list[str]:
    """Number the columns that have the name of an earlier one."""
    found: list[str] = []
    for name in names:
        others = (f"{name}_{number}" for number in count(2))
        taken = {*found, *names} if name in found else set()
        found.append(next(other for other in chain([name], others) if other not in taken))
    return found
