"""The live strip: sessions that run, each with its state, last action, context and cost."""

from collections.abc import Sequence
from typing import Final

import msgspec

from clew.figures import plural
from clew.render.site.templates import draw

_NEAR_LIMIT: Final = 80
_WORDS: Final = {"waiting": "waits for you", "working": "working", "finished": "finished"}


class LiveRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session that grew lately; `fill` is how full its context is, in percent.

    `url` leads to what it waits for, if it does. `quiet` is for how long nothing came, where that
    is all that says that it has ended.
    """

    session_id: str
    title: str
    url: str
    project: str
    project_url: str
    state: str
    reason: str
    is_inferred: bool
    action: str
    action_url: str
    fill: int | None
    fill_title: str
    context_url: str
    cost: str
    at: str
    clock: str
    member: str = ""
    quiet: str = ""

    @property
    def word(self) -> str:
        """The state in words; a guess has a question mark."""
        if self.quiet:
            return f"quiet for {self.quiet}"
        return f"{_WORDS[self.state]}{'?' if self.is_inferred else ''}"

    @property
    def is_nearly_full(self) -> bool:
        """Whether the context is near its limit."""
        return self.fill is not None and self.fill >= _NEAR_LIMIT


class LiveStrip(msgspec.Struct, frozen=True, kw_only=True):
    """What runs and what waits for the reader; a compact one is folded into one line."""

    rows: Sequence[LiveRow] = ()
    is_compact: bool = False

    @property
    def summary(self) -> str:
        """Say how many wait and work."""
        waiting = sum(row.state == "waiting" for row in self.rows)
        working = sum(row.state == "working" for row in self.rows)
        parts = (
            f"{waiting:,} {'waits' if waiting == 1 else 'wait'} for you" if waiting else "",
            f"{working:,} working" if working else "",
        )
        told = ", ".join(filter(None, parts))
        if told:
            return told
        quiet = sum(bool(row.quiet) for row in self.rows)
        ended = len(self.rows) - quiet
        lately = (
            f"{plural(ended, 'session')} ended recently" if ended else "",
            f"{plural(quiet, 'session')} quiet" if quiet else "",
        )
        return "; ".join(filter(None, ("Nothing is running", *lately)))


def render_live_strip(strip: LiveStrip) -> str:
    """Draw the strip, for a page or in place of an earlier one."""
    return draw("live_strip.html", strip=strip)
