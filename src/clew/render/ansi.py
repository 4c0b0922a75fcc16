"""ANSI escape sequences: what a program printed → runs of text, each in one style.

Nothing of a sequence is passed on. SGR sequences (colours, bold …) become a `TextStyle`, all others
are removed. Colours of 256 and RGB colours become the nearest of the sixteen.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import msgspec

_SEQUENCE: Final = re.compile(
    r"""
    (?: \x1b\[ | \x9b ) (?: (?P<sgr> [0-9;:]{0,64} ) m           # colours
                          | [0-?]* [ -/]* [@-~]? )               # cursor
  | (?: \x1b[\]PX^_] | [\x90\x98\x9d-\x9f] )                     # titles, links, device strings
        [^\x07\x1b\x9c\n]* (?: \x07 | \x1b\\ | \x9c )
  | \x1b [ -/]* [0-~]                                            # all others
    """,
    re.VERBOSE,
)
_SGR: Final = re.compile(r"(?:\x1b\[|\x9b)[0-9;:]{0,64}m")
_C1: Final = "\x90\x98\x9b\x9d\x9e\x9f"
_COLOURS: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_BRIGHT: Final = tuple(f"bright-{name}" for name in _COLOURS)
_SIXTEEN: Final = _COLOURS + _BRIGHT
_EXTENDED: Final = {38: "foreground", 48: "background"}
_OF_256, _RGB = 5, 2
_CHANNELS: Final = 3
_CUBE_START: Final = 16
_CUBE_SIDE: Final = 6
_GREY_START: Final = 232
_DARK: Final = 60
_LIGHT: Final = 190


class TextStyle(msgspec.Struct, frozen=True, gc=False):
    """How text looks; a colour is one of the sixteen by name, or empty for the default."""

    foreground: str = ""
    background: str = ""
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False
    strike: bool = False


PLAIN: Final = TextStyle()


def has_sequences(text: str) -> bool:
    """Return whether a text may contain escape sequences."""
    return "\x1b" in text or (not text.isascii() and any(sign in text for sign in _C1))


def styled_runs(text: str, style: TextStyle = PLAIN) -> Iterator[tuple[str, TextStyle]]:
    """Yield a text in runs of one style, beginning with `style`.

    The style of the last run, which may be empty, is the one that goes on after the text.
    """
    start = 0
    run: list[str] = []
    for found in _SEQUENCE.finditer(text):
        run.append(text[start : found.start()])
        start = found.end()
        codes = found["sgr"]
        after = style if codes is None else apply_sgr(style, codes)
        if after != style:
            yield "".join(run), style
            run, style = [], after
    run.append(text[start:])
    yield "".join(run), style


def strip_sequences(text: str) -> str:
    """Remove all escape sequences."""
    return _SEQUENCE.sub("", text)


def find_sgr(text: str) -> list[str]:
    """List the SGR sequences in a text."""
    return _SGR.findall(text)


@lru_cache(maxsize=1024)
def apply_sgr(style: TextStyle, codes: str) -> TextStyle:
    """Return the style after an SGR sequence, whose numbers are `codes`."""
    numbers = [int(code[:4]) if code else 0 for code in re.split("[;:]", codes)]
    fields = msgspec.structs.asdict(style)
    position = 0
    while position < len(numbers):
        number = numbers[position]
        position += 1
        if number in _EXTENDED:
            fields[_EXTENDED[number]], position = _extended(numbers, position)
        else:
            fields.update(_effect(number))
    return TextStyle(**fields)


def _effect(number: int) -> dict[str, object]:
    simple = _EFFECTS.get(number)
    if simple is not None:
        return simple
    tens, ones = divmod(number, 10)
    if ones < len(_COLOURS) and tens in _PALETTES:
        name, palette = _PALETTES[tens]
        return {name: palette[ones]}
    return {}


def _extended(numbers: list[int], position: int) -> tuple[str, int]:
    """Read a colour of 256 or an RGB colour; return it with the position after it."""
    kind = numbers[position] if position < len(numbers) else None
    if kind == _OF_256 and position + 1 < len(numbers):
        return _nearest_of_256(numbers[position + 1]), position + 2
    if kind == _RGB and position + _CHANNELS < len(numbers):
        red, green, blue = numbers[position + 1 : position + 1 + _CHANNELS]
        return _nearest(red, green, blue), position + 1 + _CHANNELS
    return "", len(numbers)


def _nearest_of_256(number: int) -> str:
    if number < _CUBE_START:
        return _SIXTEEN[number]
    if number >= _GREY_START:
        return _nearest(*(8 + 10 * (number - _GREY_START),) * 3)
    rest, blue = divmod(number - _CUBE_START, _CUBE_SIDE)
    red, green = divmod(rest, _CUBE_SIDE)
    return _nearest(red * 51, green * 51, blue * 51)


def _nearest(red: int, green: int, blue: int) -> str:
    """Keep the hue: which channels are strong, and whether the colour is bright."""
    highest = max(red, green, blue)
    if highest - min(red, green, blue) < _DARK // 2:
        shades = ((_DARK, "black"), (150, "bright-black"), (225, "white"))
        return next((name for limit, name in shades if highest < limit), "bright-white")
    middle = (highest + min(red, green, blue)) / 2
    hue = (red > middle) + 2 * (green > middle) + 4 * (blue > middle)
    return _BRIGHT[hue] if min(red, green, blue) > _DARK or highest > _LIGHT else _COLOURS[hue]


_EFFECTS: Final[dict[int, dict[str, object]]] = {
    0: msgspec.structs.asdict(PLAIN),
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    9: {"strike": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
    29: {"strike": False},
    39: {"foreground": ""},
    49: {"background": ""},
}
_PALETTES: Final = {
    3: ("foreground", _COLOURS),
    4: ("background", _COLOURS),
    9: ("foreground", _BRIGHT),
    10: ("background", _BRIGHT),
}
