"""What the reader added to a session, as pages show it."""

from clew.conversation import Message
from clew.notes import Bookmark
from clew.view.index import PageIndex
from clew.view.labels import summary_line
from clew.view.page import BookmarkView, NoteView

_GONE = "(message not found)"


def make_note(index: PageIndex) -> NoteView | None:
    """Return the reader's note, if there is one; bookmarks come in the order of the messages."""
    note = index.note
    if note is None or note.is_empty:
        return None
    order = {message.id: number for number, message in enumerate(index.conversation.messages)}
    marks = sorted(note.bookmarks, key=lambda one: order.get(one.message_id, len(order)))
    messages = index.conversation.messages
    found = (messages[order[one.message_id]] if one.message_id in order else None for one in marks)
    return NoteView(
        is_starred=note.is_starred,
        is_hidden=note.is_hidden,
        title=note.title,
        tags=note.tags,
        text=note.text,
        bookmarks=tuple(map(_bookmark, marks, found)),
    )


def _bookmark(mark: Bookmark, message: Message | None) -> BookmarkView:
    if message is None:
        return BookmarkView(mark.message_id, mark.comment, _GONE, is_there=False)
    words = summary_line(message.text) or message.kind.replace("_", " ")
    return BookmarkView(mark.message_id, mark.comment, words, message.started_at)
