"""page → text for a terminal.

A rule for each turn, a bar beside what a person said, one line for each tool call. Nothing depends
on colour, and nothing in a transcript can steer the terminal.
"""

from collections.abc import Iterator
from typing import Final

from clew.conversation import Conversation
from clew.digest import SessionDigest
from clew.notes import SessionNote
from clew.render.terminal.context import TerminalContext, TerminalOptions, make_context
from clew.render.terminal.header import draw_footer, draw_header, draw_outline
from clew.render.terminal.items import draw_items
from clew.render.terminal.lines import Line, spaced
from clew.render.terminal.prose import PROSE_WIDTH
from clew.render.terminal.styles import ColourMode, paint
from clew.view import Detail, SessionPage, ViewOptions, make_page

__all__ = [
    "PROSE_WIDTH",
    "ColourMode",
    "TerminalOptions",
    "make_text_page",
    "render_page",
    "render_terminal",
]

# Runs are drawn below their calls, however deep: a terminal has no other page to link to.
_DEEPEST: Final = 20


def render_terminal(
    conversation: Conversation,
    options: TerminalOptions,
    mode: ColourMode = ColourMode.PLAIN,
    digest: SessionDigest | None = None,
    note: SessionNote | None = None,
) -> Iterator[str]:
    """Return a page of a conversation, line by line.

    Raises:
        NotFoundError: The session has no turn with that number.
    """
    return render_page(make_text_page(conversation, options, digest, note), options, mode)


def make_text_page(
    conversation: Conversation,
    options: TerminalOptions,
    digest: SessionDigest | None = None,
    note: SessionNote | None = None,
) -> SessionPage:
    """Make the page of a conversation that a terminal shows.

    Raises:
        NotFoundError: The session has no turn with that number.
    """
    view = ViewOptions(
        detail=options.detail,
        turn=options.turn,
        with_hidden_runs=all(message.agent_run_id for message in conversation.messages),
        max_run_depth=_DEEPEST,
    )
    return make_page(conversation, view, digest, note)


def render_page(
    page: SessionPage, options: TerminalOptions, mode: ColourMode = ColourMode.PLAIN
) -> Iterator[str]:
    """Return a page, line by line; its detail and its turn are already chosen."""
    context = make_context(page, options)
    return (paint(line, mode) for line in spaced(_draw(page, context)))


def _draw(page: SessionPage, context: TerminalContext) -> Iterator[Line]:
    yield from draw_header(page.frame, context)
    if context.detail is Detail.OUTLINE:
        yield from (draw_outline(turn, context) for turn in context.turns.values())
    for section in page.sections:
        yield from draw_items(section.items, context)
    if context.options.turn is None:
        yield from draw_footer(page.frame.problems, context)
