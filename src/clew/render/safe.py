"""Text from transcripts, made safe to print.

A transcript may hold anything: escape sequences that move the cursor or set a title, controls that
turn the direction of text. None of it reaches a terminal or a file of ours.
"""

import re
from typing import Final

from clew.render.ansi import strip_sequences

# Turners of direction, invisible marks and tags, halves of surrogate pairs. Joiners stay: words of
# some languages, and some emoji, need them.
_HIDDEN: Final = (
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff"
)
_CONTROLS: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_UNSAFE: Final = re.compile(f"[{_CONTROLS}{_HIDDEN}]")
_CONTROL: Final = re.compile(f"[{_CONTROLS}]")
_TAB: Final = 4


def safe(text: str) -> str:
    """Drop escape sequences and write other controls as escapes; lines and blanks stay."""
    if _UNSAFE.search(text) is not None:
        text = _UNSAFE.sub(_escape, _without_sequences(text))
    return text.expandtabs(_TAB) if "\t" in text else text


def safe_lines(text: str) -> list[str]:
    """Return a text's lines, safe and without blanks at their ends."""
    return [line.rstrip() for line in safe(text).split("\n")]


def safe_line(text: str) -> str:
    """Return a text on one safe line, with single blanks between words."""
    return " ".join(safe(text).split())


def printable(text: str) -> str:
    """Drop escape sequences and controls for good; what is merely hidden is written out.

    Tabs stay as they are: this is for files, whose code must be fit to be copied.
    """
    if _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub(_escape, _CONTROL.sub("", _without_sequences(text)))


def _without_sequences(text: str) -> str:
    return strip_sequences(text.replace("\r\n", "\n")).replace("\r", "\n")


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
