"""A note on the terminal."""

from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.text import Text

from clew.cli.text import visible, visible_lines
from clew.notes import SessionNote

_INDENT: Final = "  "
_GONE: Final = "(session not in the archive)"


def print_note(note: SessionNote, title: str, console: Console) -> None:
    """Print a session's name, and what the reader added to it."""
    star = "* " if note.is_starred else ""
    console.print(Text(visible(f"{star}{title or _GONE}"), "bold"), soft_wrap=True)
    console.print(Text(visible(f"{_INDENT}{note.session_id}"), "dim"), soft_wrap=True)
    for line in _lines(note):
        console.print(Text(f"{_INDENT}{line}"), soft_wrap=True)


def _lines(note: SessionNote) -> Iterator[str]:
    if note.is_empty:
        yield "no note"
    if note.is_hidden:
        yield "hidden from lists"
    if note.tags:
        yield visible(f"tags: {', '.join(note.tags)}")
    if note.text:
        yield from visible_lines(note.text).split("\n")
    for mark in note.bookmarks:
        comment = f"  {mark.comment}" if mark.comment else ""
        yield visible(f"bookmark {mark.message_id}{comment}")
