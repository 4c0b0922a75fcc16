"""What a program printed → lines in our own styles.

Backgrounds are dropped, and so are black and white: on a terminal of that colour the text would be
invisible.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from clew.render.ansi import TextStyle, styled_runs
from clew.render.safe import safe
from clew.render.terminal.lines import Line

_FLAGS: Final = ("bold", "dim", "italic", "inverse", "strike", "underline")
_INVISIBLE: Final = ("", "black", "white", "bright-white")
_GREY: Final = "bright-black"


def coloured_lines(text: str, style: str = "") -> Iterator[Line]:
    """Return the lines of a text in its own colours; text without one gets `style`."""
    line: Line = []
    for run, look in styled_runs(text.replace("\r\n", "\n").replace("\r", "\n")):
        name = _style_name(look) or style
        first, *others = safe(run).split("\n")
        line.append((first, name))
        for other in others:
            yield _trimmed(line)
            line = [(other, name)]
    yield _trimmed(line)


@lru_cache(maxsize=256)
def _style_name(style: TextStyle) -> str:
    """Name a style as `paint` reads it."""
    flags = [name.replace("inverse", "reverse") for name in _FLAGS if getattr(style, name)]
    colour = style.foreground
    if colour in _INVISIBLE:
        return " ".join(flags)
    return " ".join([*flags, "dim" if colour == _GREY else colour.replace("-", "_")])


def _trimmed(line: Line) -> Line:
    """Remove spaces at the end of a line, and empty spans."""
    kept = [span for span in line if span[0]]
    while kept and not kept[-1][0].strip():
        kept.pop()
    if kept:
        kept[-1] = (kept[-1][0].rstrip(), kept[-1][1])
    return kept
