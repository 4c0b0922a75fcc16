"""What a program printed → markup: its colours become classes.

Carriage returns are played as a terminal plays them, roughly: of a line that was written over and
over, as progress bars are, the last version remains.
"""

import re
from functools import lru_cache
from typing import Final

from clew.render.ansi import PLAIN, TextStyle, find_sgr, has_sequences, styled_runs
from clew.render.html.escaping import escape, tag

_STRUCK_OVER: Final = re.compile(r"[^\n\x08]\x08")
_FLAGS: Final = ("bold", "dim", "italic", "underline", "strike")


def draw_output(text: str, style: TextStyle = PLAIN) -> tuple[str, TextStyle]:
    """Return a piece of output as markup, and the style in which the next piece begins."""
    if "\r" in text:
        text = "\n".join(map(_last_version, text.replace("\r\n", "\n").split("\n")))
    if "\x08" in text:
        text = _STRUCK_OVER.sub("", text)
    if style is PLAIN and not has_sequences(text):
        return escape(text), style
    drawn: list[str] = []
    for run, look in styled_runs(text, style):
        if run:
            classes = style_classes(look)
            drawn.append(tag("span", classes, escape(run)) if classes else escape(run))
        style = look
    return "".join(drawn), style


@lru_cache(maxsize=256)
def style_classes(style: TextStyle) -> str:
    """Name the classes of a style; none for plain text."""
    ink, paper = style.foreground, style.background
    if style.inverse:
        ink, paper = paper or "inverse", ink or "inverse"
    named = [f"ink-{ink}"] if ink else []
    if paper:
        named.append(f"on-{paper}")
    named += [name for name in _FLAGS if getattr(style, name)]
    return " ".join(named)


def _last_version(line: str) -> str:
    """Return what is left of a line that was written over, with the colours it had before."""
    if "\r" not in line:
        return line
    versions = line.split("\r")
    last = next((i for i in range(len(versions) - 1, -1, -1) if versions[i]), 0)
    return "".join(find_sgr("".join(versions[:last]))) + versions[last]
