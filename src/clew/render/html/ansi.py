"""What a program printed → markup: colours become classes, all other escape sequences go.

Carriage returns are played as a terminal plays them, roughly: of a line that was written over and
over, as progress bars are, the last writing stays.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.render.html.text import escape, tag

_TOKEN: Final = re.compile(
    r"""
    \x1b\[ (?P<sgr> [0-9;:]{0,64} ) m                            # colours
  | (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]?                     # other commands
  | (?: \x1b[\]PX^_] | [\x90\x98\x9d-\x9f] )                     # titles, links, device strings
        [^\x07\x1b\x9c\n]* (?: \x07 | \x1b\\ | \x9c )
  | \x1b [ -/]* [0-~]?                                           # all others
    """,
    re.VERBOSE,
)
_SGR: Final = re.compile(r"\x1b\[[0-9;:]{0,64}m")
_STRUCK_OVER: Final = re.compile(r"[^\n\x08]\x08")
_NAMES: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_BRIGHT: Final = tuple(f"bright-{name}" for name in _NAMES)
_PALETTE: Final = _NAMES + _BRIGHT
_CUBE_START: Final = 16
_GREY_START: Final = 232
_CUBE: Final = 6
_DARK: Final = 60
_LIGHT: Final = 190
_CHANNELS: Final = 3
_EXTENDED: Final = {38: "ink", 48: "paper"}
_OF_256: Final = 5
_RGB: Final = 2


class Pen(msgspec.Struct, frozen=True, gc=False):
    """How the text that follows looks."""

    ink: str = ""
    paper: str = ""
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False

    @property
    def classes(self) -> str:
        """Name it as classes; empty for text as it is."""
        ink, paper = self.ink, self.paper
        if self.inverse:
            ink, paper = paper or "inverse", ink or "inverse"
        named = [f"ink-{ink}"] if ink else []
        if paper:
            named.append(f"on-{paper}")
        flags = ("bold", "dim", "italic", "underline")
        named += [name for name in flags if getattr(self, name)]
        return " ".join(named)


PLAIN: Final = Pen()


def draw_output(text: str, pen: Pen = PLAIN) -> tuple[str, Pen]:
    """Give a stretch of output as markup, and how the one after it begins."""
    if "\r" in text:
        text = "\n".join(map(_last_writing, text.replace("\r\n", "\n").split("\n")))
    if "\x08" in text:
        text = _STRUCK_OVER.sub("", text)
    if "\x1b" not in text and not _has_c1(text) and pen is PLAIN:
        return escape(text), pen
    drawn: list[str] = []
    for piece, after in _pieces(text, pen):
        if piece:
            drawn.append(tag("span", pen.classes, escape(piece)) if pen.classes else escape(piece))
        pen = after
    return "".join(drawn), pen


def _has_c1(text: str) -> bool:
    return not text.isascii() and any(c in text for c in "\x90\x98\x9b\x9d\x9e\x9f")


def _pieces(text: str, pen: Pen) -> Iterator[tuple[str, Pen]]:
    """Yield stretches of one look, each with the pen that comes after it."""
    start, run = 0, []
    for found in _TOKEN.finditer(text):
        run.append(text[start : found.start()])
        start = found.end()
        codes = found["sgr"]
        if codes is None:
            continue
        after = _turned(pen, codes)
        if after != pen:
            yield "".join(run), after
            run, pen = [], after
    run.append(text[start:])
    yield "".join(run), pen


def _last_writing(line: str) -> str:
    """Give what is left of a line that was written over, with the colours it had before."""
    if "\r" not in line:
        return line
    writings = line.split("\r")
    last = next((i for i in range(len(writings) - 1, -1, -1) if writings[i]), 0)
    colours = _SGR.findall("".join(writings[:last]))
    return "".join(colours) + writings[last]


def _turned(pen: Pen, codes: str) -> Pen:
    numbers = [int(code[:4]) if code else 0 for code in re.split("[;:]", codes)]
    fields = {name: getattr(pen, name) for name in Pen.__struct_fields__}
    position = 0
    while position < len(numbers):
        number = numbers[position]
        position += 1
        if number in _EXTENDED:
            fields[_EXTENDED[number]], position = _extended(numbers, position)
        else:
            fields.update(_effect(number))
    return Pen(**fields)


def _effect(number: int) -> dict[str, object]:
    simple = _EFFECTS.get(number)
    if simple is not None:
        return simple
    tens, ones = divmod(number, 10)
    if ones < len(_NAMES) and tens in _COLOURS:
        name, palette = _COLOURS[tens]
        return {name: palette[ones]}
    return {}


def _extended(numbers: list[int], position: int) -> tuple[str, int]:
    """Read a colour of 256, or of red, green and blue, as the nearest of the sixteen."""
    kind = numbers[position] if position < len(numbers) else None
    if kind == _OF_256 and position + 1 < len(numbers):
        return _nearest_of_256(numbers[position + 1]), position + 2
    if kind == _RGB and position + _CHANNELS < len(numbers):
        red, green, blue = numbers[position + 1 : position + 1 + _CHANNELS]
        return _nearest(red, green, blue), position + 1 + _CHANNELS
    return "", len(numbers)


def _nearest_of_256(number: int) -> str:
    if number < _CUBE_START:
        return _PALETTE[number]
    if number >= _GREY_START:
        return _nearest(*(8 + 10 * (number - _GREY_START),) * 3)
    rest, blue = divmod(number - _CUBE_START, _CUBE)
    red, green = divmod(rest, _CUBE)
    return _nearest(red * 51, green * 51, blue * 51)


def _nearest(red: int, green: int, blue: int) -> str:
    """Keep the hue: which channels are strong, and whether the colour is bright."""
    highest = max(red, green, blue)
    if highest - min(red, green, blue) < _DARK // 2:
        shades = ((_DARK, "black"), (150, "bright-black"), (225, "white"))
        return next((name for limit, name in shades if highest < limit), "bright-white")
    middle = (highest + min(red, green, blue)) / 2
    hue = (red > middle) + 2 * (green > middle) + 4 * (blue > middle)
    return _BRIGHT[hue] if min(red, green, blue) > _DARK or highest > _LIGHT else _NAMES[hue]


_EFFECTS: Final[dict[int, dict[str, object]]] = {
    0: {name: getattr(PLAIN, name) for name in Pen.__struct_fields__},
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
    39: {"ink": ""},
    49: {"paper": ""},
}
_COLOURS: Final = {
    3: ("ink", _NAMES),
    4: ("paper", _NAMES),
    9: ("ink", _BRIGHT),
    10: ("paper", _BRIGHT),
}
