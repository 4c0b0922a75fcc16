"""page → Markdown, for people, notes apps and models.

A heading for each turn and message, one line for each tool call, its details folded. What people
and models wrote stays Markdown, but nothing of it can break out of its place.
"""

from collections.abc import Iterator

import msgspec

from clew.render.formatting import day, local_time
from clew.render.markdown.budget import estimate_tokens, fit
from clew.render.markdown.digest import digest_blocks
from clew.render.markdown.dossier import render_dossier_markdown
from clew.render.markdown.header import fact_lines, front_matter, outline, title_line
from clew.render.markdown.inline import set_apart
from clew.render.markdown.items import write_items
from clew.render.markdown.note import note_blocks
from clew.render.markdown.options import (
    Details,
    ImageMode,
    Keep,
    MarkdownContext,
    MarkdownOptions,
    SaveImage,
    discard_image,
)
from clew.view.page import FrameView, SessionPage

__all__ = [
    "Details",
    "ImageMode",
    "Keep",
    "MarkdownOptions",
    "SaveImage",
    "estimate_tokens",
    "render_dossier_markdown",
    "render_markdown",
]


def render_markdown(
    page: SessionPage, options: MarkdownOptions, save: SaveImage = discard_image
) -> Iterator[str]:
    """Return a page as Markdown, piece by piece; joined, they are one file.

    Args:
        page: What is shown.
        options: How it is written.
        save: Takes the path and the bytes of each picture, where they are linked. A picture that
            is shown twice comes twice, under one path. Where tokens are counted, pictures are
            only named.
    """
    if options.max_tokens is not None:
        counted = msgspec.structs.replace(options, images="none")
        yield fit(page, _make_context(page.frame, counted, discard_image), options.max_tokens)
        return
    yield from set_apart(_blocks(page, _make_context(page.frame, options, save)))


def _make_context(frame: FrameView, options: MarkdownOptions, save: SaveImage) -> MarkdownContext:
    return MarkdownContext(
        options=options,
        save=save,
        first_day=day(local_time(frame.header.started_at, options.zone)),
        is_whole=frame.detail == "everything",
        turns={turn.id: turn for turn in frame.turns},
    )


def _blocks(page: SessionPage, context: MarkdownContext) -> Iterator[str]:
    header = page.frame.header
    if context.options.front_matter:
        yield front_matter(header)
    yield title_line(header)
    yield fact_lines(header, context)
    if header.note is not None:
        yield from note_blocks(header.note)
    if header.digest is not None:
        yield from digest_blocks(header.digest)
    if page.frame.detail == "outline":
        yield "\n".join(outline(page.frame.turns))
    for section in page.sections:
        yield from write_items(section.items, context)
