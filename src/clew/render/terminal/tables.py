"""Tables and fields, in columns that fit the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len

from clew.parts import Table
from clew.render.safe import safe_line, safe_lines
from clew.render.terminal.lines import Line, cut, wrap

_GAP: Final = 2
_THINNEST: Final = 10
_WIDEST_NAME: Final = 24


def draw_table(table: Table, width: int) -> Iterator[Line]:
    """Draw rows in wrapped columns, or as fields where columns would be too narrow."""
    count = max(map(len, (table.columns, *table.rows)), default=0)
    heads = [safe_line(name) for name in _filled(table.columns, count)]
    rows = [[safe_line(cell) for cell in _filled(row, count)] for row in table.rows]
    if not count:
        return
    widths = _fitted([_widest(column) for column in zip(heads, *rows, strict=True)], width)
    if widths is None:
        for row in rows:
            yield from draw_fields(zip(heads, row, strict=True), width)
        return
    if any(heads):
        yield from _draw_row(heads, widths, "strong")
        yield from _draw_row(["─" * width for width in widths], widths, "rule")
    for row in rows:
        yield from _draw_row(row, widths, "")


def draw_fields(pairs: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    """Draw names, and their values beside them in one column."""
    known = [(safe_line(name), value) for name, value in pairs]
    room = min(_WIDEST_NAME, max(width // 3, _THINNEST))
    lead = min(max((cell_len(name) for name, _ in known), default=0), room) + _GAP
    for name, value in known:
        lines = [piece for line in safe_lines(value) for piece in wrap(line, width - lead)] or [""]
        for number, piece in enumerate(lines):
            if not number and cell_len(name) > lead - _GAP:
                yield [(cut(name, width), "quiet")]
            text = name if not number and cell_len(name) <= lead - _GAP else ""
            yield [(_padded(text, lead), "quiet"), (piece, "")]


def _draw_row(cells: Sequence[str], widths: Sequence[int], style: str) -> Iterator[Line]:
    wrapped = [list(wrap(cell, width)) for cell, width in zip(cells, widths, strict=True)]
    for line in zip_longest(*wrapped, fillvalue=""):
        text = "".join(
            _padded(piece, width + _GAP) for piece, width in zip(line, widths, strict=True)
        )
        yield [(text.rstrip(), style)]


def _fitted(wanted: list[int], width: int) -> list[int] | None:
    """Make the widest columns narrower until all fit, or None if they cannot."""
    room = width - _GAP * (len(wanted) - 1)
    if sum(min(each, _THINNEST) for each in wanted) > room:
        return None
    widths = [min(each, room) for each in wanted]
    while sum(widths) > room:
        widest = max(range(len(widths)), key=widths.__getitem__)
        others = sum(widths) - widths[widest]
        second = max((w for n, w in enumerate(widths) if n != widest), default=_THINNEST)
        widths[widest] = max(room - others, min(second, widths[widest] - 1), _THINNEST)
    return widths


def _filled(cells: Sequence[str], count: int) -> list[str]:
    return [*cells, *("" for _ in range(count - len(cells)))]


def _widest(cells: Iterable[str]) -> int:
    return max(map(cell_len, cells), default=0)


def _padded(text: str, width: int) -> str:
    return text + " " * max(width - cell_len(text), 0)
