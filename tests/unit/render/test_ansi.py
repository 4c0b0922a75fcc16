"""Colours that programs printed, as styles of ours."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.parts import Output
from clew.render.terminal import ColourMode, TerminalOptions
from clew.render.terminal.ansi import coloured_lines
from clew.render.terminal.context import make_context
from clew.render.terminal.parts import draw_parts
from clew.render.terminal.styles import paint
from clew.view import Detail
from tests.unit.render.shapes import page_of

OURS = re.compile(r"\x1b\[[\d;]*m")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def drawn(text: str, ink: ColourMode, width: int = 40) -> str:
    """Draw what a program printed."""
    sheet = make_context(page_of(), TerminalOptions(detail=Detail.EVERYTHING, width=width))
    return "".join(paint(line, ink) for line in draw_parts([Output(text)], sheet))


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("\x1b[31mx", "red"),
        ("\x1b[1;32mx", "bold green"),
        ("\x1b[1m\x1b[4mx", "bold underline"),
        ("\x1b[1;31;22mx", "red"),
        ("\x1b[38;5;196mx", "bright_red"),
        ("\x1b[38;2;0;150;0mx", "green"),
        ("\x1b[38;2;0;205;0mx", "bright_green"),
        ("\x1b[38:5:4mx", "blue"),
        ("\x9b33mx", "yellow"),
        ("\x1b[90mx", "dim"),
        ("\x1b[31m\x1b[0mx", ""),
        ("\x1b[31m\x1b[mx", ""),
        ("\x1b[31m\x1b[39mx", ""),
        ("\x1b[30mx", ""),
        ("\x1b[97mx", ""),
        ("\x1b[8mx", ""),
        ("\x1b[41mx", ""),
        ("\x1b[48;5;1;32mx", "green"),
        ("\x1b[38mx", ""),
        ("\x1b[38;5mx", ""),
        ("\x1b[999999999999mx", ""),
        ("\x1b[31Kx", ""),
    ],
)
def test_a_colour_becomes_the_nearest_style(text: str, style: str) -> None:
    assert list(coloured_lines(text)) == [[("x", style)]]


def test_a_colour_lasts_over_lines_until_it_ends() -> None:
    lines = list(coloured_lines("a\x1b[31mb\nc\x1b[0md", "quiet"))

    assert lines == [[("a", "quiet"), ("b", "red")], [("c", "red"), ("d", "quiet")]]


def test_colours_are_drawn_with_sequences_of_our_own() -> None:
    assert drawn("\x1b[38;5;9;1mred\x1b[m", ColourMode.COLOUR) == "\x1b[1;91mred\x1b[0m\n"
    assert drawn("\x1b[31;1mred\x1b[m", ColourMode.MONO) == "\x1b[1mred\x1b[0m\n"
    assert drawn("\x1b[31;1mred\x1b[m", ColourMode.PLAIN) == "red\n"


def test_a_long_coloured_line_is_broken_at_the_width() -> None:
    lines = drawn(f"\x1b[31m{'x' * 50}\x1b[0m{'重' * 20}", ColourMode.PLAIN).split("\n")

    assert lines == ["x" * 40, f"{'x' * 10}{'重' * 15}", "重" * 5, ""]


@given(
    st.lists(
        st.sampled_from(["\x1b", "[", "]", "\x9b", "31", ";", "m", "K", "\x07", "0;x", "a", "\n"])
        | st.text(st.characters(codec=None), max_size=3)
    ).map("".join),
    st.sampled_from(ColourMode),
)
def test_nothing_but_our_own_sequences_reaches_the_terminal(text: str, ink: ColourMode) -> None:
    assert CONTROL.search(OURS.sub("", drawn(text, ink))) is None
