"""Styled lines → text with or without escape sequences."""

from enum import Enum
from functools import lru_cache
from typing import Final

from rich.color import ColorSystem
from rich.style import Style

from clew.render.terminal.lines import Line


class ColourMode(Enum):
    """What a terminal can show: colours, bold and faint text alone, or plain text."""

    COLOUR = "colour"
    MONO = "mono"
    PLAIN = "plain"


_STYLES: Final = {
    "title": Style(bold=True),
    "strong": Style(bold=True),
    "quiet": Style(dim=True),
    "rule": Style(dim=True),
    "number": Style(bold=True, color="cyan"),
    "person": Style(bold=True, color="blue"),
    "bar": Style(color="blue"),
    "model": Style(bold=True),
    "think": Style(color="magenta", italic=True),
    "tool": Style(color="cyan"),
    "run": Style(color="green"),
    "code": Style(color="cyan"),
    "heading": Style(bold=True),
    "bad": Style(color="red"),
    "warn": Style(color="yellow"),
    "good": Style(color="green"),
}
_MARKS: Final = frozenset({"bold", "dim", "italic", "underline", "reverse", "strike"})
_HUES: Final = frozenset({"red", "green", "yellow", "blue", "magenta", "cyan"})
_WORDS: Final = _MARKS | _HUES | {f"bright_{hue}" for hue in _HUES}


def paint(line: Line, mode: ColourMode) -> str:
    """Return a line as text, with its newline."""
    if mode is ColourMode.PLAIN:
        return "".join(text for text, _ in line).rstrip() + "\n"
    return "".join(_styled(text, style, mode) for text, style in line) + "\n"


def _styled(text: str, name: str, mode: ColourMode) -> str:
    style = _style(name, mode) if name else None
    return text if style is None else style.render(text, color_system=ColorSystem.STANDARD)


@lru_cache(maxsize=256)
def _style(name: str, mode: ColourMode) -> Style | None:
    """Find a style by its name: one of ours, or words such as `bold red` from a program."""
    style = _STYLES.get(name)
    if style is None and _WORDS.issuperset(name.split()):
        style = Style.parse(name)
    return style if style is None or mode is ColourMode.COLOUR else style.without_color
