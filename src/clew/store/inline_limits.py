"""How much of a text its row has; the rest is read from the archived bytes."""

from typing import Final

import msgspec


class InlineLimits(msgspec.Struct, frozen=True):
    """The longest texts that rows have whole, in characters.

    `result` is for tool results and injected text.
    """

    text: int = 2_048
    result: int = 256


LAPTOP_LIMITS: Final = InlineLimits()
"""The archived bytes are on the same disk: rows have what lists and snippets need."""
SERVER_LIMITS: Final = InlineLimits(text=262_144, result=262_144)
"""The archived bytes are elsewhere, and SQL cannot read them."""
