"""page → text in a format.

Here are the terminal and JSON; `clew.render.html`, `clew.render.markdown` and `clew.render.site`
are entered by their own doors, because what they need takes time to import.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.render.formatting import duration, money, money_usd, plural, scaled, waiting_time
    from clew.render.json import render_json, render_page_json, usage_json
    from clew.render.safe import safe_line
    from clew.render.terminal import PROSE_WIDTH, ColourMode, TerminalOptions, render_terminal
    from clew.view import Detail, shows

__all__ = [
    "PROSE_WIDTH",
    "ColourMode",
    "Detail",
    "TerminalOptions",
    "duration",
    "money",
    "money_usd",
    "plural",
    "render_json",
    "render_page_json",
    "render_terminal",
    "safe_line",
    "scaled",
    "shows",
    "usage_json",
    "waiting_time",
]

import_lazily(__name__)
