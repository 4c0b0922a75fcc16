"""Description: author, title and body of a message that is not an answer."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import Message
from clew.figures import plural
from clew.parts import Fold, Part, Prose, Tone, Words
from clew.view.blocks import block_parts
from clew.view.labels import summary_line

# A longer text, or one that wraps to about as many lines, is folded.
_MOST_LINES: Final = 20
_MOST_CHARACTERS: Final = 2000


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """Author, title, state and body of a message."""

    who: str = ""
    title: str = ""
    state: str = ""
    tone: Tone = ""
    color: str = ""
    body: tuple[Part, ...] = ()


def texts_of(message: Message) -> Iterator[Part]:
    """Show the text of a message, and its other blocks."""
    if message.text.strip():
        yield Prose(message.text)
        yield from block_parts(block for block in message.blocks if block.kind != "text")
    elif not message.notices:
        yield from block_parts(message.blocks)


def fold_long(part: Part) -> Part:
    """Fold a long text below its first line and its size."""
    if not isinstance(part, Prose | Words):
        return part
    text = part.text.strip()
    lines = text.count("\n") + 1
    if lines <= _MOST_LINES and len(text) <= _MOST_CHARACTERS:
        return part
    size = f"{plural(lines, 'line')}, {plural(len(text), 'character')}"
    return Fold(f"{summary_line(text).lstrip('# ')} ({size})", (part,))
