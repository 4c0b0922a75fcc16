"""Told: what a message that is no answer says, before it is put on a page."""

from collections.abc import Iterator

import msgspec

from clew.conversation import Message
from clew.parts import Part, Prose, Tone
from clew.view.blocks import block_parts


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a message says, and what its first line tells of it."""

    who: str = ""
    title: str = ""
    state: str = ""
    tone: Tone = ""
    color: str = ""
    body: tuple[Part, ...] = ()


def texts_of(message: Message) -> Iterator[Part]:
    """Show the words of a message, and the blocks that are none."""
    if message.text.strip():
        yield Prose(message.text)
        yield from block_parts(block for block in message.blocks if block.kind != "text")
    elif not message.notices:
        yield from block_parts(message.blocks)
