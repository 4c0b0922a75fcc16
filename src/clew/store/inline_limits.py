"""How much of a text its row has; the rest is read from the archived bytes."""

from typing import Final

import msgspec


class InlineLimits(msgspec.Struct, frozen=True):
    """The longest texts that rows have whole, in characters.

    `result` is for tool results and injected text, `input` for the inputs of tool calls as JSON.
    With `for_sql`, rows also have what queries otherwise read from the archived bytes.
    """

    text: int = 2_048
    result: int = 256
    input: int = 0
    for_sql: bool = False


LAPTOP_LIMITS: Final = InlineLimits()
"""The archived bytes are on the same disk: rows have what lists and snippets need."""
SERVER_LIMITS: Final = InlineLimits(text=262_144, result=262_144, input=262_144, for_sql=True)
"""The archived bytes are elsewhere, and SQL cannot read them."""
