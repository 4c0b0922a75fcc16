"""Standard streams, made ready for text from anywhere: none is closed, every letter can be sent."""

import codecs
import io
import os
import sys
from typing import Final

_LACKING: Final = "clew.lacking"
# What tables and pages are drawn with, for encodings that have no such signs.
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
    """Open what was closed before we started, and let what an encoding lacks be told otherwise."""
    _open_closed()
    codecs.register_error(_LACKING, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_LACKING)


def _open_closed() -> None:
    """Send nowhere what is written to a closed stream, before a file gets its number."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is not None:
            continue
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def _replace(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write our own signs in plain ones, and all else that is lacking as escapes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    plain = "".join(_PLAIN.get(char) or _escaped(char) for char in lacking)
    return plain, error.end


def _escaped(char: str) -> str:
    return char.encode("ascii", "backslashreplace").decode("ascii")
