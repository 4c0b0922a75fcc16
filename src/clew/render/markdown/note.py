"""The reader's note as Markdown: a quote below the facts."""

from collections.abc import Iterator

from clew.render.markdown.inline import inline
from clew.view.page import BookmarkView, NoteView


def note_blocks(note: NoteView) -> Iterator[str]:
    """Write star and tags, the text, and the bookmarks."""
    marks = ("★ starred" if note.is_starred else "", *(f"#{tag}" for tag in note.tags))
    words = " · ".join(inline(word) for word in marks if word)
    text = [inline(line) for line in note.text.split("\n")] if note.text else []
    lines = ["**Your note**" + (f" · {words}" if words else ""), *text]
    if words or text:
        yield "\n".join(f"> {line}  " if line else ">" for line in lines).rstrip()
    if note.bookmarks:
        yield "\n".join(("**Bookmarks**", "", *map(_bookmark, note.bookmarks)))


def _bookmark(mark: BookmarkView) -> str:
    return f"- {': '.join(inline(text) for text in (mark.comment, mark.title) if text)}"
