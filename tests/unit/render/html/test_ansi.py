"""What programs print, as markup."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.render.ansi import PLAIN
from clew.render.html.ansi import draw_output, style_classes
from tests.unit.render.html.parsing import parse_piece, text_of


def drawn(text: str) -> str:
    return draw_output(text)[0]


@pytest.mark.parametrize(
    ("code", "classes"),
    [
        ("31", "ink-red"),
        ("1;92", "ink-bright-green bold"),
        ("44;37", "ink-white on-blue"),
        ("2;3;4", "dim italic underline"),
        ("9", "strike"),
        ("7;31", "ink-inverse on-red"),
        ("38;5;9", "ink-bright-red"),
        ("38;5;196", "ink-bright-red"),
        ("38;5;244", "ink-bright-black"),
        ("48;2;0;0;120", "on-blue"),
        ("38:2:250:200:60", "ink-bright-yellow"),
    ],
)
def test_a_colour_becomes_a_class(code: str, classes: str) -> None:
    assert drawn(f"\x1b[{code}mx") == f'<span class="{classes}">x</span>'


def test_a_colour_ends_where_it_ends() -> None:
    assert drawn("a\x1b[31mb\x1b[0mc\x1b[1md\x1b[22me") == (
        'a<span class="ink-red">b</span>c<span class="bold">d</span>e'
    )


def test_a_colour_goes_on_in_the_next_stretch() -> None:
    first, style = draw_output("\x1b[31ma")
    second, after = draw_output("b\x1b[m", style)

    assert (first, second) == ('<span class="ink-red">a</span>', '<span class="ink-red">b</span>')
    assert after == PLAIN


def test_tags_are_escaped_in_colours_too() -> None:
    assert drawn("\x1b[31m<b>\x1b[0m&") == '<span class="ink-red">&lt;b&gt;</span>&amp;'


def test_other_sequences_are_removed() -> None:
    text = "a\x1b]8;;https://x\x07link\x1b]8;;\x1b\\b\x1b[2K\x1b[10;4Hc\x1b(Bd\x1bPq\x1b\\e\x9b31mf"

    assert drawn(text) == 'alinkbcde<span class="ink-red">f</span>'


def test_a_title_that_never_ends_hides_nothing() -> None:
    assert drawn("a\x1b]0;the rest") == "a0;the rest"


def test_of_a_line_written_over_the_last_writing_stays() -> None:
    assert drawn("10%\r50%\r100%\r\nnext\r") == "100%\nnext"


def test_colours_of_a_line_written_over_stay() -> None:
    assert drawn("\x1b[32m10%\r20%") == '<span class="ink-green">20%</span>'


def test_what_is_struck_over_is_gone() -> None:
    assert drawn("ab\x08c") == "ac"


@settings(deadline=None)
@given(st.text(st.sampled_from("\x1b[]0;31m\x07\r\n\x08ab<&\x9b")))
def test_any_output_is_valid_and_without_escapes(text: str) -> None:
    html = drawn(text)

    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", html) is None
    parse_piece(f"<pre>\n{html}</pre>")


@settings(deadline=None)
@given(st.text(st.sampled_from("ab<&\n ")))
def test_plain_output_keeps_every_character(text: str) -> None:
    tree = parse_piece(f"<pre>\n{drawn(text)}</pre>")

    assert text_of(tree).removeprefix("t") == text


def test_many_unfinished_sequences_take_little_time() -> None:
    text = "\x1b]0;" * 50_000 + "\x1b[" * 50_000

    start = time.process_time()
    drawn(text)

    assert time.process_time() - start < 5


def test_plain_text_has_no_classes() -> None:
    assert style_classes(PLAIN) == ""
