"""conversation → text in a format.

`render_json` gives the conversation's JSON, `render_terminal` a page for a terminal.
"""

from clew.render.figures import dollars, duration, plural, scaled
from clew.render.json import render_json, usage_json
from clew.render.safe import safe_line
from clew.render.terminal import PROSE_WIDTH, Ink, Options, render_terminal
from clew.view import Detail, shows

__all__ = [
    "PROSE_WIDTH",
    "Detail",
    "Ink",
    "Options",
    "dollars",
    "duration",
    "plural",
    "render_json",
    "render_terminal",
    "safe_line",
    "scaled",
    "shows",
    "usage_json",
]
