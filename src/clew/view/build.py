"""Conversation → page, whole or in pieces."""

from clew.conversation import Conversation
from clew.digest import SessionDigest
from clew.errors import NotFoundError
from clew.notes import SessionNote
from clew.view.frame import frame_of
from clew.view.index import PageIndex, make_index
from clew.view.items import make_after, make_items
from clew.view.layout import Layout, make_layout, make_run_layout
from clew.view.options import ViewOptions
from clew.view.page import FrameView, Item, SectionView, SessionPage


def make_page(
    conversation: Conversation,
    options: ViewOptions,
    digest: SessionDigest | None = None,
    note: SessionNote | None = None,
) -> SessionPage:
    """Make the whole page of a session, with an extract unless a model wrote its digest.

    Raises:
        NotFoundError: The session has no turn with that number.
    """
    return page_of(make_layout(make_index(conversation, digest, note), options))


def make_run_page(index: PageIndex, run_id: str, options: ViewOptions) -> SessionPage:
    """Make a page of one agent run, with the facts of the run in its header.

    Raises:
        NotFoundError: The session has no such run.
    """
    return page_of(make_run_layout(index, run_id, options))


def make_frame(index: PageIndex, options: ViewOptions, layout: Layout | None = None) -> FrameView:
    """Make all of a page but its messages, without looking into any tool call's result.

    Args:
        index: The conversation.
        options: How much to show.
        layout: The result of `make_layout` for both, where it is cached.

    Raises:
        NotFoundError: The session has no turn with that number.
    """
    return frame_of(layout or make_layout(index, options))


def make_section(
    index: PageIndex, options: ViewOptions, number: int, layout: Layout | None = None
) -> SectionView:
    """Make one section of a page.

    Args:
        index: The conversation.
        options: How much to show.
        number: Which section, counted from 0.
        layout: The result of `make_layout` for both, where it is cached.

    Raises:
        NotFoundError: The page has no such section or turn.
    """
    return section_of(layout or make_layout(index, options), number)


def page_of(layout: Layout) -> SessionPage:
    """Make the whole page that is laid out."""
    sections = tuple(section_of(layout, place.index) for place in layout.places)
    return SessionPage(frame=frame_of(layout), sections=sections)


def section_of(layout: Layout, number: int) -> SectionView:
    """Make one section of a page that is laid out.

    Raises:
        NotFoundError: The page has no such section.
    """
    if not 0 <= number < len(layout.places):
        raise NotFoundError(f"no section {number}: the page has {len(layout.places)}")
    items: list[Item] = []
    if number == 0 and layout.is_whole:
        items.extend(make_after("", layout.context))
    items.extend(make_items(layout.slots_of(number), layout.context))
    return SectionView(place=layout.places[number], items=tuple(items))
