"""Session page → one HTML file, piece by piece."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from clew.render.html.escaping import escape, markup
from clew.render.html.frame import FramePieces, render_frame
from clew.render.html.items import render_section
from clew.render.html.options import HtmlOptions
from clew.render.html.templates import (
    EARLY_SCRIPT,
    LATE_SCRIPTS,
    asset,
    content_hash,
    draw,
    stylesheet,
)
from clew.view import SessionPage

_HIGHLIGHTER: Final = "highlight.js"
# No transcript can say this: its tags are escaped.
SLOT: Final = re.compile("<slot ([a-z]+)>")


def render_html(page: SessionPage, options: HtmlOptions | None = None) -> Iterator[str]:
    """Return a page as one file that needs nothing else; joined, the pieces are the file."""
    options = options or HtmlOptions()
    frame = render_frame(page.frame, options)
    template = _page_template(options.home, int(options.detail), highlight=options.highlight)
    for position, piece in enumerate(template):
        if position % 2 == 0:
            yield piece
        elif piece == "sections":
            yield from _sections(page, options)
        else:
            yield _slot(frame, piece)


def content_policy(styles: list[str], scripts: list[str]) -> str:
    """Return the content security policy: these styles and scripts, embedded images, no more."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {' '.join(map(content_hash, styles))}",
            f"script-src {' '.join(map(content_hash, scripts))}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _sections(page: SessionPage, options: HtmlOptions) -> Iterator[str]:
    turns = {turn.index: turn for turn in page.frame.turns}
    for section in page.sections:
        yield render_section(section, options, turns.get(section.place.turn))


def _slot(frame: FramePieces, name: str) -> str:
    match name:
        case "title":
            return escape(frame.title)
        case "top":
            return frame.top
        case "outline":
            return frame.outline
        case "facts":
            return frame.facts + frame.note
        case "map":
            return frame.map
        case _:
            return frame.marks


@lru_cache(maxsize=16)
def _page_template(home: str, detail: int, *, highlight: bool) -> tuple[str, ...]:
    """Draw what all pages share, cut where their own pieces come: text, slot, text, slot, text."""
    names = [name for name in LATE_SCRIPTS if highlight or name != _HIGHLIGHTER]
    style, early, late = stylesheet(), asset(EARLY_SCRIPT), [asset(name) for name in names]
    drawn = draw(
        "page.html",
        home=home,
        detail=detail,
        policy=content_policy([style], [early, *late]),
        style=markup(style),
        early=markup(early),
        late=[markup(text) for text in late],
    )
    return tuple(SLOT.split(drawn))
