"""TerminalContext: the width of the terminal, and how much of a page to draw."""

import datetime as dt
from collections.abc import Mapping
from typing import Final

import msgspec

from clew.render.formatting import local_time
from clew.render.terminal.prose import PROSE_WIDTH
from clew.view import Detail, MessageView, SessionPage, TurnView

MOST_LINES: Final = 60
FEW_LINES: Final = 12
_NARROWEST: Final = 24


class TerminalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How much to show, and on what; without a zone, times are those of this machine."""

    detail: Detail = Detail.TOOLS
    turn: int | None = None
    branches: bool = False
    width: int = PROSE_WIDTH
    zone: dt.tzinfo | None = None


class TerminalContext(msgspec.Struct, frozen=True):
    """What every part of a page needs.

    `width` are the columns for code and output, `narrow` those for prose and for lines with two
    ends. `turns` are those that begin with a message, by its id; those in `dated` begin on another
    day than the one before. `is_of_runs` when there are agent runs alone, so that their talk is
    the page. Of a text longer than `most_lines` the ends are drawn.
    """

    options: TerminalOptions
    width: int
    narrow: int
    turns: Mapping[str, TurnView]
    dated: frozenset[str]
    is_of_runs: bool = False
    most_lines: int | None = None

    @property
    def detail(self) -> Detail:
        """How much is shown."""
        return self.options.detail

    @property
    def is_whole(self) -> bool:
        """Whether everything is shown."""
        return self.options.detail is Detail.EVERYTHING

    def indented(self, indent: int) -> "TerminalContext":
        """Return the context for indented content."""
        return msgspec.structs.replace(
            self,
            width=max(self.width - indent, _NARROWEST),
            narrow=max(self.narrow - indent, _NARROWEST),
        )

    def folded(self, most_lines: int) -> "TerminalContext":
        """Return the context for texts that are shortened to their ends."""
        return msgspec.structs.replace(self, most_lines=most_lines)


def make_context(page: SessionPage, options: TerminalOptions) -> TerminalContext:
    """Make the context of a page."""
    width = max(options.width, _NARROWEST)
    turns = page.frame.turns
    items = (item for section in page.sections for item in section.items)
    return TerminalContext(
        options=options,
        width=width,
        narrow=min(width, PROSE_WIDTH),
        turns={turn.id: turn for turn in turns if turn.index},
        dated=_dated(turns, options.zone),
        is_of_runs=not any(isinstance(item, MessageView) for item in items),
    )


def _dated(turns: tuple[TurnView, ...], zone: dt.tzinfo | None) -> frozenset[str]:
    found, before = set(), ""
    for turn in turns:
        at = local_time(turn.started_at, zone)
        today = "" if at is None else at.date().isoformat()
        if before and today != before:
            found.add(turn.id)
        before = today or before
    return frozenset(found)
