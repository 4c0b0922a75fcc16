"""The reader's note below the facts of a session."""

from collections.abc import Iterator

from clew.render.safe import safe_line
from clew.render.terminal.context import TerminalContext
from clew.render.terminal.lines import Line, wrap
from clew.view.page import NoteView


def draw_note(note: NoteView, context: TerminalContext) -> Iterator[Line]:
    """Draw star and tags, the text, and the bookmarks."""
    marks = ("* starred" if note.is_starred else "", *(f"#{tag}" for tag in note.tags))
    head = " · ".join(word for word in marks if word)
    texts = [head, *note.text.split("\n")] if note.text else [head]
    texts += [f"bookmark: {mark.comment or mark.title}" for mark in note.bookmarks]
    for text in texts:
        line = safe_line(text)
        yield from ([(piece, "")] for piece in wrap(line, context.narrow) if piece)
