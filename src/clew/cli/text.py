"""Text made safe for a terminal, and sizes in bytes made readable."""

import re
from typing import Final

from clew.figures import plural

_UNITS: Final = ("kB", "MB", "GB", "TB")
_STEP: Final = 1000
_JSON_CONTROL: Final = re.compile(rb"\x7f|\xc2[\x80-\x9f]")


def visible(text: str) -> str:
    """Escape control characters and others that do not print."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def visible_lines(text: str) -> str:
    """Escape control characters except newlines and tabs."""
    return "".join(char if char in "\n\t" else visible(char) for char in text)


def safe_json(data: bytes) -> bytes:
    """Escape DEL and the C1 controls, which JSON allows and a terminal would obey."""
    return _JSON_CONTROL.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), data)


def cut_front(text: str, width: int) -> str:
    """Cut the front of a text that is too wide; the end of a path matters most."""
    # Not needed for help and errors.
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    kept = text[len(text) - min(max(width - 1, 0), len(text)) :]
    while kept and cell_len(kept) >= width:
        kept = kept[1:]
    return f"…{kept}"


def size(number: int) -> str:
    """Format a number of bytes in a suitable unit."""
    if number < _STEP:
        return plural(number, "byte")
    amount = float(number)
    for unit in _UNITS:
        amount /= _STEP
        if amount < _STEP or unit == _UNITS[-1]:
            break
    return f"{amount:,.1f} {unit}"


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
