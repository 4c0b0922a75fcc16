"""Tables: on a terminal, as many columns as fit; elsewhere, all of them."""

from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

import msgspec
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from clew.cli.text import cut_front
from clew.render import safe_line

Item = TypeVar("Item")

_GAP: Final = "  "
_WIDEST: Final = 20
_LEAST: Final = 30
_NARROWEST: Final = 8
_MOST: Final = 72


class Column(msgspec.Struct, Generic[Item], frozen=True):
    """A column; if not all fit, those with the highest rank are left out first.

    The column that `takes_rest` gets the remaining width, at least `least` if it needs that and
    there are other columns to leave out. Paths are cut at the front.
    """

    name: str
    cell: Callable[[Item], str]
    rank: int = 0
    is_number: bool = False
    takes_rest: bool = False
    is_path: bool = False
    widest: int = _WIDEST
    least: int = _LEAST


class Cells(msgspec.Struct, Generic[Item], frozen=True):
    """A column with its texts and their width."""

    column: Column[Item]
    texts: list[str]
    width: int


def print_table(
    columns: Sequence[Column[Item]],
    items: Sequence[Item],
    console: Console,
    indent: str = "",
    total: Item | None = None,
) -> None:
    """Print a header, a line for each item, and one for their total."""
    shown = items if total is None else [*items, total]
    filled = [_fill(column, shown) for column in columns]
    if console.is_terminal:
        filled = _fit(filled, console.width - len(indent))
    names = _line(filled, [cells.column.name for cells in filled])
    console.print(Text(indent + names, "dim"), soft_wrap=True)
    rows = zip(*(cells.texts for cells in filled), strict=True)
    lines = [indent + _line(filled, row) for row in rows]
    # Printed at once: a call of the console takes longer than many lines.
    if items:
        console.print(Text("\n".join(lines[: len(items)])), soft_wrap=True)
    if total is not None:
        console.print(Text(lines[-1], "bold"), soft_wrap=True)


def _fill(column: Column[Item], items: Sequence[Item]) -> Cells[Item]:
    texts = [safe_line(column.cell(item)) for item in items]
    return Cells(column, texts, max(map(cell_len, [column.name, *texts])))


def _fit(filled: Sequence[Cells[Item]], width: int) -> list[Cells[Item]]:
    """Cut wide columns, leave out those that do not fit, and widen one to the rest."""
    cut = [_narrowed(cells) for cells in filled]
    rest = (cells for cells in cut if cells.column.takes_rest)
    least = max((min(cells.column.least, cells.width) for cells in rest), default=0)
    while _taken(cut) + least > width and any(cells.column.rank for cells in cut):
        cut.remove(max(cut, key=lambda cells: cells.column.rank))
    room = min(max(width - _taken(cut), _NARROWEST), _MOST)
    return [
        msgspec.structs.replace(cells, width=min(cells.width, room))
        if cells.column.takes_rest
        else cells
        for cells in cut
    ]


def _narrowed(cells: Cells[Item]) -> Cells[Item]:
    column = cells.column
    if column.takes_rest or column.is_number:
        return cells
    return msgspec.structs.replace(cells, width=min(cells.width, column.widest))


def _taken(filled: Sequence[Cells[Item]]) -> int:
    """Add up the widths of all columns but the one that takes the rest, with all gaps."""
    own = sum(cells.width for cells in filled if not cells.column.takes_rest)
    return own + len(_GAP) * (len(filled) - 1)


def _line(filled: Sequence[Cells[Item]], texts: Sequence[str]) -> str:
    pieces = [_padded(text, cells) for cells, text in zip(filled, texts, strict=True)]
    return _GAP.join(pieces).rstrip()


def _padded(text: str, cells: Cells[Item]) -> str:
    if cell_len(text) > cells.width:
        if cells.column.is_path:
            return cut_front(text, cells.width)
        # A wide letter may leave room for half of itself, which belongs behind the mark.
        text = set_cell_size(text, cells.width - 1).rstrip() + "…"
    room = " " * (cells.width - cell_len(text))
    return room + text if cells.column.is_number else text + room
