"""Standard streams that are never closed and can encode any text."""

import codecs
import io
import os
import sys
from typing import Final

_LACKING: Final = "clew.lacking"
# Replacements for the characters of tables and pages, for other encodings than UTF-8.
_PLAIN: Final = {
    "─": "-",
    "│": "|",
    "┌": "+",
    "├": "+",
    "└": "+",
    "▌": "|",
    "█": "#",
    "·": "-",
    "•": "*",
    "…": "...",
    "→": "->",
    "≈": "~",
    "≥": ">=",
    "✓": "v",
    "✗": "x",
    "⑂": "Y",
    "↳": "->",
    "↻": "~",
    "∴": "*",
    "■": "#",
    "◆": "*",
    "▸": ">",
    "▾": "v",
    "┊": "|",
    "⋯": "...",
    "—": "-",
}


def prepare_streams() -> None:
    """Reopen closed streams, and replace characters that an encoding lacks."""
    _open_closed()
    codecs.register_error(_LACKING, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_LACKING)


def _open_closed() -> None:
    """Send output of closed streams to the null device, before a file gets their number."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is not None:
            continue
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def _replace(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace our own characters by ASCII ones, and write all others as escapes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    plain = "".join(_PLAIN.get(char) or _escaped(char) for char in lacking)
    return plain, error.end


def _escaped(char: str) -> str:
    return char.encode("ascii", "backslashreplace").decode("ascii")
