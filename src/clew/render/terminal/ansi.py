"""Colours that a program printed → our own styles.

Nothing of a sequence is passed on: its numbers are read, what they ask for is looked up, and the
style's name stands with the text. Backgrounds are not kept, nor black and white: on a terminal of
that colour the text would be hidden.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec
from rich.color import Color, ColorSystem

from clew.render.safe import safe
from clew.render.terminal.lines import Line

_COLOURING: Final = re.compile(r"(?:\x1b\[|\x9b)([\d;:]{0,60})m")
_ON: Final = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_OFF: Final = {
    22: ("bold", "dim"),
    23: ("italic",),
    24: ("underline",),
    27: ("reverse",),
    29: ("strike",),
}
_NAMES: Final = {
    1: "red",
    2: "green",
    3: "yellow",
    4: "blue",
    5: "magenta",
    6: "cyan",
    9: "bright_red",
    10: "bright_green",
    11: "bright_yellow",
    12: "bright_blue",
    13: "bright_magenta",
    14: "bright_cyan",
}
_GREY: Final = 8
_FOREGROUND, _BRIGHT, _DEFAULT = 30, 90, 39
_LONG, _BACKGROUND = 38, 48
_PALETTE, _RGB = 5, 2
_BYTE: Final = 255


class _Pen(msgspec.Struct, frozen=True):
    marks: frozenset[str] = frozenset()
    colour: str = ""

    @property
    def style(self) -> str:
        """Name the style, as `paint` reads it."""
        return " ".join(filter(None, (*sorted(self.marks), self.colour)))


def coloured_lines(text: str, style: str = "") -> Iterator[Line]:
    """Give the lines of a text in the colours it asks for, all else in a style."""
    pen = _Pen()
    line: Line = []
    for piece, sequence in _pieces(text.replace("\r\n", "\n").replace("\r", "\n")):
        first, *others = safe(piece).split("\n")
        line.append((first, pen.style or style))
        for other in others:
            yield _closed(line)
            line = [(other, pen.style or style)]
        pen = _next(pen, sequence)
    yield _closed(line)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Give the text before each sequence that colours, and the numbers of the sequence."""
    position = 0
    for found in _COLOURING.finditer(text):
        yield text[position : found.start()], found[1]
        position = found.end()
    yield text[position:], ""


def _closed(line: Line) -> Line:
    """Take blanks off a line's end, and pieces that say nothing out of it."""
    kept = [span for span in line if span[0]]
    while kept and not kept[-1][0].strip():
        kept.pop()
    if kept:
        kept[-1] = (kept[-1][0].rstrip(), kept[-1][1])
    return kept


def _next(pen: _Pen, sequence: str) -> _Pen:
    numbers = [int(part[:4] or 0) for part in re.split("[;:]", sequence)]
    while numbers:
        number = numbers.pop(0)
        if number in (_LONG, _BACKGROUND):
            colour = _long_colour(numbers)
            pen = msgspec.structs.replace(pen, colour=colour) if number == _LONG else pen
        else:
            pen = _changed(pen, number)
    return pen


def _changed(pen: _Pen, number: int) -> _Pen:
    if number == 0:
        return _Pen()
    if number in _ON:
        return msgspec.structs.replace(pen, marks=pen.marks | {_ON[number]})
    if number in _OFF:
        return msgspec.structs.replace(pen, marks=pen.marks - set(_OFF[number]))
    if number == _DEFAULT:
        return msgspec.structs.replace(pen, colour="")
    for base, first in ((_FOREGROUND, 0), (_BRIGHT, _GREY)):
        if base <= number < base + _GREY:
            return msgspec.structs.replace(pen, colour=_named(number - base + first))
    return pen


def _long_colour(numbers: list[int]) -> str:
    """Read a colour of the large palette or of three bytes, and give the nearest we have."""
    kind = numbers.pop(0) if numbers else 0
    taken = [min(number, _BYTE) for number in numbers[: 3 if kind == _RGB else 1]]
    del numbers[: len(taken)]
    if kind == _PALETTE and taken:
        colour = Color.from_ansi(taken[0])
    elif kind == _RGB and len(taken) == len("rgb"):
        colour = Color.from_rgb(*taken)
    else:
        return ""
    return _named(colour.downgrade(ColorSystem.STANDARD).number or 0)


def _named(number: int) -> str:
    return "dim" if number == _GREY else _NAMES.get(number, "")
