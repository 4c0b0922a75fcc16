"""page → Markdown, for people, notes apps and models.

A heading for each turn and message, one line for each tool call, its details folded. What people
and models wrote stays Markdown, but nothing of it can break out of its place.
"""

from collections.abc import Iterator

import msgspec

from clew.render.figures import day, moment
from clew.render.markdown.budget import estimate_tokens, fit
from clew.render.markdown.head import fact_lines, front_matter, outline, title_line
from clew.render.markdown.inline import set_apart
from clew.render.markdown.options import (
    Details,
    Keep,
    MarkdownOptions,
    Pictures,
    Place,
    SavePicture,
    forget,
)
from clew.render.markdown.talk import write_items
from clew.view.page import Frame, SessionPage

__all__ = [
    "Details",
    "Keep",
    "MarkdownOptions",
    "Pictures",
    "SavePicture",
    "estimate_tokens",
    "render_markdown",
]


def render_markdown(
    page: SessionPage, options: MarkdownOptions, save: SavePicture = forget
) -> Iterator[str]:
    """Give a page as Markdown, piece by piece; joined, they are one file.

    Args:
        page: What is shown.
        options: How it is written.
        save: Takes the path and the bytes of each picture, where they are linked. A picture that
            is shown twice comes twice, under one path. Where tokens are counted, pictures are
            only named.
    """
    if options.max_tokens is not None:
        counted = msgspec.structs.replace(options, images="none")
        yield fit(page, _place(page.frame, counted, forget), options.max_tokens)
        return
    yield from set_apart(_blocks(page, _place(page.frame, options, save)))


def _place(frame: Frame, options: MarkdownOptions, save: SavePicture) -> Place:
    return Place(
        options=options,
        save=save,
        first_day=day(moment(frame.header.started_at, options.zone)),
        is_whole=frame.detail == "everything",
        turns={turn.id: turn for turn in frame.turns},
    )


def _blocks(page: SessionPage, place: Place) -> Iterator[str]:
    header = page.frame.header
    if place.options.front_matter:
        yield front_matter(header)
    yield title_line(header)
    yield fact_lines(header, place)
    if page.frame.detail == "outline":
        yield "\n".join(outline(page.frame.turns))
    for section in page.sections:
        yield from write_items(section.items, place)
