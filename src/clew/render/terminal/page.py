"""Page: what every part of a terminal page is drawn from."""

import datetime as dt
from typing import Final

import msgspec

from clew.render.terminal.prose import PROSE_WIDTH
from clew.view import Detail, Index

_NARROWEST: Final = 24


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How much to show, and on what; without a zone, times are those of this machine."""

    detail: Detail = Detail.TOOLS
    turn: int | None = None
    branches: bool = False
    width: int = PROSE_WIDTH
    zone: dt.tzinfo | None = None


class Page(msgspec.Struct, frozen=True):
    """A conversation, and how it is to be shown.

    `width` are the columns for code and output, `narrow` those for prose and for lines with two
    ends. `drawn` are the agent runs that are on the page already.
    """

    index: Index
    options: Options
    width: int
    narrow: int
    drawn: set[str]

    @property
    def detail(self) -> Detail:
        """How much is shown."""
        return self.options.detail

    @property
    def is_whole(self) -> bool:
        """Whether everything is shown."""
        return self.options.detail is Detail.EVERYTHING

    @property
    def is_of_runs(self) -> bool:
        """Whether there are agent runs alone, so that their talk is the page."""
        return not self.index.spine

    def inside(self, indent: int) -> "Page":
        """Give the page for what stands indented on it."""
        return msgspec.structs.replace(
            self,
            width=max(self.width - indent, _NARROWEST),
            narrow=max(self.narrow - indent, _NARROWEST),
        )


def make_page(index: Index, options: Options) -> Page:
    """Start a page."""
    width = max(options.width, _NARROWEST)
    return Page(index, options, width, min(width, PROSE_WIDTH), set())
