"""Names of files as text that any program can keep.

A name may hold bytes that are no text; Python has halves of surrogate pairs in their place, which
neither a database nor JSON takes. Here each becomes a sign for private use, that no keyboard has.
"""

from typing import Final

_HALVES: Final = range(0xD800, 0xE000)
_FIRST_SIGN: Final = 0x10F800
_TO_SIGNS: Final = {half: _FIRST_SIGN + number for number, half in enumerate(_HALVES)}
_TO_HALVES: Final = {sign: half for half, sign in _TO_SIGNS.items()}


def to_text(name: str) -> str:
    """Give a name or a path as text."""
    return name if name.isascii() else name.translate(_TO_SIGNS)


def to_name(text: str) -> str:
    """Give the name or the path that a text stands for, as the system knows it."""
    return text if text.isascii() else text.translate(_TO_HALVES)
