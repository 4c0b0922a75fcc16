"""The result of a query as a table, or one value per line if the columns do not fit."""

from collections.abc import Iterable
from itertools import chain, islice
from typing import Final, NamedTuple

import click
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from clew.render import safe_line
from clew.store import QueryResult, Value

_LEAST: Final = 8
_GAP: Final = "  "
# Column widths are computed from these rows; the rest is printed as it is found.
_MEASURED: Final = 500


class _SqlColumn(NamedTuple):
    """The width of a column, and whether it has numbers only."""

    width: int
    is_number: bool


def print_answer(answer: QueryResult, console: Console) -> None:
    """Print rows below their column names, cut to the width of a terminal.

    If the columns do not fit, each value is printed on its own line.
    """
    first = list(islice(answer.rows, _MEASURED))
    names = [safe_line(name) for name in answer.columns]
    columns = [
        _SqlColumn(_widest(name, values), all(isinstance(v, int | float | None) for v in values))
        for name, *values in zip(names, *first, strict=True)
    ]
    if console.is_terminal:
        widths = fit_widths([column.width for column in columns], console.width)
        if _total(widths) > console.width:
            _print_upright(names, chain(first, answer.rows), console)
            return
        columns = [_SqlColumn(w, c.is_number) for w, c in zip(widths, columns, strict=True)]
    console.print(Text(_line(names, columns, console), "dim"), soft_wrap=True)
    for row in chain(first, answer.rows):
        console.print(Text(_line(map(_text, row), columns, console)), soft_wrap=True)
    if not first and console.is_terminal:
        click.echo("No rows", err=True)


def _print_upright(names: list[str], rows: Iterable[tuple[Value, ...]], console: Console) -> None:
    """Print each row as lines of a name and a value, with an empty line between rows."""
    width = max(map(cell_len, names))
    is_cut = False
    for number, row in enumerate(rows):
        if number:
            console.print()
        for name, text in zip(names, map(_text, row), strict=True):
            line, was_cut = _upright_line(name, text, width, console.width)
            console.print(line, soft_wrap=True)
            is_cut = is_cut or was_cut
    if is_cut:
        click.echo("Long values are cut (`--json` or `--csv` for complete ones)", err=True)


def _upright_line(name: str, text: str, width: int, room: int) -> tuple[Text, bool]:
    label = name + " " * (width - cell_len(name)) + _GAP
    left = max(room - cell_len(label), _LEAST)
    is_cut = cell_len(text) > left
    value = set_cell_size(text, left - 1) + "…" if is_cut else text
    return Text.assemble((label, "dim"), value), is_cut


def _total(widths: list[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def fit_widths(widths: list[int], room: int) -> list[int]:
    """Narrow the widest columns until all fit, or none can be narrower."""
    fitted = list(widths)
    left = room - len(_GAP) * (len(fitted) - 1)
    while sum(fitted) > left and max(fitted) > _LEAST:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _widest(name: str, values: list[Value]) -> int:
    return max(map(cell_len, [name, *map(_text, values)]))


def _line(texts: Iterable[str], columns: list[_SqlColumn], console: Console) -> str:
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
