"""The reader's note → markup: a quiet block below the facts, with controls in the app."""

from collections.abc import Sequence

import msgspec

from clew.render.html.escaping import anchor
from clew.render.html.formatting import clock
from clew.render.html.options import HtmlOptions
from clew.render.html.templates import draw
from clew.view import BookmarkView, Header, NoteView

_EMPTY = NoteView()


class ShownBookmark(msgspec.Struct, frozen=True):
    """A bookmark, the element of its message, and the time of that."""

    view: BookmarkView
    anchor: str
    clock: str


def render_note(header: Header, options: HtmlOptions) -> str:
    """Draw a note; where nothing can be written, only if there is one."""
    is_app = bool(options.note_url or options.note_reason) and not header.agent
    if header.note is None and not is_app:
        return ""
    note = header.note or _EMPTY
    return draw(
        "note.html",
        note=note,
        bookmarks=shown_bookmarks(header),
        is_app=is_app,
        url=f"{options.note_url}/note" if options.note_url else "",
        bookmarks_url=f"{options.note_url}/bookmarks" if options.note_url else "",
        reason=options.note_reason,
        tag_urls=_tag_urls(note.tags, options),
    )


def shown_bookmarks(header: Header) -> list[ShownBookmark]:
    """Return the bookmarks of a session."""
    marks = () if header.note is None else header.note.bookmarks
    return [ShownBookmark(one, anchor("m", one.message_id), clock(one.at)) for one in marks]


def _tag_urls(tags: Sequence[str], options: HtmlOptions) -> list[str]:
    found = [options.tag_url(tag) for tag in tags]
    return found if all(found) else []
