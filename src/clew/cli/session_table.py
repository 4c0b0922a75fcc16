"""Sessions as a table: as many columns as there is room for."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from clew.analytics import display_name
from clew.cli.overview import SessionOverview
from clew.clock import parse_time
from clew.render import dollars, duration, safe_line, scaled

_GAP: Final = "  "
_SHORT_ID: Final = 8
_LEAST_TITLE: Final = 30
_MOST_TITLE: Final = 72
_WIDEST: Final = 20
_NANO: Final = 1_000_000_000


class Column(msgspec.Struct, frozen=True):
    """A column of the table; of those for which there is no room, the highest rank goes first."""

    name: str
    cell: Callable[[SessionOverview], str]
    rank: int = 0
    is_number: bool = False


class Cells(msgspec.Struct, frozen=True):
    """A column with what stands in it, and how wide that is."""

    column: Column
    texts: list[str]
    width: int


def print_sessions(sessions: Sequence[SessionOverview], console: Console, now: dt.datetime) -> None:
    """Print a line for each session: cut to a terminal's width, whole where it goes elsewhere."""
    filled = [_fill(column, sessions) for column in _columns(sessions, now)]
    if console.is_terminal:
        filled = _fit(filled, console.width)
    console.print(
        Text(_line(filled, [cells.column.name for cells in filled]), "dim"), soft_wrap=True
    )
    for row in zip(*(cells.texts for cells in filled), strict=True):
        console.print(Text(_line(filled, row)), soft_wrap=True)


def when(time: str | None, now: dt.datetime) -> str:
    """Write a time of this year with its hour, an older one with its year."""
    parsed = None if time is None else parse_time(time)
    if parsed is None:
        return ""
    local = parsed.astimezone(now.tzinfo)
    day = f"{local.day:>2} {local:%b}"
    return f"{day} {local:%H:%M}" if local.year == now.year else f"{day} {local.year}"


def _columns(sessions: Sequence[SessionOverview], now: dt.datetime) -> list[Column]:
    id_width = _id_width(sessions)
    return [
        Column("id", lambda session: session.id[:id_width]),
        Column("when", lambda session: when(session.ended_at, now)),
        Column("title", lambda session: session.title or "(no title)"),
        Column("project", lambda session: _last_part(session.project), 3),
        Column("branch", _branch, 8),
        Column("models", _models, 7),
        Column("messages", lambda session: f"{session.messages:,}", 6, is_number=True),
        Column("calls", lambda session: f"{session.tool_calls:,}", 5, is_number=True),
        Column("tokens", lambda session: scaled(session.total_tokens), 2, is_number=True),
        Column("cost", _cost, 1, is_number=True),
        Column("duration", lambda session: duration(session.duration_ms), 4, is_number=True),
    ]


def _id_width(sessions: Sequence[SessionOverview]) -> int:
    """Give as many characters as it takes to tell the ids apart."""
    ids = {session.id for session in sessions}
    widths = range(_SHORT_ID, max(map(len, ids), default=0) + 1)
    return next((n for n in widths if len({name[:n] for name in ids}) == len(ids)), _SHORT_ID)


def _last_part(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _branch(session: SessionOverview) -> str:
    # Where no branch is checked out, the client writes HEAD for its name.
    return "" if session.git_branch in (None, "HEAD") else session.git_branch or ""


def _models(session: SessionOverview) -> str:
    return ", ".join(dict.fromkeys(map(display_name, session.models)))


def _cost(session: SessionOverview) -> str:
    if session.cost_usd is None:
        return "no price"
    more = "+" if session.unpriced_models else ""
    return dollars(round(session.cost_usd * _NANO)) + more


def _fill(column: Column, sessions: Sequence[SessionOverview]) -> Cells:
    texts = [safe_line(column.cell(session)) for session in sessions]
    return Cells(column, texts, max(map(cell_len, [column.name, *texts])))


def _fit(filled: Sequence[Cells], width: int) -> list[Cells]:
    """Cut wide columns, leave out what has no room, and give the title the rest."""
    cut = [_narrowed(cells) for cells in filled]
    while _taken(cut) + _LEAST_TITLE > width and any(cells.column.rank for cells in cut):
        cut.remove(max(cut, key=lambda cells: cells.column.rank))
    room = min(max(width - _taken(cut), _LEAST_TITLE), _MOST_TITLE)
    return [
        msgspec.structs.replace(cells, width=min(cells.width, room)) if _is_title(cells) else cells
        for cells in cut
    ]


def _narrowed(cells: Cells) -> Cells:
    is_free = _is_title(cells) or cells.column.is_number
    return cells if is_free else msgspec.structs.replace(cells, width=min(cells.width, _WIDEST))


def _taken(filled: Sequence[Cells]) -> int:
    """Count what all columns but the title take, with the gaps between all."""
    own = sum(cells.width for cells in filled if not _is_title(cells))
    return own + len(_GAP) * (len(filled) - 1)


def _is_title(cells: Cells) -> bool:
    return cells.column.name == "title"


def _line(filled: Sequence[Cells], texts: Sequence[str]) -> str:
    pieces = [_padded(text, cells) for cells, text in zip(filled, texts, strict=True)]
    return _GAP.join(pieces).rstrip()


def _padded(text: str, cells: Cells) -> str:
    if cell_len(text) > cells.width:
        return set_cell_size(text, cells.width - 1) + "…"
    room = " " * (cells.width - cell_len(text))
    return room + text if cells.column.is_number else text + room
