"""Styled lines → text with or without escape sequences."""

from enum import Enum
from typing import Final

from rich.color import ColorSystem
from rich.style import Style

from clew.render.terminal.lines import Line


class Ink(Enum):
    """What a terminal can show: colours, bold and faint text alone, or plain text."""

    COLOUR = "colour"
    MONO = "mono"
    PLAIN = "plain"


_COLOURS: Final = {
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
_MONO: Final = {name: style.without_color for name, style in _COLOURS.items()}


def paint(line: Line, ink: Ink) -> str:
    """Give a line as text, with its newline."""
    if ink is Ink.PLAIN:
        return "".join(text for text, _ in line).rstrip() + "\n"
    styles = _COLOURS if ink is Ink.COLOUR else _MONO
    return "".join(_styled(text, styles.get(style)) for text, style in line) + "\n"


def _styled(text: str, style: Style | None) -> str:
    return text if style is None else style.render(text, color_system=ColorSystem.STANDARD)
